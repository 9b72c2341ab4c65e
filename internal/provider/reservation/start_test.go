package reservation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

// scheduled is a wish for what starts later, in a window.
func scheduled(window map[string]any) map[string]any {
	return wish(map[string]any{"kind": "scheduled", "window": window})
}

func fortnight(start any) map[string]any { return map[string]any{"start_at": start, "duration": "14d"} }

// A start moves in place, to the second, and takes an end with it that is given as
// a length; the same instant written another way is no change.
func TestStart_moves(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewNative(t))
	config := scheduled(map[string]any{"start_at": "2031-05-10T09:00:00+02:00", "duration": "14d"})
	o, _ := s.Read(typeName, s.made(t, config, nil)) // it is pending at first
	s.settles(t, config, o)
	for name, tc := range map[string]struct {
		window  map[string]any
		changes []string
		starts  any
		ends    any
	}{
		"in UTC":            {fortnight("2031-05-10T07:00:00Z"), nil, "2031-05-10T07:00:00Z", "2031-05-24T07:00:00Z"},
		"a second later":    {fortnight("2031-05-10T07:00:01Z"), []string{"ends_at", "starts_at", "status", "usable_until", "window"}, "2031-05-10T07:00:01Z", "2031-05-24T07:00:01Z"},
		"not known":         {fortnight(providertest.Unknown), []string{"ends_at", "starts_at", "status", "usable_until", "window"}, providertest.Unknown, providertest.Unknown},
		"with the same end": {map[string]any{"start_at": "2031-05-11T07:00:00Z", "end_at": "2031-05-24T07:00:00Z"}, []string{"starts_at", "status", "window"}, "2031-05-11T07:00:00Z", "2031-05-24T07:00:00Z"},
	} {
		plan, d := s.Plan(typeName, scheduled(tc.window), o)
		if len(d) > 0 || len(plan.Replace) > 0 {
			t.Errorf("%s: %q %q, replaces %v", name, d.Errors(), d.Warnings(), plan.Replace)
			continue
		}
		if diff := cmp.Diff(tc.changes, plan.Changes(o)); diff != "" {
			t.Errorf("%s: changes (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]any{tc.starts, tc.ends}, []any{plan.State["starts_at"], plan.State["ends_at"]}); diff != "" {
			t.Errorf("%s: promise (-want +got):\n%s", name, diff)
		}
	}
}

// What is planned is done, and then there is nothing more to do.
func TestStart_applies(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewNative(t))
	o, _ := s.Read(typeName, s.made(t, scheduled(fortnight("2031-05-10T07:00:00Z")), nil))
	config := scheduled(fortnight("2031-05-10T09:00:01+02:00"))
	s.world.Clock.Advance(time.Minute)
	s.settles(t, config, s.made(t, config, o))
}

// How far ahead a start may lie counts when it is set, not later.
func TestStart_leads(t *testing.T) {
	t.Parallel()
	world := providertest.NewNative(t)
	s := stageOver(t, world)
	config := scheduled(fortnight("2031-05-10T07:00:00Z"))
	o := s.made(t, config, nil)
	_, d := s.Plan(typeName, scheduled(fortnight("2031-03-01T08:00:00Z")), o)
	const late = `AttributeName("window").AttributeName("start_at"): Start is not possible`
	if said := d.Errors(); len(said) != 1 || !strings.HasPrefix(said[0], late) {
		t.Errorf("a new start: %q", said)
	}
	world.Clock.Advance(70 * 24 * time.Hour) // seven hours before it starts
	if _, d := s.Plan(typeName, scheduled(map[string]any{"start_at": "2031-05-10T07:00:00Z", "end_at": "2031-05-24T07:00:00Z"}), o); len(d) > 0 {
		t.Errorf("the start that is there: %q %q", d.Errors(), d.Warnings())
	}
}

// A start that was moved elsewhere is drift, and the plan moves it back.
func TestStart_drifts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ config, want map[string]any }{
		"with a length": {
			fortnight("2031-05-10T09:00:00+02:00"), fortnight("2031-05-12T07:00:00Z"),
		},
		"with an end": {
			map[string]any{"start_at": "2031-05-10T07:00:00Z", "end_at": "2031-05-24T07:00:00Z"},
			map[string]any{"start_at": "2031-05-12T07:00:00Z", "end_at": "2031-05-26T07:00:00Z"},
		},
	} {
		world := providertest.NewNative(t)
		s := stageOver(t, world)
		o := s.made(t, scheduled(tc.config), nil)
		start, end := time.Date(2031, 5, 12, 7, 0, 0, 0, time.UTC), time.Date(2031, 5, 26, 7, 0, 0, 0, time.UTC)
		id, _ := o.State["native_id"].(string)
		if _, err := world.Cloud.Update(t.Context(), cloud.Ref{NativeID: id}, cloud.Change{StartAt: &start, EndAt: &end}); err != nil {
			t.Fatal(err)
		}
		world.Clock.Advance(time.Minute)
		read, d := s.Read(typeName, o)
		if len(d) > 0 {
			t.Fatalf("%s: %q", name, d.Errors())
		}
		want := map[string]any{"start_at": nil, "end_at": nil, "duration": nil}
		for part, value := range tc.want {
			want[part] = value
		}
		if diff := cmp.Diff(any(want), read.State["window"]); diff != "" {
			t.Errorf("%s: window (-want +got):\n%s", name, diff)
		}
		plan, d := s.Plan(typeName, scheduled(tc.config), read)
		if len(d.Errors()) > 0 || plan.State["starts_at"] != "2031-05-10T07:00:00Z" || plan.State["ends_at"] != "2031-05-24T07:00:00Z" {
			t.Errorf("%s: %q, from %v to %v", name, d.Errors(), plan.State["starts_at"], plan.State["ends_at"])
		}
	}
}

// An end that is not known yet is not missing, whichever way it will be given.
func TestWindow_endNotKnown(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"end_at", "duration"} {
		s := stageOver(t, providertest.NewNative(t))
		config := scheduled(map[string]any{"start_at": "2031-05-10T07:00:00Z", part: providertest.Unknown})
		if d := s.ValidateResource(typeName, config); len(d) > 0 {
			t.Errorf("%s: validation: %q", part, d.Errors())
		}
		if _, d := s.Plan(typeName, config, nil); len(d.Errors()) > 0 {
			t.Errorf("%s: plan: %q", part, d.Errors())
		}
	}
}
