package googlesim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Values of amendmentStatus.
const (
	amendmentReviewed = "AMENDMENT_IN_REVIEW"
	amendmentApproved = "AMENDMENT_APPROVED"
	amendmentDeclined = "AMENDMENT_DECLINED"
)

// keptByFuture is the number of instances that a future reservation itself
// keeps from others. In calendar mode that begins with the approval; else the
// stock is taken at the start, UNVERIFIED. What was delivered is kept by the
// reservation that it is in.
func keptByFuture(obj *sim.Object) int {
	var f future
	holds := slices.Contains([]string{futureApproved, futureCommitted, futureAmending, futureProcuring}, obj.Status)
	if !holds || obj.Decode(&f) != nil || !f.Spec.calendar() {
		return 0
	}
	if obj.Status == futureAmending && f.Before != nil {
		return f.Before.Count
	}
	return obj.Count
}

// dueFuture lets happen what time brings (fact google-5-states).
func dueFuture(tx *sim.Tx, obj *sim.Object, at time.Time) {
	var f future
	// A payload that cannot be read was put there by hand: nothing to do.
	if obj.Decode(&f) != nil {
		return
	}
	switch obj.Status {
	case futurePending:
		f.review(tx, obj, at)
	case futureAmending:
		f.reviewAmendment(tx, obj, at)
	case futureApproved, futureCommitted:
		if !at.Before(f.Lock) {
			obj.Status = futureProcuring
		}
	case futureProcuring:
		if !at.Before(obj.StartsAt) {
			obj.Status = futureProvision
			f.deliver(tx, obj, f.stock(tx, obj), at)
		}
	case futureProvision:
		obj.Status = f.outcome(obj)
	case futureFulfilled, futurePartly:
		f.terminate(tx)
	}
	f.plan(obj, at)
	// What was decoded can be encoded.
	_ = obj.Encode(f)
}

// plan sets the instant at which something happens next by itself.
func (f *future) plan(obj *sim.Object, at time.Time) {
	obj.Due = time.Time{}
	switch obj.Status {
	case futurePending, futureAmending:
		obj.Due = at.Add(f.Times.Review)
	case futureApproved, futureCommitted:
		obj.Due = f.Lock
	case futureProcuring:
		obj.Due = obj.StartsAt
	case futureProvision:
		obj.Due = at.Add(f.Times.Provision)
	case futureFulfilled, futurePartly:
		if f.Spec.calendar() && at.Before(obj.EndsAt) {
			obj.Due = obj.EndsAt
		}
	}
}

// terminate ends the machines that run at the end of a calendar period (fact
// google-5-calendar-end).
func (f *future) terminate(tx *sim.Tx) {
	for _, id := range f.Made {
		if obj, ok := tx.Object(cloudName, id); ok {
			obj.InUse = sim.Use{}
		}
	}
}

// review decides on a request (fact google-5-review). In calendar mode no
// person does, and what is approved is put aside.
func (f *future) review(tx *sim.Tx, obj *sim.Object, at time.Time) {
	if f.Refused || !at.Before(obj.StartsAt) || !enough(tx, obj, obj.Count) ||
		(f.Spec.calendar() && !tx.Take(placeOf(obj), obj.Count)) {
		obj.Status = futureDeclined
		return
	}
	f.approve(obj, at)
}

func enough(tx *sim.Tx, obj *sim.Object, n int) bool {
	available, limited := tx.Available(placeOf(obj))
	return !limited || available >= n
}

// approve sets the lock time, which is never before the approval.
func (f *future) approve(obj *sim.Object, at time.Time) {
	obj.Status, f.Lock = futureApproved, obj.StartsAt.Add(-f.Times.Lead)
	if f.Lock.Before(at) {
		f.Lock = at
	}
}

// reviewAmendment decides on a change; a declined one is undone (fact
// google-5-amendment).
func (f *future) reviewAmendment(tx *sim.Tx, obj *sim.Object, at time.Time) {
	b := f.Before
	if b == nil {
		f.approve(obj, at)
		return
	}
	f.Before = nil
	held := 0
	if f.Spec.calendar() {
		held = b.Count
		// Put back to see whether the new count can be had instead.
		tx.Give(beforePlace(obj, b), held)
	}
	if f.Refused || !at.Before(obj.StartsAt) || !enough(tx, obj, obj.Count) {
		f.Refused, f.Amendment = false, amendmentDeclined
		obj.Status, obj.Count, obj.InstanceType = b.Status, b.Count, b.Type
		obj.StartsAt, obj.EndsAt = b.Period.Start, b.Period.End
		f.Spec, f.Request, f.Lock = b.Spec, b.Request, b.Lock
		tx.Give(placeOf(obj), -held)
		return
	}
	if f.Spec.calendar() {
		tx.Give(placeOf(obj), -obj.Count)
	}
	f.Amendment = amendmentApproved
	f.approve(obj, at)
}

