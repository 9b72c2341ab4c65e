package googlesim

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	planningDraft     = "DRAFT"
	planningSubmitted = "SUBMITTED"
	dense             = "DENSE"
	// longestPrefix is the limit of namePrefix (discovery document).
	longestPrefix = 20
	// codeDeclined is the code of a fault's operation_error that lets the
	// operation succeed and the review come to no.
	codeDeclined = "DECLINED"
)

// futureSchema lists the fields of a FutureReservation (the discovery
// document). FLEXIBLE is not in its enum and was accepted in recorded traffic.
func futureSchema() object {
	anything := field{kind: ignored}
	return object{
		"name": {kind: text}, "description": {kind: text}, "namePrefix": {kind: text}, "reservationName": {kind: text},
		"planningStatus":  {kind: text, enum: []string{planningDraft, planningSubmitted}},
		"reservationMode": {kind: text, enum: []string{"DEFAULT", calendarMode}},
		"timeWindow":      {kind: nested, of: windowSchema()},
		"specificSkuProperties": {kind: nested, of: object{
			"totalCount": {kind: whole}, "instanceProperties": {kind: nested, of: propertiesSchema()},
			"sourceInstanceTemplate": {kind: text},
		}},
		"specificReservationRequired":       {kind: truth},
		"shareSettings":                     {kind: nested, of: sharingSchema()},
		"autoDeleteAutoCreatedReservations": {kind: truth},
		"autoCreatedReservationsDeleteTime": {kind: text},
		"autoCreatedReservationsDuration":   {kind: nested, of: durationSchema()},
		"deploymentType":                    {kind: text, enum: []string{dense}},
		"schedulingType":                    {kind: text, enum: []string{"GROUPED", "INDEPENDENT", "FLEXIBLE"}},
		"enableEmergentMaintenance":         {kind: truth},
		"aggregateReservation":              {kind: nested, of: reservationSchema()["aggregateReservation"].of},
		"colocationResource":                {kind: text},
		"commitmentInfo": {kind: nested, of: object{
			"commitmentName": {kind: text}, "commitmentPlan": {kind: text}, "previousCommitmentTerms": {kind: text},
		}},
		"confidentialComputeType": {kind: text}, "resourceName": {kind: text},
		"params": {kind: nested, of: object{"resourceManagerTags": {kind: textMap}}},
		"id":     anything, "kind": anything, "creationTimestamp": anything, "selfLink": anything, "selfLinkWithId": anything,
		"zone": anything, "status": anything, "resourceMetadata": anything,
	}
}

// notOffered are fields of the real API that mean something which is not
// simulated: TPUs, clusters, commitments and storage.
func notOffered() []string {
	return []string{"aggregateReservation", "colocationResource", "commitmentInfo", "confidentialComputeType", "resourceName"}
}

// wish is what a body asks for.
type wish struct {
	Request json.RawMessage `json:"request"`
	Spec    futureSpec      `json:"spec"`
	Period  period          `json:"period"`
	Count   int             `json:"count"`
}

// readFuture checks everything that a body says. fresh is false where the
// period was accepted before.
func (q *query) readFuture(body map[string]any, fresh bool) (wish, *apiError) {
	var w wish
	for _, name := range notOffered() {
		if _, given := body[name]; given {
			return w, invalid("resource."+name, "", "It is not offered by this simulation.")
		}
	}
	var err *apiError
	if w.Period, err = readWindow(body); err != nil {
		return w, err
	}
	if w.Spec, w.Count, err = q.readFutureSpec(body); err != nil {
		return w, err
	}
	if fresh {
		if err := w.Period.check(q.tx.Now(), w.Spec.calendar()); err != nil {
			return w, err
		}
	}
	if err := w.Spec.checkMode(w.Count); err != nil {
		return w, err
	}
	if err := w.Spec.readDeletion(body, w.Period); err != nil {
		return w, err
	}
	w.Request, err = w.normal(body)
	return w, err
}

