package sim_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// toy is the smallest cloud: POST /make, GET /list and GET /slow, in JSON. Its
// slow operations are hidden objects that fall due, as a cloud's long-running
// operations are.
type toy struct{}

func (toy) Name() string { return "toy" }

func (toy) Accept(tx *sim.Tx, in *sim.Inbound) (*sim.Request, *sim.Answer) {
	query := in.HTTP.URL.Query()
	attempt, _ := strconv.Atoi(in.HTTP.Header.Get("X-Attempt"))
	req := &sim.Request{
		Operation: strings.TrimPrefix(in.HTTP.URL.Path, "/"),
		Account:   "a1", Region: query.Get("region"), Zone: query.Get("zone"),
		InstanceType: query.Get("type"), NativeID: query.Get("id"),
		Attempt: attempt, Bucket: sim.Bucket{Name: "all", PerSecond: 1, Burst: 1000},
		Detail: string(in.Body),
	}
	if in.TooLarge {
		return req, &sim.Answer{Status: http.StatusBadRequest, Code: "TooLarge"}
	}
	return req, nil
}

func (c toy) Serve(tx *sim.Tx, req *sim.Request) sim.Answer {
	switch req.Operation {
	case "make":
		return c.create(tx, req)
	case "list":
		return c.list(tx, req)
	}
	return c.Refuse(req, sim.Refusal{Status: http.StatusNotFound, Code: "NoSuchOperation"})
}

func (c toy) create(tx *sim.Tx, req *sim.Request) sim.Answer {
	if !tx.Take(c.place(req), 1) {
		return c.Refuse(req, sim.Refusal{Status: http.StatusConflict, Code: "NoStock"})
	}
	obj := &sim.Object{
		Cloud: "toy", Type: "things", NativeID: "thing/" + tx.Hex(8), Region: req.Region, Zone: req.Zone,
		InstanceType: req.InstanceType, Count: 1, Status: "ready",
	}
	obj.Aliases = []string{strings.TrimPrefix(obj.NativeID, "thing/")}
	if takes := req.Effects.OperationTakes; takes != nil {
		obj.Status, obj.Due = "making", tx.Now().Add(*takes)
		if failure := req.Effects.OperationError; failure != nil {
			if err := obj.Encode(failure); err != nil {
				return c.Refuse(req, sim.Refusal{Status: http.StatusInternalServerError, Code: "Internal"})
			}
		}
	}
	tx.Insert(obj)
	return sim.Answer{Status: http.StatusOK, Body: []byte(obj.NativeID), NativeID: obj.NativeID}
}

func (toy) place(req *sim.Request) sim.Place {
	return sim.Place{Cloud: "toy", Account: "a1", Region: req.Region, Zone: req.Zone, InstanceType: req.InstanceType}
}

func (toy) list(tx *sim.Tx, req *sim.Request) sim.Answer {
	ids := []string{}
	for _, obj := range tx.Objects("toy", "things") {
		if !req.Effects.Empty {
			ids = append(ids, obj.NativeID)
		}
	}
	if req.Effects.Shuffle {
		tx.Rand().Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	}
	if limit := tx.PageMax("toy"); limit > 0 && len(ids) > limit {
		ids = ids[:limit]
	}
	return sim.Answer{Status: http.StatusOK, Body: []byte(strings.Join(ids, " "))}
}

func (toy) Refuse(_ *sim.Request, r sim.Refusal) sim.Answer {
	return sim.Answer{Status: r.Status, Code: r.Code, Body: []byte("toy:" + r.Code + ":" + r.Message)}
}

func (toy) Throttled(*sim.Request) sim.Refusal {
	return sim.Refusal{Status: http.StatusTooManyRequests, Code: "Slow"}
}

func (toy) Due(_ *sim.Tx, obj *sim.Object, at time.Time) {
	obj.Status, obj.StartsAt = "ready", at
	var failure sim.OperationError
	if obj.Payload != nil && obj.Decode(&failure) == nil {
		obj.Status = failure.Code
	}
}

func (c toy) Changed(tx *sim.Tx, before, after *sim.Object) {
	if after == nil {
		tx.Give(sim.Place{
			Cloud: "toy", Account: "a1", Region: before.Region, Zone: before.Zone, InstanceType: before.InstanceType,
		}, before.Count)
	}
}

func (toy) Seed(_ *sim.Tx, obj *sim.Object) error {
	if obj.Type != "things" {
		return errors.New("toy has things only")
	}
	return nil
}

// stage is a world with the toy cloud and its two endpoints.
type stage struct {
	t       *testing.T
	world   *sim.World
	cloud   string
	control string
}

func newStage(t *testing.T, opts sim.Options) *stage {
	t.Helper()
	world, err := sim.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	cloud := httptest.NewServer(world.Register(toy{}))
	control := httptest.NewServer(world.Control())
	t.Cleanup(func() {
		world.Close()
		cloud.Close()
		control.Close()
	})
	return &stage{t: t, world: world, cloud: cloud.URL, control: control.URL}
}

type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request; a lost answer is status 0.
func (s *stage) do(method, url, body string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("X-Attempt", "2")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(data)}
}

func (s *stage) call(path string) reply {
	s.t.Helper()
	return s.do(http.MethodPost, s.cloud+path, "")
}

func (s *stage) ctl(method, path, body string) reply {
	s.t.Helper()
	return s.do(method, s.control+path, body)
}

// must is ctl for a change that has to be accepted.
func (s *stage) must(method, path, body string) reply {
	s.t.Helper()
	got := s.ctl(method, path, body)
	if got.status != http.StatusOK && got.status != http.StatusNoContent {
		s.t.Fatalf("%s %s %s: %d %s", method, path, body, got.status, got.body)
	}
	return got
}

func (s *stage) objects() []sim.ObjectRow {
	s.t.Helper()
	var list struct{ Objects []sim.ObjectRow }
	if err := json.Unmarshal([]byte(s.must(http.MethodGet, "/objects", "").body), &list); err != nil {
		s.t.Fatal(err)
	}
	return list.Objects
}

func (s *stage) calls() []sim.Call {
	s.t.Helper()
	calls, err := s.world.Calls(0)
	if err != nil {
		s.t.Fatal(err)
	}
	return calls
}

func wantStatus(t *testing.T, got reply, status int) {
	t.Helper()
	if got.status != status {
		t.Errorf("status %d, want %d; body %s", got.status, status, got.body)
	}
}
