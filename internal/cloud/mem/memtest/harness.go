// Package memtest holds the in-memory cloud to the contract: it is the harness
// of the conformance suite, and the base of the tests of the suite itself and
// of the wrappers.
package memtest

import (
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// Start is when the worlds of the harness begin.
func Start() time.Time { return time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC) }

// Harness makes in-memory worlds.
func Harness(t cloudtest.T) cloudtest.World {
	t.Helper()
	jump := clocktest.NewJump(Start())
	return WorldOf(mem.New(mem.Options{Clock: jump}), jump)
}

// WorldOf is the world of an in-memory cloud and its clock. Six block offers are
// put on sale.
func WorldOf(c *mem.Cloud, jump *clocktest.Jump) cloudtest.World {
	for i := range 6 {
		c.AddOffer(Offer(i), 20)
	}
	for i, payment := range []string{"all_upfront", "no_upfront"} {
		c.AddOffer(TermOffer(12, payment, int64(10_000*(1-i))), 20)
	}
	for _, dollars := range []int64{800, 700} {
		c.AddExtensionOffer(ExtensionOffer(dollars), 20)
	}
	score := 7
	c.SetSignal(cloud.Signal{
		Zone: "mem-east-1b", InstanceType: "p1.whole", SpotAt: Start().Add(-time.Hour), SpotScore: &score,
		OnDemand: &money.Money{Micros: 98_000_000, Currency: "USD"}, Spot: &money.Money{Micros: 41_000_000, Currency: "USD"},
	})
	wishes := Wishes()
	elsewhere := wishes[cloud.OnDemand]
	elsewhere.Zone = "mem-west-1b"
	unmet := wishes[cloud.OnDemand]
	unmet.InstanceType = "x9.nosuchtype"
	return cloudtest.World{
		Cloud:       c,
		Wishes:      wishes,
		Elsewhere:   elsewhere,
		Unmet:       []cloudtest.Unmet{{Attribute: cloud.AttrInstanceType, Wish: unmet}},
		SystemTag:   mem.SystemTagPrefix + "managed",
		SetCapacity: func(s cloud.Spec, free int) { setCapacity(c, s, free) },
		SetQuota:    func(s cloud.Spec, free int) { setQuota(c, s, free) },
		SetUsers: func(ref cloud.Ref, n int) {
			users := make([]string, n)
			for i := range users {
				users[i] = fmt.Sprintf("i-%03d", i)
			}
			c.SetUsers(ref.NativeID, users...)
		},
		SetMissing:   func(ref cloud.Ref, n int) { c.SetMissing(ref.NativeID, n) },
		SetTag:       func(ref cloud.Ref, key, value string) { c.SetTag(ref.NativeID, key, value) },
		RawTags:      func(ref cloud.Ref) map[string]string { return c.RawTags(ref.NativeID) },
		Forget:       func(ref cloud.Ref) { c.Forget(ref.NativeID) },
		Advance:      jump.Advance,
		Cancellable:  []cloud.Kind{cloud.Scheduled},
		ExtendBy:     24 * time.Hour,
		Options:      map[string]string{mem.Recovery: "on"},
		PaymentTakes: c.SetPaymentLag,
		FailPayment:  func(ref cloud.Ref) { c.FailPayment(ref.NativeID) },
		Lose:         func(method string, when cloudtest.Moment) { lose(c, method, when) },
		Throttle:     func(on bool) { throttle(c, on) },
		// In memory there are no pages: a list is whole or an error.
		PageSize: func(int) {},
	}
}

