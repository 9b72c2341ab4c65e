package sim_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func (s *stage) do1(f func(tx *sim.Tx)) {
	s.t.Helper()
	if err := s.world.Do(func(tx *sim.Tx) error {
		f(tx)
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
}

func TestStockOfAnAccountComesBeforeTheSharedOne(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.must("PUT", "/capacity", `{"cloud":"toy","region":"r","zone":"z","instance_type":"t","available":5}`)
	s.must("PUT", "/capacity", `{"cloud":"toy","account":"own","region":"r","zone":"z","instance_type":"t","available":1}`)
	at := func(account string) sim.Place {
		return sim.Place{Cloud: "toy", Account: account, Region: "r", Zone: "z", InstanceType: "t"}
	}
	s.do1(func(tx *sim.Tx) {
		if tx.Take(at("own"), 2) || !tx.Take(at("own"), 1) || !tx.Take(at("other"), 5) || tx.Take(at("third"), 1) {
			t.Error("the pools are mixed up")
		}
		tx.Give(at("third"), 2)
		tx.Give(at("own"), -9)
		shared, limited := tx.Available(at("other"))
		own, _ := tx.Available(at("own"))
		if shared != 2 || own != 0 || !limited {
			t.Errorf("shared %d, own %d", shared, own)
		}
		elsewhere := at("own")
		elsewhere.Zone = "elsewhere"
		if _, limited := tx.Available(elsewhere); limited || !tx.Take(elsewhere, 1_000_000) {
			t.Error("a place nobody spoke of is not plenty")
		}
	})
}

func TestQuotaOfAnAccountComesBeforeTheSharedOne(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	for _, body := range []string{
		`{"cloud":"toy","region":"r","quota":"q","limit":1}`,
		`{"cloud":"toy","region":"r","quota":"q","limit":10,"used":3}`,
		`{"cloud":"toy","account":"own","region":"r","quota":"q","limit":2}`,
	} {
		s.must("PUT", "/quota", body)
	}
	s.do1(func(tx *sim.Tx) {
		if limit, used, found := tx.Quota("toy", "other", "r", "q"); limit != 10 || used != 3 || !found {
			t.Errorf("shared: %v %v %v", limit, used, found)
		}
		if limit, used, found := tx.Quota("toy", "own", "r", "q"); limit != 2 || used != 0 || !found {
			t.Errorf("own: %v %v %v", limit, used, found)
		}
		if _, _, found := tx.Quota("toy", "own", "elsewhere", "q"); found {
			t.Error("a quota of another region")
		}
	})
}

func TestTokensAreOfTheirCloud(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{StatePath: filepath.Join(t.TempDir(), "w.json")})
	s.do1(func(tx *sim.Tx) { tx.PutToken("toy", "k", sim.Token{Digest: "d", NativeID: "n"}) })
	s.do1(func(tx *sim.Tx) {
		if got, ok := tx.Token("toy", "k"); !ok || got.Digest != "d" || got.NativeID != "n" {
			t.Errorf("token %+v %v", got, ok)
		}
		if _, ok := tx.Token("other", "k"); ok {
			t.Error("another cloud's token")
		}
	})
}

func TestRandomnessGoesOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "w.json")
	seen := map[string]bool{}
	for range 2 {
		s := newStage(t, sim.Options{StatePath: path, Seed: 4})
		s.do1(func(tx *sim.Tx) {
			for _, n := range []int{1, 17, 64, 65, 200} {
				id := tx.Hex(n)
				if len(id) != n || (n > 1 && seen[id]) {
					t.Errorf("Hex(%d) = %q", n, id)
				}
				seen[id] = true
			}
			if tx.Rand().Uint64() == tx.Rand().Uint64() {
				t.Error("two sources of one transaction are the same")
			}
		})
	}
}

