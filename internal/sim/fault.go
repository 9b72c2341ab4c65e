package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// When a dropped request is dropped.
const (
	DropBefore = "before" // nothing was done
	DropAfter  = "after"  // it was done and the answer is lost
)

// AnyOperation is the operation of a fault that matches each.
const AnyOperation = "*"

// Fault is an element of a body of POST /faults: what it matches, how often,
// and what happens then. Empty match fields match everything.
type Fault struct {
	Cloud        string `json:"cloud"`
	Operation    string `json:"operation"`
	Region       string `json:"region,omitempty"`
	Zone         string `json:"zone,omitempty"`
	InstanceType string `json:"instance_type,omitempty"`
	NativeID     string `json:"native_id,omitempty"`
	// Times is how often it strikes; 0 is for ever.
	Times int `json:"times,omitempty"`

	// Status with Code and Message is an error in the cloud's own form.
	// Without Code it is a bare answer with Message as its body, as a proxy
	// in between would give it.
	Status     int        `json:"status,omitempty"`
	Code       string     `json:"code,omitempty"`
	Message    string     `json:"message,omitempty"`
	RetryAfter RetryAfter `json:"retry_after,omitempty"`
	// Delay is wall time before the request is looked at; the answer is real.
	Delay Duration `json:"delay,omitempty"`
	// Drop closes the connection without an answer: DropBefore or DropAfter.
	Drop           string          `json:"drop,omitempty"`
	OperationError *OperationError `json:"operation_error,omitempty"`
	OperationTakes *Duration       `json:"operation_takes,omitempty"`
	Empty          bool            `json:"empty,omitempty"`
	Shuffle        bool            `json:"shuffle,omitempty"`
}

// OperationError is how a long-running operation ends that was accepted.
type OperationError struct {
	Code       string            `json:"code"`
	Message    string            `json:"message"`
	HTTPStatus int               `json:"http_status,omitempty"`
	Details    map[string]string `json:"details,omitempty"`
}

// standingFault is a fault with the times it has left.
type standingFault struct {
	Fault
	Left int `json:"left"`
}

func (f *Fault) validate() error {
	if f.Operation == "" {
		return errors.New(`faults: operation is required; "*" is any`)
	}
	if f.Times < 0 {
		return errors.New("faults: times is negative")
	}
	if err := f.validateStatus(); err != nil {
		return err
	}
	return f.validateEffects()
}

func (f *Fault) validateStatus() error {
	if f.Status == 0 && (f.Code != "" || f.Message != "" || f.RetryAfter != 0) {
		return errors.New("faults: code, message and retry_after need a status")
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("faults: status %d is not between 200 and 599", f.Status)
	}
	if f.RetryAfter < 0 {
		return errors.New("faults: retry_after is negative")
	}
	return nil
}

func (f *Fault) validateEffects() error {
	if !slices.Contains([]string{"", DropBefore, DropAfter}, f.Drop) {
		return fmt.Errorf("faults: drop is %q or %q, not %q", DropBefore, DropAfter, f.Drop)
	}
	if f.Delay < 0 || (f.OperationTakes != nil && *f.OperationTakes < 0) {
		return errors.New("faults: a negative duration")
	}
	if f.OperationError != nil && f.OperationError.Code == "" {
		return errors.New("faults: operation_error needs a code")
	}
	effects := *f
	effects.Cloud, effects.Operation, effects.Region, effects.Zone = "", "", "", ""
	effects.InstanceType, effects.NativeID, effects.Times = "", "", 0
	if effects == (Fault{}) {
		return errors.New("faults: no effect is given")
	}
	return nil
}

func (f *Fault) matches(cloud string, req *Request) bool {
	if f.Cloud != cloud || (f.Operation != AnyOperation && f.Operation != req.Operation) {
		return false
	}
	if f.NativeID != "" && !f.aims(req) {
		return false
	}
	return matchesField(f.Region, req.Region) && matchesField(f.Zone, req.Zone) &&
		matchesField(f.InstanceType, req.InstanceType)
}

// aims tells whether a request is about the fault's object.
func (f *Fault) aims(req *Request) bool {
	return sameID(f.NativeID, req.NativeID) || slices.ContainsFunc(req.Names, func(name string) bool { return sameID(f.NativeID, name) })
}

func matchesField(want, got string) bool { return want == "" || want == got }

// strike finds the first fault with times left and uses it up by one.
func (tx *Tx) strike(cloud string, req *Request) Fault {
	for i, f := range tx.state.Faults {
		if !f.matches(cloud, req) {
			continue
		}
		if f.Times > 0 {
			f.Left--
		}
		if f.Times > 0 && f.Left == 0 {
			tx.state.Faults = slices.Delete(tx.state.Faults, i, i+1)
		}
		return f.Fault
	}
	return Fault{}
}

func (f *Fault) effects() Effects {
	e := Effects{OperationError: f.OperationError, Empty: f.Empty, Shuffle: f.Shuffle}
	if f.OperationTakes != nil {
		takes := time.Duration(*f.OperationTakes)
		e.OperationTakes = &takes
	}
	return e
}

func (tx *Tx) addFaults(faults []Fault) error {
	for i := range faults {
		if err := tx.knownCloud("faults", faults[i].Cloud); err != nil {
			return err
		}
		if err := faults[i].validate(); err != nil {
			return err
		}
	}
	for _, f := range faults {
		tx.state.Faults = append(tx.state.Faults, &standingFault{Fault: f, Left: f.Times})
	}
	return nil
}

// AddFaults appends faults; the first match with times left wins.
func (w *World) AddFaults(faults ...Fault) error {
	return w.Do(func(tx *Tx) error { return tx.addFaults(faults) })
}

// ClearFaults removes every fault.
func (w *World) ClearFaults() error {
	return w.Do(func(tx *Tx) error {
		tx.state.Faults = nil
		return nil
	})
}
