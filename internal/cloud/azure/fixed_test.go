package azure_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
)

// patch changes a reservation as somebody else does who knows the API, and tells
// whether that was taken.
func (w *world) patch(ref cloud.Ref, body string) bool {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPatch, w.url+ref.NativeID+"?api-version=2026-04-01", strings.NewReader(body))
	if err != nil {
		w.t.Fatalf("PATCH %s: %v", ref.NativeID, err)
	}
	req.Header.Set("Authorization", "Bearer somebody")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatalf("PATCH %s: %v", ref.NativeID, err)
	}
	defer resp.Body.Close()
	w.jump.Advance(time.Minute)
	return resp.StatusCode < 300
}

// TestFixed: what the driver tells of as fixed is what the cloud refuses, in each
// phase of a reservation for a date; the rest it takes.
func TestFixed(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, tc := range map[string]struct {
		lead, after time.Duration
		state       string
		fixed       []cloud.Attribute
	}{
		"far":                  {100 * day, time.Minute, "Approved", nil},
		"far, late":            {100 * day, 50 * day, "Committed", []cloud.Attribute{cloud.AttrCount, cloud.AttrStart}},
		"begun":                {100 * day, 101 * day, "Live", []cloud.Attribute{cloud.AttrCount, cloud.AttrStart}},
		"after its commitment": {100 * day, 131 * day, "Live", []cloud.Attribute{cloud.AttrStart}},
		"near":                 {20 * day, time.Minute, "Approved", []cloud.Attribute{cloud.AttrStart}},
		"near, late":           {20 * day, 19 * day, "Committed", []cloud.Attribute{cloud.AttrCount, cloud.AttrStart}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, c, r := phased(t, tc.lead, tc.after)
			if diff := cmp.Diff(tc.fixed, r.Fixed); diff != "" || r.NativeState != tc.state {
				t.Fatalf("%s, fixed (-want +got):\n%s", r.NativeState, diff)
			}
			// What it is already is no change.
			if same, err := c.Update(t.Context(), r.Ref, cloud.Change{Count: &r.Count, StartAt: &r.StartsAt}); err != nil || same.Count != r.Count {
				t.Errorf("Update to what it is: %v", err)
			}
			n, at := 2, w.jump.Now().Add(60*day).Truncate(time.Second)
			for _, part := range []struct {
				of     cloud.Attribute
				change cloud.Change
				body   string
			}{
				{cloud.AttrCount, cloud.Change{Count: &n}, `{"sku":{"name":"` + size + `","capacity":2}}`},
				{cloud.AttrStart, cloud.Change{StartAt: &at}, `{"properties":{"scheduleProfile":{"start":"` + at.Format(time.RFC3339) + `"}}}`},
			} {
				fixed := slices.Contains(tc.fixed, part.of)
				want := map[bool]cloud.Code{true: cloud.Conflict}[fixed]
				_, c, r := phased(t, tc.lead, tc.after)
				if _, err := c.Update(t.Context(), r.Ref, part.change); cloud.CodeOf(err) != want {
					t.Errorf("Update of %s: %v", part.of, err)
				}
				if w, _, r := phased(t, tc.lead, tc.after); w.patch(r.Ref, part.body) == fixed {
					t.Errorf("%s, fixed is %t, and the cloud does not agree", part.of, fixed)
				}
			}
		})
	}
}

// phased is a reservation for a date, so far ahead, some time after its creation.
func phased(t *testing.T, lead, after time.Duration) (*world, *azure.Cloud, cloud.Reservation) {
	t.Helper()
	w := newWorld(t)
	w.serve(azuresim.Options{})
	c := w.driver(nil)
	spec := wishesAt(start)[cloud.Scheduled]
	spec.StartAt = start.Add(lead)
	spec, _ = c.Check(spec)
	r, err := c.Create(t.Context(), cloud.CreateRequest{Spec: spec, Mark: trainMark(), Token: "token"})
	if err != nil {
		t.Fatal(err)
	}
	w.jump.Advance(start.Add(after).Sub(w.jump.Now()))
	// The cloud's time is that of its last answer.
	if _, err := c.Get(t.Context(), r.Ref); err != nil {
		t.Fatal(err)
	}
	if r, err = c.Get(t.Context(), r.Ref); err != nil {
		t.Fatal(err)
	}
	return w, c, r
}
