package reservation

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// The instants of what was bought are rounded, and tell of extensions.
func TestLengthOf(t *testing.T) {
	t.Parallel()
	start := time.Date(2031, 3, 3, 12, 7, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		length, lasts, want time.Duration
	}{
		"as sold":            {day, day, day},
		"cut at the start":   {2 * day, 47 * time.Hour, 2 * day},
		"not told":           {0, 23 * time.Hour, day},
		"prolonged":          {day, 71 * time.Hour, 3 * day},
		"sold by the hour":   {36 * time.Hour, 36 * time.Hour, 36 * time.Hour},
		"without an end":     {day, 0, day},
		"nothing is told of": {0, 0, 0},
	} {
		r := cloud.Reservation{StartsAt: start, Length: tc.length}
		if tc.lasts > 0 {
			r.EndsAt = start.Add(tc.lasts)
		}
		if got := lengthOf(r); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
