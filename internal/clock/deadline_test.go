package clock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
)

func TestLeft(t *testing.T) {
	t.Parallel()
	start := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		own     time.Duration // the context's own deadline, 0: none
		until   []time.Duration
		want    time.Duration
		limited bool
	}{
		"no deadline":             {0, nil, 0, false},
		"the context's own":       {time.Minute, nil, time.Minute, true},
		"the clock's":             {0, []time.Duration{time.Hour}, time.Hour, true},
		"the sooner is the own":   {time.Minute, []time.Duration{time.Hour}, time.Minute, true},
		"the sooner is the clock": {time.Hour, []time.Duration{time.Minute}, time.Minute, true},
		"an earlier one stays":    {0, []time.Duration{time.Minute, time.Hour}, time.Minute, true},
		"a later one is shortened": {
			0, []time.Duration{time.Hour, time.Minute}, time.Minute, true,
		},
		"passed": {0, []time.Duration{-time.Second}, -time.Second, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.own != 0 {
					limited, cancel := context.WithTimeout(ctx, test.own)
					defer cancel()
					ctx = limited
				}
				jump := clocktest.NewJump(start)
				for _, d := range test.until {
					ctx = clock.Until(ctx, start.Add(d))
				}
				left, limited := clock.Left(ctx, jump)
				if left != test.want || limited != test.limited {
					t.Errorf("Left = %v, %v; want %v, %v", left, limited, test.want, test.limited)
				}
			})
		})
	}
}

func TestUnlimited(t *testing.T) {
	t.Parallel()
	start := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	jump := clocktest.NewJump(start)
	ctx := clock.Unlimited(clock.Until(t.Context(), start.Add(time.Minute)))
	if left, limited := clock.Left(ctx, jump); limited {
		t.Errorf("Left = %v, want no limit", left)
	}
	ctx = clock.Until(ctx, start.Add(time.Hour))
	if left, limited := clock.Left(ctx, jump); !limited || left != time.Hour {
		t.Errorf("Left = %v, %v with a new deadline, want an hour", left, limited)
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	jump := clocktest.NewJump(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC))
	start := jump.Now()
	limited := clock.Until(t.Context(), start.Add(time.Minute))
	if err := clock.Pause(limited, jump, time.Minute); !errors.Is(err, clock.ErrNoTime) || !jump.Now().Equal(start) {
		t.Errorf("a pause as long as what is left: %v at %v, want ErrNoTime at once", err, jump.Now())
	}
	if err := clock.Pause(limited, jump, 59*time.Second); err != nil || jump.Now().Sub(start) != 59*time.Second {
		t.Errorf("a pause within what is left: %v at %v, want to have waited for it", err, jump.Now())
	}
	if err := clock.Pause(t.Context(), jump, time.Hour); err != nil {
		t.Errorf("a pause without a deadline: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := clock.Pause(ended, jump, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("a pause of an ended context: %v, want its end", err)
	}
}
