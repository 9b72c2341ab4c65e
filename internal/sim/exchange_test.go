package sim_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.must("POST", "/faults", `[
		{"cloud":"toy","operation":"make","zone":"z1","times":2,"status":500,"code":"Full","message":"none left","retry_after":3},
		{"cloud":"toy","operation":"make","zone":"z1","times":1,"status":502,"message":"<html>proxy</html>"},
		{"cloud":"toy","operation":"*","instance_type":"gone","status":410,"code":"Retired"},
		{"cloud":"toy","operation":"list","times":1,"status":200},
		{"cloud":"toy","operation":"list","times":1,"empty":true}]`)
	for range 2 {
		got := s.call("/make?zone=z1")
		if got.status != 500 || got.body != "toy:Full:none left" || got.header.Get("Retry-After") != "3" {
			t.Errorf("first fault: %+v", got)
		}
	}
	bare := s.call("/make?zone=z1")
	if bare.status != 502 || bare.body != "<html>proxy</html>" || !strings.HasPrefix(bare.header.Get("Content-Type"), "text/html") {
		t.Errorf("bare answer: %+v", bare)
	}
	made := s.call("/make?zone=z1")
	wantStatus(t, made, 200)
	wantStatus(t, s.call("/make?zone=z2&type=gone"), 410)
	wantStatus(t, s.call("/list?type=gone"), 410)
	for i, want := range []string{"", "", made.body} {
		if got := s.call("/list"); got.status != 200 || got.body != want {
			t.Errorf("list %d: %+v, want %q", i, got, want)
		}
	}
	s.must("DELETE", "/faults", "")
	wantStatus(t, s.call("/list?type=gone"), 200)
}

func TestFaultMatchesEveryNameOfAnObject(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.must("POST", "/faults", `[{"cloud":"toy","operation":"list","native_id":"x","status":503,"code":"X"}]`)
	wantStatus(t, s.call("/list?id=x"), 503)
	wantStatus(t, s.call("/list?id=X"), 503)
	wantStatus(t, s.call("/list?id=y"), 200)
	wantStatus(t, s.call("/list"), 200)
}

func TestDropClosesWithoutAByte(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ drop, made string }{
		"before commit": {"before", "0"},
		"after commit":  {"after", "1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, sim.Options{})
			s.must("POST", "/faults", `[{"cloud":"toy","operation":"make","times":1,"drop":"`+tt.drop+`"}]`)
			lost := s.call("/make?type=t")
			if lost.status != 0 || !strings.Contains(lost.body, "EOF") {
				t.Errorf("the answer came: %+v", lost)
			}
			if got := len(s.objects()); got != int(tt.made[0]-'0') {
				t.Errorf("%d objects, want %s", got, tt.made)
			}
			row := s.calls()[0]
			if row.Status != 0 || row.Operation != "make" {
				t.Errorf("row %+v", row)
			}
		})
	}
}

func TestOperationFallsDueOnTheVirtualClock(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.must("POST", "/clock", `{"set":"2031-01-01T00:00:00Z","freeze":true}`)
	s.must("POST", "/faults", `[
		{"cloud":"toy","operation":"make","times":1,"operation_takes":"10m"},
		{"cloud":"toy","operation":"make","times":1,"operation_takes":"5m","operation_error":{"code":"BROKE","message":"m"}}]`)
	s.call("/make?type=t")
	s.call("/make?type=t")
	statuses := func() []string {
		var all []string
		for _, row := range s.objects() {
			all = append(all, row.Status)
		}
		return all
	}
	if got := statuses(); !slices.Equal(got, []string{"making", "making"}) {
		t.Errorf("at once: %v", got)
	}
	s.must("POST", "/clock", `{"advance":"9m"}`)
	if got := statuses(); !slices.Equal(got, []string{"making", "BROKE"}) {
		t.Errorf("after 9 min: %v", got)
	}
	s.must("POST", "/clock", `{"advance":"31m"}`)
	row := s.objects()[0]
	if row.Status != "ready" || !row.StartsAt.Equal(time.Date(2031, 1, 1, 0, 10, 0, 0, time.UTC)) {
		t.Errorf("it became due at the wrong instant: %+v", row)
	}
}

func TestClockDatesEveryAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{Wall: func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }})
	if got := s.call("/list").header.Get("Date"); got != "Fri, 01 Jan 2027 00:00:00 GMT" {
		t.Errorf("wall date %s", got)
	}
	s.must("POST", "/clock", `{"set":"2031-05-10T09:00:00+02:00"}`)
	for _, path := range []string{"/list", "/nonsense"} {
		if got := s.call(path).header.Get("Date"); got != "Sat, 10 May 2031 07:00:00 GMT" {
			t.Errorf("%s: date %s", path, got)
		}
	}
	got := s.must("POST", "/clock", `{"freeze":true}`).body
	if got != "{\"now\":\"2031-05-10T07:00:00Z\",\"frozen\":true}\n" {
		t.Errorf("clock body %q", got)
	}
}

func TestFrozenClockStandsAndRunsOn(t *testing.T) {
	t.Parallel()
	wall := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	s := newStage(t, sim.Options{Wall: func() time.Time { return wall }})
	read := func() time.Time {
		reading, err := s.world.Clock()
		if err != nil {
			t.Fatal(err)
		}
		return reading.Now
	}
	start := read()
	if err := s.world.Freeze(true); err != nil {
		t.Fatal(err)
	}
	wall = wall.Add(time.Hour)
	if got := read(); !got.Equal(start) {
		t.Errorf("a frozen clock moved to %s", got)
	}
	if err := s.world.Advance(time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := s.world.Freeze(false); err != nil {
		t.Fatal(err)
	}
	wall = wall.Add(time.Second)
	if got, want := read(), start.Add(61*time.Second); !got.Equal(want) {
		t.Errorf("thawed at %s, want %s", got, want)
	}
}

func TestRateReplacesTheDocumentedBuckets(t *testing.T) {
	t.Parallel()
	wall := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	s := newStage(t, sim.Options{Wall: func() time.Time { return wall }})
	s.must("POST", "/rate", `{"cloud":"toy","per_second":2,"burst":3}`)
	admitted := func() int {
		n := 0
		for s.call("/list").status == http.StatusOK {
			n++
		}
		return n
	}
	if got := admitted(); got != 3 {
		t.Errorf("burst of %d, want 3", got)
	}
	wall = wall.Add(time.Second)
	if got := admitted(); got != 2 {
		t.Errorf("%d after a second of wall time, want 2", got)
	}
	s.must("POST", "/clock", `{"freeze":true}`)
	s.must("POST", "/clock", `{"advance":"1s"}`)
	if got := admitted(); got != 2 {
		t.Errorf("%d after a second of virtual time, want 2", got)
	}
	last := s.calls()[len(s.calls())-1]
	if last.Status != http.StatusTooManyRequests || last.Code != "Slow" {
		t.Errorf("the refused call's row: %+v", last)
	}
	s.must("DELETE", "/rate", "")
	for range 20 {
		wantStatus(t, s.call("/list"), 200)
	}
}

func TestShuffleAndPaging(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{Seed: 3})
	for range 8 {
		s.call("/make?type=t")
	}
	straight := s.call("/list").body
	s.must("POST", "/faults", `[{"cloud":"toy","operation":"list","times":1,"shuffle":true}]`)
	mixed := s.call("/list").body
	if mixed == straight || len(mixed) != len(straight) {
		t.Errorf("not shuffled: %s", mixed)
	}
	s.must("PUT", "/paging", `{"cloud":"toy","max":2}`)
	if got := s.call("/list").body; len(strings.Fields(got)) != 2 {
		t.Errorf("page %q", got)
	}
}

func TestDelayHoldsTheAnswerAndNothingElse(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.must("POST", "/faults", `[{"cloud":"toy","operation":"make","times":1,"delay":"1h"}]`)
	done := make(chan reply)
	go func() { done <- s.call("/make?type=t") }()
	for len(s.calls()) == 0 {
		// The row appears on arrival, while the request still waits.
	}
	if got := s.call("/list"); got.status != 200 || got.body != "" {
		t.Errorf("another request: %+v", got)
	}
	s.world.Close()
	if got := <-done; got.status != 200 || len(s.objects()) != 1 {
		t.Errorf("the delayed answer: %+v", got)
	}
}

func TestHugeBody(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	wantStatus(t, s.do(http.MethodPost, s.cloud+"/list", strings.Repeat("x", sim.MaxBody)), 200)
	wantStatus(t, s.do(http.MethodPost, s.cloud+"/list", strings.Repeat("x", sim.MaxBody+1)), 400)
}
