package googlesim

import (
	"net/http"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// visibleReservations are the reservations of the project that can be seen, in
// one zone or in all.
func (q *query) visibleReservations() []*sim.Object {
	var found []*sim.Object
	for _, obj := range q.tx.Objects(cloudName, reservationType) {
		if !obj.Hidden && obj.Account == q.project && (q.zone == "" || obj.Zone == q.zone) {
			found = append(found, obj)
		}
	}
	return found
}

func listReservations(q *query) (any, *apiError) {
	rows, next, err := q.render(q.visibleReservations(), q.sim.reservationJSON)
	if err != nil {
		return nil, err
	}
	return listOf("compute#reservationList", zonePath(q.project, q.zone, reservationType), rows, next), nil
}

func aggregatedReservations(q *query) (any, *apiError) {
	rows, next, err := q.render(q.visibleReservations(), q.sim.reservationJSON)
	if err != nil {
		return nil, err
	}
	return q.aggregatedOf("compute#reservationAggregatedList", reservationType, rows, next), nil
}

// aggregatedWire is an aggregated list in JSON.
type aggregatedWire struct {
	Kind          string                    `json:"kind"`
	ID            string                    `json:"id"`
	Items         map[string]map[string]any `json:"items"`
	NextPageToken string                    `json:"nextPageToken,omitempty"`
	SelfLink      string                    `json:"selfLink"`
}

// aggregated answers an aggregated list of a zonal collection. The first page
// names every zone, those without results with a warning; further pages only
// those that they have results of (UNVERIFIED for further pages).
func (q *query) aggregated(kind, collection string, rows []row) (any, *apiError) {
	rows, next, err := q.cut(rows)
	if err != nil {
		return nil, err
	}
	return q.aggregatedOf(kind, collection, rows, next), nil
}

func (q *query) aggregatedOf(kind, collection string, rows []row, next string) any {
	path := "projects/" + q.project + "/aggregated/" + collection
	w := aggregatedWire{Kind: kind, ID: path, Items: map[string]map[string]any{}, NextPageToken: next, SelfLink: link(path)}
	results := map[string][]any{}
	for _, r := range rows {
		scope := "zones/" + r.obj.Zone
		results[scope] = append(results[scope], r.wire)
	}
	if q.params.Get("pageToken") == "" {
		for _, scope := range q.scopes() {
			w.Items[scope] = noResults(scope)
		}
	}
	for scope, found := range results {
		w.Items[scope] = map[string]any{collection: found}
	}
	return w
}

func (q *query) scopes() []string {
	var all []string
	for _, zone := range zones() {
		all = append(all, "zones/"+zone)
	}
	if q.params.Get("includeAllScopes") == "true" {
		all = append(all, "global")
		for region := range regions() {
			all = append(all, "regions/"+region)
		}
	}
	return all
}

func noResults(scope string) map[string]any {
	return map[string]any{"warning": warningWire{
		Code: "NO_RESULTS_ON_PAGE", Message: "There are no results for scope '" + scope + "' on this page.",
		Data: []warningData{{"scope", scope}},
	}}
}

// blockMethods are what can be read of the blocks that dense reservations are
// made of, and what the API has beside it.
func blockMethods() []method {
	const (
		one    = "projects/{project}/zones/{zone}/reservations/{reservation}"
		blocks = one + "/reservationBlocks"
	)
	return []method{
		{
			id: "compute.reservationBlocks.list", verb: http.MethodGet, path: blocks, query: listParams(),
			group: groupLists, run: listBlocks,
		},
		{
			id: "compute.reservationBlocks.get", verb: http.MethodGet, path: blocks + "/{reservationBlock}", query: []string{"view"},
			group: groupReads, run: getBlock,
		},
		{
			id: "compute.reservations.testIamPermissions", verb: http.MethodPost,
			path: "projects/{project}/zones/{zone}/reservations/{resource}/testIamPermissions",
			body: &object{"permissions": {kind: texts}}, group: groupReads, run: testPermissions,
		},
		{
			id: "compute.reservations.getIamPolicy", verb: http.MethodGet,
			path:  "projects/{project}/zones/{zone}/reservations/{resource}/getIamPolicy",
			query: []string{"optionsRequestedPolicyVersion"}, group: groupReads, run: getPolicy,
		},
		{
			id: "compute.reservations.performMaintenance", verb: http.MethodPost, path: one + "/performMaintenance",
			query: []string{"requestId"}, body: &object{"maintenanceScope": {kind: text}}, group: groupQueries, run: refuseMaintenance,
		},
	}
}

// blockWire is a ReservationBlock in JSON.
type blockWire struct {
	Kind              string            `json:"kind"`
	ID                string            `json:"id"`
	CreationTimestamp string            `json:"creationTimestamp"`
	Name              string            `json:"name"`
	Zone              string            `json:"zone"`
	SelfLink          string            `json:"selfLink"`
	Status            string            `json:"status"`
	Count             int               `json:"count"`
	InUseCount        int               `json:"inUseCount"`
	Topology          map[string]string `json:"physicalTopology"`
}

// blocks of a reservation: one of all instances for a dense one, none for
// others. How Google divides them and names blocks is UNVERIFIED.
func (q *query) blocks() (*sim.Object, []row, *apiError) {
	obj, r, err := q.findReservation()
	if err != nil || !r.Dense {
		return obj, nil, err
	}
	name := lastSegment(obj.NativeID) + "-block-0001"
	return obj, []row{{obj, blockWire{
		Kind: "compute#reservationBlock", ID: r.ID, CreationTimestamp: stamp(r.Created), Name: name,
		Zone: link(zonePath(obj.Account, obj.Zone)), SelfLink: link(obj.NativeID + "/reservationBlocks/" + name), Status: statusReady,
		Count: obj.Count, InUseCount: obj.InUse.Count(), Topology: map[string]string{"cluster": obj.Zone + "-1", "block": r.ID},
	}}}, nil
}

func listBlocks(q *query) (any, *apiError) {
	obj, rows, err := q.blocks()
	if err != nil {
		return nil, err
	}
	return q.page("compute#reservationBlockList", obj.NativeID+"/reservationBlocks", rows)
}

func getBlock(q *query) (any, *apiError) {
	_, rows, err := q.blocks()
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if name, _ := fieldOf(r.wire, "name"); name == q.vars["reservationBlock"] {
			return map[string]any{"resource": r.wire}, nil
		}
	}
	return nil, notFound(q.target())
}

// testPermissions grants all: nobody is refused anything here but by faults.
func testPermissions(q *query) (any, *apiError) {
	if _, _, err := q.findReservation(); err != nil {
		return nil, err
	}
	return map[string]any{"permissions": q.body["permissions"]}, nil
}

// getPolicy shows an empty policy, which has an etag only.
func getPolicy(q *query) (any, *apiError) {
	if _, _, err := q.findReservation(); err != nil {
		return nil, err
	}
	return map[string]any{"etag": "ACAB"}, nil
}

// refuseMaintenance refuses what only dense reservations have, and those have
// none planned here. The text is UNVERIFIED.
func refuseMaintenance(q *query) (any, *apiError) {
	obj, _, err := q.findReservation()
	if err != nil {
		return nil, err
	}
	return nil, fail(reasonInvalid, "Invalid resource usage: 'No maintenance is scheduled for %s.'.", obj.NativeID)
}