// normal is the body with what durations were turned into.
func (w wish) normal(body map[string]any) (json.RawMessage, *apiError) {
	body["timeWindow"] = map[string]any{
		"startTime": w.Period.Start.Format(time.RFC3339Nano), "endTime": w.Period.End.Format(time.RFC3339Nano),
	}
	delete(body, "autoCreatedReservationsDuration")
	if !w.Spec.Delete.IsZero() {
		body["autoCreatedReservationsDeleteTime"] = w.Spec.Delete.Format(time.RFC3339Nano)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, internal(err)
	}
	return data, nil
}

func (q *query) readFutureSpec(body map[string]any) (futureSpec, int, *apiError) {
	const path = "resource.specificSkuProperties"
	s := futureSpec{Planning: planningDraft}
	s.readTexts(body)
	sku, given := body["specificSkuProperties"].(map[string]any)
	if !given {
		return s, 0, required(path)
	}
	count, err := readCount(path+".totalCount", sku["totalCount"])
	if err != nil {
		return s, 0, err
	}
	if s.Properties, err = q.wantedProperties(path, sku); err != nil {
		return s, 0, err
	}
	settings, _ := body["shareSettings"].(map[string]any)
	if s.Share, err = q.readSharing("resource.shareSettings", settings); err != nil {
		return s, 0, err
	}
	if err := s.checkNames(); err != nil {
		return s, 0, err
	}
	return s, count, checkDense(&reservation{Properties: s.Properties, Echoed: s.echoed()})
}

// readTexts reads what needs no check beyond its form.
func (s *futureSpec) readTexts(body map[string]any) {
	if description, given := body["description"].(string); given {
		s.Description = &description
	}
	if planning, given := body["planningStatus"].(string); given {
		s.Planning = planning
	}
	s.Mode, _ = body["reservationMode"].(string)
	s.Prefix, _ = body["namePrefix"].(string)
	s.Name, _ = body["reservationName"].(string)
	s.Specific, _ = body["specificReservationRequired"].(bool)
	s.Deployment, _ = body["deploymentType"].(string)
	s.Emergent, _ = body["enableEmergentMaintenance"].(bool)
	if s.Scheduling, _ = body["schedulingType"].(string); s.Scheduling == "FLEXIBLE" {
		s.Scheduling = "" // recorded: it is not read back
	}
}

func (s futureSpec) echoed() map[string]any {
	echoed := map[string]any{}
	if s.Deployment != "" {
		echoed["deploymentType"] = s.Deployment
	}
	if s.Scheduling != "" {
		echoed["schedulingType"] = s.Scheduling
	}
	return echoed
}

// checkNames is fact google-5-names.
func (s futureSpec) checkNames() *apiError {
	switch {
	case s.Prefix != "" && s.Name != "":
		return invalid("resource.namePrefix", s.Prefix, "Only one of reservationName and namePrefix can be given.")
	case s.Name != "":
		return checkName("resource.reservationName", s.Name)
	case len(s.Prefix) > longestPrefix:
		return invalid("resource.namePrefix", s.Prefix, "It can be at most 20 characters long.")
	case s.Prefix != "":
		return checkName("resource.namePrefix", s.Prefix)
	}
	return nil
}

// calendarSeries are the series of GPUs in calendar mode: A3 and later.
func calendarSeries() []string { return []string{"a3", "a4", "a4x"} }

// checkMode is facts google-5-calendar-type and google-5-calendar-count.
func (s futureSpec) checkMode(count int) *apiError {
	m := machineTypes()[s.Properties.MachineType]
	switch {
	case !s.calendar():
		return nil
	case !slices.Contains(calendarSeries(), m.series()):
		return invalid("resource.specificSkuProperties.instanceProperties.machineType", m.name,
			"Machine type is not supported in calendar mode.")
	case count > mostCalendar:
		return invalid("resource.specificSkuProperties.totalCount", strconv.Itoa(count),
			"At most 80 VMs can be reserved in calendar mode.")
	}
	return nil
}

