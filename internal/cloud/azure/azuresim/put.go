package azuresim

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// wish is what a PUT or PATCH of a reservation says.
type wish struct {
	size size
	// sku is the size in the caller's casing; "" is none given.
	sku  string
	tier string
	// count is less than 0 where none is given.
	count int
	zone  string
	tags  map[string]string
	// schedule is nil for a reservation on demand.
	schedule *schedule
}

// putReservation is CapacityReservations_CreateOrUpdate.
func putReservation(q *query) (result, *apiError) {
	of, g, err := q.parent()
	if err != nil {
		return result{}, err
	}
	w, err := q.wish(of, g)
	if err != nil {
		return result{}, err
	}
	obj, there := q.tx.Object(cloudName, nativeID(q.reservationID()))
	if !there {
		return q.newReservation(of, g, w)
	}
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return result{}, internal(err)
	}
	if w.zone != obj.Zone {
		return result{}, changed("zones")
	}
	return q.update(obj, r, w, http.StatusOK)
}

// parent gets the group of a reservation that is put.
func (q *query) parent() (*sim.Object, group, *apiError) {
	if err := q.livingResourceGroup(); err != nil {
		return nil, group{}, err
	}
	of, g, err := q.findGroup()
	if err != nil && err.code == codeNotFound {
		err = fail(codeParentNotFound, "Can not perform requested operation on nested resource. Parent resource '%s' not found.",
			printable(q.vars[varGroup]))
	}
	if err == nil && of.Status == stateDeleting {
		err = busy()
	}
	return of, g, err
}

// wish reads a PUT. The order of the checks is UNVERIFIED.
func (q *query) wish(of *sim.Object, g group) (wish, *apiError) {
	w := wish{}
	if err := checkName(q.vars[varReservation]); err != nil {
		return w, err
	}
	place, err := q.location()
	if err != nil {
		return w, err
	}
	if place != of.Region {
		return w, fail(codeInvalidParameter, "The location '%s' of the capacity reservation must be that of its capacity reservation group, '%s'.",
			place, of.Region).at("location")
	}
	if err := q.wantSKU(&w, place); err != nil {
		return w, err
	}
	if w.sku == "" || w.count < 0 {
		return w, missing("sku.capacity")
	}
	if w.tags, err = q.tags(); err != nil {
		return w, err
	}
	if w.zone, err = q.zone(place, g); err != nil {
		return w, err
	}
	return w, nil
}

// wantSKU reads sku. Of a PATCH it may have the capacity only (azure-cli recording
// test_capacity_reservation_operations, 2026-09).
func (q *query) wantSKU(w *wish, place string) *apiError {
	w.count = -1
	sku, given := q.body["sku"].(map[string]any)
	if !given {
		if q.method.verb == http.MethodPut {
			return missing("sku")
		}
		return nil
	}
	w.tier, _ = sku["tier"].(string)
	if n, ok := sku["capacity"].(int64); ok {
		if n < 0 || n > math.MaxInt32 {
			return fail(codeInvalidParameter, "The value of parameter sku.capacity is invalid: '%s'.", strconv.FormatInt(n, 10)).at("sku.capacity")
		}
		w.count = int(n)
	}
	w.sku, _ = sku["name"].(string)
	if w.sku == "" {
		if q.method.verb == http.MethodPut {
			return missing("sku.name")
		}
		return nil
	}
	var known bool
	if w.size, known = q.sim.sizeByName(w.sku); !known || !w.size.offered(place, "") {
		return fail(codeInvalidParameter, "The value %s provided for the VM size is not valid. The valid sizes in the current region are: %s. "+
			"Find out more on the valid VM sizes in each region at https://aka.ms/azure-regions.", printable(w.sku), q.sim.sizesIn(place)).
			at("sku.name")
	}
	return nil
}

