package reservation_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

// locked is a reservation of a kind that locks on 2031-04-03 and lasts from
// 2031-04-10 to 2031-04-24, and its configuration with more or other attributes.
func locked(t *testing.T, kind string) (stage, *providertest.Object, func(map[string]any) map[string]any) {
	t.Helper()
	s := stageOver(t, providertest.NewNative(t))
	config := func(more map[string]any) map[string]any {
		all := sharing("lab")
		all["kind"], all["window"] = kind, fortnight("2031-04-10T00:00:00Z")
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	o := s.made(t, config(nil), nil)
	s.world.Clock.Advance(33 * day)
	read, d := s.Read(typeName, o)
	if len(d) > 0 {
		t.Fatal(d.Errors(), d.Warnings())
	}
	return s, read, config
}

// gets counts the reads of one object.
func (s stage) gets() int {
	n := 0
	for _, call := range s.world.Cloud.Calls() {
		if call.Method == "Get" {
			n++
		}
	}
	return n
}

// What is locked does not change: a plan that would change it at the cloud is an
// error at the attribute, after one look, and one that would not looks at nothing.
func TestLocked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		more  map[string]any
		at    string // where the error is, "" for none
		reads int
	}{
		"count":          {map[string]any{"instance_count": 2}, `AttributeName("instance_count")`, 1},
		"start":          {map[string]any{"window": fortnight("2031-04-11T00:00:00Z")}, `AttributeName("window").AttributeName("start_at")`, 1},
		"length":         {map[string]any{"window": map[string]any{"start_at": "2031-04-10T00:00:00Z", "duration": "15d"}}, `AttributeName("window").AttributeName("duration")`, 1},
		"end":            {map[string]any{"window": map[string]any{"start_at": "2031-04-10T00:00:00Z", "end_at": "2031-04-25T00:00:00Z"}}, `AttributeName("window").AttributeName("end_at")`, 1},
		"shares":         {map[string]any{"share_with": []any{"lab", "serving"}}, `AttributeName("share_with")`, 1},
		"nothing":        {nil, "", 0},
		"same window":    {map[string]any{"window": map[string]any{"start_at": "2031-04-10T00:00:00Z", "end_at": "2031-04-24T02:00:00+02:00"}}, "", 1},
		"the same count": {map[string]any{"instance_count": 1}, "", 0},
		"same shares":    {map[string]any{"share_with": []any{labID}}, "", 0},
		"on_destroy":     {map[string]any{"on_destroy": "abandon"}, "", 0},
		"count unknown":  {map[string]any{"instance_count": providertest.Unknown}, "", 1},
		"shares unknown": {map[string]any{"share_with": []any{"lab", providertest.Unknown}}, "", 1},
		"start unknown":  {map[string]any{"window": fortnight(providertest.Unknown)}, "", 1},
	} {
		for _, kind := range []string{"scheduled", "block"} {
			t.Run(name+" of "+kind, func(t *testing.T) {
				t.Parallel()
				s, o, config := locked(t, kind)
				before := s.gets()
				_, d := s.Plan(typeName, config(tc.more), o)
				if n := s.gets() - before; n != tc.reads {
					t.Errorf("%d reads, want %d", n, tc.reads)
				}
				if tc.at == "" {
					if len(d) > 0 {
						t.Errorf("%q %q", d.Errors(), d.Warnings())
					}
					return
				}
				said := strings.Join(d.Errors(), "\n")
				if len(d) != 1 || !strings.HasPrefix(said, tc.at+": Reservation is locked") {
					t.Errorf("%q, want one error at %s", said, tc.at)
				}
				for _, word := range []string{`"train"`, "since 2031-04-03T00:00:00Z", "until 2031-04-24T00:00:00Z", "mem-east-1a/train"} {
					if !strings.Contains(said, word) {
						t.Errorf("%q does not say %s", said, word)
					}
				}
			})
		}
	}
}

