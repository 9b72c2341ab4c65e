package awssim

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// Bounds of a future-dated request (facts aws-4.4-size, aws-4.4-start,
// aws-4.4-commitment).
const (
	futureVCPUs          = 32
	futureEarliest       = 5 * day
	futureLatest         = 120 * day
	shortestCommitment   = 14 * day
	shortestCommitmentUX = 12 * week
	mostCommitmentSecond = 200_000_000
)

// futureFamilies can be had future-dated (fact aws-4.4-families). That Gr and
// the fractions of G count as G is UNVERIFIED.
func futureFamilies() []string { return []string{"c", "m", "r", "i", "t", "g", "gr", "u", "x"} }

// commitment is what a future-dated reservation binds its owner to.
type commitment struct {
	Seconds int `json:"seconds"`
	Count   int `json:"count"`
	// Ends moves forward when a cancellation reduces the commitment.
	Ends time.Time `json:"ends"`
	// Waived is for good: the service missed the start.
	Waived bool `json:"waived,omitempty"`
}

// binds tells whether the commitment still holds.
func (c *commitment) binds(at time.Time) bool { return c != nil && !c.Waived && at.Before(c.Ends) }

// waive ends a commitment for good.
func (c *commitment) waive() {
	if c != nil {
		c.Waived = true
	}
}

// futureNames are the parameters that make a request future-dated.
func futureNames() []string { return []string{"StartDate", "CommitmentDuration", "DeliveryPreference"} }

// future reads the start and the commitment of a future-dated request; nil
// is an immediate one.
func (q *query) future() (time.Time, *commitment, *apiError) {
	given := slices.DeleteFunc(futureNames(), func(name string) bool { return !q.form.has(name) })
	if len(given) == 0 {
		return time.Time{}, nil, nil
	}
	if len(given) < len(futureNames()) {
		return time.Time{}, nil, fail(codeInvalidCombination, "%s go together, for a future-dated reservation",
			strings.Join(futureNames(), ", "))
	}
	starts, err := q.form.time("StartDate")
	if err != nil {
		return time.Time{}, nil, err
	}
	seconds, _, err := q.form.whole("CommitmentDuration")
	if err != nil {
		return time.Time{}, nil, err
	}
	if seconds < 1 || seconds > mostCommitmentSecond {
		return time.Time{}, nil, invalid("CommitmentDuration", strconv.Itoa(seconds), "It must be between 1 and 200000000.")
	}
	preference, err := q.form.choice("DeliveryPreference", "incremental", "fixed")
	if err != nil {
		return time.Time{}, nil, err
	}
	if preference != "incremental" {
		return time.Time{}, nil, invalid("DeliveryPreference", preference, "Only incremental is supported.")
	}
	return starts, &commitment{Seconds: seconds, Ends: starts.Add(time.Duration(seconds) * time.Second)}, nil
}

// checkFuture holds a future-dated request to the rules of section 4.4. Its
// codes are UNVERIFIED.
func (q *query) checkFuture(obj *sim.Object, r *reservation) *apiError {
	if r.Match != "targeted" {
		return invalid("InstanceMatchCriteria", r.Match, "A future-dated reservation must be targeted.")
	}
	if r.PlacementGroup != "" {
		return fail(codeInvalidCombination, "PlacementGroupArn is not supported for future-dated reservations")
	}
	line := family(obj.InstanceType)
	if !slices.Contains(futureFamilies(), line) {
		return fail(codeUnsupported, "The instance type %s cannot be reserved future-dated", obj.InstanceType)
	}
	if vcpus := obj.Count * q.sim.catalog.vcpus(obj.InstanceType); vcpus < futureVCPUs {
		return invalid("InstanceCount", strconv.Itoa(obj.Count),
			"A future-dated reservation has at least "+strconv.Itoa(futureVCPUs)+" vCPUs; these are "+strconv.Itoa(vcpus)+".")
	}
	if ahead := obj.StartsAt.Sub(q.tx.Now()); ahead < futureEarliest || ahead > futureLatest {
		return invalid("StartDate", stamp(obj.StartsAt), "It must be 5 to 120 days ahead.")
	}
	shortest := shortestCommitment
	if line == "u" || line == "x" {
		shortest = shortestCommitmentUX
	}
	if time.Duration(r.Future.Seconds)*time.Second < shortest {
		return invalid("CommitmentDuration", strconv.Itoa(r.Future.Seconds),
			"It must be at least "+strconv.Itoa(int(shortest.Seconds()))+" for this instance type.")
	}
	return r.checkEnd(obj.EndsAt, q.tx.Now())
}

// checkEnd refuses an end inside the commitment; zero is no end.
func (r *reservation) checkEnd(ends, now time.Time) *apiError {
	if r.Future.binds(now) && !ends.IsZero() && ends.Before(r.Future.Ends) {
		return invalid("EndDate", stamp(ends), "It is within the commitment duration, which ends at "+stamp(r.Future.Ends)+".")
	}
	return nil
}

// assess starts the assessment of a future-dated request. By default it takes
// a moment; operation_takes is the time it takes and operation_error has the
// request found unsupported. On AWS it takes days (about 5, UNVERIFIED).
func (q *query) assess(obj *sim.Object, r *reservation) {
	obj.Status, obj.Due = stateAssessing, q.tx.Now().Add(q.takes())
	r.Undelivered, r.Future.Count = true, obj.Count
	r.failWith(q.req.Effects)
	if !q.sim.options.NoIncrementalTag {
		obj.Tags[wantedCountTag] = strconv.Itoa(obj.Count)
	}
}

// takes is how long the operation takes that this request starts, on the
// virtual clock.
func (q *query) takes() time.Duration {
	if takes := q.req.Effects.OperationTakes; takes != nil {
		return *takes
	}
	return defaultLag
}

// defaultLag is the time between accepted and done where AWS takes long and
// nothing was said.
const defaultLag = time.Second

// failWith has what the request started fail later.
func (r *reservation) failWith(effects sim.Effects) {
	if effects.OperationError != nil {
		r.Failure = effects.OperationError.Code
	}
}

// commitmentNodes are what a future-dated reservation shows beyond others. A
// waived commitment is shown no longer, UNVERIFIED.
func (r *reservation) commitmentNodes(obj *sim.Object) []node {
	if r.Future == nil {
		return nil
	}
	shown := []node{text("deliveryPreference", "incremental"), instant("originalStartDate", obj.StartsAt)}
	if r.Future.Waived {
		return shown
	}
	return append(shown, el("commitmentInfo",
		number("committedInstanceCount", r.Future.Count),
		instant("commitmentEndDate", r.Future.Ends),
		number("commitmentDuration", r.Future.Seconds)))
}