func (s *Simulator) sizesIn(place string) string {
	var names []string
	for _, size := range s.sizes {
		if size.offered(place, "") {
			names = append(names, size.name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// zone reads the zone of a reservation: one of its group's, or none where the
// group has none (azure-compute-docs, capacity-reservation-overview; the texts
// UNVERIFIED).
func (q *query) zone(place string, g group) (string, *apiError) {
	zones, err := q.zones(place)
	if err != nil {
		return "", err
	}
	switch {
	case len(g.Zones) == 0 && len(zones) == 0:
		return "", nil
	case len(g.Zones) == 0:
		return "", fail(codeInvalidParameter, "Zones cannot be specified for a capacity reservation in a capacity reservation group without zones.").
			at("zones")
	case len(zones) != 1:
		return "", fail(codeInvalidParameter, "A capacity reservation in a capacity reservation group with zones '%s' needs exactly one of them.",
			strings.Join(g.Zones, ",")).at("zones")
	case !slices.Contains(g.Zones, zones[0]):
		return "", fail(codeInvalidParameter, "The zone '%s' of the capacity reservation is not one of its capacity reservation group, '%s'.",
			zones[0], strings.Join(g.Zones, ",")).at("zones")
	}
	return zones[0], nil
}

// reservable refuses a size that cannot be had there, or not be reserved so.
func (q *query) reservable(s size, place, zone, kind string) *apiError {
	if !s.offered(place, zone) {
		return skuNotAvailable(s, place, zone)
	}
	if _, restricted := s.restricted(place, zone); restricted {
		return skuNotAvailable(s, place, zone)
	}
	if !s.reservableAs(kind) {
		return fail(codeNotSupported, "Capacity Reservation is not supported for VM size %s.", s.name).at("sku.name")
	}
	return nil
}

// skuNotAvailable is the refusal of a size that is not offered or restricted
// (fact azure-6-sku).
func skuNotAvailable(s size, place, zone string) *apiError {
	where := "location '" + place + "'"
	if zone != "" {
		where += " zone '" + zone + "'"
	}
	return fail(codeSKU, "The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: %s' is currently not available "+
		"in %s. Please try another size or deploy to a different location or different zone. See https://aka.ms/azureskunotavailable for details.",
		s.name, where).at("sku.name")
}

// newReservation creates (facts azure-4).
func (q *query) newReservation(of *sim.Object, g group, w wish) (result, *apiError) {
	if err := q.reservable(w.size, of.Region, w.zone, g.Kind); err != nil {
		return result{}, err
	}
	if err := q.onlyOne(of, w); err != nil {
		return result{}, err
	}
	if err := q.wantSchedule(g.Kind, nil, nil, &w); err != nil {
		return result{}, err
	}
	path := q.reservationID()
	r := reservation{
		Path: path, GUID: newGUID(q.tx), Created: q.tx.Now(), Group: of.NativeID, Kind: g.Kind, SKU: w.sku, Tier: w.tier,
		Schedule: w.schedule, Etag: 1,
	}
	obj := &sim.Object{
		Cloud: cloudName, Type: reservationType, NativeID: nativeID(path), Aliases: spellings(path), Account: q.subscription,
		Region: of.Region, Zone: w.zone, InstanceType: w.size.name, Tags: w.tags,
	}
	dated(obj, w.schedule)
	c, f, err := q.fulfill(obj, r, w.count)
	if err != nil {
		return result{}, err
	}
	obj.Count, obj.Status = w.count, stateCreating
	if err := obj.Encode(r); err != nil {
		return result{}, internal(err)
	}
	q.tx.Insert(obj)
	return q.started(obj, "reservation.create", c, f, http.StatusCreated)
}

// onlyOne refuses a second reservation of a size, or of a size and zone, in a
// group (azure-compute-docs, capacity-reservation-create; code and text UNVERIFIED).
func (q *query) onlyOne(of *sim.Object, w wish) *apiError {
	for _, other := range q.children(of) {
		if other.InstanceType == w.size.name && other.Zone == w.zone {
			return fail(codeConflict, "A capacity reservation for VM size '%s' exists already in capacity reservation group '%s': '%s'.",
				w.size.name, lastSegment(of.NativeID), lastSegment(other.NativeID)).at("sku.name")
		}
	}
	return nil
}

// started answers for an operation on a reservation that was just begun.
func (q *query) started(obj *sim.Object, act string, c change, f *failure, status int) (result, *apiError) {
	op, err := q.operate(obj, act, c, f)
	if err != nil {
		return result{}, err
	}
	answer := result{status: status, header: q.accepted(op)}
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return result{}, internal(err)
	}
	answer.header.Set("Etag", etagOf(r))
	answer.body, err = q.reservationJSON(obj, view{machines: true})
	return answer, err
}
