package awssim

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// blockKind is a block's reservationType, and the value of blockTag.
const blockKind = "capacity-block"

// cutAhead is how long before its end a block's instances are ended.
const cutAhead = 30 * time.Minute

// blockID is the id of the capacity block that a reservation is of, its second
// alias: a block of instances has one reservation.
func blockID(obj *sim.Object) string {
	if len(obj.Aliases) < 2 {
		return ""
	}
	return obj.Aliases[1]
}

func isBlock(obj *sim.Object) bool { return blockID(obj) != "" }

func kindOf(obj *sim.Object) string {
	if isBlock(obj) {
		return blockKind
	}
	return "default"
}

func cutAt(obj *sim.Object) time.Time { return obj.EndsAt.Add(-cutAhead) }

// blockStays refuses what no block can be; the code is UNVERIFIED.
func blockStays(obj *sim.Object, what string) *apiError {
	return fail(codeUnsupportedOperation, "'%s' is a Capacity Block and cannot be %s", reservationID(obj), what)
}
