package chaostest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Gate stands in front of a simulated cloud, counts the requests of a command
// and strikes at one of them. It is safe for concurrent use.
type Gate struct {
	audit *Audit
	// patience is how long a request that struck a process is withheld while its
	// client stays; 0 is until the command is over.
	patience time.Duration

	mu     sync.Mutex
	count  int
	fault  *Fault
	strike func()
	struck bool
	// operation is the one that was struck first.
	operation string
	over      chan struct{}
	// seen holds a token when a request came.
	seen chan struct{}

	// cloud lets one request at a time through, so that the audit can tell what
	// each of them did.
	cloud sync.Mutex
}

// NewGate returns a gate that has the audit look around each request.
func NewGate(audit *Audit) *Gate {
	return &Gate{audit: audit, over: make(chan struct{}), seen: make(chan struct{}, 1)}
}

// Arm begins a command: the count starts anew, and fault, if any, will strike.
// The function given is called once, when a fault on processes strikes.
func (g *Gate) Arm(fault *Fault, strike func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if fault != nil {
		own := *fault
		fault = &own
	}
	g.count, g.fault, g.strike, g.struck, g.operation = 0, fault, strike, false, ""
	g.over = make(chan struct{})
}

// Disarm ends a command: what is still withheld is dropped. It returns how many
// requests there were and what the fault struck.
func (g *Gate) Disarm() Outcome {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault != nil || g.strike != nil {
		g.fault, g.strike = nil, nil
		close(g.over)
	}
	return Outcome{Requests: g.count, Struck: g.struck, Operation: g.operation}
}

// next counts a request and tells what happens to it.
func (g *Gate) next(operation string) (fault *Fault, strike func(), over <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
	select {
	case g.seen <- struct{}{}:
	default:
	}
	if g.fault == nil || !g.fault.hits(g.count, operation) {
		return nil, nil, g.over
	}
	if g.fault.Act.onProcess() && g.struck {
		return nil, nil, g.over
	}
	if !g.struck {
		g.struck, g.operation = true, operation
	}
	return g.fault, g.strike, g.over
}

// Around puts the gate in front of a cloud's endpoint.
func (g *Gate) Around(cloud http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The server notices that a client has left only once the body is read.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			drop(w)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		fault, strike, over := g.next(g.audit.target.operation(r, body))
		if fault == nil {
			g.pass(cloud, w, r)
			return
		}
		if fault.Committed {
			g.pass(cloud, httptest.NewRecorder(), r)
		}
		if !fault.Act.onProcess() {
			g.audit.target.answer(w, fault.Act)
			return
		}
		strike()
		g.withhold(r.Context(), over)
		drop(w)
	})
}

// withhold waits until the client left, the command is over, or patience ends.
func (g *Gate) withhold(client context.Context, over <-chan struct{}) {
	if g.patience > 0 {
		var cancel context.CancelFunc
		client, cancel = context.WithTimeout(client, g.patience)
		defer cancel()
	}
	select {
	case <-client.Done():
	case <-over:
	}
}

// pass lets the cloud serve the request, with the audit's look at what it did.
func (g *Gate) pass(cloud http.Handler, w http.ResponseWriter, r *http.Request) {
	g.cloud.Lock()
	defer g.cloud.Unlock()
	cloud.ServeHTTP(w, r)
	g.audit.look(r)
}

// Quiet returns when no request has come for so long.
func (g *Gate) Quiet(long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	for {
		select {
		case <-g.seen:
			timer.Reset(long)
		case <-timer.C:
			return
		}
	}
}

// drop closes the connection with no byte sent.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	_ = conn.Close()
}

// plain gives the answers that are the same in front of every cloud.
func plain(w http.ResponseWriter, act Act) {
	switch act {
	case BadGateway:
		write(w, http.StatusBadGateway, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>")
	case Hollow:
		w.WriteHeader(http.StatusOK)
	default:
		drop(w)
	}
}

func write(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	// A client that left does not matter.
	_, _ = strings.NewReader(body).WriteTo(w)
}
