package awssim

import (
	"regexp"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Seed implements sim.Cloud: a reservation of a scenario. Its account is the
// ARN's, or the one of static keys.
func (s *Simulator) Seed(tx *sim.Tx, obj *sim.Object) error {
	if obj.Type == hostType {
		return s.seedHost(tx, obj)
	}
	if obj.Type != reservationType {
		return fail(codeInvalidValue, "type %q: a scenario can have %q and %q", obj.Type, reservationType, hostType)
	}
	_, zoneID, known := s.catalog.zone(obj.Region, obj.Zone)
	if !known || s.catalog.Types[obj.InstanceType] == nil {
		return fail(codeInvalidValue, "no such place: %s %s %s", obj.Region, obj.Zone, obj.InstanceType)
	}
	if obj.Count < 1 || obj.InUse.Count() > obj.Count {
		return fail(codeInvalidValue, "count must be at least 1 and not below in_use")
	}
	if err := seedNames(tx, obj); err != nil {
		return err
	}
	if obj.Status == "" {
		obj.Status = stateActive
	}
	if obj.StartsAt.IsZero() {
		obj.StartsAt = tx.Now()
	}
	r := reservation{
		Platform: "Linux/UNIX", Tenancy: "default", Match: "targeted", Created: earlier(obj.StartsAt, tx.Now()), ZoneID: zoneID,
	}
	if err := seedLife(tx, obj, &r); err != nil {
		return err
	}
	return obj.Encode(r)
}

var reservationARNForm = regexp.MustCompile(`^arn:aws:ec2:([a-z0-9-]+):(\d{12}):capacity-reservation/(cr-[0-9a-f]{17})$`)

// seedNames completes native id and alias from an ARN, a short id or nothing.
func seedNames(tx *sim.Tx, obj *sim.Object) error {
	obj.Account = staticAccount
	id := obj.NativeID
	if m := reservationARNForm.FindStringSubmatch(id); m != nil && m[1] == obj.Region {
		obj.Account, id = m[2], m[3]
	}
	if id == "" {
		id = "cr-" + tx.Hex(17)
	}
	if !reservationIDForm.MatchString(id) {
		return fail(codeMalformed, "native_id %s is neither an ARN of %s nor cr- and 17 digits", printable(obj.NativeID), obj.Region)
	}
	obj.NativeID, obj.Aliases = reservationARN(obj.Region, obj.Account, id), []string{id}
	return nil
}

// ahead are the states of what has not begun.
func ahead() []string {
	return []string{stateAssessing, stateScheduled, stateDelayed, stateUnsupported, statePaymentPending, statePaymentFailed}
}

// seedLife completes what is not an immediate reservation: a block is marked
// by AWS's own tag of its type, a future-dated one by a state that only such
// ones have or by AWS's own tag of its count. Its commitment, which the header
// does not tell, is the shortest from its start.
func seedLife(tx *sim.Tx, obj *sim.Object, r *reservation) error {
	r.Undelivered = slices.Contains(ahead(), obj.Status)
	_, future := obj.Tags[wantedCountTag]
	switch {
	case obj.Tags[blockTag] == blockKind:
		if obj.EndsAt.IsZero() {
			return fail(codeInvalidValue, "a capacity block needs ends_at")
		}
		makeBlock(tx, obj)
	case obj.Status == statePaymentPending || obj.Status == statePaymentFailed:
		return fail(codeInvalidValue, "only a capacity block has the status %s: it is marked by the tag %s=%s",
			obj.Status, blockTag, blockKind)
	case future || r.Undelivered || obj.Status == stateCancelling:
		r.Future = &commitment{
			Seconds: int(shortestCommitment.Seconds()), Count: obj.Count,
			Ends: obj.StartsAt.Add(shortestCommitment), Waived: obj.Status == stateDelayed,
		}
	}
	seedDue(tx, obj, r)
	return nil
}

// seedDue sets the instant at which the object moves by itself.
func seedDue(tx *sim.Tx, obj *sim.Object, r *reservation) {
	switch obj.Status {
	case stateActive, stateScheduled:
		plan(obj, tx.Now())
	case stateAssessing, statePaymentPending:
		obj.Due = tx.Now().Add(defaultLag)
	case stateDelayed:
		obj.Due = tx.Now().Add(deliveryRetry)
	case stateFailed:
		obj.Due = tx.Now().Add(failedVisible)
	case stateUnsupported:
		obj.Due = tx.Now().Add(unsupportedVisible)
	case stateCancelling:
		if r.Future != nil {
			obj.Due = r.Future.Ends
		}
	}
}

// patchedDue sets that instant for a status that was put there behind everyone's
// back: what was to come of the former one no longer does. What waits for a
// decision waits for the next change of this sort.
func patchedDue(tx *sim.Tx, obj *sim.Object) {
	obj.Due = time.Time{}
	if _, undecided := outcomes()[obj.Status]; undecided {
		return
	}
	var r reservation
	switch {
	case obj.Type == reservationType && obj.Decode(&r) == nil:
		seedDue(tx, obj, &r)
	case obj.Type == hostType && gone(obj):
		obj.Due = tx.Now().Add(releasedVisible)
	case obj.Type == hostReservationType && obj.Status == stateActive:
		obj.Due = obj.EndsAt
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
