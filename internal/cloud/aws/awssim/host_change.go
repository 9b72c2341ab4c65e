package awssim

import (
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// perItem is the prefix of codes within an answer of 200 (fact aws-6-partial).
const perItem = "Client."

// eachHost applies a change to each host that a request names, and tells which
// it could not be done to. An id of another form refuses the whole request.
func (q *query) eachHost(change func(obj *sim.Object) *apiError) ([]node, *apiError) {
	ids := q.form.list("HostId")
	if len(ids) == 0 {
		return nil, missing("HostId")
	}
	done, failed := el("successful"), el("unsuccessful")
	for _, id := range ids {
		obj, err := q.findHost(id)
		if err != nil && err.code != codeHostNotFound {
			return nil, err
		}
		if err == nil {
			err = change(obj)
		}
		if err == nil {
			done.kids = append(done.kids, text("item", id))
			continue
		}
		failed.kids = append(failed.kids, item(
			el("error", text("code", perItem+err.code), text("message", err.message)), text("resourceId", id)))
	}
	return []node{done, failed}, nil
}

// modifyHosts is ModifyHosts. Only available hosts change (UNVERIFIED).
func modifyHosts(q *query) ([]node, *apiError) {
	names := []string{"AutoPlacement", "HostMaintenance", "HostRecovery", "InstanceFamily", "InstanceType"}
	if !slices.ContainsFunc(names, q.form.has) {
		return nil, missing("AutoPlacement")
	}
	wanted, err := q.typeOrFamily()
	if err != nil {
		return nil, err
	}
	if wanted != "" {
		if err := q.checkHostType(wanted); err != nil {
			return nil, err
		}
	}
	// What is wrong with a value is wrong for every host.
	if _, err := q.hostSettings(host{}, "m5"); err != nil {
		return nil, err
	}
	return q.eachHost(func(obj *sim.Object) *apiError { return q.modifyHost(obj, wanted) })
}

func (q *query) modifyHost(obj *sim.Object, wanted string) *apiError {
	if obj.Status != hostAvailable {
		return hostState(obj, "modified")
	}
	if wanted != "" && hostFamily(wanted) != hostFamily(obj.InstanceType) {
		return fail("InvalidHostConfiguration", "Dedicated host '%s' is of the family %s and cannot support %s",
			reservationID(obj), hostFamily(obj.InstanceType), wanted)
	}
	if wanted != "" && wanted != obj.InstanceType && obj.InUse.Count() > 0 {
		return fail(codeHostOccupied, "Dedicated host '%s' cannot support another instance type as it is occupied", reservationID(obj))
	}
	var h host
	if err := obj.Decode(&h); err != nil {
		return refusal(err)
	}
	h, err := q.hostSettings(h, obj.InstanceType)
	if err != nil {
		return err
	}
	if wanted != "" {
		q.tx.Give(placeOf(obj), 1)
		obj.InstanceType = wanted
		q.tx.Give(placeOf(obj), -1)
	}
	if err := obj.Encode(h); err != nil {
		return refusal(err)
	}
	return nil
}

func hostState(obj *sim.Object, what string) *apiError {
	return fail(codeHostState, "Dedicated host '%s' is in the state %s and cannot be %s", reservationID(obj), obj.Status, what)
}

// releaseHosts is ReleaseHosts. A host stays listed for a while as released.
func releaseHosts(q *query) ([]node, *apiError) {
	return q.eachHost(q.releaseHost)
}

func (q *query) releaseHost(obj *sim.Object) *apiError {
	if !slices.Contains([]string{hostAvailable, hostUnderAssessment, hostFailed}, obj.Status) {
		return hostState(obj, "released")
	}
	if obj.InUse.Count() > 0 {
		return fail(codeHostOccupied, "Dedicated host '%s' cannot be released as it is occupied", reservationID(obj))
	}
	if id := q.coverOf(obj); id != "" {
		// That it is refused: user guide, dedicated hosts overview. The code
		// is UNVERIFIED.
		return fail("OperationNotPermitted", "Dedicated host '%s' cannot be released before the end of its reservation '%s'",
			reservationID(obj), id)
	}
	var h host
	if err := obj.Decode(&h); err != nil {
		return refusal(err)
	}
	h.Released = q.tx.Now().Truncate(time.Millisecond)
	if err := obj.Encode(h); err != nil {
		return refusal(err)
	}
	status := hostReleased
	if obj.Status == hostFailed {
		status = hostReleasedFailed
	}
	obj.Status, obj.Due = status, q.tx.Now().Add(releasedVisible)
	q.tx.Give(placeOf(obj), 1)
	return nil
}
