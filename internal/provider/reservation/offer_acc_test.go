package reservation_test

import (
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// dearer edits every fee of a block that is offered.
func dearer(_ string, status int, body string) (int, string) {
	return status, strings.ReplaceAll(body, "<upfrontFee>", "<upfrontFee>1")
}

// A ceiling below what is offered is a plan error with both figures, and so is a
// price that cannot be compared with it.
func TestAccReservation_blockCeiling(t *testing.T) {
	t.Parallel()
	b, p := proxied(t)
	use(b, prepaid("a", "max_upfront_usd = 296.99"))
	b.Plan().FailureAt(t, "max_upfront_usd = 296.99", "Price above the ceiling", "296.99", "297", "USD")
	use(b, prepaid("a", "max_usd_per_hour = 12"))
	b.Plan().FailureAt(t, "max_usd_per_hour = 12", "Price above the ceiling", "12.375", "12.00", "USD")
	p.use(func(_ string, status int, body string) (int, string) {
		return status, strings.ReplaceAll(body, "<currencyCode>USD<", "<currencyCode>CNY<")
	})
	use(b, prepaid("a", "max_upfront_usd = 10000"))
	b.Plan().FailureAt(t, "max_upfront_usd = 10000", "Price in another currency", "CNY", "USD")
	p.use(func(_ string, status int, body string) (int, string) {
		return status, strings.ReplaceAll(strings.ReplaceAll(body, "<upfrontFee>", "<fee>"), "</upfrontFee>", "</fee>")
	})
	b.Plan().Warned(t, "Offers not known", "The apply looks again")
	b.Apply().Failure(t, "Nothing to buy", "Nothing was bought")
	p.use(nil)
	wrote(t, b, 0)
	none(t, b)
	use(b, prepaid("a", "max_upfront_usd = 297", "max_usd_per_hour = 12.375"))
	b.Apply().Success(t)
	state(t, b, map[string]any{"paid_upfront": 297, "currency": "USD", "estimated_usd_per_hour": 12.375})
}

// What is bought is held to the ceiling, not what a plan saw: a price that rose
// since, or that a plan could not know, buys nothing.
func TestAccReservation_blockCeilingAtApply(t *testing.T) {
	t.Parallel()
	b, p := proxied(t)
	rises := b.Clock.Now().Add(30 * second) // between the two looks for an earlier create
	b.AtJump(rises, func() error {
		p.use(dearer)
		return nil
	})
	use(b, prepaid("a", "max_upfront_usd = 300"))
	b.Apply().Failure(t, "Price above the ceiling", "max_upfront_usd is 300.00 USD", "1297.00 USD", "Nothing was done")
	wrote(t, b, 0)
	none(t, b)
	b.Config(b.Provider() + later("p4d.24xlarge") + prepaid("a", "max_upfront_usd = 300", "instance_type = terraform_data.later.output"))
	b.Apply().Failure(t, "Price above the ceiling", "300.00", "1297.00")
	wrote(t, b, 0)
	held(t, b, 0)
}

// spending.max_upfront_usd bounds what one apply pays at once, over all resources.
func TestAccReservation_spendingUpfront(t *testing.T) {
	t.Parallel()
	b := dated(t)
	limited := func(more string) {
		b.Config(b.Provider("  spending = { max_upfront_usd = 500, max_usd_per_hour = 20 }") + prepaid("a", more) + prepaid("b", more))
	}
	limited("")
	b.Apply("-parallelism=1").Failure(t, "Price above the ceiling", "spending.max_upfront_usd is 500.00 USD", "on top of the 297.00 USD", "committed already")
	held(t, b, 1)
	// What an earlier apply paid does not count in this one.
	b.Apply("-parallelism=1").Success(t)
	held(t, b, 2)
	b.Do(b.World.Advance(minute))
	b.Refresh().Success(t)
	since := b.Mark()
	limited(`window = { duration = "2d" }`)
	b.Apply("-parallelism=1").Failure(t, "Price above the ceiling", "spending.max_upfront_usd is 500.00 USD")
	wrote(t, b, since, prolong)
}

// An offer that is named is the one that is bought.
func TestAccReservation_offerNamed(t *testing.T) {
	t.Parallel()
	b := dated(t)
	offers := b.Offers(prepaidSpec())
	chosen := offers[2]
	use(b, prepaid("a", `offer_id = "`+chosen.ID+`"`))
	b.Apply().Success(t)
	if at := instant(t, b, "starts_at"); !at.Equal(chosen.StartAt) {
		t.Errorf("it starts at %s, the offer at %s", at, chosen.StartAt)
	}
	if !chosen.StartAt.After(offers[0].StartAt) {
		t.Errorf("%+v says nothing", offers)
	}
	state(t, b, map[string]any{"binding.aws.availability_zone": chosen.Zone, "zone": nil})
	b.PlanEmpty().NoDiagnostics(t)
}

// An offer that cannot be bought is a plan error with the cloud's own code, and one
// of another shape is refused; nothing is bought in its place.
func TestAccReservation_offerRefused(t *testing.T) {
	t.Parallel()
	b := dated(t)
	good, longer := b.Offers(prepaidSpec())[0].ID, prepaidSpec()
	longer.Duration = 2 * day
	other := prepaidSpec()
	other.InstanceType = "p5.48xlarge"
	for _, tc := range []struct {
		id    string
		texts []string
	}{
		{"cb-0123456789abcdef0", []string{"InvalidCapacityBlockOfferingIdNotFound"}},
		{"cb-nonsense", []string{"InvalidCapacityBlockOfferingIdMalformed"}},
		{b.Offers(longer)[0].ID, []string{"not on sale for what the wish asks", "length"}},
		{b.Offers(other)[0].ID, []string{"not on sale for what the wish asks", "instance type"}},
	} {
		line := `offer_id = "` + tc.id + `"`
		use(b, prepaid("a", line))
		b.Plan().FailureAt(t, line, append(tc.texts, "Offer cannot be bought", tc.id)...)
	}
	b.Do(b.World.Advance(2 * hour))
	use(b, prepaid("a", `offer_id = "`+good+`"`))
	b.Plan().FailureAt(t, good, "Offer cannot be bought", "InvalidCapacityBlockOfferingIdExpired", good)
	b.Apply().Failure(t, good)
	none(t, b)
	held(t, b, 0)

	// Known only at apply, it is refused there.
	b.Config(b.Provider() + later(good) + prepaid("a", "offer_id = terraform_data.later.output"))
	b.Apply().Failure(t, "InvalidCapacityBlockOfferingIdExpired", good)
	held(t, b, 0)
}

// Nothing for sale is a warning at plan and the end of an apply, unless it waits
// until something is.
func TestAccReservation_offerLater(t *testing.T) {
	t.Parallel()
	b := dated(t)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: listOffers, Empty: true}))
	use(b, prepaid("a"))
	planned(t, b, tfjson.ActionCreate).Warned(t, "Nothing is offered now", "1 × p4d.24xlarge in us-east-1")
	b.Apply().Failure(t, "Nothing to buy", "nothing is offered", "for 24h0m0s", "Nothing was bought", "Attempts:")
	none(t, b)
	use(b, prepaid("a", `wait_for_capacity = "2h"`))
	b.AtJump(b.Clock.Now().Add(30*minute), b.World.ClearFaults)
	b.Apply().Success(t)
	wrote(t, b, 0, purchase, tag)
	if warnings := b.Logs().Warnings(); len(warnings) < 3 {
		t.Errorf("the refusals were not told: %+v", warnings)
	}
	state(t, b, map[string]any{"paid_upfront": 297})
}

