package azuresim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// stage is a world with Azure in it, on a frozen clock.
type stage struct {
	t       *testing.T
	world   *sim.World
	url     string
	version string
}

const (
	subscription = "00000000-0000-0000-0000-000000000001"
	other        = "00000000-0000-0000-0000-000000000002"
	inGroup      = "/subscriptions/" + subscription + "/resourceGroups/rg"
	groups       = inGroup + "/providers/Microsoft.Compute/capacityReservationGroups"
	own          = groups + "/g1"
	reservations = own + "/capacityReservations"
	one          = reservations + "/r1"
	everywhere   = "/subscriptions/" + subscription + "/providers/Microsoft.Compute/capacityReservationGroups"
	kindA100     = "Standard_NC24ads_A100_v4"
	familyA100   = "StandardNCADSA100v4Family"
)

// machine is the id of a virtual machine.
func machine(name string) string {
	return inGroup + "/providers/Microsoft.Compute/virtualMachines/" + name
}

func now() time.Time { return time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC) }

func newStage(t *testing.T) *stage {
	t.Helper()
	return newStageWith(t, azuresim.Options{})
}

func newStageWith(t *testing.T, options azuresim.Options) *stage {
	t.Helper()
	world, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	server, err := sim.Serve(sim.ServeOptions{}, azuresim.NewWithOptions(world, options).Named())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		world.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{t: t, world: world, url: server.URL("azure"), version: "2026-04-01"}
	_, err = world.ChangeClock(sim.ClockChange{Set: new(now()), Freeze: new(true)})
	s.ok(err)
	return s
}

func (s *stage) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// reply is a raw answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a body with a token and an api-version.
func (s *stage) send(method, path, body string) reply {
	s.t.Helper()
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	return s.raw(method, s.url+path+mark+"api-version="+s.version, body, "Bearer token")
}

func (s *stage) get(path string) reply {
	s.t.Helper()
	return s.send(http.MethodGet, path, "")
}

// raw sends to a whole URL; an empty token is none.
func (s *stage) raw(method, url, body, token string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	s.ok(err)
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	s.ok(err)
	return reply{resp.StatusCode, resp.Header, string(data)}
}

// at follows a path of keys through the answer; a number takes that entry of
// a list.
func (r reply) at(path ...any) any {
	var value any
	if json.Unmarshal([]byte(r.body), &value) != nil {
		return nil
	}
	for _, step := range path {
		switch key := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[key]
		case int:
			list, _ := value.([]any)
			if key >= len(list) {
				return nil
			}
			value = list[key]
		}
	}
	return value
}

func (r reply) code() string {
	code, _ := r.at("error", "code").(string)
	return code
}

// says demands a value at a path.
func (s *stage) says(got reply, want any, path ...any) reply {
	s.t.Helper()
	if have := got.at(path...); fmt.Sprint(have) != fmt.Sprint(want) {
		s.t.Errorf("%v is %v, want %v: %s", path, have, want, got.body)
	}
	return got
}

func (s *stage) refused(got reply, status int, code string) reply {
	s.t.Helper()
	if got.status != status || got.code() != code || got.header.Get("x-ms-error-code") != code {
		s.t.Errorf("got %d %s, want %d %s: %s", got.status, got.code(), status, code, got.body)
	}
	return got
}

// accepted demands an answer of 2xx.
func (s *stage) accepted(got reply, status int) reply {
	s.t.Helper()
	if got.status != status {
		s.t.Errorf("got %d, want %d: %s", got.status, status, got.body)
	}
	return got
}

// finish lets the operations end that run.
func (s *stage) finish() {
	s.t.Helper()
	s.ok(s.world.Advance(time.Second))
}

// poll reads the status of the operation that an answer tells of.
func (s *stage) poll(of reply) reply {
	s.t.Helper()
	return s.accepted(s.raw(http.MethodGet, of.header.Get("Azure-AsyncOperation"), "", "Bearer token"), http.StatusOK)
}

// done demands that an operation was begun, and ends well.
func (s *stage) done(got reply) reply {
	s.t.Helper()
	if got.status < 200 || got.status > 202 {
		s.t.Fatalf("got %d: %s", got.status, got.body)
	}
	s.finish()
	s.says(s.poll(got), "Succeeded", "status")
	return got
}

