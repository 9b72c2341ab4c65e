package sim

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// endpoint is a cloud's HTTP endpoint: the road of each request.
type endpoint struct {
	world *World
	cloud Cloud
}

// exchange is one request on that road.
type exchange struct {
	*endpoint
	in      *Inbound
	req     *Request
	seq     int64
	fault   Fault
	answer  Answer
	decided bool // the answer is there, nothing is left to serve
	date    time.Time
}

// ServeHTTP implements http.Handler.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in, err := read(r)
	if err != nil {
		// The client went away inside its body: there is nobody to answer.
		drop(w)
		return
	}
	x := &exchange{endpoint: e, in: in, req: &Request{}}
	if err := x.run(); err != nil {
		x.answer = e.cloud.Refuse(x.req, Refusal{
			Status: http.StatusInternalServerError, Code: "InternalError", Message: err.Error(),
		})
		x.fault.Drop = ""
	}
	if x.fault.Drop != "" {
		drop(w)
		return
	}
	x.write(w)
}

func read(r *http.Request) (*Inbound, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, err
	}
	in := &Inbound{HTTP: r, Body: body}
	if len(body) > MaxBody {
		in.Body, in.TooLarge = body[:MaxBody], true
	}
	return in, nil
}

// run takes the request through the world. Only a delay splits it in two
// transactions: nothing may wait inside one. A client that gives up meanwhile
// does not undo its request, as no network would.
func (x *exchange) run() error {
	err := x.world.Do(func(tx *Tx) error {
		x.arrive(tx)
		if x.fault.Delay == 0 {
			x.finish(tx)
		}
		return nil
	})
	if err != nil || x.fault.Delay == 0 {
		return err
	}
	x.wait(time.Duration(x.fault.Delay))
	return x.world.Do(func(tx *Tx) error {
		x.finish(tx)
		return nil
	})
}

func (x *exchange) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.world.closed:
	}
}

// arrive understands the request, asks the throttle and picks the fault.
func (x *exchange) arrive(tx *Tx) {
	req, answer := x.cloud.Accept(tx, x.in)
	x.req = req
	x.seq = tx.log(x.cloud.Name(), req)
	switch {
	case answer != nil:
		x.decide(*answer)
	case !tx.admit(x.cloud.Name(), req.Bucket):
		x.decide(x.cloud.Refuse(req, x.cloud.Throttled(req)))
	default:
		x.fault = tx.strike(x.cloud.Name(), req)
		req.Effects = x.fault.effects()
	}
}

func (x *exchange) decide(a Answer) { x.answer, x.decided = a, true }

// finish serves what is to be served and completes the row in the log.
func (x *exchange) finish(tx *Tx) {
	switch {
	case x.decided || x.fault.Drop == DropBefore:
	case x.fault.Status != 0 && x.fault.Drop == "":
		x.answer = x.struck()
	default:
		x.answer = x.cloud.Serve(tx, x.req)
	}
	x.date = tx.Now()
	row := tx.row(x.seq)
	if row == nil {
		return
	}
	if x.answer.NativeID != "" {
		row.NativeID = x.answer.NativeID
	}
	if x.fault.Drop == "" {
		row.Status, row.Code = Number(x.answer.Status), x.answer.Code
	}
}

// struck is the answer of a fault with a status.
func (x *exchange) struck() Answer {
	var a Answer
	if x.fault.Code == "" {
		a = bare(x.fault.Status, x.fault.Message)
	} else {
		a = x.cloud.Refuse(x.req, Refusal{
			Status: x.fault.Status, Code: x.fault.Code, Message: x.fault.Message,
		})
	}
	if x.fault.RetryAfter > 0 {
		if a.Header == nil {
			a.Header = http.Header{}
		}
		a.Header.Set("Retry-After", strconv.FormatInt(x.fault.RetryAfter.seconds(), 10))
	}
	return a
}

func bare(status int, body string) Answer {
	kind := "text/plain; charset=utf-8"
	if strings.HasPrefix(strings.TrimSpace(body), "<") {
		kind = "text/html; charset=utf-8"
	}
	return Answer{Status: status, Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)}
}

// write sends the answer, dated by the cloud's clock.
func (x *exchange) write(w http.ResponseWriter) {
	header := w.Header()
	for key, values := range x.answer.Header {
		header[key] = values
	}
	if x.date.IsZero() {
		x.date = x.world.wall()
	}
	header.Set("Date", x.date.UTC().Format(http.TimeFormat))
	w.WriteHeader(x.answer.Status)
	if len(x.answer.Body) > 0 {
		// A client that left does not matter to the world any more.
		_, _ = w.Write(x.answer.Body)
	}
}

// drop closes the connection with no byte sent.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		// A writer without a connection of its own, such as a recorder, can
		// lose nothing. Server's listeners speak HTTP/1.1 only and can.
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	_ = conn.Close()
}