// A purchase whose answer was lost is found by its mark: bought once, and what was
// paid is known all the same.
func TestAccReservation_blockLostReply(t *testing.T) {
	t.Parallel()
	b := dated(t)
	b.Do(b.World.AddFaults(
		sim.Fault{Cloud: "aws", Operation: purchase, Drop: sim.DropAfter, Times: 1},
		sim.Fault{Cloud: "aws", Operation: describe, Empty: true},
	))
	use(b, prepaid("a", `tags = { team = "ml" }`))
	b.Apply().Failure(t, "may or may not have accepted", b.Owner, "res-a", "apply again")
	none(t, b)
	b.Do(b.World.ClearFaults())
	b.Do(b.World.Advance(minute))
	since := b.Mark()
	b.Apply().Success(t).Warned(t, "Existing reservation adopted", b.Owner, "res-a")
	wrote(t, b, since, tag)
	state(t, b, map[string]any{"paid_upfront": 297, "currency": "USD", "status": "held", "tags.team": "ml"})
	held(t, b, 1)
	b.PlanEmpty().NoDiagnostics(t)
	if n := len(b.Calls(0, purchase)); n != 1 {
		t.Errorf("%d purchases", n)
	}
}

// No claim or a foreign one, and another shape: what carries the name is not taken
// for what is asked for.
func TestAccReservation_blockNameTaken(t *testing.T) {
	t.Parallel()
	b := dated(t)
	spec := prepaidSpec()
	spec.Duration, spec.Native = 2*day, map[string]string{"platform": "SUSE Linux"}
	spec.OfferID = b.Offers(spec)[0].ID
	r := b.Make(spec, cloud.Mark{Owner: b.Owner, Name: "res-a", Type: "gpu_reservation"})
	use(b, prepaid("a"))
	since := b.Mark()
	b.Apply().Failure(t, "Name is taken by another reservation", r.Ref.NativeID, "SUSE Linux", "Linux/UNIX")
	use(b, block("a"))
	b.Apply().Failure(t, "Name is taken by another reservation", r.Ref.NativeID, "block", "on_demand")
	wrote(t, b, since)
	none(t, b)
}

// A shorter block that carries the name is taken over and made as long as is asked
// for; what that takes and could not be bought is bought by the next apply.
func TestAccReservation_blockAdoptedShorter(t *testing.T) {
	t.Parallel()
	b := dated(t)
	spec := prepaidSpec()
	spec.OfferID, spec.Native = b.Offers(spec)[0].ID, map[string]string{"platform": "Linux/UNIX"}
	r := b.Make(spec, cloud.Mark{Owner: b.Owner, Name: "res-a", Type: "gpu_reservation"})
	b.Do(b.World.Advance(minute))
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "aws", Operation: prolong, Status: 400, Code: "InvalidCapacityBlockOfferingIdExpired", Message: "It is gone.",
	}))
	use(b, prepaid("a", `window = { duration = "3d" }`))
	b.Apply().Success(t).Warned(t, "Existing reservation adopted", r.Ref.NativeID)
	state(t, b, map[string]any{"status": "degraded", "ends_at": r.EndsAt.UTC().Format(time.RFC3339)})
	b.Do(b.World.ClearFaults())
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status", "ends_at", "usable_until")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, prolong)
	state(t, b, map[string]any{"status": "held", "ends_at": r.EndsAt.Add(2 * day).UTC().Format(time.RFC3339)})
	b.PlanEmpty().NoDiagnostics(t)
}
