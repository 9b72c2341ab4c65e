package httpdate_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/httpdate"
)

// TestClock: an answer tells the time for a minute, whatever this machine's is.
func TestClock(t *testing.T) {
	t.Parallel()
	local := clocktest.NewJump(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC))
	c := httpdate.New(local)
	c.Note("yesterday")
	if now, ok := c.Now(); ok {
		t.Errorf("without an answer it is %s", now)
	}
	theirs := time.Date(2031, 3, 1, 7, 0, 5, 0, time.UTC)
	c.Note(theirs.Format(http.TimeFormat))
	for _, passed := range []time.Duration{0, 1500 * time.Millisecond, time.Minute} {
		local.Advance(passed - local.Now().Sub(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)))
		if now, ok := c.Now(); !ok || !now.Equal(theirs.Add(passed).Truncate(time.Second)) {
			t.Errorf("after %s it is %s, %t", passed, now, ok)
		}
	}
	local.Advance(time.Nanosecond)
	if now, ok := c.Now(); ok {
		t.Errorf("after more than a minute it is %s", now)
	}
}
