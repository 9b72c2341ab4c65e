package reservation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

// regional is a configuration of the whole region, with more or other attributes.
func regional(more map[string]any) map[string]any {
	config := wish(map[string]any{"region": "mem-east-1"})
	delete(config, "zone")
	for name, value := range more {
		config[name] = value
	}
	return config
}

// refused wants one error of that summary at an attribute.
func refused(t *testing.T, name string, d providertest.Diagnostics, at string, words ...string) {
	t.Helper()
	said := strings.Join(d.Errors(), "\n")
	if len(d) != 1 || !strings.HasPrefix(said, at+": ") {
		t.Errorf("%s: %q %q, want one error at %s", name, d.Errors(), d.Warnings(), at)
	}
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("%s: %q does not say %q", name, said, word)
		}
	}
}

// Without a zone it is of the region, which must be named then, and stays so.
func TestRegional(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewGrouped(t))
	d := s.ValidateResource(typeName, regional(map[string]any{"region": nil}))
	refused(t, "no region", d, `AttributeName("region")`, "A region is needed")
	plan, d := s.Plan(typeName, regional(nil), nil)
	want := map[string]any{"region": "mem-east-1", "zone": nil}
	if diff := cmp.Diff(want, known(plan.State, "region", "zone")); len(d) > 0 || diff != "" {
		t.Errorf("plan: %q %q (-want +got):\n%s", d.Errors(), d.Warnings(), diff)
	}
	o := s.made(t, regional(nil), nil)
	if diff := cmp.Diff(want, known(o.State, "region", "zone")); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	s.settles(t, regional(nil), o)
	grown := regional(map[string]any{"instance_count": 2, "tags": map[string]any{"a": "b"}})
	o = s.made(t, grown, o)
	s.settles(t, grown, o)

	id, _ := o.State["id"].(string)
	imported, d := s.Import(typeName, id)
	if diff := cmp.Diff(known(o.State, "region", "zone", "tags", "instance_count"), known(imported.State, "region", "zone", "tags", "instance_count")); len(d) > 0 || diff != "" {
		t.Errorf("imported: %q (-want +got):\n%s", d.Errors(), diff)
	}
	s.settles(t, grown, imported)
}

// Between a zone and the whole region there is no way in place.
func TestRegional_moves(t *testing.T) {
	t.Parallel()
	zonal := map[string]any{"zone": "mem-east-1a"}
	for name, move := range map[string][2]map[string]any{"to a zone": {nil, zonal}, "to the region": {zonal, nil}} {
		s := stageOver(t, providertest.NewGrouped(t))
		o := s.made(t, regional(move[0]), nil)
		_, d := s.Plan(typeName, regional(move[1]), o)
		refused(t, name, d, `AttributeName("zone")`, "Change would release a live reservation", `"mem-east-1a"`)
		allowed := regional(move[1])
		allowed["allow_replacement"] = true
		plan, d := s.Plan(typeName, allowed, o)
		if len(d.Errors()) > 0 || len(plan.Replace) != 1 || plan.Replace[0] != `AttributeName("zone")` {
			t.Errorf("%s, allowed: %q, replaces %v", name, d.Errors(), plan.Replace)
		}
	}
}

