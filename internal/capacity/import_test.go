package capacity_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// TestC12_import: every real form of an id, and what is not there.
func TestC12_import(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	made := w.create(w.wish("a")).Reservation
	gone := w.create(w.wish("b")).Reservation
	w.mem.SetState(gone.Ref.NativeID, cloud.Gone)
	tests := map[string]struct{ id, text string }{
		"native":       {made.Ref.NativeID, ""},
		"short":        {region + "/r-000001", ""},
		"made up":      {region + "/r-000099", "Cannot import, not found"},
		"another form": {"nonsense", "MalformedID"},
		"gone":         {gone.Ref.NativeID, "it is gone"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := w.process().Import(t.Context(), mem.Name, "", test.id)
			if test.text != "" {
				failure(t, err, test.text)
				return
			}
			want(t, "error", err, nil)
			want(t, "object", r.Ref, made.Ref)
			want(t, "mark", r.Mark.Claim, "claim-1")
		})
	}
}

func TestImportCannotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	made := w.create(w.wish("a")).Reservation
	w.refuseAll("Get", &cloud.Error{Code: cloud.PermissionDenied, Op: "Get", Message: "no"})
	_, err := w.process().Import(t.Context(), mem.Name, "", made.Ref.NativeID)
	failure(t, err, made.Ref.NativeID, "takes no credentials")
	w.cloud = basic{w.mem}
	_, err = w.process().Import(t.Context(), mem.Name, "", made.Ref.NativeID)
	failure(t, err, "no import")
}

func TestInstanceType(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	shape, found, err := w.process().InstanceType(t.Context(), mem.Name, "", region, "g1.slice")
	want(t, "error", err, nil)
	want(t, "found", found, true)
	want(t, "GPUs", shape.GPUs, "1/8")
	_, found, err = w.process().InstanceType(t.Context(), mem.Name, "", region, "x9.none")
	want(t, "error", err, nil)
	want(t, "found", found, false)
	w.cloud = basic{w.mem}
	_, found, err = w.process().InstanceType(t.Context(), mem.Name, "", region, whole)
	want(t, "error", err, nil)
	want(t, "found without a describer", found, false)
	now, err := w.process().Now(t.Context(), mem.Name, "", region)
	want(t, "error", err, nil)
	want(t, "time without a timekeeper", now, start)
	w.cloud = w.mem
	w.refuseAll("InstanceTypes", &cloud.Error{Code: cloud.Throttled})
	_, _, err = w.process().InstanceType(t.Context(), mem.Name, "", region, whole)
	want(t, "code", cloud.CodeOf(err), cloud.Throttled)
}

// TestRule18_cloudsClock: the time is the cloud's, not this machine's.
func TestRule18_cloudsClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.jump.Advance(time.Hour)
	now, err := w.process().Now(t.Context(), mem.Name, "", region)
	want(t, "error", err, nil)
	want(t, "time", now, start.Add(time.Hour))
}

func TestManager(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	m := w.process()
	want(t, "clouds", len(m.Clouds()), 1)
	want(t, "simulated", m.Simulated(), false)
	spec, problems, err := m.Check(mem.Name, cloud.Spec{Kind: cloud.OnDemand, Zone: zone, InstanceType: whole})
	want(t, "error", err, nil)
	want(t, "region", spec.Region, region)
	want(t, "problems", len(problems), 1) // no count
	id, err := m.AccountID(t.Context(), mem.Name, "")
	want(t, "error", err, nil)
	want(t, "account", id, mem.DefaultAccountID)
}
