package reservation_test

import (
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// commit buys a term on AWS, after a look at what it comes to.
const (
	commit  = "PurchaseHostReservation"
	preview = "GetHostReservationPurchasePreview"
)

// aYear is a term that is paid at once.
const aYear = `term = { months = 12, payment_option = "all_upfront" }`

// termed is a dedicated host with a term, the usual attributes changed by lines.
func termed(label string, lines ...string) string {
	return dedicated(label, append([]string{`kind = "term"`, aYear}, lines...)...)
}

// bought wants as many terms in the simulated cloud.
func bought(t *testing.T, b *acctest.Bench, want int) {
	t.Helper()
	n := 0
	for _, o := range b.Objects() {
		if o.Type == "host-reservation" {
			n++
		}
	}
	if n != want {
		t.Errorf("%d terms were bought, want %d", n, want)
	}
}

// A host is held and its term bought, once; both stay until the term is over.
func TestAccReservation_term(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, termed("a"))
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, 0, allocate, tag, commit)
	got := state(t, b, map[string]any{"status": "held", "kind": "term", "currency": "USD", "ends_at": nil})
	if got["paid_upfront"] == nil {
		t.Error("what was paid is not in the state")
	}
	b.PlanEmpty().NoDiagnostics(t)
	since := b.Mark()
	texts := []string{"Cannot be released free", "committed until 2032-03-02T12:0", "USD paid upfront", "removed {"}
	b.Plan("-destroy").Failure(t, texts...)
	b.Destroy().Failure(t, texts...)
	use(b, dedicated("a"))
	b.Plan().Failure(t, "Change would release a live reservation", "kind cannot be changed")
	use(b, termed("a", `term = { months = 36, payment_option = "all_upfront" }`))
	b.Plan().Failure(t, "Change would release a live reservation", "term cannot be changed", "12 months", "36 months")
	wrote(t, b, since)

	b.Do(b.World.Advance(366 * day))
	use(b, termed("a"))
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	wrote(t, b, since, releaseHost)
	held(t, b, 0)
	bought(t, b, 1)
}

// A host that is held already becomes one of a term in place.
func TestAccReservation_termLater(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, dedicated("a"))
	b.Apply().Success(t)
	id := theHost(t, b).NativeID
	use(b, termed("a"))
	planned(t, b, tfjson.ActionUpdate)
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, commit)
	got := state(t, b, map[string]any{"native_id": id, "status": "held", "kind": "term", "currency": "USD"})
	if got["paid_upfront"] == nil {
		t.Error("what was paid is not in the state")
	}
	b.PlanEmpty().NoDiagnostics(t)
	bought(t, b, 1)
}

// A price that rises after the host was taken buys no term: the host is kept, and
// the next plan is to buy it in place.
func TestAccReservation_termRises(t *testing.T) {
	t.Parallel()
	b, p := proxied(t)
	p.use(func(operation string, status int, body string) (int, string) {
		if operation == preview {
			body = strings.ReplaceAll(body, "<totalUpfrontPrice>", "<totalUpfrontPrice>9")
		}
		return status, body
	})
	use(b, termed("a"))
	b.Apply().Success(t).Warned(t, "Reservation is not complete", "buying its term", "limit")
	bought(t, b, 0)
	held(t, b, 1)
	state(t, b, map[string]any{"status": "degraded", "paid_upfront": nil})
	planned(t, b, tfjson.ActionUpdate)
	b.Apply().Failure(t, "Reservation not changed", "buying its term")
	state(t, b, map[string]any{"status": "degraded"})
	p.use(nil)
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, commit)
	if got := state(t, b, map[string]any{"status": "held"}); got["paid_upfront"] == nil {
		t.Error("what was paid is not in the state")
	}
	b.PlanEmpty().NoDiagnostics(t)
	bought(t, b, 1)
}

