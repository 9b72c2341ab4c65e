package reservation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

// known are those attributes of a state that are named.
func known(state map[string]any, names ...string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		some[name] = state[name]
	}
	return some
}

// Where no claim can be written, none is ever expected.
func TestClaims_none(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewNative(t))
	config := wish(nil)
	plan, d := s.Plan(typeName, config, nil)
	want := map[string]any{"claim_id": nil, "owner": providertest.Owner}
	if diff := cmp.Diff(want, known(plan.State, "claim_id", "owner")); len(d.Errors()) > 0 || diff != "" {
		t.Errorf("create is planned: %q (-want +got):\n%s", d.Errors(), diff)
	}
	o := s.made(t, config, nil)
	if diff := cmp.Diff(want, known(o.State, "claim_id", "owner")); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	grown := wish(map[string]any{"instance_count": 2})
	if plan, d = s.Plan(typeName, grown, o); len(d.Errors()) > 0 {
		t.Fatalf("plan: %q", d.Errors())
	}
	if diff := cmp.Diff(want, known(plan.State, "claim_id", "owner")); diff != "" {
		t.Errorf("update is planned (-want +got):\n%s", diff)
	}
	s.settles(t, grown, s.made(t, grown, o))
}

// An object without a mark is imported without an owner, which stays so.
func TestClaims_importUnmarked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		mark cloud.Mark
		want any
	}{
		"no mark": {cloud.Mark{Name: "train"}, nil},
		"marked":  {cloud.Mark{Owner: providertest.Owner, Name: "train", Type: typeName}, providertest.Owner},
	} {
		world := providertest.NewNative(t)
		s := stageOver(t, world)
		r := world.Make(func(req *cloud.CreateRequest) { req.Mark, req.Spec.Count = tc.mark, 1 })
		if tc.want == nil {
			world.Cloud.RemoveTag(r.Ref.NativeID, cloud.TagName)
		}
		o, d := s.Import(typeName, "mem:"+r.Ref.NativeID)
		if len(d) > 0 {
			t.Fatalf("%s: %q %q", name, d.Errors(), d.Warnings())
		}
		want := map[string]any{"name": "train", "owner": tc.want, "claim_id": nil, "tags": nil, "tags_all": map[string]any{}}
		names := []string{"name", "owner", "claim_id", "tags", "tags_all"}
		if diff := cmp.Diff(want, known(o.State, names...)); diff != "" {
			t.Errorf("%s: imported (-want +got):\n%s", name, diff)
		}
		s.settles(t, wish(nil), o)
		grown := wish(map[string]any{"instance_count": 2})
		if o = s.made(t, grown, o); cmp.Diff(want, known(o.State, names...)) != "" {
			t.Errorf("%s: grown (-want +got):\n%s", name, cmp.Diff(want, known(o.State, names...)))
		}
		s.settles(t, grown, o)
	}
}
