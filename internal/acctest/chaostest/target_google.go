package chaostest

import (
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The collections of Compute Engine that hold capacity.
const (
	typeReservation = "reservations"
	typeFuture      = "futureReservations"
)

func googleTarget() target {
	return target{
		name: "google", block: map[string]string{"project": "chaos-project"},
		operation: methodOf, once: func(string) bool { return false }, answer: googleAnswer,
		look: googleLook, gives: googleGives, lag: time.Minute, apart: withoutCreated, first: googleFirst,
		types: [2]string{"g2-standard-4", "g2-standard-8"}, zones: [2]string{"us-central1-a", "us-central1-b"},
		partners: []string{"partner-zero", "partner-one", "partner-two", "partner-three"},
		lives:    googleLives, operations: googleOperations,
	}
}

// googleFirst completes a wish for Compute Engine.
func googleFirst(w Wish, now time.Time) Wish {
	w.Zone, w.InstanceType = "us-central1-a", "g2-standard-4"
	switch w.Kind {
	case OnDemand:
		// Shared from the start: whether a reservation of one project can become a
		// shared one is not published.
		w.ShareWith = []string{"partner-one"}
	default:
		// Calendar mode takes A3 and later, at most 60 days ahead.
		w.InstanceType, w.StartAt, w.Duration = "a3-highgpu-8g", now.Add(40*day).Truncate(time.Hour), 7*day
	}
	return w
}

// googleLook reads an object of Compute Engine. There a name is the object's own,
// and the owner stands in the description, which the control API does not show:
// all objects of a world are of one owner. Whoever names it has claimed it. The
// statuses are those of a reservation and of a future reservation's procurement.
func googleLook(o sim.ObjectRow, now time.Time) sight {
	ended := o.Type == typeFuture && !o.EndsAt.IsZero() && !now.Before(o.EndsAt.Time)
	dead := []string{"DELETING", "INVALID", "DECLINED", "FAILED", "CANCELLED"}
	return sight{
		name: path.Base(o.NativeID), claimed: true, ended: ended,
		live: (o.Type == typeReservation || o.Type == typeFuture) && !ended && !slices.Contains(dead, o.Status),
	}
}

// withoutCreated drops the reservations that a future reservation made for itself:
// they have its name and place, and are its own.
func withoutCreated(objects []sim.ObjectRow) []sim.ObjectRow {
	made := map[string]bool{}
	for _, o := range objects {
		if o.Type == typeFuture {
			made[strings.Replace(o.NativeID, "/"+typeFuture+"/", "/"+typeReservation+"/", 1)] = true
		}
	}
	return slices.DeleteFunc(objects, func(o sim.ObjectRow) bool { return o.Type == typeReservation && made[o.NativeID] })
}

// resourcePath is the part of a path below the zone: collection, name, verb.
var resourcePath = regexp.MustCompile(`/zones/[^/]+/([a-zA-Z]+)(?:/([^/]+))?(?:/([a-zA-Z]+))?$`)

// methodOf is the discovery document's id of what a request asks for.
func methodOf(r *http.Request, _ []byte) string {
	parts := resourcePath.FindStringSubmatch(r.URL.Path)
	if parts == nil {
		return ""
	}
	collection, named, verb := parts[1], parts[2] != "", parts[3]
	switch {
	case verb != "":
	case r.Method == http.MethodPost:
		verb = "insert"
	case r.Method == http.MethodPatch:
		verb = "update"
	case r.Method == http.MethodDelete:
		verb = "delete"
	case named:
		verb = "get"
	default:
		verb = "list"
	}
	return "compute." + collection + "." + verb
}

// googleGives is the id of what a request deletes or cancels. The operation that it
// begins goes on when nobody waits for it.
func googleGives(r *http.Request) string {
	switch method := methodOf(r, nil); {
	case !strings.HasSuffix(method, ".delete") && !strings.HasSuffix(method, ".cancel"):
		return ""
	default:
		_, id, _ := strings.Cut(strings.TrimSuffix(r.URL.Path, "/cancel"), "/compute/v1/")
		return id
	}
}

// googleAnswer answers in the form of Compute Engine's errors; too many requests
// are refused with 403 (Compute Engine, "Rate quotas").
func googleAnswer(w http.ResponseWriter, act Act) {
	switch act {
	case InternalError:
		write(w, http.StatusInternalServerError, "application/json", computeError(http.StatusInternalServerError, "backendError", "Internal error. Please try again."))
	case Throttle:
		write(w, http.StatusForbidden, "application/json", computeError(http.StatusForbidden, "rateLimitExceeded", "Rate Limit Exceeded"))
	default:
		plain(w, act)
	}
}

func computeError(code int, reason, message string) string {
	return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"errors":[{"message":%q,"domain":"global","reason":%q}]}}`, code, message, message, reason)
}
