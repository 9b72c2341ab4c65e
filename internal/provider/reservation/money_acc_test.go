package reservation_test

import (
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
)

// A ceiling below a known price is a plan error with both figures.
func TestAccReservation_ceiling(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", "max_usd_per_hour = 0.5"))
	b.Plan().FailureAt(t, "max_usd_per_hour = 0.5", "Price above the ceiling", "0.526", "0.5", "USD")
	use(b, block("a", "max_usd_per_hour = 100", `aws = { platform = "Windows" }`))
	b.Plan().FailureAt(t, "max_usd_per_hour = 100", "Price not known")
	wrote(t, b, 0)
	use(b, block("a", "max_usd_per_hour = 0.526"))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)

	use(b, block("a", "max_usd_per_hour = 1", "instance_count = 2"))
	since := b.Mark()
	b.Plan().FailureAt(t, "max_usd_per_hour = 1", "Price above the ceiling", "1.052")
	wrote(t, b, since)
	use(b, block("a", "max_usd_per_hour = 1.052", "instance_count = 2"))
	b.Apply().Success(t).NoDiagnostics(t)

	// What is given back costs nothing new, however low the ceiling is by now.
	use(b, block("a", "max_usd_per_hour = 0.1"))
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"instance_count": 1})
}

// spending bounds what one apply newly commits, over all resources and growths.
func TestAccReservation_spending(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	limited := func(resources string) { b.Config(b.Provider("  spending = { max_usd_per_hour = 1 }") + resources) }
	limited(block("a") + block("b"))
	b.Apply("-parallelism=1").Failure(t, "Price above the ceiling", "spending.max_usd_per_hour is 1.00 USD", "0.526 USD on top of the 0.526 USD", "committed already")
	held(t, b, 1)
	// What an earlier apply committed does not count in this one.
	b.Apply("-parallelism=1").Success(t).NoDiagnostics(t)
	held(t, b, 2)
	b.PlanEmpty().NoDiagnostics(t)

	limited(block("a", "instance_count = 4") + block("b"))
	since := b.Mark()
	b.Apply().Failure(t, "Price above the ceiling", "1.578")
	wrote(t, b, since)
	state(t, b, map[string]any{"instance_count": 1})
	limited(block("a", "instance_count = 2") + block("b"))
	planned(t, b, tfjson.ActionUpdate)
	b.Apply().Success(t).NoDiagnostics(t)
	limited(block("a") + block("b"))
	b.Apply().Success(t).NoDiagnostics(t)
}

// With a ceiling, a price that is not known is refused before anything is asked.
func TestAccReservation_spendingUnknownPrice(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	b.Config(b.Provider("  spending = { max_usd_per_hour = 100 }") + block("a", `aws = { platform = "Windows" }`))
	b.Apply().Failure(t, "Price not known", "spending.max_usd_per_hour")
	wrote(t, b, 0)
	none(t, b)
}

// What was refused gives back what was set aside for it.
func TestAccReservation_spendingGivenBack(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	fault := full()
	fault.Zone, fault.Times = "us-east-1b", 1
	b.Do(b.World.AddFaults(fault))
	// The second and the refused one are ready at the same time, the first waits for
	// the second: one at a time, it comes last.
	b.Config(b.Provider("  spending = { max_usd_per_hour = 1.1 }") + block("a", "depends_on = [gpu_reservation.c]") +
		block("b", `zone = "us-east-1b"`) + block("c"))
	b.Apply("-parallelism=1").Failure(t, "InsufficientInstanceCapacity")
	held(t, b, 2)
}
