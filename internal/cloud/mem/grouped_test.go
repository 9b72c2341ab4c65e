package mem_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
)

// newGrouped is a grouped cloud with the group "team" in two zones and the group
// "wide" of a region.
func newGrouped() *mem.Cloud {
	c := mem.New(memtest.GroupedOptions(clocktest.NewJump(memtest.Start())))
	c.AddGroup(mem.DefaultAccountID, "team", "mem-east-1", "mem-east-1a", "mem-east-1b")
	c.AddGroup(mem.DefaultAccountID, "wide", "mem-east-1")
	return c
}

// grouped is a create of one on-demand instance.
func grouped(name string, edit ...func(*cloud.Spec)) cloud.CreateRequest {
	s := memtest.GroupedWishes()[cloud.OnDemand]
	for _, f := range edit {
		f(&s)
	}
	return cloud.CreateRequest{Spec: s, Mark: cloud.Mark{Owner: "us", Name: name, Type: "gpu_reservation"}}
}

func within(group string) func(*cloud.Spec) {
	return func(s *cloud.Spec) { s.Native = map[string]string{mem.InGroup: group} }
}

func zone(name string) func(*cloud.Spec) {
	return func(s *cloud.Spec) { s.Zone, s.Region = name, "mem-east-1" }
}

func west(s *cloud.Spec) { s.Region = "mem-west-1" }

func ofType(name string) func(*cloud.Spec) { return func(s *cloud.Spec) { s.InstanceType = name } }

// TestGroupedPlace: a wish is met in its own group or in a given one, and what a
// create refuses a preflight has named, but for what only the create knows.
func TestGroupedPlace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name    string
		edit    []func(*cloud.Spec)
		id      string
		code    cloud.Code
		problem cloud.Attribute
	}{
		"own group":              {"train", nil, "train/train", "", ""},
		"own, of the region":     {"train", []func(*cloud.Spec){zone("")}, "train/train", "", ""},
		"given group":            {"train", []func(*cloud.Spec){within("team"), zone("mem-east-1b")}, "team/train", "", ""},
		"given, of the region":   {"train", []func(*cloud.Spec){within("wide"), zone("")}, "wide/train", "", ""},
		"another type":           {"train", []func(*cloud.Spec){within("team"), ofType("p1.half")}, "team/train", "", ""},
		"the same again":         {"first", []func(*cloud.Spec){within("team")}, "team/first", "", ""},
		"type there already":     {"train", []func(*cloud.Spec){within("team")}, "", cloud.Invalid, cloud.AttrInstanceType},
		"zone not in the group":  {"train", []func(*cloud.Spec){within("team"), zone("mem-east-1c")}, "", cloud.Invalid, cloud.AttrZone},
		"region, group zonal":    {"train", []func(*cloud.Spec){within("team"), zone("")}, "", cloud.Invalid, cloud.AttrZone},
		"zone, group regional":   {"train", []func(*cloud.Spec){within("wide")}, "", cloud.Invalid, cloud.AttrZone},
		"not the group's region": {"train", []func(*cloud.Spec){within("wide"), zone(""), west}, "", cloud.Invalid, cloud.AttrRegion},
		"type not offered":       {"train", []func(*cloud.Spec){ofType("x9.none")}, "", cloud.Unsupported, cloud.AttrInstanceType},
		"no such group":          {"train", []func(*cloud.Spec){within("none")}, "", cloud.Invalid, ""},
		"name of a given group":  {"team", nil, "", cloud.Conflict, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newGrouped()
			send(t, c, grouped("first", within("team")))
			req := grouped(test.name, test.edit...)
			spec, found := c.Check(req.Spec)
			if len(found) > 0 {
				t.Fatalf("Check: %v", found)
			}
			if named := preflight(t, c, spec, test.name); named != test.problem {
				t.Errorf("Preflight names %q, want %q", named, test.problem)
			}
			r, err := c.Create(t.Context(), req)
			if cloud.CodeOf(err) != test.code {
				t.Fatalf("Create: %v, want class %q", err, test.code)
			}
			if err != nil {
				return
			}
			want := []string{mem.DefaultAccountID + "/" + test.id, c.Group(spec, test.name), spec.Zone}
			if diff := cmp.Diff(want, []string{r.Ref.NativeID, c.GroupOf(r.Ref), r.Zone}); diff != "" {
				t.Errorf("id, group and zone (-want +got):\n%s", diff)
			}
		})
	}
}

// preflight is the one attribute that a preflight names, "" for none.
func preflight(t *testing.T, c *mem.Cloud, s cloud.Spec, name string) cloud.Attribute {
	t.Helper()
	found, err := c.Preflight(t.Context(), s, name)
	if err != nil || len(found) > 1 {
		t.Fatalf("Preflight = %v, %v", found, err)
	}
	if len(found) == 0 {
		return ""
	}
	return found[0].Attribute
}

