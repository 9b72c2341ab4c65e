package chaostest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Audit watches the simulated clouds' objects for broken promises. It is safe
// for concurrent use.
type Audit struct {
	target target
	world  *sim.World

	mu       sync.Mutex
	live     map[string]seen
	may      Permission
	failures []string
	// going are the ids of what was given up while that was permitted and may be
	// live for a while.
	going map[string]bool
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

// newAudit watches a world's objects of one cloud.
func newAudit(t target, world *sim.World) *Audit {
	return &Audit{target: t, world: world, going: map[string]bool{}}
}

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

// objects are the cloud's, and its time.
func (a *Audit) objects() ([]sim.ObjectRow, time.Time, error) {
	objects, err := a.world.Objects()
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := a.Now()
	if a.target.apart != nil {
		objects = a.target.apart(objects)
	}
	return objects, now, err
}

// Live are the objects that hold or may come to hold capacity, and what is left of
// others: after a command that succeeded there must be none of those.
func (a *Audit) Live() ([]sim.ObjectRow, error) {
	objects, now, err := a.objects()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(objects, func(o sim.ObjectRow) bool {
		is := a.target.look(o, now)
		return !is.live && !is.left
	}), nil
}

// Settled are the live ones and what is left once everything is done that was
// accepted.
func (a *Audit) Settled() ([]sim.ObjectRow, error) {
	if err := a.Pass(a.target.lag); err != nil {
		return nil, err
	}
	return a.Live()
}

// Going tells whether something is on its way out, as after a command that gave it
// up and was cut short. A change of that is refused, and told to plan again.
func (a *Audit) Going() (bool, error) {
	objects, now, err := a.objects()
	return slices.ContainsFunc(objects, func(o sim.ObjectRow) bool { return a.target.look(o, now).goes }), err
}

// Begin begins a new life: what was bought in earlier ones does not count.
func (a *Audit) Begin() error {
	objects, _, err := a.objects()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.past, a.going = map[string]bool{}, map[string]bool{}
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

// look compares what is live after a request with the last look, and what was
// bought with what may be.
func (a *Audit) look(r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.target.gives != nil {
		a.give(a.target.gives(r))
	}
	objects, now, err := a.objects()
	if err != nil {
		a.fail("the simulated world cannot be read: %v", err)
		return
	}
	are := map[string]seen{}
	for _, o := range objects {
		are[o.NativeID] = seen{o, a.target.look(o, now)}
	}
	a.count(objects, are)
	a.compare(are)
	a.live = are
	maps.DeleteFunc(a.live, func(_ string, o seen) bool { return !o.live })
}

// seen is an object and what it is to the audit.
type seen struct {
	sim.ObjectRow
	sight
}

// count looks for what is there, or was bought, more than once or for too long.
func (a *Audit) count(objects []sim.ObjectRow, are map[string]seen) {
	marks := map[string]string{}
	var bought []string
	for _, row := range objects {
		o := are[row.NativeID]
		if o.bought && !a.past[o.NativeID] {
			bought = append(bought, o.NativeID)
			if length := o.EndsAt.Sub(o.StartsAt.Time); o.bounded && length > a.may.Length {
				a.fail("bought too long: %s is of %s, not %s", o.NativeID, length, a.may.Length)
			}
		}
		if !o.live {
			continue
		}
		mark := o.owner + " / " + o.name
		if other, twice := marks[mark]; twice {
			a.fail("bought twice: %s and %s both carry the mark %s", other, o.NativeID, mark)
		}
		marks[mark] = o.NativeID
	}
	if len(bought) > a.may.Buys {
		a.fail("bought too often: %v, not %d", bought, a.may.Buys)
	}
}

// give notes what a request gave up, if that is permitted.
func (a *Audit) give(id string) {
	if given, ok := a.live[id]; ok && a.may.Release != nil && a.may.Release(given.ObjectRow, a.before()) {
		a.going[id] = true
	}
}

// before are the objects that were live at the last look.
func (a *Audit) before() []sim.ObjectRow {
	var rows []sim.ObjectRow
	for _, id := range slices.Sorted(maps.Keys(a.live)) {
		rows = append(rows, a.live[id].ObjectRow)
	}
	return rows
}

// compare looks for what was given up. What came to its own end was not, nor what
// the cloud refused.
func (a *Audit) compare(are map[string]seen) {
	before := a.before()
	for _, old := range before {
		is := are[old.NativeID]
		switch {
		case is.ended, is.left:
		case !is.live && a.going[old.NativeID]:
			delete(a.going, old.NativeID)
		case !is.live && (a.may.Release == nil || !a.may.Release(old, before)):
			a.fail("released early: %s (%d × %s, %s)", old.NativeID, old.Count, old.InstanceType, a.live[old.NativeID].name)
		case is.live && is.Count < old.Count && is.Count < a.may.Count:
			a.fail("shrunk early: %s from %d to %d instances", old.NativeID, old.Count, is.Count)
		}
	}
}

// nameOf is the name in an object's mark.
func (a *Audit) nameOf(o sim.ObjectRow) string { return a.target.look(o, time.Time{}).name }

// Fail adds a failure that was seen elsewhere.
func (a *Audit) Fail(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fail(format, args...)
}

func (a *Audit) fail(format string, args ...any) {
	a.failures = append(a.failures, fmt.Sprintf(format, args...))
}