// Before the lock the same changes are planned; a replacement that is allowed is
// planned as one, and refused as what it is: giving up what is bound.
func TestLocked_not(t *testing.T) {
	t.Parallel()
	s, o, config := locked(t, "scheduled")
	grown := config(map[string]any{"instance_count": 2, "allow_replacement": true})
	_, d := s.Plan(typeName, grown, o)
	if said := strings.Join(d.Errors(), "\n"); !strings.Contains(said, "Cannot be released free") || strings.Contains(said, "is locked") {
		t.Errorf("a replacement: %q", said)
	}
	grown["on_destroy"] = "abandon"
	o = s.made(t, config(map[string]any{"on_destroy": "abandon"}), o)
	plan, d := s.Plan(typeName, grown, o)
	if len(d.Errors()) > 0 || len(plan.Replace) != 1 || !strings.Contains(plan.Replace[0], "instance_count") {
		t.Errorf("a replacement of what is abandoned: %q, replaces %v", d.Errors(), plan.Replace)
	}

	s = stageOver(t, providertest.NewNative(t))
	o = s.made(t, config(nil), nil)
	s.world.Clock.Advance(32 * day)
	plan, d = s.Plan(typeName, config(map[string]any{"instance_count": 2}), o)
	if len(d) > 0 || len(plan.Replace) > 0 {
		t.Errorf("before the lock: %q, replaces %v", d.Errors(), plan.Replace)
	}
	s.world.Cloud.SetFault(func(call cloud.Call) (before, after error) {
		if call.Method != "Get" {
			return nil, nil
		}
		return &cloud.Error{Code: cloud.Throttled, Message: "slow down"}, nil
	})
	if _, d = s.Plan(typeName, config(map[string]any{"instance_count": 2}), o); !strings.Contains(strings.Join(d.Errors(), "\n"), "slow down") {
		t.Errorf("it cannot be read: %q", d.Errors())
	}
}

// fixing is a cloud that fixes attributes of what it has committed to.
type fixing struct {
	*mem.Cloud
	fixed []cloud.Attribute
}

func (c *fixing) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	r, err := c.Cloud.Get(ctx, ref)
	r.Fixed = c.fixed
	return r, err
}

// What is fixed on one object does not change, and the rest does: a plan that would
// change it is an error at the attribute, after one look, and one that changes
// nothing of that sort looks at nothing.
func TestFixed(t *testing.T) {
	t.Parallel()
	both := []cloud.Attribute{cloud.AttrCount, cloud.AttrStart}
	const start, later = "2031-04-10T00:00:00Z", "2031-04-11T00:00:00Z"
	for name, tc := range map[string]struct {
		fixed []cloud.Attribute
		more  map[string]any
		at    string // where the error is, "" for none
		reads int
	}{
		"count":            {both, map[string]any{"instance_count": 2}, `AttributeName("instance_count")`, 1},
		"start":            {both, map[string]any{"window": map[string]any{"start_at": later}}, `AttributeName("window").AttributeName("start_at")`, 1},
		"start, not fixed": {both[:1], map[string]any{"window": map[string]any{"start_at": later}}, "", 1},
		"count, not fixed": {both[1:], map[string]any{"instance_count": 2}, "", 1},
		"neither fixed":    {nil, map[string]any{"instance_count": 2}, "", 1},
		"same start":       {both, map[string]any{"window": map[string]any{"start_at": "2031-04-10T02:00:00+02:00"}}, "", 0},
		"tags":             {both, map[string]any{"tags": map[string]any{"a": "b"}}, "", 0},
		"nothing":          {both, nil, "", 0},
		"count unknown":    {both, map[string]any{"instance_count": providertest.Unknown}, "", 0},
		"replacement":      {both, map[string]any{"instance_count": 2, "allow_replacement": true, "on_destroy": "abandon"}, "replaced", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := providertest.NewGrouped(t)
			c := &fixing{Cloud: world.Cloud}
			world.Manager = capacity.New(capacity.Config{
				Clouds: map[string]cloud.Cloud{mem.Name: c}, Clock: world.Clock, Owner: providertest.Owner, NewClaim: func() string { return "claim" },
			})
			s := stageOver(t, world)
			config := regional(map[string]any{"kind": "scheduled", "window": map[string]any{"start_at": start}, "on_destroy": tc.more["on_destroy"]})
			o := s.made(t, config, nil)
			maps.Copy(config, tc.more)
			c.fixed = tc.fixed
			before := s.gets()
			plan, d := s.Plan(typeName, config, o)
			if n := s.gets() - before; n != tc.reads {
				t.Errorf("%d reads, want %d", n, tc.reads)
			}
			switch tc.at {
			case "":
				if len(d) > 0 || len(plan.Replace) > 0 {
					t.Errorf("%q %q, replaces %v", d.Errors(), d.Warnings(), plan.Replace)
				}
			case "replaced":
				if len(d.Errors()) > 0 || len(plan.Replace) != 1 || plan.Replace[0] != `AttributeName("instance_count")` {
					t.Errorf("%q, replaces %v", d.Errors(), plan.Replace)
				}
			default:
				refused(t, name, d, tc.at, "Reservation is fixed", `"train"`, "under a new name")
			}
		})
	}
}
