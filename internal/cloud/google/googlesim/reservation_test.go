package googlesim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	zone       = "us-central1-a"
	collection = "p1/zones/" + zone + "/reservations"
	nativeID   = "projects/p1/zones/us-central1-a/reservations/r1"
)

// fields is a JSON object.
type fields map[string]any

// insertBody is the plainest insert. Each pair names a field by a dotted path
// and gives its value; nil takes it out.
func insertBody(pairs ...any) string {
	body := fields{
		"name": "r1", "specificReservationRequired": true,
		"specificReservation": fields{"count": "2", "instanceProperties": fields{"machineType": "a2-highgpu-8g"}},
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		path, _ := pairs[i].(string)
		set(body, strings.Split(path, "."), pairs[i+1])
	}
	return encode(body)
}

func set(into fields, path []string, value any) {
	if len(path) > 1 {
		inner, ok := into[path[0]].(fields)
		if !ok {
			inner = fields{}
			into[path[0]] = inner
		}
		set(inner, path[1:], value)
		return
	}
	if value == nil {
		delete(into, path[0])
		return
	}
	into[path[0]] = value
}

func encode(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func (s *stage) post(pairs ...any) reply {
	s.t.Helper()
	return s.send(http.MethodPost, collection, insertBody(pairs...))
}

// finish lets every operation end that takes the default time.
func (s *stage) finish() {
	s.t.Helper()
	s.ok(s.world.Advance(time.Second))
}

// operation reads the operation of an answer again, after its time.
func (s *stage) operation(got reply) reply {
	s.t.Helper()
	s.finish()
	link, _ := got.at("selfLink").(string)
	_, path, _ := strings.Cut(link, "/compute/v1/projects/")
	return s.accepted(s.send(http.MethodGet, path, ""))
}

// done fails unless the answer's operation ends well.
func (s *stage) done(got reply) reply {
	s.t.Helper()
	end := s.operation(s.accepted(got))
	if end.at("status") != "DONE" || end.at("error") != nil {
		s.t.Errorf("the operation ended as %s", end.body)
	}
	return end
}

// failed fails unless the answer's operation ends with that code.
func (s *stage) failed(got reply, code string) reply {
	s.t.Helper()
	end := s.operation(s.accepted(got))
	if end.at("status") != "DONE" || end.at("error", "errors", 0, "code") != code {
		s.t.Errorf("the operation ended as %s, want %s", end.body, code)
	}
	return end
}

// create makes a reservation and reads it.
func (s *stage) create(pairs ...any) reply {
	s.t.Helper()
	s.done(s.post(pairs...))
	return s.get()
}

func (s *stage) get() reply {
	s.t.Helper()
	return s.send(http.MethodGet, collection+"/r1", "")
}

func (s *stage) remove() reply {
	s.t.Helper()
	return s.send(http.MethodDelete, collection+"/r1", "")
}

func (s *stage) resize(count any) reply {
	s.t.Helper()
	return s.send(http.MethodPost, collection+"/r1/resize", encode(fields{"specificSkuCount": count}))
}

func (s *stage) patch(query string, pairs ...any) reply {
	s.t.Helper()
	body := fields{"name": "r1"}
	for i := 0; i+1 < len(pairs); i += 2 {
		path, _ := pairs[i].(string)
		set(body, strings.Split(path, "|"), pairs[i+1])
	}
	return s.send(http.MethodPatch, collection+"/r1?"+query, encode(body))
}

func (s *stage) used(n int) {
	s.t.Helper()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: nativeID, InUse: &sim.Use{Number: n}}))
}

// stock limits what insertBody asks for.
func (s *stage) stock(available int) {
	s.t.Helper()
	s.ok(s.world.SetCapacity(sim.Capacity{
		Cloud: "google", Region: "us-central1", Zone: zone, InstanceType: "a2-highgpu-8g", Available: &available,
	}))
}

func (s *stage) quota(region, metric string, limit float64) {
	s.t.Helper()
	s.ok(s.world.SetQuota(sim.Quota{Cloud: "google", Region: region, Quota: metric, Limit: &limit}))
}

func (s *stage) fault(f sim.Fault) {
	s.t.Helper()
	f.Cloud = "google"
	if f.Operation == "" {
		f.Operation = "compute.reservations.insert"
	}
	s.ok(s.world.AddFaults(f))
}

func (s *stage) says(got reply, want any, path ...any) reply {
	s.t.Helper()
	if have := got.at(path...); encode(have) != encode(want) {
		s.t.Errorf("%v is %s, want %s: %s", path, encode(have), encode(want), got.body)
	}
	return got
}
