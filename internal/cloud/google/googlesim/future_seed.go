package googlesim

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

var futurePath = regexp.MustCompile(`^projects/([^/]+)/zones/([^/]+)/futureReservations/(` + nameForm + `)$`)

// seedFuture completes a future reservation of a scenario: an approved one of
// its default mode, unless its status or a tag "calendar" with any value says
// otherwise; tags are not kept. One that was delivered brings the reservation
// it was delivered in, of its own name.
func seedFuture(s *Simulator, tx *sim.Tx, obj *sim.Object) error {
	project, name, err := seedFutureName(tx, obj)
	if err != nil {
		return err
	}
	region, known := regionOf(obj.Zone)
	if !known || (obj.Region != "" && obj.Region != region) {
		return fail(reasonInvalid, "no such place: %s %s", obj.Region, obj.Zone)
	}
	if obj.Status == "" {
		obj.Status = futureApproved
	}
	if refused := checkSeed(obj); refused != nil {
		return refused
	}
	rememberProject(tx, project)
	obj.Account, obj.Region, obj.NativeID = project, region, zonePath(project, obj.Zone, futureType, name)
	f, refused := s.seededFuture(tx, obj, name)
	if refused != nil {
		return refused
	}
	obj.Tags, obj.InUse = nil, sim.Use{}
	obj.Aliases = []string{numbered(obj.NativeID, f.ID)}
	if err := obj.Encode(f); err != nil {
		return err
	}
	patchedFuture(tx, obj)
	return nil
}

func checkSeed(obj *sim.Object) *apiError {
	if obj.Count < 1 || obj.StartsAt.IsZero() || !obj.EndsAt.After(obj.StartsAt) || !slices.Contains(futureStatuses(), obj.Status) {
		return fail(reasonInvalid, "a future reservation has a count, starts_at, a later ends_at and a procurement status as its status")
	}
	return nil
}

func seedFutureName(tx *sim.Tx, obj *sim.Object) (project, name string, err error) {
	project, name = seedProject, obj.NativeID
	if name == "" {
		name = "future-" + tx.Hex(8)
	}
	if strings.Contains(name, "/") {
		m := futurePath.FindStringSubmatch(name)
		if m == nil || m[2] != obj.Zone || !projectForm.MatchString(m[1]) || digits.MatchString(m[1]) {
			return "", "", fail(reasonInvalid, "native_id %s is not projects/PROJECT/zones/%s/futureReservations/NAME", obj.NativeID, obj.Zone)
		}
		project, name = m[1], m[3]
	}
	if err := checkName("native_id", name); err != nil {
		return "", "", err
	}
	return project, name, nil
}

// seededFuture reads the header as if it were a request.
func (s *Simulator) seededFuture(tx *sim.Tx, obj *sim.Object, name string) (future, *apiError) {
	body := map[string]any{
		"planningStatus": planningSubmitted, "reservationName": name, "specificReservationRequired": true,
		"autoDeleteAutoCreatedReservations": true,
		"timeWindow": map[string]any{
			"startTime": obj.StartsAt.Format(time.RFC3339Nano), "endTime": obj.EndsAt.Format(time.RFC3339Nano),
		},
		"specificSkuProperties": map[string]any{
			"totalCount": shown(obj.Count), "instanceProperties": map[string]any{"machineType": obj.InstanceType},
		},
	}
	if obj.Status == futureDrafting {
		body["planningStatus"] = planningDraft
	}
	if _, calendar := obj.Tags["calendar"]; calendar {
		body["reservationMode"] = calendarMode
	}
	q := &query{call: &call{project: obj.Account, zone: obj.Zone, region: obj.Region}, sim: s, tx: tx}
	w, err := q.readFuture(body, false)
	return future{
		ID: newID(tx), Created: tx.Now().Truncate(time.Millisecond), Request: w.Request, Spec: w.Spec, Times: s.options.Future.times(),
	}, err
}
