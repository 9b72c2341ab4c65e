package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// errBadBody is the answer 400: the caller's fault, not the world's.
var errBadBody = errors.New("bad request")

// badBody words an error as the caller's fault.
func badBody(err error) error { return fmt.Errorf("%w: %w", errBadBody, err) }

// action is one call of the control API; a nil result is 204.
type action func(w *World, r *http.Request, body []byte) (any, error)

// Control is the control API of the world.
func (w *World) Control() http.Handler {
	routes := map[string]map[string]action{
		"/calls":    {http.MethodGet: getCalls},
		"/objects":  {http.MethodGet: getObjects, http.MethodPatch: into((*Tx).patch)},
		"/clock":    {http.MethodGet: getClock, http.MethodPost: postClock},
		"/capacity": {http.MethodPut: into((*Tx).setCapacity)},
		"/quota":    {http.MethodPut: into((*Tx).setQuota)},
		"/faults":   {http.MethodPost: postFaults, http.MethodDelete: plain((*World).ClearFaults)},
		"/paging":   {http.MethodPut: into((*Tx).setPaging)},
		"/rate":     {http.MethodPost: into((*Tx).setRate), http.MethodDelete: plain((*World).ClearRates)},
		"/reset":    {http.MethodPost: plain((*World).Reset)},
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		methods, ok := routes[r.URL.Path]
		if !ok {
			reply(rw, http.StatusNotFound, failure{"no such path: " + r.URL.Path})
			return
		}
		act, ok := methods[r.Method]
		if !ok {
			for method := range methods {
				rw.Header().Add("Allow", method)
			}
			reply(rw, http.StatusMethodNotAllowed, failure{r.Method + " is not allowed on " + r.URL.Path})
			return
		}
		w.act(rw, r, act)
	})
}

type failure struct {
	Error string `json:"error"`
}

func (w *World) act(rw http.ResponseWriter, r *http.Request, act action) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 16*MaxBody))
	if err != nil {
		reply(rw, http.StatusBadRequest, failure{err.Error()})
		return
	}
	result, err := act(w, r, body)
	switch {
	case errors.Is(err, errBadBody):
		reply(rw, http.StatusBadRequest, failure{err.Error()})
	case err != nil:
		reply(rw, http.StatusInternalServerError, failure{err.Error()})
	case result == nil:
		rw.WriteHeader(http.StatusNoContent)
	default:
		reply(rw, http.StatusOK, result)
	}
}

func reply(rw http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_, _ = rw.Write(append(data, '\n'))
}

// decode is strict: unknown fields and anything after the value are errors.
func decode(body []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// into makes an action of a change that takes one body.
func into[T any](change func(*Tx, T) error) action {
	return func(w *World, _ *http.Request, body []byte) (any, error) {
		var value *T
		if err := decode(body, &value); err != nil {
			return nil, badBody(err)
		}
		if value == nil {
			return nil, badBody(errors.New("an object is wanted"))
		}
		return nil, w.Do(func(tx *Tx) error {
			if err := change(tx, *value); err != nil {
				return badBody(err)
			}
			return nil
		})
	}
}

// plain makes an action of a change without a body.
func plain(change func(*World) error) action {
	return func(w *World, _ *http.Request, _ []byte) (any, error) { return nil, change(w) }
}

func getCalls(w *World, r *http.Request, _ []byte) (any, error) {
	since := int64(0)
	if text := r.URL.Query().Get("since"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, badBody(fmt.Errorf("since: %q is not a number", text))
		}
		since = n
	}
	calls, err := w.Calls(since)
	return map[string][]Call{"calls": calls}, err
}

func getObjects(w *World, _ *http.Request, _ []byte) (any, error) {
	rows, err := w.Objects()
	return map[string][]ObjectRow{"objects": rows}, err
}

func getClock(w *World, _ *http.Request, _ []byte) (any, error) {
	return w.Clock()
}

func postClock(w *World, _ *http.Request, body []byte) (any, error) {
	var change ClockChange
	if err := decode(body, &change); err != nil {
		return nil, badBody(err)
	}
	if err := change.validate(); err != nil {
		return nil, badBody(err)
	}
	reading, err := w.ChangeClock(change)
	if errors.Is(err, errTooFar) {
		return nil, badBody(err)
	}
	return reading, err
}

func postFaults(w *World, _ *http.Request, body []byte) (any, error) {
	var faults []Fault
	if err := decode(body, &faults); err != nil {
		return nil, badBody(err)
	}
	if faults == nil {
		return nil, badBody(errors.New("a list is wanted"))
	}
	return nil, w.Do(func(tx *Tx) error {
		if err := tx.addFaults(faults); err != nil {
			return badBody(err)
		}
		return nil
	})
}
