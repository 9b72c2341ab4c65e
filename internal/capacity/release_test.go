package capacity_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func TestCheckRelease(t *testing.T) {
	t.Parallel()
	anytime, bound := cloud.KindCapabilities{ReleasedFree: true}, cloud.KindCapabilities{}
	later, soon := start.Add(100*time.Hour), start.Add(time.Hour)
	how := func(onDestroy string) capacity.Release { return capacity.Release{OnDestroy: onDestroy} }
	tests := map[string]struct {
		kind  cloud.KindCapabilities
		r     cloud.Reservation
		how   capacity.Release
		quote *cloud.Quote
		// why is part of the refusal, "" for none.
		why string
	}{
		"free":               {anytime, cloud.Reservation{State: cloud.Held}, how(capacity.OnDestroyRelease), nil, ""},
		"free, unset":        {anytime, cloud.Reservation{State: cloud.Held}, how(""), nil, ""},
		"free, prevented":    {anytime, cloud.Reservation{State: cloud.Held}, how(capacity.OnDestroyPrevent), nil, "removed {"},
		"pending, prevented": {anytime, cloud.Reservation{State: cloud.Pending}, how(capacity.OnDestroyPrevent), nil, "removed {"},
		"refused, prevented": {anytime, cloud.Reservation{State: cloud.Refused}, how(capacity.OnDestroyPrevent), nil, ""},
		"not bound":          {bound, cloud.Reservation{State: cloud.Held}, how(capacity.OnDestroyRelease), nil, ""},
		"bound": {
			bound,
			cloud.Reservation{State: cloud.Held, CommittedUntil: later},
			how(capacity.OnDestroyRelease), nil,
			"committed until 2031-03-05T04:00:00Z and cannot be given back free. To leave it as it is, set on_destroy = \"abandon\" and apply first",
		},
		"bound, what it still costs": {
			bound,
			cloud.Reservation{State: cloud.Held, Count: 2, CommittedUntil: later, StartsAt: soon},
			capacity.Release{PerInstanceHour: usd(5)},
			nil, "about 990.00 USD at the list price",
		},
		"bound, what was paid": {
			bound,
			cloud.Reservation{State: cloud.Held, CommittedUntil: later},
			capacity.Release{Paid: usd(7), PerInstanceHour: usd(10)},
			nil,
			"7.00 USD paid upfront",
		},
		"bound, free still":      {bound, cloud.Reservation{State: cloud.Held, CommittedUntil: later, FreeUntil: soon}, how(""), nil, ""},
		"bound, free no more":    {bound, cloud.Reservation{State: cloud.Held, CommittedUntil: later, FreeUntil: start}, how(""), nil, "cannot"},
		"bound until now":        {bound, cloud.Reservation{State: cloud.Held, CommittedUntil: start}, how(""), nil, ""},
		"bound, abandoned":       {bound, cloud.Reservation{State: cloud.Held, CommittedUntil: later}, how(capacity.OnDestroyAbandon), nil, ""},
		"bound, ended":           {bound, cloud.Reservation{State: cloud.Ended, CommittedUntil: later}, how(""), nil, ""},
		"bound, state not known": {bound, cloud.Reservation{State: cloud.Unrecognized, CommittedUntil: later}, how(""), nil, "cannot"},
		"charge without a quote": {bound, cloud.Reservation{State: cloud.Held, CommittedUntil: later}, how(capacity.OnDestroyCharge), nil, "cannot"},
		"charge without a ceiling": {
			bound,
			cloud.Reservation{State: cloud.Held, CommittedUntil: later},
			how(capacity.OnDestroyCharge),
			&cloud.Quote{InstanceHours: 8}, "set max_cancellation_usd",
		},
		"charge of an unknown price": {
			bound,
			cloud.Reservation{State: cloud.Held, Count: 2, CommittedUntil: later},
			capacity.Release{OnDestroy: capacity.OnDestroyCharge, MaxCharge: usd(1000)},
			&cloud.Quote{InstanceHours: 8}, "price is not known",
		},
		"charge above the ceiling": {
			bound,
			cloud.Reservation{State: cloud.Held, Count: 2, CommittedUntil: later},
			capacity.Release{OnDestroy: capacity.OnDestroyCharge, MaxCharge: usd(79), PerInstanceHour: usd(10)},
			&cloud.Quote{InstanceHours: 8},
			"max_cancellation_usd is 79.00 USD, and this costs 80.00 USD",
		},
		"charge at the ceiling": {
			bound,
			cloud.Reservation{State: cloud.Held, Count: 2, CommittedUntil: later},
			capacity.Release{OnDestroy: capacity.OnDestroyCharge, MaxCharge: usd(80), PerInstanceHour: usd(10)},
			&cloud.Quote{InstanceHours: 8}, "",
		},
		"charge of nothing": {
			bound, cloud.Reservation{State: cloud.Held, CommittedUntil: later}, how(capacity.OnDestroyCharge), &cloud.Quote{}, "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := capacity.CheckRelease(test.kind, test.r, start, test.how, test.quote)
			if test.why == "" {
				want(t, "refusal", err, nil)
				return
			}
			failure(t, err, test.why)
		})
	}
}