// A host whose term was not bought, or is over, is a host like others: it takes
// another term, or none, in place. A term that runs is fixed.
func TestAccReservation_termAnother(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, termed("a"))
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: commit, Times: 1, Status: 400, Code: "InsufficientHostCapacity", Message: "no"}))
	b.Apply().Success(t).Warned(t, "Reservation is not complete", "buying its term")
	id := theHost(t, b).NativeID
	long, short := `term = { months = 36, payment_option = "all_upfront" }`, `term = { months = 12, payment_option = "partial_upfront" }`
	for _, step := range []struct {
		config string
		later  time.Duration
		write  []string
		terms  int
		paid   bool
	}{
		{dedicated("a"), 0, nil, 0, false}, // after a term that was not bought: none,
		{termed("a", long), 0, []string{commit}, 1, true},
		{termed("a", short), 3 * 366 * day, []string{commit}, 2, true}, // after one that is over: another,
		{dedicated("a"), 366 * day, nil, 2, false},                     // none,
		{termed("a", short), 0, []string{commit, commit}, 3, true},     // and the same once more: its token stands for the last one
	} {
		if step.later > 0 {
			use(b, step.config)
			b.Plan().Failure(t, "Change would release a live reservation")
		}
		b.Do(b.World.Advance(step.later))
		use(b, step.config)
		planned(t, b, tfjson.ActionUpdate)
		since := b.Mark()
		b.Apply().Success(t).NoDiagnostics(t)
		wrote(t, b, since, step.write...)
		got := state(t, b, map[string]any{"native_id": id, "status": "held"})
		if paid := got["paid_upfront"] != nil; paid != step.paid {
			t.Errorf("paid upfront: %v", got["paid_upfront"])
		}
		b.PlanEmpty().NoDiagnostics(t)
		bought(t, b, step.terms)
		if t.Failed() {
			t.FailNow()
		}
	}
}

// Another term is bought in place of one that was not, within its ceiling.
func TestAccReservation_termInstead(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, termed("a"))
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: commit, Times: 1, Status: 400, Code: "InsufficientHostCapacity", Message: "no"}))
	b.Apply().Success(t)
	instead := `term = { months = 36, payment_option = "partial_upfront" }`
	use(b, termed("a", instead, "max_upfront_usd = 10"))
	b.Plan().FailureAt(t, "max_upfront_usd = 10", "Price above the ceiling")
	use(b, termed("a", instead))
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status", "paid_upfront", "currency")
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"status": "held", "term.months": 36})
	b.PlanEmpty().NoDiagnostics(t)
	bought(t, b, 1)
}

// Ceilings and terms that are not sold stop before a host is taken.
func TestAccReservation_termRefused(t *testing.T) {
	t.Parallel()
	b, p := proxied(t)
	use(b, termed("a", `term = { months = 36, payment_option = "no_upfront" }`))
	b.Plan().FailureAt(t, "term", "Term is not sold", "36 months, no_upfront", "g5g.metal")
	use(b, termed("a", `term = { months = 24, payment_option = "no_upfront" }`))
	b.Plan().Failure(t, "term.months", "AWS sells 12 or 36")
	use(b, termed("a", "max_upfront_usd = 10"))
	b.Plan().FailureAt(t, "max_upfront_usd = 10", "Price above the ceiling", "10.00 USD")
	b.Config(b.Provider("  spending = { max_upfront_usd = 10 }") + termed("a"))
	b.Apply().Failure(t, "Price above the ceiling", "spending.max_upfront_usd is 10.00 USD")
	b.Config(b.Provider() + later("us-east-1a") + termed("a", "max_upfront_usd = 10", "zone = terraform_data.later.output"))
	b.Apply().Failure(t, "Price above the ceiling", "10.00 USD")
	p.use(func(operation string, status int, body string) (int, string) {
		if operation == "DescribeHostReservationOfferings" {
			body = strings.ReplaceAll(body, "<currencyCode>USD<", "<currencyCode>EUR<")
		}
		return status, body
	})
	use(b, termed("a", "max_upfront_usd = 1000000"))
	b.Plan().Failure(t, "Price in another currency", "EUR")
	wrote(t, b, 0)
	held(t, b, 0)
}

// A purchase whose answer was lost is one purchase.
func TestAccReservation_termLostReply(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]int{"once": 1, "each time": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := dated(t)
			b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: commit, Drop: sim.DropAfter, Times: times}))
			use(b, termed("a"))
			b.Apply().Success(t)
			state(t, b, map[string]any{"status": "held", "currency": "USD"})
			b.PlanEmpty().NoDiagnostics(t)
			bought(t, b, 1)
		})
	}
}

// A term whose payment fails is not there: the host is kept, and the next plan is
// to buy it in place.
func TestAccReservation_termUnpaid(t *testing.T) {
	t.Parallel()
	b := dated(t)
	takes := sim.Duration(hour)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "aws", Operation: commit, Times: 1, OperationTakes: &takes,
		OperationError: &sim.OperationError{Code: "declined", Message: "no"},
	}))
	use(b, termed("a"))
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	b.Do(b.World.Advance(2 * hour))
	planned(t, b, tfjson.ActionUpdate).Warned(t, "Term is not there", "was not paid")
	since := b.Mark()
	b.Apply().Success(t)
	// The first answer is the failed purchase once more, by its token.
	wrote(t, b, since, commit, commit)
	state(t, b, map[string]any{"status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
	bought(t, b, 2)
}
