package googlesim

import (
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// maxInstances is the largest reservation (ReservationsResizeRequest in the
// discovery document; for insert UNVERIFIED).
const maxInstances = 1000

const nameForm = `[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?`

var nameRegexp = regexp.MustCompile(`^(?:` + nameForm + `)$`)

// checkName is the rule for names of resources (RFC 1035).
func checkName(field, name string) *apiError {
	if name == "" {
		return required(field)
	}
	if !nameRegexp.MatchString(name) {
		return invalid(field, name, "Must be a match of regex '"+nameForm+"'")
	}
	return nil
}

// change is what an operation on a reservation keeps for its end.
type change struct {
	// Taken is the stock that was taken in advance.
	Taken int `json:"taken,omitempty"`
	Count int `json:"count,omitempty"`
	// Updated is the whole new state of an update.
	Updated *reservation `json:"updated,omitempty"`
	Ends    time.Time    `json:"ends,omitzero"`
}

// operate starts an operation on a reservation.
func (q *query) operate(obj *sim.Object, id, kind, act string, c change, f *failure) (*sim.Object, *apiError) {
	data, err := json.Marshal(c)
	if err != nil {
		return nil, internal(err)
	}
	return q.begin(operation{Type: kind, Act: act, Target: obj.NativeID, TargetID: id, Change: data, Failure: f})
}

// insertReservation is reservations.insert. What can be told from the request
// is refused at once; stock is found out in the operation (fact
// google-3.3-stock).
func insertReservation(q *query) (*sim.Object, *apiError) {
	obj, r, err := q.wantedReservation()
	if err != nil {
		return nil, err
	}
	q.req.NativeID = obj.NativeID
	if _, exists := q.tx.Object(cloudName, obj.NativeID); exists {
		return nil, fail(reasonAlreadyExists, "The resource '%s' already exists", obj.NativeID)
	}
	failed, err := q.checkQuota(r.Properties, obj.Count, 1)
	if err != nil {
		return nil, err
	}
	c := change{}
	if failed == nil {
		failed = q.take(obj, r.Properties, obj.Count, &c)
	}
	if err := obj.Encode(r); err != nil {
		return nil, internal(err)
	}
	q.tx.Insert(obj)
	return q.operate(obj, r.ID, "insert", "reservation.insert", c, failed)
}

func insertedReservation(tx *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) *failure {
	obj.Status, obj.Hidden = statusReady, false
	planReservation(tx, obj)
	return nil
}

// failedInsert leaves nothing behind (fact google-3.3-all-or-nothing).
func failedInsert(tx *sim.Tx, obj *sim.Object, op *operation, _ time.Time) {
	tx.Give(placeOf(obj), changeOf(op).Taken)
	tx.Remove(obj)
}

func changeOf(op *operation) change {
	var c change
	// It was encoded by operate.
	_ = json.Unmarshal(op.Change, &c)
	return c
}

// wantedReservation checks everything that an insert says and makes the object
// of it.
func (q *query) wantedReservation() (*sim.Object, *reservation, *apiError) {
	name, _ := q.body["name"].(string)
	if err := checkName("resource.name", name); err != nil {
		return nil, nil, err
	}
	if err := q.checkZone("resource.zone"); err != nil {
		return nil, nil, err
	}
	count, properties, err := q.wantedSKU()
	if err != nil {
		return nil, nil, err
	}
	r := &reservation{ID: newID(q.tx), Created: q.tx.Now().Truncate(time.Millisecond), Properties: properties, Echoed: map[string]any{}}
	ends, err := q.deleteAt(r.Created)
	if err != nil {
		return nil, nil, err
	}
	if err := q.readDetails(r); err != nil {
		return nil, nil, err
	}
	path := zonePath(q.project, q.zone, reservationType, name)
	return &sim.Object{
		Cloud: cloudName, Type: reservationType, NativeID: path, Aliases: []string{numbered(path, r.ID)},
		Account: q.project, Region: q.region, Zone: q.zone, InstanceType: properties.MachineType, Count: count,
		Status: statusCreating, EndsAt: ends, Hidden: !q.sim.options.VisibleWhileCreating,
	}, r, nil
}

// checkZone compares the zone of a body, in any form whose last part is the
// zone, with that of the path.
func (q *query) checkZone(field string) *apiError {
	zone, given := q.body["zone"].(string)
	if given && zone != "" && shortName(zone) != q.zone {
		return invalid(field, zone, "It must be the zone of the request, '"+q.zone+"'.")
	}
	return nil
}

// wantedSKU reads specificReservation.
func (q *query) wantedSKU() (int, instanceProperties, *apiError) {
	const path = "resource.specificReservation"
	if _, given := q.body["aggregateReservation"]; given {
		return 0, instanceProperties{}, invalid("resource.aggregateReservation", "", "Aggregate reservations are for TPUs, which are not offered here.")
	}
	sku, given := q.body["specificReservation"].(map[string]any)
	if !given {
		return 0, instanceProperties{}, required(path)
	}
	count, err := readCount(path+".count", sku["count"])
	if err != nil {
		return 0, instanceProperties{}, err
	}
	properties, err := q.wantedProperties(path, sku)
	return count, properties, err
}

// wantedProperties reads one of instanceProperties and sourceInstanceTemplate.
// There are no templates here.
func (q *query) wantedProperties(path string, sku map[string]any) (instanceProperties, *apiError) {
	body, own := sku["instanceProperties"].(map[string]any)
	template, byTemplate := sku["sourceInstanceTemplate"].(string)
	switch {
	case own && byTemplate:
		return instanceProperties{}, invalid(path+".sourceInstanceTemplate", template,
			"Only one of instanceProperties and sourceInstanceTemplate can be given.")
	case byTemplate:
		return instanceProperties{}, notFound("projects/" + q.project + "/global/instanceTemplates/" + printable(shortName(template)))
	case !own:
		return instanceProperties{}, required(path + ".instanceProperties")
	}
	return readProperties(q.zone, path+".instanceProperties", body)
}

func readCount(field string, value any) (int, *apiError) {
	if value == nil {
		return 0, required(field)
	}
	count, _ := wholeNumber(value)
	if count < 1 || count > maxInstances {
		return 0, invalid(field, strconv.FormatInt(count, 10), "Must be between 1 and 1000, inclusive.")
	}
	return int(count), nil
}

// deleteAt reads deleteAtTime or deleteAfterDuration, of which only the first
// is ever shown; zero is never.
func (q *query) deleteAt(from time.Time) (time.Time, *apiError) {
	at, byTime := q.body["deleteAtTime"].(string)
	after, byDuration := q.body["deleteAfterDuration"].(map[string]any)
	switch {
	case byTime && byDuration:
		return time.Time{}, invalid("resource.deleteAfterDuration", "", "Only one of deleteAtTime and deleteAfterDuration can be given.")
	case byTime:
		return q.futureInstant("resource.deleteAtTime", at)
	case byDuration:
		if err := checkSpan("resource.deleteAfterDuration", after); err != nil {
			return time.Time{}, err
		}
		return from.Add(span(after)), nil
	}
	return time.Time{}, nil
}

func (q *query) futureInstant(field, value string) (time.Time, *apiError) {
	at, err := time.Parse(time.RFC3339Nano, value)
	if err != nil || !at.After(q.tx.Now()) {
		return time.Time{}, invalid(field, value, "The time must be in the future.")
	}
	return at.UTC(), nil
}

// readDetails reads what has no bearing on stock.
func (q *query) readDetails(r *reservation) *apiError {
	r.Description, _ = q.body["description"].(string)
	r.Specific, _ = q.body["specificReservationRequired"].(bool)
	r.ServiceShare = serviceShareTypes()[0]
	if policy, ok := q.body["reservationSharingPolicy"].(map[string]any); ok {
		if share, given := policy["serviceShareType"].(string); given {
			r.ServiceShare = share
		}
	}
	settings, _ := q.body["shareSettings"].(map[string]any)
	var err *apiError
	if r.Sharing, err = q.readSharing("resource.shareSettings", settings); err != nil {
		return err
	}
	for _, name := range echoedFields() {
		if value, given := q.body[name]; given {
			r.Echoed[name] = value
		}
	}
	if err := q.checkPolicies(); err != nil {
		return err
	}
	return checkDense(r)
}

var policyForm = regexp.MustCompile(`(?:^|/)projects/([^/]+)/regions/([a-z0-9-]+)/resourcePolicies/` + nameForm + `$`)

// checkPolicies wants a URL or path of a policy in the region. Policies are
// not kept: any well-formed one exists.
func (q *query) checkPolicies() *apiError {
	policies, _ := q.body["resourcePolicies"].(map[string]any)
	for key, value := range policies {
		url, _ := value.(string)
		if m := policyForm.FindStringSubmatch(url); m == nil || m[2] != q.region {
			return invalid("resource.resourcePolicies["+printable(key)+"]", url, "It must be the URL of a resource policy of region "+q.region+".")
		}
	}
	return nil
}

// checkDense allows dense deployment where blocks exist: A3 Mega and later
// (the AI Hypercomputer pages; for reservations without a future reservation
// UNVERIFIED).
func checkDense(r *reservation) *apiError {
	r.Dense = r.Echoed["deploymentType"] == "DENSE"
	if !r.Dense {
		return nil
	}
	switch r.Properties.MachineType {
	case "a3-megagpu-8g", "a3-ultragpu-8g", "a4-highgpu-8g", "a4x-highgpu-4g", "a4x-maxgpu-4g-metal":
		return nil
	}
	return invalid("resource.deploymentType", "DENSE", "It is not supported for machine type "+r.Properties.MachineType+".")
}
