package awssim

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// service is one of the APIs behind the URL, told apart by the credential
// scope. A further one adds a value to services.
type service interface {
	// read understands the body: the operation, what it names, its bucket.
	read(s *Simulator, tx *sim.Tx, in *sim.Inbound, c *call, req *sim.Request) *apiError
	// run performs the operation and renders the answer.
	run(q *query) (sim.Answer, *apiError)
	// refuse renders an error.
	refuse(c *call, e *apiError) sim.Answer
}

func services() map[string]service {
	return map[string]service{"ec2": ec2{}, "sts": sts{}, "servicequotas": serviceQuotas{}, "pricing": pricing{}}
}

// call is a request as far as it was understood.
type call struct {
	service   service
	action    string
	form      form
	body      []byte
	who       identity
	region    string
	requestID string
}

// query is a call inside the transaction that serves it.
type query struct {
	*call
	sim *Simulator
	tx  *sim.Tx
	req *sim.Request
}

// Accept implements sim.Cloud.
func (s *Simulator) Accept(tx *sim.Tx, in *sim.Inbound) (*sim.Request, *sim.Answer) {
	c := &call{service: ec2{}, requestID: newRequestID(tx), body: in.Body}
	req := &sim.Request{Attempt: attempt(in.HTTP), Detail: c}
	if err := s.accept(tx, in, c, req); err != nil {
		answer := c.service.refuse(c, err)
		return req, &answer
	}
	return req, nil
}

func (s *Simulator) accept(tx *sim.Tx, in *sim.Inbound, c *call, req *sim.Request) *apiError {
	if s.broken != nil {
		return fail(codeInternal, "%v", s.broken)
	}
	if in.HTTP.Header.Get("Authorization") == "" {
		// Trading a web identity is the one call that is not signed.
		return s.acceptUnsigned(tx, in, c, req)
	}
	scope, err := readScope(in.HTTP)
	if err != nil {
		return err
	}
	service, ok := services()[scope.service]
	if !ok {
		return fail(codeInvalidAction, "The service %s is not offered here", printable(scope.service))
	}
	c.service, c.region, req.Region = service, scope.region, scope.region
	if err := scope.checkDate(tx, in.HTTP); err != nil {
		return err
	}
	if c.who, err = scope.identify(tx, in); err != nil {
		return err
	}
	req.Account = c.who.Account
	if err := s.checkPlace(in, c); err != nil {
		return err
	}
	return service.read(s, tx, in, c, req)
}

func (s *Simulator) acceptUnsigned(tx *sim.Tx, in *sim.Inbound, c *call, req *sim.Request) *apiError {
	f, err := parseForm(in.Body)
	if err != nil || f["Action"] != webIdentityAction {
		return unauthenticated()
	}
	c.service = sts{}
	if err := checkBody(in); err != nil {
		return err
	}
	return c.service.read(s, tx, in, c, req)
}

// checkPlace refuses regions that are not there, as AWS does for one that the
// account has not opted in to, and bodies that cannot be read.
func (s *Simulator) checkPlace(in *sim.Inbound, c *call) *apiError {
	if _, ok := s.catalog.Regions[c.region]; !ok {
		return unauthenticated()
	}
	return checkBody(in)
}

func checkBody(in *sim.Inbound) *apiError {
	if in.TooLarge {
		return fail(codeInvalidRequest, "The request is larger than %d bytes", sim.MaxBody)
	}
	if in.HTTP.Method != http.MethodPost || in.HTTP.URL.Path != "/" {
		return fail(codeInvalidRequest, "Only POST / is offered")
	}
	return nil
}

// Serve implements sim.Cloud.
func (s *Simulator) Serve(tx *sim.Tx, req *sim.Request) sim.Answer {
	c, ok := req.Detail.(*call)
	if !ok {
		return s.Refuse(req, sim.Refusal{
			Status: http.StatusInternalServerError, Code: codeInternal, Message: "a request without a call",
		})
	}
	answer, err := c.service.run(&query{call: c, sim: s, tx: tx, req: req})
	if err != nil {
		return c.service.refuse(c, err)
	}
	return answer
}

// Refuse implements sim.Cloud.
func (s *Simulator) Refuse(req *sim.Request, r sim.Refusal) sim.Answer {
	c, ok := req.Detail.(*call)
	if !ok {
		c = &call{service: ec2{}, requestID: "00000000-0000-0000-0000-000000000000"}
	}
	return c.service.refuse(c, &apiError{status: r.Status, code: r.Code, message: r.Message})
}

var attemptPart = regexp.MustCompile(`(?:^|; ?)attempt=(\d{1,6})`)

// attempt reads the SDKs' own count (fact aws-2-attempt).
func attempt(r *http.Request) int {
	m := attemptPart.FindStringSubmatch(r.Header.Get("Amz-Sdk-Request"))
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

func newRequestID(tx *sim.Tx) string {
	h := tx.Hex(32)
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// refusal finds the apiError in an error, or makes one of it.
func refusal(err error) *apiError {
	var known *apiError
	if errors.As(err, &known) {
		return known
	}
	return fail(codeInternal, "%v", err)
}
