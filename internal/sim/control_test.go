package sim_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestControlAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, path, body string
		want               int
	}{
		"calls":                      {"GET", "/calls", "", 200},
		"calls since":                {"GET", "/calls?since=3", "", 200},
		"calls since nonsense":       {"GET", "/calls?since=x", "", 400},
		"calls posted":               {"POST", "/calls", "", 405},
		"objects":                    {"GET", "/objects", "", 200},
		"unknown path":               {"GET", "/nothing", "", 404},
		"path below":                 {"GET", "/calls/1", "", 404},
		"clock":                      {"GET", "/clock", "", 200},
		"clock set":                  {"POST", "/clock", `{"set":"2031-01-01T00:00:00Z"}`, 200},
		"clock set too far":          {"POST", "/clock", `{"set":"9999-12-31T00:00:00Z"}`, 400},
		"clock set too early":        {"POST", "/clock", `{"set":"0001-01-01T00:00:00Z"}`, 400},
		"clock set to words":         {"POST", "/clock", `{"set":"tomorrow"}`, 400},
		"clock set to a number":      {"POST", "/clock", `{"set":5}`, 400},
		"clock advanced":             {"POST", "/clock", `{"advance":"31m"}`, 200},
		"clock advanced by days":     {"POST", "/clock", `{"advance":"1d12h"}`, 200},
		"clock advanced bare number": {"POST", "/clock", `{"advance":31}`, 400},
		"clock turned back":          {"POST", "/clock", `{"advance":"-1m"}`, 400},
		"clock frozen":               {"POST", "/clock", `{"freeze":true}`, 200},
		"clock of nothing":           {"POST", "/clock", `{}`, 400},
		"clock of nonsense":          {"POST", "/clock", `{"freeze":`, 400},
		"clock unknown field":        {"POST", "/clock", `{"sett":"2031-01-01T00:00:00Z"}`, 400},
		"capacity":                   {"PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":1}`, 204},
		"capacity regional":          {"PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"","instance_type":"t","available":0}`, 204},
		"capacity unknown cloud":     {"PUT", "/capacity", `{"cloud":"sky","region":"r","zone":"z","instance_type":"t","available":1}`, 400},
		"capacity without available": {"PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"z","instance_type":"t"}`, 400},
		"capacity below none":        {"PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":-1}`, 400},
		"capacity of text":           {"PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":"1"}`, 400},
		"capacity without region":    {"PUT", "/capacity", `{"cloud":"toy","zone":"z","instance_type":"t","available":1}`, 400},
		"capacity null":              {"PUT", "/capacity", `null`, 400},
		"capacity empty":             {"PUT", "/capacity", ``, 400},
		"capacity twice":             {"PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":1}{}`, 400},
		"quota":                      {"PUT", "/quota", `{"cloud":"toy","region":"r","quota":"q","limit":96}`, 204},
		"quota with use":             {"PUT", "/quota", `{"cloud":"toy","account":"a","region":"r","quota":"q","limit":96.5,"used":3}`, 204},
		"quota without limit":        {"PUT", "/quota", `{"cloud":"toy","region":"r","quota":"q"}`, 400},
		"quota without name":         {"PUT", "/quota", `{"cloud":"toy","region":"r","limit":1}`, 400},
		"faults":                     {"POST", "/faults", `[{"cloud":"toy","operation":"*","empty":true}]`, 204},
		"faults none":                {"POST", "/faults", `[]`, 204},
		"faults not a list":          {"POST", "/faults", `{"cloud":"toy","operation":"*","empty":true}`, 400},
		"faults null":                {"POST", "/faults", `null`, 400},
		"fault without effect":       {"POST", "/faults", `[{"cloud":"toy","operation":"*"}]`, 400},
		"fault without operation":    {"POST", "/faults", `[{"cloud":"toy","empty":true}]`, 400},
		"fault of unknown cloud":     {"POST", "/faults", `[{"cloud":"sky","operation":"*","empty":true}]`, 400},
		"fault drops in between":     {"POST", "/faults", `[{"cloud":"toy","operation":"*","drop":"during"}]`, 400},
		"fault times below none":     {"POST", "/faults", `[{"cloud":"toy","operation":"*","times":-1,"empty":true}]`, 400},
		"fault code without status":  {"POST", "/faults", `[{"cloud":"toy","operation":"*","code":"X"}]`, 400},
		"fault absurd status":        {"POST", "/faults", `[{"cloud":"toy","operation":"*","status":42}]`, 400},
		"fault unknown effect":       {"POST", "/faults", `[{"cloud":"toy","operation":"*","explode":true}]`, 400},
		"fault negative delay":       {"POST", "/faults", `[{"cloud":"toy","operation":"*","delay":"-1s"}]`, 400},
		"fault nameless end":         {"POST", "/faults", `[{"cloud":"toy","operation":"*","operation_error":{"message":"m"}}]`, 400},
		"faults cleared":             {"DELETE", "/faults", "", 204},
		"faults read":                {"GET", "/faults", "", 405},
		"paging":                     {"PUT", "/paging", `{"cloud":"toy","max":2}`, 204},
		"paging of none":             {"PUT", "/paging", `{"cloud":"toy","max":0}`, 400},
		"rate":                       {"POST", "/rate", `{"cloud":"toy","per_second":5,"burst":5}`, 204},
		"rate of none":               {"POST", "/rate", `{"cloud":"toy","per_second":0,"burst":5}`, 400},
		"rate without burst":         {"POST", "/rate", `{"cloud":"toy","per_second":5}`, 400},
		"rate removed":               {"DELETE", "/rate", "", 204},
		"patch of nothing":           {"PATCH", "/objects", `{"native_id":"none","status":"x"}`, 400},
		"patch without id":           {"PATCH", "/objects", `{"status":"x"}`, 400},
		"patch use below none":       {"PATCH", "/objects", `{"native_id":"none","in_use":-1}`, 400},
		"reset":                      {"POST", "/reset", "", 204},
		"reset read":                 {"GET", "/reset", "", 405},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, sim.Options{})
			got := s.ctl(tt.method, tt.path, tt.body)
			wantStatus(t, got, tt.want)
			var failure struct{ Error string }
			if tt.want >= 400 && (json.Unmarshal([]byte(got.body), &failure) != nil || failure.Error == "") {
				t.Errorf("an error wants a body {\"error\"}, got %q", got.body)
			}
			if tt.want == 204 && got.body != "" {
				t.Errorf("204 with a body: %q", got.body)
			}
		})
	}
}

func TestCallLogRow(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.must("POST", "/clock", `{"set":"2031-05-10T07:00:00Z","freeze":true}`)
	wantStatus(t, s.call("/make?region=r&zone=z&type=t"), 200)
	wantStatus(t, s.call("/nonsense"), 404)
	id := s.objects()[0].NativeID
	var log struct{ Calls []map[string]any }
	if err := json.Unmarshal([]byte(s.must("GET", "/calls", "").body), &log); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{
			"seq": 1.0, "time": "2031-05-10T07:00:00Z", "cloud": "toy", "operation": "make", "account": "a1", "region": "r",
			"zone": "z", "instance_type": "t", "native_id": id, "status": 200.0, "code": "", "attempt": 2.0,
		},
		{
			"seq": 2.0, "time": "2031-05-10T07:00:00Z", "cloud": "toy", "operation": "nonsense", "account": "a1", "region": "",
			"zone": "", "instance_type": "", "native_id": "", "status": 404.0, "code": "NoSuchOperation", "attempt": 2.0,
		},
	}
	if diff := cmp.Diff(want, log.Calls); diff != "" {
		t.Error(diff)
	}
	if rows, err := s.world.Calls(1); err != nil || len(rows) != 1 || rows[0].Seq != 2 {
		t.Errorf("since 1: %v, %v", rows, err)
	}
}

func TestObjectsChangeBehindEveryonesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.must("PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":1}`)
	wantStatus(t, s.call("/make?region=r&zone=z&type=t"), 200)
	wantStatus(t, s.call("/make?region=r&zone=z&type=t"), 409)
	id := s.objects()[0].NativeID
	patch := func(fields string) {
		s.must("PATCH", "/objects", `{"native_id":"`+id+`",`+fields+`}`)
	}
	patch(`"status":"odd","in_use":["u1","u2"],"count":3,"tags":{"a":"1","b":"2"}`)
	id = strings.ToUpper(id)
	patch(`"tags":{"a":null,"c":"3"}`)
	row := s.objects()[0]
	if row.Status != "odd" || row.Count != 3 || row.InUse.Count() != 2 {
		t.Errorf("row %+v", row)
	}
	if diff := cmp.Diff(map[string]string{"b": "2", "c": "3"}, row.Tags); diff != "" {
		t.Error(diff)
	}
	patch(`"tags":{},"in_use":4,"count":1`)
	if row := s.objects()[0]; len(row.Tags) != 0 || row.InUse.Count() != 4 {
		t.Errorf("row %+v", row)
	}
	// Its short name finds it too, and the stock comes back.
	s.must("PATCH", "/objects", `{"native_id":"`+strings.TrimPrefix(id, "thing/")+`","gone":true}`)
	if rows := s.objects(); len(rows) != 0 {
		t.Errorf("still there: %v", rows)
	}
	wantStatus(t, s.call("/make?region=r&zone=z&type=t"), 200)
}

func TestResetIsACleanWorldThatRepeatsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{Seed: 7})
	s.must("POST", "/clock", `{"set":"2031-01-01T00:00:00Z","freeze":true}`)
	s.must("PUT", "/paging", `{"cloud":"toy","max":1}`)
	s.must("POST", "/faults", `[{"cloud":"toy","operation":"list","status":500,"code":"X"}]`)
	first := s.call("/make?region=r&type=t").body
	s.must("POST", "/reset", "")
	if reading, err := s.world.Clock(); err != nil || reading.Frozen || reading.Now.Year() == 2031 {
		t.Errorf("clock %+v, %v", reading, err)
	}
	if got := s.call("/list"); got.status != http.StatusOK || got.body != "" {
		t.Errorf("list after reset: %+v", got)
	}
	if again := s.call("/make?region=r&type=t").body; again == first {
		t.Errorf("id %s came twice", again)
	}
	if calls := s.calls(); calls[0].Seq != 2 {
		t.Errorf("the numbering began again: %+v", calls)
	}
}
