package capacity_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// TestPlace: a zone that is but a number is nowhere without its region.
func TestPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ region, zone, want string }{
		{region, zone, zone}, {region, "", region}, {"", zone, zone}, {"eastus", "1", "eastus 1"}, {"", "", ""},
	} {
		want(t, "place of "+tc.region+" and "+tc.zone, capacity.Place(tc.region, tc.zone), tc.want)
	}
}

// TestAbsentIsNoDifference: what a wish does not give cannot keep an object from
// being adopted; what it gives can.
func TestAbsentIsNoDifference(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		edit    func(*capacity.Wish)
		adopted bool
	}{
		"as bought":                {func(*capacity.Wish) {}, true},
		"no count":                 {func(w *capacity.Wish) { w.Spec.Count = 0 }, true},
		"no match":                 {func(w *capacity.Wish) { w.Spec.Match = "" }, true},
		"no offer any more":        {func(w *capacity.Wish) { w.Spec.OfferID = "" }, true},
		"a search from earlier":    {func(w *capacity.Wish) { w.Spec.StartAt = start }, true},
		"its zone":                 {func(w *capacity.Wish) { w.Spec.Zone = zone }, true},
		"another zone":             {func(w *capacity.Wish) { w.Spec.Zone = "mem-east-1b" }, false},
		"another count":            {func(w *capacity.Wish) { w.Spec.Count = 2 }, false},
		"another type":             {func(w *capacity.Wish) { w.Spec.InstanceType = "p1.half" }, false},
		"another native option":    {func(w *capacity.Wish) { w.Spec.Native = map[string]string{"tenancy": "dedicated"} }, false},
		"another kind":             {func(w *capacity.Wish) { w.Spec.Kind, w.Spec.Zone = cloud.OnDemand, zone }, false},
		"another account's region": {func(w *capacity.Wish) { w.Spec.Region = region }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			wish := w.block("a")
			w.create(wish)
			test.edit(&wish)
			result, err := w.process().Create(t.Context(), wish)
			want(t, "creates", w.calls("Create"), 1)
			if test.adopted {
				want(t, "error", err, nil)
				noticed(t, result.Notices, "adopted")
				return
			}
			failure(t, err, "Nothing was created")
		})
	}
}

// scheduled is mem with a kind that starts at a given time.
type scheduled struct{ *mem.Cloud }

func (c scheduled) Capabilities() cloud.Capabilities {
	caps := c.Cloud.Capabilities()
	k := caps.Kinds[cloud.Block]
	k.ByOffer = false
	caps.Kinds[cloud.Block] = k
	return caps
}

// TestAnotherStart: where the start is the wish's own, it cannot differ.
func TestAnotherStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	wish := w.block("a")
	w.create(wish)
	w.cloud = scheduled{w.mem}
	wish.Spec.StartAt = start.Add(24 * time.Hour).In(time.FixedZone("", 2*60*60))
	noticed(t, w.create(wish).Notices, "adopted")
	wish.Spec.StartAt = start.Add(25 * time.Hour)
	_, err := w.process().Create(t.Context(), wish)
	want(t, "attribute", failure(t, err, "2031-03-02T00:00:00Z", "2031-03-02T01:00:00Z").Attribute, cloud.AttrStart)
}

// TestRule16_notThroughAdoption: what cannot change in place is not changed by
// an update of a kind that fixes it.
func TestRule16_notThroughAdoption(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	wish := w.block("a")
	h := holder(w.create(wish))
	wish.Spec.Count = 2
	_, err := w.process().Update(t.Context(), h, wish, nil)
	want(t, "attribute", failure(t, err, "in place").Attribute, cloud.AttrCount)
	wish.Spec.Count, wish.Spec.EndAt = 1, start.Add(96*time.Hour)
	writes := w.calls("Update")
	_, err = w.process().Update(t.Context(), h, wish, map[string]string{"team": "ml"})
	want(t, "error", err, nil)
	want(t, "writes", w.calls("Update")-writes, 0)
}