// readDeletion reads when the delivered reservations go (facts
// google-5-auto-delete and google-5-delete-time).
func (s *futureSpec) readDeletion(body map[string]any, p period) *apiError {
	const field = "resource.autoCreatedReservationsDeleteTime"
	flag, flagged := body["autoDeleteAutoCreatedReservations"].(bool)
	s.AutoDelete = flag
	text, byTime := body["autoCreatedReservationsDeleteTime"].(string)
	length, byLength := body["autoCreatedReservationsDuration"].(map[string]any)
	var err *apiError
	switch {
	case !byTime && !byLength:
		return nil
	case byTime && byLength:
		return invalid(field, text, "Only one of autoCreatedReservationsDeleteTime and autoCreatedReservationsDuration can be given.")
	case flagged && !flag:
		// UNVERIFIED for the refusal.
		return invalid(field, text, "It can only be given when autoDeleteAutoCreatedReservations is true.")
	case byLength:
		if err = checkSpan("resource.autoCreatedReservationsDuration", length); err == nil {
			s.Delete = p.Start.Add(span(length))
		}
	default:
		s.Delete, err = instantOf(field, text)
	}
	if err == nil && s.Delete.Before(p.End) {
		return invalid(field, instantText(s.Delete), "Auto-created reservations cannot be deleted before future reservation end time.")
	}
	return err
}

// insertFuture is futureReservations.insert.
func insertFuture(q *query) (*sim.Object, *apiError) {
	name, _ := q.body["name"].(string)
	if err := checkName("resource.name", name); err != nil {
		return nil, err
	}
	path := zonePath(q.project, q.zone, futureType, name)
	q.req.NativeID = path
	if err := checkTimes(q.body); err != nil {
		return nil, err
	}
	w, err := q.readFuture(q.body, true)
	if err != nil {
		return nil, err
	}
	if _, exists := q.tx.Object(cloudName, path); exists {
		return nil, fail(reasonAlreadyExists, "The resource '%s' already exists", path)
	}
	if err := q.checkMatching(w); err != nil {
		return nil, err
	}
	f := future{
		ID: newID(q.tx), Created: q.tx.Now().Truncate(time.Millisecond), Request: w.Request, Spec: w.Spec,
		Refused: q.refusedReview(), Times: q.sim.options.Future.times(),
	}
	obj := &sim.Object{
		Cloud: cloudName, Type: futureType, NativeID: path, Aliases: []string{numbered(path, f.ID)}, Account: q.project,
		Region: q.region, Zone: q.zone, InstanceType: w.Spec.Properties.MachineType, Count: w.Count, Status: futureDrafting,
		StartsAt: w.Period.Start, EndsAt: w.Period.End, Hidden: true,
	}
	if err := obj.Encode(f); err != nil {
		return nil, internal(err)
	}
	q.tx.Insert(obj)
	return q.begin(operation{Type: "insert", Act: "future.insert", Target: path, TargetID: f.ID})
}

// refusedReview tells whether the review of this request will come to no; a
// fault that says so does not touch the operation.
func (q *query) refusedReview() bool {
	if e := q.req.Effects.OperationError; e != nil && e.Code == codeDeclined {
		q.req.Effects.OperationError = nil
		return true
	}
	return q.sim.options.Future.Declined
}

// checkMatching is fact google-5-canceled-blocks.
func (q *query) checkMatching(w wish) *apiError {
	for _, obj := range q.tx.Objects(cloudName, futureType) {
		var f future
		if obj.Account != q.project || obj.Zone != q.zone || obj.Decode(&f) != nil || !sameProperties(f.Spec.Properties, w.Spec.Properties) {
			continue
		}
		overlaps := obj.StartsAt.Before(w.Period.End) && w.Period.Start.Before(obj.EndsAt)
		if obj.Status == futureCancelled || (overlaps && q.sim.options.Future.OverlapRefused) {
			return invalid("resource.specificSkuProperties.instanceProperties", w.Spec.Properties.MachineType,
				"A future reservation with matching properties exists: '"+obj.NativeID+"'.")
		}
	}
	return nil
}

func sameProperties(a, b instanceProperties) bool { return reflect.DeepEqual(a, b) }

func insertedFuture(_ *sim.Tx, obj *sim.Object, _ *operation, at time.Time) *failure {
	var f future
	if err := obj.Decode(&f); err != nil {
		return &failure{Code: "INTERNAL_ERROR", Message: err.Error()}
	}
	obj.Hidden = false
	if f.Spec.Planning == planningSubmitted {
		obj.Status = futurePending
	}
	f.plan(obj, at)
	return nil
}

func failedFuture(tx *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) { tx.Remove(obj) }