func TestDueComesInTheOrderOfTheInstants(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.must("POST", "/clock", `{"set":"2031-01-01T00:00:00Z","freeze":true}`)
	for _, takes := range []string{"3m", "1m", "2m"} {
		s.must("POST", "/faults", `[{"cloud":"toy","operation":"make","times":1,"operation_takes":"`+takes+`"}]`)
		s.call("/make?type=t")
	}
	s.must("POST", "/clock", `{"advance":"1h"}`)
	var minutes []int
	for _, row := range s.objects() {
		minutes = append(minutes, row.StartsAt.Minute())
	}
	if !slices.Equal(minutes, []int{3, 1, 2}) {
		t.Errorf("due at %v", minutes)
	}
}

func TestObjectsOfAnUnknownCloudWait(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "w.json")
	s := newStage(t, sim.Options{StatePath: path})
	s.must("POST", "/faults", `[{"cloud":"toy","operation":"make","operation_takes":"1m"}]`)
	s.call("/make?type=t")
	other, err := sim.New(sim.Options{StatePath: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Advance(time.Hour); err != nil {
		t.Fatal(err)
	}
	rows, err := other.Objects()
	if err != nil || rows[0].Status != "making" {
		t.Errorf("without its cloud: %+v, %v", rows, err)
	}
	if row := s.objects()[0]; row.Status != "ready" {
		t.Errorf("with its cloud: %+v", row)
	}
}

func TestFailedTransactionLeavesTheFile(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{StatePath: filepath.Join(t.TempDir(), "w.json")})
	failed := errors.New("no")
	err := s.world.Do(func(tx *sim.Tx) error {
		tx.Insert(&sim.Object{Cloud: "toy", Type: "things", NativeID: "x"})
		return failed
	})
	if !errors.Is(err, failed) || len(s.objects()) != 0 {
		t.Errorf("%v; %v", err, s.objects())
	}
}

func TestHiddenObjectsAreTheCloudsOwn(t *testing.T) {
	t.Parallel()
	s := newStage(t, sim.Options{})
	s.do1(func(tx *sim.Tx) {
		obj := &sim.Object{Cloud: "toy", Type: "operations", NativeID: "op", Hidden: true}
		if err := obj.Encode(map[string]int{"n": 1}); err != nil {
			t.Error(err)
		}
		tx.Insert(obj)
	})
	if rows := s.objects(); len(rows) != 0 {
		t.Errorf("shown: %+v", rows)
	}
	wantStatus(t, s.ctl("PATCH", "/objects", `{"native_id":"op","gone":true}`), 400)
	s.do1(func(tx *sim.Tx) {
		obj, ok := tx.Object("toy", "op")
		var payload map[string]int
		if !ok || obj.Decode(&payload) != nil || payload["n"] != 1 || obj.Decode(new(string)) == nil {
			t.Errorf("%+v %v", obj, payload)
		}
	})
}

func TestNearKnowsWhereTheClockHasBeen(t *testing.T) {
	t.Parallel()
	wall := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	s := newStage(t, sim.Options{Wall: func() time.Time { return wall }})
	first := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	second := first.Add(31 * time.Hour)
	for _, at := range []time.Time{first, second} {
		if err := s.world.SetClock(at); err != nil {
			t.Fatal(err)
		}
	}
	wall = wall.Add(time.Hour)
	tests := map[string]struct {
		at   time.Time
		want bool
	}{
		"wall":             {wall.Add(14 * time.Minute), true},
		"wall, too early":  {wall.Add(-16 * time.Minute), false},
		"clock":            {second.Add(time.Hour), true},
		"clock, too late":  {second.Add(time.Hour + 16*time.Minute), false},
		"before the jump":  {first.Add(time.Hour), true},
		"where none stood": {first.Add(10 * time.Hour), false},
	}
	s.do1(func(tx *sim.Tx) {
		for name, tt := range tests {
			if got := tx.Near(tt.at, 15*time.Minute); got != tt.want {
				t.Errorf("%s: %t", name, got)
			}
		}
	})
}
