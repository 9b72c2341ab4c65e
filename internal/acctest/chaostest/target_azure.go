package chaostest

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The resource types of Azure that hold capacity, and the group around them, as
// the last segment of the type.
const (
	typeAzureReservation = "capacityReservations"
	typeAzureGroup       = "capacityReservationGroups"
)

const chaosSubscription = "00000000-0000-0000-0000-00000000c4a0"

func azureTarget() target {
	return target{
		name: "azure", block: map[string]string{"subscription_id": chaosSubscription, "resource_group": "gpu"},
		operation: operationID, once: func(string) bool { return false }, answer: azureAnswer,
		look: azureLook, gives: azureGives, lag: time.Minute, apart: withoutFull, first: azureFirst,
		types: [2]string{"Standard_NC4as_T4_v3", "Standard_NC8as_T4_v3"}, zones: [2]string{"1", "2"},
		// Days of a block run from 12:00 to 11:30.
		short: 30 * time.Minute,
		partners: []string{
			"00000000-0000-0000-0000-0000000000a0", "00000000-0000-0000-0000-0000000000a1",
			"00000000-0000-0000-0000-0000000000a2", "00000000-0000-0000-0000-0000000000a3",
		},
		lives: azureLives, operations: azureOperations,
	}
}

// azureFirst completes a wish for Azure.
func azureFirst(w Wish, now time.Time) Wish {
	w.Region, w.Zone, w.InstanceType, w.Tags = "eastus", "1", "Standard_NC4as_T4_v3", map[string]string{"team": "t0"}
	noon := now.Truncate(day).Add(12 * time.Hour)
	switch w.Kind {
	case Scheduled:
		// At most half a year ahead. It is free until some weeks before.
		w.StartAt = noon.Add(100 * day)
	case Block:
		// On H100 only, and at most 56 days ahead.
		w.InstanceType, w.StartAt, w.Duration = "Standard_ND96isr_H100_v5", noon.Add(20*day), 7*day
	}
	return w
}

// azureLook reads an object of Azure. A group that stands for itself is one with
// nothing in it: it holds no capacity, and is left of a reservation that is no
// more, or never came to be.
//
// These interruptions leave one, or a reservation whose creation failed, for a
// later command to remove or to use: of a create between its two PUTs, and of a
// create that was refused, where the next create of that name goes on from what
// it finds; of a delete after the reservation went, where the state keeps what is
// left. So all of them are seen here, and none may be there when a command
// succeeded. Only a block that is over may stay, in its group: it costs nothing,
// and a destroy that could not remove it says that the name stays taken.
func azureLook(o sim.ObjectRow, now time.Time) sight {
	s := sight{owner: o.Tags[tagOwner], name: path.Base(o.NativeID), claimed: o.Tags[tagClaim] != ""}
	goes := o.Status == azureDeleting
	switch o.Type {
	case typeAzureGroup:
		s.left = s.owner != "" && !goes
	case typeAzureReservation:
		refused := refusedByAzure(o, s.claimed)
		s.bounded = true
		s.ended = !o.EndsAt.IsZero() && !now.Before(o.EndsAt.Time)
		s.bought = !o.EndsAt.IsZero() && !refused
		s.live = !s.ended && !refused && !goes
		s.left, s.goes = refused, goes
	}
	return s
}

const azureDeleting = "Deleting"

// refusedByAzure tells of what never came to hold anything: a request that was
// refused, and a creation that failed. A growth that failed has the same state,
// but the claim too, which is written only when the creation is done.
func refusedByAzure(o sim.ObjectRow, claimed bool) bool {
	return slices.Contains([]string{"Declined", "FulfillmentFailed"}, o.Status) || o.Status == "Failed" && !claimed
}

// withoutFull drops the groups that have a reservation in them.
func withoutFull(objects []sim.ObjectRow) []sim.ObjectRow {
	full := map[string]bool{}
	for _, o := range objects {
		if group, _, ok := strings.Cut(o.NativeID, "/"+strings.ToLower(typeAzureReservation)+"/"); ok {
			full[group] = true
		}
	}
	return slices.DeleteFunc(objects, func(o sim.ObjectRow) bool { return o.Type == typeAzureGroup && full[o.NativeID] })
}

// operationID is the specification's name for what a request asks for, of those
// that a fault is aimed at, and of their polls.
func operationID(r *http.Request, _ []byte) string {
	segments := strings.Split(strings.ToLower(strings.Trim(r.URL.Path, "/")), "/")
	if slices.Contains(segments, "operations") {
		return "Operations_Get"
	}
	at := slices.Index(segments, strings.ToLower(typeAzureGroup))
	if at < 0 {
		return ""
	}
	verbs := map[string]string{http.MethodGet: "Get", http.MethodPut: "CreateOrUpdate", http.MethodPatch: "Update", http.MethodDelete: "Delete"}
	switch len(segments) - at {
	case 1: // of a resource group, or of the subscription
		if slices.Contains(segments, "resourcegroups") {
			return "CapacityReservationGroups_ListByResourceGroup"
		}
		return "CapacityReservationGroups_ListBySubscription"
	case 2:
		return "CapacityReservationGroups_" + verbs[r.Method]
	case 3:
		return "CapacityReservations_ListByCapacityReservationGroup"
	}
	return "CapacityReservations_" + verbs[r.Method]
}

// azureGives is the id of what a request deletes. The operation that it begins goes
// on when nobody waits for it.
func azureGives(r *http.Request) string {
	if r.Method != http.MethodDelete {
		return ""
	}
	return strings.ToLower(r.URL.Path)
}

// azureAnswer answers in the form of Azure Resource Manager's errors (Azure docs,
// "Throttling Resource Manager requests", for too many requests).
func azureAnswer(w http.ResponseWriter, act Act) {
	switch act {
	case InternalError:
		write(w, http.StatusInternalServerError, "application/json", armError("InternalServerError", "Encountered internal server error."))
	case Throttle:
		w.Header().Set("Retry-After", "1")
		write(w, http.StatusTooManyRequests, "application/json", armError("TooManyRequests", "The request is being throttled."))
	default:
		plain(w, act)
	}
}

func armError(code, message string) string {
	return fmt.Sprintf(`{"error":{"code":%q,"message":%q}}`, code, message)
}