// Wishes are the harness's, one of each kind.
func Wishes() map[cloud.Kind]cloud.Spec {
	wishes := map[cloud.Kind]cloud.Spec{}
	for _, kind := range []cloud.Kind{cloud.OnDemand, cloud.Scheduled, cloud.Block, cloud.DedicatedHost, cloud.Term} {
		wishes[kind] = cloud.Spec{Kind: kind, Zone: "mem-east-1a", InstanceType: "p1.whole", Count: 1}
	}
	edit := func(kind cloud.Kind, f func(*cloud.Spec)) {
		s := wishes[kind]
		f(&s)
		wishes[kind] = s
	}
	edit(cloud.Block, func(s *cloud.Spec) { s.Zone, s.Region, s.Duration = "", "mem-east-1", 24*time.Hour })
	edit(cloud.Scheduled, func(s *cloud.Spec) { s.StartAt = Start().Add(90 * 24 * time.Hour) })
	edit(cloud.Term, func(s *cloud.Spec) { s.Term = &cloud.TermPlan{Months: 12, Payment: "all_upfront"} })
	return wishes
}

// TermOffer is an offer of a term on hosts of the type in the harness's wishes,
// with so many dollars to be paid at once.
func TermOffer(months int, payment string, dollars int64) cloud.Offer {
	return cloud.Offer{
		ID: fmt.Sprintf("term-%d-%s", months, payment), Kind: cloud.Term, Region: "mem-east-1", InstanceType: "p1.whole",
		Count: 1, Upfront: money.Money{Micros: dollars * 1_000_000, Currency: "USD"},
		PerHour: &money.Money{Micros: 1_000_000, Currency: "USD"},
		Term:    &cloud.TermPlan{Months: months, Payment: payment},
	}
}

// ExtensionOffer prolongs a block of the harness by a day.
func ExtensionOffer(dollars int64) cloud.Offer {
	return cloud.Offer{
		ID: fmt.Sprintf("longer-%d", dollars), Region: "mem-east-1", InstanceType: "p1.whole", Count: 1, Length: 24 * time.Hour,
		Upfront: money.Money{Micros: dollars * 1_000_000, Currency: "USD"},
	}
}

// Offer is the i-th block offer of the harness: a day from tomorrow, in a zone
// and at a price of its own, the cheapest neither first nor last.
func Offer(i int) cloud.Offer {
	start := Start().Add(24 * time.Hour)
	return cloud.Offer{
		ID: fmt.Sprintf("offer-%d", i), Kind: cloud.Block,
		Region: "mem-east-1", Zone: "mem-east-1" + string(rune('a'+i%3)),
		InstanceType: "p1.whole", Count: 1 + i/4, StartAt: start, EndAt: start.Add(24 * time.Hour),
		Upfront: money.Money{Micros: int64(500+100*((i+2)%4)) * 1_000_000, Currency: "USD"},
	}
}

// setCapacity makes instances scarce, and for blocks the offers.
func setCapacity(c *mem.Cloud, s cloud.Spec, free int) {
	if s.OfferID != "" {
		c.SetStock(s.OfferID, free)
		return
	}
	c.SetCapacity(mem.PlaceOf(s), free)
}

// vcpus is the size of the type in the harness's wishes.
const vcpus = 192

// setQuota counts from nothing in use: what the check has made comes on top.
func setQuota(c *mem.Cloud, s cloud.Spec, free int) {
	scope := mem.QuotaOf(mem.DefaultAccountID, s.Region, s.InstanceType)
	c.SetQuota(scope, c.QuotaUsed(scope)+float64(free*vcpus))
}

// lose loses the answer of the next call of a method.
func lose(c *mem.Cloud, method string, when cloudtest.Moment) {
	lost := &cloud.Error{Code: cloud.Internal, Op: method, Message: "connection closed without an answer", Accepted: true}
	c.SetFault(func(call cloud.Call) (before, after error) {
		if call.Method != method && (method != "Term" || call.Method != "Update") {
			return nil, nil
		}
		c.SetFault(nil)
		if when == cloudtest.BeforeCommit {
			return lost, nil
		}
		return nil, lost
	})
}

func throttle(c *mem.Cloud, on bool) {
	if !on {
		c.SetFault(nil)
		return
	}
	c.SetFault(func(call cloud.Call) (before, after error) {
		return &cloud.Error{Code: cloud.Throttled, Op: call.Method, Native: "TooManyCalls", Message: "slow down"}, nil
	})
}