// An end that does not move in place is refused, however it is said; another way to
// say the same end is no change.
func TestWindow_fixedEnd(t *testing.T) {
	t.Parallel()
	const start, end = "2031-03-10T12:00:00Z", "2031-03-24T12:00:00Z"
	window := func(part, value string) map[string]any { return map[string]any{"start_at": start, part: value} }
	config := func(window map[string]any, more map[string]any) map[string]any {
		all := regional(map[string]any{"kind": "block", "window": window})
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	for name, tc := range map[string]struct {
		was, is map[string]any
		at      string
	}{
		"later end":        {window("end_at", end), window("end_at", "2031-03-25T12:00:00Z"), `AttributeName("window").AttributeName("end_at")`},
		"longer":           {window("duration", "14d"), window("duration", "15d"), `AttributeName("window").AttributeName("duration")`},
		"a longer length":  {window("end_at", end), window("duration", "15d"), `AttributeName("window").AttributeName("duration")`},
		"an earlier end":   {window("duration", "14d"), window("end_at", "2031-03-23T12:00:00Z"), `AttributeName("window").AttributeName("end_at")`},
		"the same instant": {window("end_at", end), window("end_at", "2031-03-24T14:00:00+02:00"), ""},
		"as a length":      {window("end_at", end), window("duration", "336h"), ""},
		"as an end":        {window("duration", "14d"), window("end_at", end), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stageOver(t, providertest.NewGrouped(t))
			o, _ := s.Read(typeName, s.made(t, config(tc.was, nil), nil))
			plan, d := s.Plan(typeName, config(tc.is, nil), o)
			if tc.at == "" {
				if len(d) > 0 || len(plan.Replace) > 0 || plan.State["ends_at"] != end || plan.State["status"] == providertest.Unknown {
					t.Errorf("%q %q, replaces %v, ends %v", d.Errors(), d.Warnings(), plan.Replace, plan.State["ends_at"])
				}
				return
			}
			refused(t, name, d, tc.at, "Change would release a live reservation")
			allowed := map[string]any{"allow_replacement": true, "on_destroy": "abandon"}
			o = s.made(t, config(tc.was, map[string]any{"on_destroy": "abandon"}), o)
			if plan, d = s.Plan(typeName, config(tc.is, allowed), o); len(d.Errors()) > 0 || len(plan.Replace) != 1 || plan.Replace[0] != tc.at {
				t.Errorf("allowed: %q, replaces %v", d.Errors(), plan.Replace)
			}
		})
	}
}

// What a release left behind stays in the state as it was, as one that is refused:
// the next plan replaces it.
func TestLeft(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewGrouped(t))
	o := s.made(t, regional(nil), nil)
	id, _ := o.State["native_id"].(string)
	s.world.Cloud.CutShort("Release", errors.New("cut short"))
	if err := s.world.Cloud.Release(t.Context(), cloud.Ref{NativeID: id}); err == nil {
		t.Fatal("the release was not cut short")
	}
	s.world.Clock.Advance(time.Minute)
	read, d := s.Read(typeName, o)
	if said := strings.Join(d.Warnings(), "\n"); len(d.Errors()) > 0 || !strings.Contains(said, "given up only in part") {
		t.Fatalf("read: %q %q", d.Errors(), d.Warnings())
	}
	o.State["status"] = "refused"
	if diff := cmp.Diff(o.State, read.State); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	plan, d := s.Plan(typeName, regional(nil), read)
	if len(d.Errors()) > 0 || len(plan.Replace) != 1 || plan.Replace[0] != `AttributeName("status")` {
		t.Errorf("plan: %q, replaces %v", d.Errors(), plan.Replace)
	}
}

// What a refused growth left unusable is degraded, and an update that asks for no
// other count writes it.
func TestUnsettled(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewGrouped(t))
	o := s.made(t, regional(nil), nil)
	id, _ := o.State["native_id"].(string)
	s.world.Cloud.SetUnsettled(id)
	s.world.Clock.Advance(time.Minute)
	read, d := s.Read(typeName, o)
	if said := strings.Join(d.Warnings(), "\n"); len(d.Errors()) > 0 || !strings.Contains(said, "Reservation cannot be used") {
		t.Fatalf("read: %q %q", d.Errors(), d.Warnings())
	}
	if read.State["status"] != "degraded" || read.State["instance_count"] != "1" {
		t.Errorf("status %v, count %v", read.State["status"], read.State["instance_count"])
	}
	plan, d := s.Plan(typeName, regional(nil), read)
	if diff := cmp.Diff([]string{"status"}, plan.Changes(read)); len(d.Errors()) > 0 || len(plan.Replace) > 0 || diff != "" {
		t.Errorf("plan: %q, replaces %v, changes (-want +got):\n%s", d.Errors(), plan.Replace, diff)
	}
	after := s.made(t, regional(nil), read)
	if after.State["status"] != "held" {
		t.Errorf("status %v after the update", after.State["status"])
	}
	s.settles(t, regional(nil), after)
}
