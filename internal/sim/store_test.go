package sim_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestWorldsOfOneFileAreOneWorld(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "world.json")
	var stages []*stage
	for range 3 {
		stages = append(stages, newStage(t, sim.Options{StatePath: path}))
	}
	stages[0].must("PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":20}`)
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() { stages[i%3].call("/make?region=r&zone=z&type=t") })
	}
	wg.Wait()
	if got := len(stages[1].objects()); got != 20 {
		t.Errorf("%d made of a stock of 20", got)
	}
	seen := map[int64]bool{}
	ids := map[string]bool{}
	for _, c := range stages[2].calls() {
		seen[c.Seq] = true
	}
	for _, o := range stages[2].objects() {
		ids[o.NativeID] = true
	}
	if len(seen) != 30 || len(ids) != 20 {
		t.Errorf("%d call numbers, want 30; %d ids, want 20", len(seen), len(ids))
	}
}

func TestStateFileIsPrivateAndWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "world.json")
	s := newStage(t, sim.Options{StatePath: path})
	s.call("/make?type=t")
	for _, name := range []string{path, path + ".lock"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	// What a killed writer leaves disturbs nobody.
	if err := os.WriteFile(path+".tmp", []byte(`{"half`), 0o600); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, s.call("/make?type=t"), 200)
	if got := len(newStage(t, sim.Options{StatePath: path}).objects()); got != 2 {
		t.Errorf("%d objects after opening again", got)
	}
}

func TestDamagedStateFileIsNamedAndKept(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"empty": "", "cut": `{"version":1,"obj`, "other version": `{"version":99}`, "other file": `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "world.json")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := sim.New(sim.Options{StatePath: path})
			if !errors.Is(err, sim.ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v", err)
			}
			if kept, err := os.ReadFile(path); err != nil || string(kept) != content {
				t.Errorf("the file is now %q, %v", kept, err)
			}
		})
	}
}

func TestFileDamagedWhileServing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "world.json")
	s := newStage(t, sim.Options{StatePath: path})
	if err := os.WriteFile(path, []byte("?"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.call("/list"); got.status != 500 || !strings.Contains(got.body, path) {
		t.Errorf("cloud: %+v", got)
	}
	if got := s.ctl("GET", "/objects", ""); got.status != 500 || !strings.Contains(got.body, path) {
		t.Errorf("control: %+v", got)
	}
}

func TestFileKeepsClockFaultsAndRates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "world.json")
	wall := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	opts := sim.Options{StatePath: path, Wall: func() time.Time { return wall }}
	first := newStage(t, opts)
	first.must("POST", "/clock", `{"set":"2031-01-01T00:00:00Z"}`)
	first.must("POST", "/faults", `[{"cloud":"toy","operation":"list","times":2,"status":500,"code":"X"}]`)
	first.must("POST", "/rate", `{"cloud":"toy","per_second":0.001,"burst":4}`)
	wantStatus(t, first.call("/list"), 500)
	wall = wall.Add(time.Hour)
	second := newStage(t, opts)
	if reading, err := second.world.Clock(); err != nil || reading.Now.Format(time.RFC3339) != "2031-01-01T01:00:00Z" {
		t.Errorf("clock %+v, %v", reading, err)
	}
	for i, want := range []int{500, 200, 200, 200, 429} {
		if got := second.call("/list"); got.status != want {
			t.Errorf("call %d: %d, want %d", i, got.status, want)
		}
	}
}

func TestCallLogOfAFileIsBounded(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{StatePath: filepath.Join(t.TempDir(), "w.json"), MaxCalls: 3})
	for range 5 {
		s.call("/list")
	}
	calls := s.calls()
	if len(calls) != 3 || calls[0].Seq != 3 || calls[2].Seq != 5 {
		t.Errorf("log %+v", calls)
	}
}

func TestScenario(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "world.json")
	scenario := []byte(`{
		"clock": {"set":"2031-01-01T00:00:00Z"},
		"capacity": [{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":1}],
		"quota": {"cloud":"toy","region":"r","quota":"q","limit":1},
		"faults": [{"cloud":"toy","operation":"list","times":1,"status":500,"code":"X"}],
		"paging": {"cloud":"toy","max":1},
		"objects": [{"cloud":"toy","type":"things","native_id":"thing/1","region":"r","zone":"z","instance_type":"t","count":1,
			"in_use":0,"status":"ready","tags":{"k":"v"},"starts_at":"","ends_at":"2032-01-01T00:00:00Z"}]}`)
	for range 2 {
		s := newStage(t, sim.Options{StatePath: path})
		if err := s.world.LoadOnce(scenario); err != nil {
			t.Fatal(err)
		}
		rows := s.objects()
		if len(rows) != 1 || rows[0].Tags["k"] != "v" || rows[0].EndsAt.Year() != 2032 {
			t.Errorf("objects %+v", rows)
		}
	}
	s := newStage(t, sim.Options{})
	if err := s.world.Load(scenario); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, s.call("/list"), 500)
	wantStatus(t, s.call("/make?region=r&zone=z&type=t"), 200)
	wantStatus(t, s.call("/make?region=r&zone=z&type=t"), 409)
	if got := s.call("/list").body; got != "thing/1" {
		t.Errorf("page %q", got)
	}
}

func TestBadScenarioChangesNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":         `{`,
		"unknown key":     `{"clocks":{}}`,
		"unknown field":   `{"capacity":[{"cloud":"toy","regions":"r"}]}`,
		"unknown cloud":   `{"rate":{"cloud":"sky","per_second":1,"burst":1}}`,
		"no such type":    `{"objects":[{"cloud":"toy","type":"stars"}]}`,
		"object twice":    `{"objects":[{"cloud":"toy","type":"things","native_id":"a"},{"cloud":"toy","type":"things","native_id":"a"}]}`,
		"fault no effect": `{"faults":[{"cloud":"toy","operation":"*"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, sim.Options{})
			good := `{"capacity":[{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":0}],`
			if err := s.world.Load([]byte(good + strings.TrimPrefix(text, "{"))); err == nil {
				t.Error("no error")
			}
			if len(s.objects()) != 0 {
				t.Error("objects came into being")
			}
			wantStatus(t, s.call("/make?region=r&zone=z&type=t"), 200)
		})
	}
}

func TestSeedMakesIDsRepeat(t *testing.T) {
	t.Parallel()
	ids := map[string]int{}
	for _, seed := range []uint64{5, 5, 6} {
		s := newStage(t, sim.Options{Seed: seed})
		ids[fmt.Sprint(s.call("/make?type=t").body)]++
	}
	if len(ids) != 2 {
		t.Errorf("ids %v", ids)
	}
}
