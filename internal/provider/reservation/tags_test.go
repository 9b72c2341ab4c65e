package reservation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation"
)

// stage is the resource over a world in memory.
type stage struct {
	*providertest.Server
	world *providertest.Mem
}

func stageOver(t *testing.T, world *providertest.Mem) stage {
	t.Helper()
	return stage{providertest.Serve(t, providertest.Types{
		Resources: []func() resource.Resource{func() resource.Resource { return reservation.NewResource(world.Manager) }},
		Data:      world.Provider,
	}), world}
}

// wish is a configuration over a world in memory, with more or other attributes.
func wish(more map[string]any) map[string]any {
	config := map[string]any{"name": "train", "cloud": "mem", "zone": "mem-east-1a", "instance_type": "p1.whole"}
	for name, value := range more {
		config[name] = value
	}
	return config
}

// made applies a configuration that must be good.
func (s stage) made(t *testing.T, config map[string]any, before *providertest.Object) *providertest.Object {
	t.Helper()
	o, d := s.Apply(typeName, config, before)
	if len(d.Errors()) > 0 || o == nil {
		t.Fatalf("apply of %v: %q", config, d.Errors())
	}
	return o
}

// settles reads the object in a later run and fails unless nothing moved and nothing
// is planned.
func (s stage) settles(t *testing.T, config map[string]any, o *providertest.Object) {
	t.Helper()
	s.world.Clock.Advance(time.Minute) // a listing of this run would be too old
	read, d := s.Read(typeName, o)
	if len(d) > 0 || read == nil {
		t.Fatalf("read: %q %q", d.Errors(), d.Warnings())
	}
	if diff := cmp.Diff(o.State, read.State); diff != "" {
		t.Errorf("drift (-state +read):\n%s", diff)
	}
	plan, d := s.Plan(typeName, config, read)
	if len(d) > 0 {
		t.Fatalf("plan: %q %q", d.Errors(), d.Warnings())
	}
	if changes := plan.Changes(read); len(changes) > 0 {
		t.Errorf("a plan of the same configuration changes %v", changes)
	}
}

// What carries no tags goes without the default ones, and refuses others.
func TestTags_notCarried(t *testing.T) {
	t.Parallel()
	world := providertest.NewNative(t)
	world.DefaultTags = map[string]string{"team": "ml"}
	s := stageOver(t, world)
	for name, tc := range map[string]struct {
		tags any
		ok   bool
	}{
		"none": {nil, true}, "empty": {map[string]any{}, true}, "unset": {map[string]any{"a": nil}, true},
		"not known": {providertest.Unknown, true}, "one": {map[string]any{"a": "1"}, false},
	} {
		config := wish(map[string]any{"tags": tc.tags})
		valid := s.ValidateResource(typeName, config).Errors()
		plan, planned := s.Plan(typeName, config, nil)
		for what, said := range map[string][]string{"validate": valid, "plan": planned.Errors()} {
			if tc.ok && len(said) > 0 || !tc.ok && (len(said) != 1 || !strings.HasPrefix(said[0], `AttributeName("tags"): Invalid tags`)) {
				t.Errorf("%s, %s: %q", name, what, said)
			}
		}
		if diff := cmp.Diff(any(map[string]any{}), plan.State["tags_all"]); tc.ok && diff != "" {
			t.Errorf("%s: tags_all (-want +got):\n%s", name, diff)
		}
	}
	config := wish(nil)
	s.settles(t, config, s.made(t, config, nil))
}

// On what carries tags they are as before, the default ones too.
func TestTags_carried(t *testing.T) {
	t.Parallel()
	world := providertest.NewMem(t)
	world.DefaultTags = map[string]string{"team": "ml", "a": "0"}
	s := stageOver(t, world)
	config := wish(map[string]any{"tags": map[string]any{"a": "1"}})
	o := s.made(t, config, nil)
	if diff := cmp.Diff(any(map[string]any{"team": "ml", "a": "1"}), o.State["tags_all"]); diff != "" {
		t.Errorf("tags_all (-want +got):\n%s", diff)
	}
	s.settles(t, config, o)
}