func beforePlace(obj *sim.Object, b *futureBefore) sim.Place {
	at := placeOf(obj)
	at.InstanceType = b.Type
	return at
}

// stock is what can be delivered, which is then taken. In calendar mode it was
// put aside.
func (f *future) stock(tx *sim.Tx, obj *sim.Object) int {
	if f.Spec.calendar() {
		return obj.Count
	}
	n := obj.Count
	if available, limited := tx.Available(placeOf(obj)); limited {
		n = min(n, available)
	}
	tx.Take(placeOf(obj), n)
	return n
}

// deliver puts n instances in a reservation of the core's collection (fact
// google-5-delivery).
func (f *future) deliver(tx *sim.Tx, obj *sim.Object, n int, at time.Time) {
	if n > 0 {
		id, made := f.makeReservation(tx, obj, n, at)
		if made {
			f.Made = append(f.Made, id)
		} else {
			tx.Give(placeOf(obj), n)
			n = 0
		}
	}
	f.Fulfilled = &n
}

// makeReservation delivers into the named reservation, or a new one. A
// reservation of that name with other properties gets nothing, UNVERIFIED.
func (f *future) makeReservation(tx *sim.Tx, obj *sim.Object, n int, at time.Time) (string, bool) {
	path := zonePath(obj.Account, obj.Zone, reservationType, f.reservationName(tx, obj, at))
	if there, exists := tx.Object(cloudName, path); exists {
		var r reservation
		if there.Decode(&r) != nil || there.Hidden || !sameProperties(r.Properties, f.Spec.Properties) {
			return "", false
		}
		there.Count += n
		return path, true
	}
	r := reservation{
		ID: newID(tx), Created: at.Truncate(time.Millisecond), Properties: f.Spec.Properties, Specific: f.Spec.Specific,
		Sharing: f.Spec.Share, ServiceShare: serviceShareTypes()[0], Echoed: f.Spec.echoed(), Dense: f.Spec.Deployment == dense,
		Future: obj.NativeID, HeldUntil: obj.EndsAt,
	}
	made := &sim.Object{
		Cloud: cloudName, Type: reservationType, NativeID: path, Aliases: []string{numbered(path, r.ID)}, Account: obj.Account,
		Region: obj.Region, Zone: obj.Zone, InstanceType: obj.InstanceType, Count: n, Status: statusReady,
		EndsAt: f.Spec.deleteAt(obj.EndsAt),
	}
	if made.Encode(r) != nil {
		return "", false
	}
	planReservation(tx, made)
	tx.Insert(made)
	return path, true
}

// reservationName is the given one or PREFIX-DATE-#### (the description of
// namePrefix); how the date is written, and the prefix where none is given,
// are UNVERIFIED.
func (f *future) reservationName(tx *sim.Tx, obj *sim.Object, at time.Time) string {
	if f.Spec.Name != "" {
		return f.Spec.Name
	}
	prefix := f.Spec.Prefix
	if prefix == "" {
		prefix = lastSegment(obj.NativeID)
		prefix = strings.TrimRight(prefix[:min(len(prefix), longestPrefix)], "-")
	}
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s-%s-%04d", prefix, at.UTC().Format("20060102"), i)
		if _, taken := tx.Object(cloudName, zonePath(obj.Account, obj.Zone, reservationType, name)); !taken {
			return name
		}
	}
}

// outcome is what a delivery came to.
func (f *future) outcome(obj *sim.Object) string {
	switch {
	case f.Fulfilled == nil || *f.Fulfilled == 0:
		return futureFailed
	case *f.Fulfilled < obj.Count:
		return futurePartly
	}
	return futureFulfilled
}

// patchedFuture follows a status that was put there behind everyone's back:
// what is delivered by that status is delivered, whatever the stock.
func patchedFuture(tx *sim.Tx, obj *sim.Object) {
	var f future
	if obj.Decode(&f) != nil {
		return
	}
	now := tx.Now()
	switch obj.Status {
	case futureApproved, futureCommitted:
		status := obj.Status
		f.approve(obj, now)
		obj.Status = status
	case futureProvision, futureFulfilled, futurePartly:
		if len(f.Made) == 0 {
			n := obj.Count
			if obj.Status == futurePartly {
				n--
			}
			tx.Give(placeOf(obj), -n)
			f.deliver(tx, obj, n, now)
		}
	case futureDeclined, futureFailed, futureCancelled:
		f.Before = nil
	}
	f.plan(obj, now)
	// What was decoded can be encoded.
	_ = obj.Encode(f)
}
