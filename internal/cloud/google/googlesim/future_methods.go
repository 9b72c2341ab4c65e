package googlesim

import (
	"net/http"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func futureActs() map[string]act {
	return map[string]act{
		"future.insert": {succeed: insertedFuture, fail: failedFuture},
		"future.update": {succeed: updatedFuture, fail: unchanged},
		"future.cancel": {succeed: cancelledFuture, fail: unchanged},
		"future.delete": {succeed: deletedFuture, fail: unchanged},
	}
}

func futureMethods() []method {
	const (
		collection = "projects/{project}/zones/{zone}/futureReservations"
		one        = collection + "/{futureReservation}"
	)
	body := futureSchema()
	request := []string{"requestId"}
	return []method{
		{
			id: "compute.futureReservations.insert", verb: http.MethodPost, path: collection, query: request, body: &body,
			group: groupQueries, run: mutation(insertFuture),
		},
		{id: "compute.futureReservations.get", verb: http.MethodGet, path: one, group: groupReads, run: getFuture},
		{
			id: "compute.futureReservations.list", verb: http.MethodGet, path: collection, query: listParams(),
			group: groupLists, run: listFutures,
		},
		{
			id: "compute.futureReservations.aggregatedList", verb: http.MethodGet, path: "projects/{project}/aggregated/futureReservations",
			query: listParams("includeAllScopes", "serviceProjectNumber"), group: groupLists, run: aggregatedFutures,
		},
		{
			id: "compute.futureReservations.update", verb: http.MethodPatch, path: one, query: []string{"requestId", "updateMask"},
			body: &body, group: groupQueries, run: mutation(updateFuture),
		},
		{
			id: "compute.futureReservations.cancel", verb: http.MethodPost, path: one + "/cancel", query: request,
			group: groupQueries, run: mutation(cancelFuture),
		},
		{
			id: "compute.futureReservations.delete", verb: http.MethodDelete, path: one, query: request,
			group: groupQueries, run: mutation(deleteFuture),
		},
	}
}

func getFuture(q *query) (any, *apiError) {
	obj, _, err := futureAt(q.tx, q.target())
	if err != nil {
		return nil, err
	}
	return q.futureJSON(obj)
}

// visibleFutures are the future reservations of the project that can be seen,
// in one zone or in all.
func (q *query) visibleFutures() []*sim.Object {
	var found []*sim.Object
	for _, obj := range q.tx.Objects(cloudName, futureType) {
		if !obj.Hidden && obj.Account == q.project && (q.zone == "" || obj.Zone == q.zone) {
			found = append(found, obj)
		}
	}
	return found
}

func listFutures(q *query) (any, *apiError) {
	rows, next, err := q.render(q.visibleFutures(), q.futureJSON)
	if err != nil {
		return nil, err
	}
	return listOf("compute#FutureReservationsListResponse", zonePath(q.project, q.zone, futureType), rows, next), nil
}

func aggregatedFutures(q *query) (any, *apiError) {
	rows, next, err := q.render(q.visibleFutures(), q.futureJSON)
	if err != nil {
		return nil, err
	}
	return q.aggregatedOf("compute#futureReservationsAggregatedListResponse", futureType, rows, next), nil
}
