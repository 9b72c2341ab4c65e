package sim

import (
	"net/http"
	"time"
)

// Cloud is one cloud's simulator as the world sees it. All methods that take a
// Tx run inside it and must neither block nor keep it. The world calls Accept,
// then decides on throttling and faults, then Serve.
type Cloud interface {
	// Name is the word in the control API, such as "aws".
	Name() string
	// Accept says who wants what where. A request that cannot be understood
	// or is not authentic gets an Answer at once; the Request is logged as
	// far as it is known and must not be nil.
	Accept(tx *Tx, in *Inbound) (*Request, *Answer)
	// Serve performs an accepted request and honors its Effects.
	Serve(tx *Tx, req *Request) Answer
	// Refuse words a refusal that the world decided on (a fault, a broken
	// state file) as this cloud words errors.
	Refuse(req *Request, refusal Refusal) Answer
	// Throttled is the refusal of a request whose bucket is empty.
	Throttled(req *Request) Refusal
	// Due is called for an object whose Due instant has come, with Due
	// already cleared; in order of the instants, across clouds.
	Due(tx *Tx, obj *Object, at time.Time)
	// Changed tells of a change behind everyone's back through the control
	// API. after is nil where the object is gone.
	Changed(tx *Tx, before, after *Object)
	// Seed completes an object that a scenario describes by its header:
	// native id, payload, due instant. It must not insert it.
	Seed(tx *Tx, obj *Object) error
}

// Inbound is an HTTP request whose body was read.
type Inbound struct {
	HTTP *http.Request
	Body []byte
	// TooLarge says that the body was cut at MaxBody.
	TooLarge bool
}

// MaxBody is the largest request body in bytes that is read whole.
const MaxBody = 1 << 20

// Request is what a cloud understood of a request: what faults match on and
// what the call log tells. Unknown fields stay empty.
type Request struct {
	Operation    string
	Account      string
	Region       string
	Zone         string
	InstanceType string
	NativeID     string
	// Names are further spellings and further objects that a fault's
	// native_id may mean.
	Names []string
	// Attempt counts a client's tries of one call from 1; 0 is unknown.
	Attempt int
	// Bucket is the documented throttle bucket; without a name there is none.
	Bucket Bucket
	// Effects is set by the world before Serve.
	Effects Effects
	// Detail is the cloud's own.
	Detail any
}

// Bucket is a token bucket: its name is the whole key, account and region
// included where the cloud counts by them.
type Bucket struct {
	Name      string
	PerSecond float64
	Burst     float64
}

// Effects are those parts of a fault that only the cloud can bring about.
type Effects struct {
	// OperationError ends what the request started, after it was accepted.
	OperationError *OperationError
	// OperationTakes is the virtual time from accepted to done; nil leaves
	// the cloud's default.
	OperationTakes *time.Duration
	// Empty has a list answer as if nothing existed.
	Empty bool
	// Shuffle has collections come in random order.
	Shuffle bool
}

// Refusal is an error before a cloud has worded it.
type Refusal struct {
	Status  int
	Code    string
	Message string
}

// Answer is what goes over the wire.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Code is the native error code for the call log; empty on success.
	Code string
	// NativeID is for the call log, where the answer made it known.
	NativeID string
}
