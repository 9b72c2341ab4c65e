package chaostest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Tags of the mark, as the contract spells them on the cloud's objects.
const (
	tagOwner = "gpulock:owner"
	tagName  = "gpulock:name"
	tagClaim = "gpulock:claim"
)

// Audit watches the simulated clouds' objects for broken promises. It is safe
// for concurrent use.
type Audit struct {
	world *sim.World

	mu       sync.Mutex
	live     map[string]sim.ObjectRow
	may      Permission
	failures []string
}

// Permission says what the command under way may do to what is live.
type Permission struct {
	// Release tells whether a live object may be given up, beside the others
	// that are live.
	Release func(old sim.ObjectRow, live []sim.ObjectRow) bool
	// Count is the number of instances down to which a live object may shrink.
	Count int
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

// isLive tells whether an object costs money. The statuses are EC2's.
func isLive(o sim.ObjectRow) bool {
	return !slices.Contains([]string{"cancelled", "expired", "failed"}, o.Status)
}

// look compares what is live with the last look.
func (a *Audit) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	live, err := a.Live()
	if err != nil {
		a.fail("the simulated world cannot be read: %v", err)
		return
	}
	now := map[string]sim.ObjectRow{}
	marks := map[string]string{}
	for _, o := range live {
		now[o.NativeID] = o
		mark := o.Tags[tagOwner] + " / " + o.Tags[tagName]
		if other, twice := marks[mark]; twice {
			a.fail("bought twice: %s and %s both carry the mark %s", other, o.NativeID, mark)
		}
		marks[mark] = o.NativeID
	}
	a.compare(now)
	a.live = now
}

func (a *Audit) compare(now map[string]sim.ObjectRow) {
	before := slices.SortedFunc(maps.Values(a.live), func(x, y sim.ObjectRow) int { return strings.Compare(x.NativeID, y.NativeID) })
	for _, old := range before {
		is, still := now[old.NativeID]
		switch {
		case !still && (a.may.Release == nil || !a.may.Release(old, before)):
			a.fail("released early: %s (%d × %s, %s)", old.NativeID, old.Count, old.InstanceType, old.Tags[tagName])
		case still && is.Count < old.Count && is.Count < a.may.Count:
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