// TestGroupedRelease: what is cut short between its two steps goes on where it was,
// and with a given group there is one step.
func TestGroupedRelease(t *testing.T) {
	t.Parallel()
	c := newGrouped()
	c.SetCapacity(mem.Place{Zone: "mem-east-1a", InstanceType: "p1.whole"}, 2)
	r := send(t, c, grouped("train"))
	given := send(t, c, grouped("given", within("team")))
	cut := errors.New("cut short")
	c.CutShort("Release", cut)
	if err := c.Release(t.Context(), given.Ref); err != nil {
		t.Fatalf("Release in a given group: %v", err)
	}
	if err := c.Release(t.Context(), r.Ref); !errors.Is(err, cut) {
		t.Fatalf("Release = %v, want %v", err, cut)
	}
	got := get(t, c, r.Ref)
	if got.State != cloud.Gone || !got.Remains || got.Mark != r.Mark || got.NativeState != "GONE, and its group is left" {
		t.Errorf("after the first step: %+v", got)
	}
	send(t, c, grouped("other", func(s *cloud.Spec) { s.Count = 2 })) // its capacity is free
	if _, err := c.Update(t.Context(), r.Ref, cloud.Change{SetTags: map[string]string{"a": "b"}}); cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("Update of what is left: %v", err)
	}
	if err := c.Release(t.Context(), r.Ref); err != nil {
		t.Fatalf("Release again: %v", err)
	}
	if _, err := c.Get(t.Context(), r.Ref); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("Get after the second step: %v", err)
	}
}

// TestGroupedGrowth: a refused growth leaves the count as it was, and the object of
// no use if that was cut short.
func TestGroupedGrowth(t *testing.T) {
	t.Parallel()
	c := newGrouped()
	place := mem.Place{Zone: "mem-east-1", InstanceType: "p1.whole"}
	c.SetCapacity(place, 2)
	r := send(t, c, grouped("train", zone("")))
	lost := &cloud.Error{Code: cloud.Internal, Op: "Update", Accepted: true}
	steps := []struct {
		name      string
		cut       error
		count     int
		code      cloud.Code
		unsettled bool
		holds     int
	}{
		{"refused", nil, 4, cloud.NoCapacity, false, 1},
		{"cut short", lost, 4, cloud.Internal, true, 1},
		{"written again", nil, 1, "", false, 1},
		{"cut short again", lost, 4, cloud.Internal, true, 1},
		{"grown", nil, 2, "", false, 2},
	}
	for _, step := range steps {
		c.CutShort("Update", step.cut)
		_, err := c.Update(t.Context(), r.Ref, cloud.Change{Count: &step.count})
		got := get(t, c, r.Ref)
		if cloud.CodeOf(err) != step.code || got.Unsettled != step.unsettled || got.Count != step.holds || !got.State.Live() {
			t.Errorf("%s: %v, then %+v", step.name, err, got)
		}
	}
	c.SetUnsettled(r.Ref.NativeID)
	if !get(t, c, r.Ref).Unsettled {
		t.Errorf("not unsettled from outside")
	}
}

// TestGroupedRefuses: what belongs to the group, or is the name, does not change.
func TestGroupedRefuses(t *testing.T) {
	t.Parallel()
	c := newGrouped()
	r := send(t, c, grouped("train", within("team")))
	mark := r.Mark
	mark.Name = "other"
	for name, change := range map[string]cloud.Change{
		"name": {Mark: &mark}, "share": {ShareWith: &[]string{"lab"}}, "group": {Native: map[string]string{mem.InGroup: "wide"}},
	} {
		if _, err := c.Update(t.Context(), r.Ref, change); cloud.CodeOf(err) != cloud.Unsupported {
			t.Errorf("Update of the %s: %v", name, err)
		}
	}
	if diff := cmp.Diff(r, get(t, c, r.Ref)); diff != "" {
		t.Errorf("after refused updates (-want +got):\n%s", diff)
	}
	s := grouped("b", within("team"), func(s *cloud.Spec) { s.ShareWith = []string{"lab"} }).Spec
	if _, found := c.Check(s); len(found) != 1 || found[0].Attribute != cloud.AttrShare {
		t.Errorf("Check of a shared wish in a given group: %v", found)
	}
	s = grouped("b", func(s *cloud.Spec) { s.Zone, s.Native = "", map[string]string{mem.InGroup: "No group"} }).Spec
	if _, found := c.Check(s); len(found) != 2 || found[0].Attribute != cloud.AttrRegion || found[1].Attribute != "mem.group" {
		t.Errorf("Check of a wish without region and of no group: %v", found)
	}
}

func TestGroupedParseID(t *testing.T) {
	t.Parallel()
	c := newGrouped()
	full := mem.DefaultAccountID + "/team/train"
	for id, want := range map[string]string{full: full, "team/train": full, "train": "", "000000000002/team/train": "", "a/b/c/d": ""} {
		ref, err := c.ParseID(t.Context(), "", id)
		if ref.NativeID != want || (want == "") != (cloud.CodeOf(err) == cloud.Invalid) {
			t.Errorf("ParseID(%q) = %+v, %v; want %q", id, ref, err, want)
		}
	}
	if g := c.GroupOf(cloud.Ref{NativeID: "no such form"}); g != "" {
		t.Errorf("group of no id is %q", g)
	}
}
