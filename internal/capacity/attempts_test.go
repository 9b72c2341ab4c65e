package capacity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// TestReport: one row per attempt, equal ones in a row told once with first and
// last time.
func TestReport(t *testing.T) {
	t.Parallel()
	full := capacity.Attempt{
		Cloud: "mem", Region: region, Zone: zone, InstanceType: whole, Kind: cloud.OnDemand,
		Outcome: capacity.OutcomeRefused, Class: cloud.NoCapacity, Native: "Full", Message: "none left", At: start,
	}
	at := func(a capacity.Attempt, after time.Duration) capacity.Attempt {
		a.At = a.At.Add(after)
		return a
	}
	other := full
	other.Message = "still none"
	regional := capacity.Attempt{
		Cloud: "mem", Region: region, InstanceType: whole, Kind: cloud.Block,
		Outcome: capacity.OutcomeUnknown, Message: "context canceled", At: start,
	}
	numbered := regional
	numbered.Region, numbered.Zone = "eastus", "1"
	const row = "  - mem mem-east-1a p1.whole (on_demand): refused, capacity: Full: none left (2031-03-01T00:00:00Z"
	tests := map[string]struct {
		attempts []capacity.Attempt
		want     string
	}{
		"none": {nil, ""},
		"one":  {[]capacity.Attempt{full}, row + ")\n"},
		"equal ones": {
			[]capacity.Attempt{full, at(full, 5*time.Second), at(full, 10*time.Second)},
			row + " to 2031-03-01T00:00:10Z, 3 times)\n",
		},
		"equal ones apart": {
			[]capacity.Attempt{full, other, full},
			row + ")\n" + strings.Replace(row, "none left", "still none", 1) + ")\n" + row + ")\n",
		},
		"no zone, no class, no code": {
			[]capacity.Attempt{regional},
			"  - mem mem-east-1 p1.whole (block): unknown: context canceled (2031-03-01T00:00:00Z)\n",
		},
		"a zone that does not name its region": {
			[]capacity.Attempt{numbered},
			"  - mem eastus 1 p1.whole (block): unknown: context canceled (2031-03-01T00:00:00Z)\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want(t, "report", capacity.Report(test.attempts), test.want)
		})
	}
}

// TestRule3_unknownCode: a code that no table has is shown as it came.
func TestRule3_unknownCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.refuseAll("Create", &cloud.Error{Code: cloud.Internal, Op: "Create", Native: "SOMETHING_NEW", Message: "what is this"})
	_, err := w.process().Create(t.Context(), w.wish("a", waits(time.Hour, time.Hour)))
	failure(t, err, "SOMETHING_NEW: what is this", "refused, internal")
	want(t, "creates", w.calls("Create"), 1)
}

// TestAttemptWithoutWords: an error that says nothing still has a text.
func TestAttemptWithoutWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.refuseAll("Create", &cloud.Error{Code: cloud.QuotaExceeded, Op: "Create", HTTPStatus: 400})
	_, err := w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "refused, quota: Create: quota (HTTP 400)")
}

// TestAttemptsOfAResult: what was tried before it worked is told too.
func TestAttemptsOfAResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.fail("Create", &cloud.Error{Code: cloud.NoCapacity, Op: "Create", Native: "Full", Message: "none left"}, nil)
	result := w.create(w.wish("a", waits(time.Minute, time.Hour)))
	if len(result.Attempts) != 1 {
		t.Fatalf("attempts are %v, want one", result.Attempts)
	}
	want(t, "attempt", result.Attempts[0], capacity.Attempt{
		Cloud: mem.Name, Region: region, Zone: zone, InstanceType: whole, Kind: cloud.OnDemand,
		Outcome: capacity.OutcomeRefused, Class: cloud.NoCapacity, Native: "Full", Message: "none left", At: start,
	})
}