// failed demands that an operation was begun, and ends with a code.
func (s *stage) failed(got reply, code string) reply {
	s.t.Helper()
	if got.status < 200 || got.status > 202 {
		s.t.Fatalf("got %d: %s", got.status, got.body)
	}
	s.finish()
	end := s.poll(got)
	s.says(s.says(end, "Failed", "status"), code, "error", "code")
	return end
}

// fields is a body.
type fields map[string]any

// with sets a field for each pair of a dotted name and a value.
func (f fields) with(pairs ...any) fields {
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		steps := strings.Split(name, ".")
		at := f
		for _, step := range steps[:len(steps)-1] {
			inner, ok := at[step].(fields)
			if !ok {
				inner = fields{}
				at[step] = inner
			}
			at = inner
		}
		if pairs[i+1] == nil {
			delete(at, steps[len(steps)-1])
			continue
		}
		at[steps[len(steps)-1]] = pairs[i+1]
	}
	return f
}

func (f fields) String() string {
	data, err := json.Marshal(f)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// groupBody is a zonal group in eastus.
func groupBody(pairs ...any) string {
	return fields{"location": "eastus", "zones": []string{"1", "2"}}.with(pairs...).String()
}

// reservationBody is two machines in its zone 1.
func reservationBody(pairs ...any) string {
	return fields{"location": "eastus", "zones": []string{"1"}, "sku": fields{"name": kindA100, "capacity": 2}}.with(pairs...).String()
}

func (s *stage) putGroup(pairs ...any) reply {
	s.t.Helper()
	return s.send(http.MethodPut, own, groupBody(pairs...))
}

func (s *stage) put(pairs ...any) reply {
	s.t.Helper()
	return s.send(http.MethodPut, one, reservationBody(pairs...))
}

// create makes the group and the reservation.
func (s *stage) create(pairs ...any) {
	s.t.Helper()
	s.done(s.putGroup())
	s.done(s.put(pairs...))
}

func (s *stage) patch(pairs ...any) reply {
	s.t.Helper()
	return s.send(http.MethodPatch, one, fields{}.with(pairs...).String())
}

func (s *stage) remove() reply {
	s.t.Helper()
	return s.send(http.MethodDelete, one, "")
}

// shown reads the reservation with its instance view.
func (s *stage) shown() reply {
	s.t.Helper()
	return s.accepted(s.get(one+"?$expand=instanceView"), http.StatusOK)
}

// capacities demands what is wanted and what is really reserved.
func (s *stage) capacities(wanted, current int, state string) reply {
	s.t.Helper()
	got := s.shown()
	s.says(got, wanted, "sku", "capacity")
	s.says(got, current, "properties", "instanceView", "utilizationInfo", "currentCapacity")
	return s.says(got, state, "properties", "provisioningState")
}

func (s *stage) stock(n int) {
	s.t.Helper()
	s.ok(s.world.SetCapacity(sim.Capacity{Cloud: "azure", Region: "eastus", Zone: "1", InstanceType: kindA100, Available: &n}))
}

func (s *stage) left(want int) {
	s.t.Helper()
	s.ok(s.world.Do(func(tx *sim.Tx) error {
		got, _ := tx.Available(sim.Place{Cloud: "azure", Region: "eastus", Zone: "1", InstanceType: kindA100})
		if got != want {
			s.t.Errorf("%d in stock, want %d", got, want)
		}
		return nil
	}))
}

func (s *stage) fault(f sim.Fault) {
	s.t.Helper()
	f.Cloud = "azure"
	if f.Operation == "" {
		f.Operation = sim.AnyOperation
	}
	s.ok(s.world.AddFaults(f))
}

func (s *stage) change(p sim.ObjectPatch) {
	s.t.Helper()
	if p.NativeID == "" {
		p.NativeID = strings.ToLower(one)
	}
	s.ok(s.world.Patch(p))
}

// direct serves a request without a connection.
func direct(tb testing.TB, handler http.Handler, method, target, body string) reply {
	tb.Helper()
	recorder := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(tb.Context(), method, target, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer token")
	handler.ServeHTTP(recorder, req)
	return reply{recorder.Code, recorder.Header(), recorder.Body.String()}
}
