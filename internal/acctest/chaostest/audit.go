package chaostest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Tags of the mark, as the contract spells them on the cloud's objects, and the
// one with which EC2 marks a block.
const (
	tagOwner = "gpulock:owner"
	tagName  = "gpulock:name"
	tagClaim = "gpulock:claim"
	tagBlock = "aws:ec2capacityreservation:capacityReservationType"
)

// Audit watches the simulated clouds' objects for broken promises. It is safe
// for concurrent use.
type Audit struct {
	world *sim.World

	mu       sync.Mutex
	live     map[string]sim.ObjectRow
	may      Permission
	failures []string
	// past are the ids of what was bought in earlier lives.
	past map[string]bool
}

// Permission says what the command under way may do to what is live.
type Permission struct {
	// Release tells whether a live object may be given up, beside the others
	// that are live.
	Release func(old sim.ObjectRow, live []sim.ObjectRow) bool
	// Count is the number of instances down to which a live object may shrink.
	Count int
	// Buys is how many blocks and terms there may be of this life, whatever
	// became of them, and Length how long a block may be, with what it was
	// extended by.
	Buys   int
	Length time.Duration
}

// NewAudit watches a world.
func NewAudit(world *sim.World) *Audit { return &Audit{world: world} }

// Permit begins a command that may do so much.
func (a *Audit) Permit(may Permission) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.may = may
}

// Failures are the broken promises so far, and forgets them.
func (a *Audit) Failures() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.failures
	a.failures = nil
	return found
}

// Live are the objects that hold or may come to hold capacity.
func (a *Audit) Live() ([]sim.ObjectRow, error) {
	objects, err := a.world.Objects()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(objects, func(o sim.ObjectRow) bool { return !isLive(o) }), nil
}

// isLive tells whether an object holds capacity or may come to. The statuses are
// EC2's; what is paid for a host is no capacity of its own.
func isLive(o sim.ObjectRow) bool {
	return o.NativeID != "" && o.Type != typeTerm && !slices.Contains([]string{
		"cancelled", "cancelling", statusExpired, "failed", "unsupported", statusUnpaid,
		"released", "released-permanent-failure", "permanent-failure",
	}, o.Status)
}

const (
	typeTerm      = "host-reservation"
	statusExpired = "expired"
	statusUnpaid  = "payment-failed"
)

// isBought tells whether an object was paid for at once, or will be.
func isBought(o sim.ObjectRow) bool {
	return (o.Type == typeTerm || o.Tags[tagBlock] != "") && o.Status != statusUnpaid
}

// Begin begins a new life: what was bought in earlier ones does not count.
func (a *Audit) Begin() error {
	objects, err := a.world.Objects()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.past = map[string]bool{}
	for _, o := range objects {
		a.past[o.NativeID] = true
	}
	return err
}

// Now is the cloud's time.
func (a *Audit) Now() (time.Time, error) {
	reading, err := a.world.Clock()
	return reading.Now, err
}

// Pass lets the cloud's time pass.
func (a *Audit) Pass(d time.Duration) error { return a.world.Advance(d) }

// look compares what is live with the last look, and what was bought with what
// may be.
func (a *Audit) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	objects, err := a.world.Objects()
	if err != nil {
		a.fail("the simulated world cannot be read: %v", err)
		return
	}
	now := map[string]sim.ObjectRow{}
	for _, o := range objects {
		now[o.NativeID] = o
	}
	a.count(objects)
	a.compare(now)
	a.live = now
	maps.DeleteFunc(a.live, func(_ string, o sim.ObjectRow) bool { return !isLive(o) })
}

// count looks for what is there, or was bought, more than once or for too long.
func (a *Audit) count(objects []sim.ObjectRow) {
	marks := map[string]string{}
	var bought []string
	for _, o := range objects {
		if isBought(o) && !a.past[o.NativeID] {
			bought = append(bought, o.NativeID)
			if length := o.EndsAt.Sub(o.StartsAt.Time); o.Type != typeTerm && length > a.may.Length {
				a.fail("bought too long: %s is of %s, not %s", o.NativeID, length, a.may.Length)
			}
		}
		if !isLive(o) {
			continue
		}
		mark := o.Tags[tagOwner] + " / " + o.Tags[tagName]
		if other, twice := marks[mark]; twice {
			a.fail("bought twice: %s and %s both carry the mark %s", other, o.NativeID, mark)
		}
		marks[mark] = o.NativeID
	}
	if len(bought) > a.may.Buys {
		a.fail("bought too often: %v, not %d", bought, a.may.Buys)
	}
}

// compare looks for what was given up. What came to its own end was not.
func (a *Audit) compare(now map[string]sim.ObjectRow) {
	before := slices.SortedFunc(maps.Values(a.live), func(x, y sim.ObjectRow) int { return strings.Compare(x.NativeID, y.NativeID) })
	for _, old := range before {
		is := now[old.NativeID]
		switch {
		case is.Status == statusExpired || is.Status == statusUnpaid:
		case !isLive(is) && (a.may.Release == nil || !a.may.Release(old, before)):
			a.fail("released early: %s (%d × %s, %s)", old.NativeID, old.Count, old.InstanceType, old.Tags[tagName])
		case isLive(is) && is.Count < old.Count && is.Count < a.may.Count:
			a.fail("shrunk early: %s from %d to %d instances", old.NativeID, old.Count, is.Count)
		}
	}
}

// Fail adds a failure that was seen elsewhere.
func (a *Audit) Fail(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fail(format, args...)
}

func (a *Audit) fail(format string, args ...any) {
	a.failures = append(a.failures, fmt.Sprintf(format, args...))
}
