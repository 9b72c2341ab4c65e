package reservation_test

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

// preflights counts the looks ahead.
func (s stage) preflights() int {
	n := 0
	for _, call := range s.world.Cloud.Calls() {
		if call.Method == "Preflight" {
			n++
		}
	}
	return n
}

// What only the cloud knows to be wrong is an error of the plan, which looks once,
// when it knows all, and for what is not there yet.
func TestPreflight(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		more  map[string]any
		looks int
		at    string // where the error is, "" for none
	}{
		"good":               {nil, 1, ""},
		"type not offered":   {map[string]any{"instance_type": "x9.none"}, 1, `AttributeName("instance_type")`},
		"type not known":     {map[string]any{"instance_type": providertest.Unknown}, 0, ""},
		"name not known":     {map[string]any{"name": providertest.Unknown}, 0, ""},
		"zone not known":     {map[string]any{"zone": providertest.Unknown}, 0, ""},
		"match not known":    {map[string]any{"match_criteria": providertest.Unknown}, 0, ""},
		"shares not known":   {map[string]any{"share_with": []any{providertest.Unknown}}, 0, ""},
		"tags not known":     {map[string]any{"tags": providertest.Unknown}, 1, ""},
		"wrong in any place": {map[string]any{"zone": "nowhere", "instance_type": "x9.none"}, 0, `AttributeName("zone")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stageOver(t, providertest.NewGrouped(t))
			_, d := s.Plan(typeName, regional(tc.more), nil)
			if n := s.preflights(); n != tc.looks {
				t.Errorf("%d looks, want %d", n, tc.looks)
			}
			if tc.at == "" && len(d.Errors()) == 0 {
				return
			}
			if said := strings.Join(d.Errors(), "\n"); tc.at == "" || len(d.Errors()) != 1 || !strings.HasPrefix(said, tc.at) {
				t.Errorf("%q, want an error at %q", said, tc.at)
			}
		})
	}
}

// What exists is not looked ahead for, nor what takes its place.
func TestPreflight_exists(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewGrouped(t))
	o := s.made(t, regional(nil), nil)
	before := s.preflights()
	s.made(t, regional(map[string]any{"instance_count": 2}), o)
	other := regional(map[string]any{"instance_type": "x9.none", "allow_replacement": true})
	if plan, d := s.Plan(typeName, other, o); len(d.Errors()) > 0 || len(plan.Replace) != 1 {
		t.Errorf("a replacement: %q, replaces %v", d.Errors(), plan.Replace)
	}
	if _, d := s.Plan(typeName, other, nil); len(d.Errors()) > 0 {
		t.Errorf("what replaces: %q", d.Errors())
	}
	if n := s.preflights() - before; n != 0 {
		t.Errorf("%d looks", n)
	}
}

// A look that fails is no reason not to try.
func TestPreflight_fails(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewGrouped(t))
	s.world.Cloud.SetFault(func(call cloud.Call) (before, after error) {
		if call.Method != "Preflight" {
			return nil, nil
		}
		return &cloud.Error{Code: cloud.Internal, Message: "not today"}, nil
	})
	_, d := s.Plan(typeName, regional(nil), nil)
	if said := strings.Join(d.Warnings(), "\n"); len(d.Errors()) > 0 || !strings.Contains(said, "Not looked ahead") || !strings.Contains(said, "not today") {
		t.Errorf("%q %q", d.Errors(), d.Warnings())
	}
}
