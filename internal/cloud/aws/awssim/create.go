package awssim

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// maxInstances is the largest reservation, and the largest step of a change
// (fact aws-4.1-count).
const maxInstances = 1000

// platforms lists the enum (fact aws-4.1-platform).
func platforms() []string {
	return []string{
		"Linux/UNIX", "Red Hat Enterprise Linux", "SUSE Linux", "Windows",
		"Windows with SQL Server", "Windows with SQL Server Enterprise", "Windows with SQL Server Standard",
		"Windows with SQL Server Web",
		"Linux with SQL Server Standard", "Linux with SQL Server Web", "Linux with SQL Server Enterprise",
		"RHEL with SQL Server Standard", "RHEL with SQL Server Enterprise", "RHEL with SQL Server Web",
		"RHEL with HA", "RHEL with HA and SQL Server Standard", "RHEL with HA and SQL Server Enterprise",
		"Ubuntu Pro",
	}
}

// createReservation is CreateCapacityReservation.
func createReservation(q *query) ([]node, *apiError) {
	zone, _, err := q.zone()
	if err != nil {
		return nil, err
	}
	// The token comes before the checks: what was accepted once is not judged
	// again, for instance by an end date that has passed since.
	token, replay, err := q.replay(zone)
	if err != nil {
		return nil, err
	}
	if replay != nil {
		q.req.NativeID = replay.NativeID
		return q.created(replay)
	}
	obj, r, err := q.wanted()
	if err != nil {
		return nil, err
	}
	if err := q.sim.checkQuota(q.tx, obj.Account, obj.Region, obj.InstanceType, obj.Count); err != nil {
		return nil, err
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	if r.Future == nil && !q.tx.Take(placeOf(obj), obj.Count) {
		return nil, fail(codeCapacity, "Insufficient capacity.")
	}
	q.schedule(obj, r)
	if err := obj.Encode(r); err != nil {
		return nil, refusal(err)
	}
	q.tx.Insert(obj)
	q.keepToken(token, obj)
	return q.created(obj)
}

func (q *query) created(obj *sim.Object) ([]node, *apiError) {
	n, err := q.reservation("capacityReservation", obj)
	if err != nil {
		return nil, err
	}
	return []node{n}, nil
}

// schedule sets state and next instant. By default an immediate reservation is
// active at once, as AWS's own examples show; operation_takes makes it pending
// first.
func (q *query) schedule(obj *sim.Object, r *reservation) {
	effects := q.req.Effects
	if r.Future != nil {
		q.assess(obj, r)
		return
	}
	obj.Status, obj.Due = stateActive, obj.EndsAt
	if effects.OperationTakes == nil && effects.OperationError == nil {
		return
	}
	obj.Status, obj.Due = statePending, q.tx.Now()
	if effects.OperationTakes != nil {
		obj.Due = obj.Due.Add(*effects.OperationTakes)
	}
	r.failWith(effects)
}

// wanted checks everything that a request says and makes the object of it.
func (q *query) wanted() (*sim.Object, *reservation, *apiError) {
	for _, name := range []string{"InstanceType", "InstancePlatform", "InstanceCount"} {
		if !q.form.has(name) {
			return nil, nil, missing(name)
		}
	}
	count, err := q.instanceCount()
	if err != nil {
		return nil, nil, err
	}
	zone, zoneID, err := q.zone()
	if err != nil {
		return nil, nil, err
	}
	if err := q.checkType(zone); err != nil {
		return nil, nil, err
	}
	ends, err := q.endDate()
	if err != nil {
		return nil, nil, err
	}
	tags, err := q.newTags("TagSpecifications", reservationType)
	if err != nil {
		return nil, nil, err
	}
	r, err := q.details()
	if err != nil {
		return nil, nil, err
	}
	r.ZoneID = zoneID
	starts, future, err := q.future()
	if err != nil {
		return nil, nil, err
	}
	obj := q.newReservation(sim.Object{
		Zone: zone, InstanceType: q.form["InstanceType"], Count: count, Tags: tags, StartsAt: r.Created, EndsAt: ends,
	})
	if future == nil {
		return obj, r, nil
	}
	r.Future, obj.StartsAt = future, starts
	return obj, r, q.checkFuture(obj, r)
}

// newReservation gives a reservation of the caller its names.
func (q *query) newReservation(obj sim.Object) *sim.Object {
	id := "cr-" + q.tx.Hex(17)
	obj.Cloud, obj.Type, obj.Account, obj.Region = cloudName, reservationType, q.who.Account, q.region
	obj.NativeID, obj.Aliases = reservationARN(q.region, q.who.Account, id), []string{id}
	return &obj
}

func (q *query) instanceCount() (int, *apiError) {
	count, _, err := q.form.whole("InstanceCount")
	if err != nil {
		return 0, err
	}
	if count < 1 || count > maxInstances {
		return 0, fail(codeInvalidValue, "%d is an invalid value for InstanceCount. It must be between 1 and %d.", count, maxInstances)
	}
	return count, nil
}

// zone reads the one of AvailabilityZone and AvailabilityZoneId that is given.
func (q *query) zone() (zone, id string, err *apiError) {
	name, byName := q.form["AvailabilityZone"]
	byIDValue, byID := q.form["AvailabilityZoneId"]
	switch {
	case byName && byID:
		return "", "", fail(codeInvalidCombination, "AvailabilityZone and AvailabilityZoneId are given together")
	case !byName && !byID:
		return "", "", missing("AvailabilityZone")
	case byID:
		name = byIDValue
	}
	zone, id, found := q.sim.catalog.zone(q.region, name)
	if !found || (byName && zone != name) || (byID && id != name) {
		return "", "", fail(codeInvalidValue, "Invalid availability zone: [%s]", printable(name))
	}
	return zone, id, nil
}

func (q *query) checkType(zone string) *apiError {
	instanceType := q.form["InstanceType"]
	if q.sim.catalog.Types[instanceType] == nil {
		return invalid("InstanceType", printable(instanceType), "There is no such instance type.")
	}
	if q.sim.catalog.offered(q.region, zone, instanceType) {
		return nil
	}
	return fail(codeUnsupported, "Your requested instance type (%s) is not supported in your requested Availability Zone (%s). "+
		"Zones of %s that offer it: %s.", instanceType, zone, q.region, list(q.sim.catalog.zonesOf(q.region, instanceType)))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// endDate checks EndDateType and EndDate together; zero is unlimited. A date
// without a type is undocumented and refused. The codes are UNVERIFIED.
func (q *query) endDate() (time.Time, *apiError) {
	kind, err := q.form.choice("EndDateType", "unlimited", "limited")
	if err != nil {
		return time.Time{}, err
	}
	ends, err := q.form.time("EndDate")
	if err != nil {
		return time.Time{}, err
	}
	switch {
	case kind == "limited" && ends.IsZero():
		return time.Time{}, fail(codeInvalidCombination, "EndDateType limited needs an EndDate")
	case kind == "unlimited" && !ends.IsZero():
		return time.Time{}, fail(codeInvalidCombination, "EndDate needs EndDateType limited")
	case !ends.IsZero() && !ends.After(q.tx.Now()):
		return time.Time{}, invalid("EndDate", q.form["EndDate"], "It must be in the future.")
	}
	return ends, nil
}

// details reads what only AWS knows of a reservation.
func (q *query) details() (*reservation, *apiError) {
	r := &reservation{Created: q.tx.Now().Truncate(time.Millisecond), Platform: q.form["InstancePlatform"]}
	if !slices.Contains(platforms(), r.Platform) {
		return nil, invalid("InstancePlatform", printable(r.Platform), "Valid values: "+strings.Join(platforms(), ", ")+".")
	}
	var err *apiError
	if r.Tenancy, err = q.form.choice("Tenancy", "default", "dedicated"); err != nil {
		return nil, err
	}
	if r.Match, err = q.form.choice("InstanceMatchCriteria", "open", "targeted"); err != nil {
		return nil, err
	}
	if r.EBSOptimized, err = q.form.truth("EbsOptimized"); err != nil {
		return nil, err
	}
	if r.Ephemeral, err = q.form.truth("EphemeralStorage"); err != nil {
		return nil, err
	}
	r.PlacementGroup = q.form["PlacementGroupArn"]
	own := "arn:aws:ec2:" + q.region + ":" + q.who.Account + ":placement-group/"
	if q.form.has("PlacementGroupArn") && (!strings.HasPrefix(r.PlacementGroup, own) || r.PlacementGroup == own) {
		return nil, invalid("PlacementGroupArn", printable(r.PlacementGroup), "It is not a placement group of this account and region.")
	}
	return r, nil
}

var tokenForm = regexp.MustCompile(`^[\x21-\x7e]{1,64}$`)

// notCompared are the parameters in which two requests of one token may
// differ. The zone belongs to the token's key instead: the same token for
// another zone is another request, not a mismatch (section 4.7; that it makes
// a second reservation is the worse case for a caller and UNVERIFIED).
func notCompared() []string {
	return []string{"ClientToken", "AvailabilityZone", "AvailabilityZoneId", "DryRun"}
}

// replay looks a token up. It gives the token's key, and the object where the
// request was made before.
func (q *query) replay(zone string) (string, *sim.Object, *apiError) {
	value, given := q.form["ClientToken"]
	if !given {
		return "", nil, nil
	}
	if !tokenForm.MatchString(value) {
		return "", nil, invalid("ClientToken", printable(value), "It must be 1 to 64 ASCII characters.")
	}
	key := strings.Join([]string{q.who.Account, q.region, q.action, zone, value}, "\x00")
	token, seen := q.tx.Token(cloudName, key)
	if !seen {
		return key, nil, nil
	}
	if token.Digest != q.digest(notCompared()...) {
		return "", nil, fail(codeIdempotentMismatch,
			"The client token was used before with other parameters")
	}
	obj, ok := q.tx.Object(cloudName, token.NativeID)
	if !ok {
		// The object was made to vanish; the token goes with it.
		return key, nil, nil
	}
	return key, obj, nil
}

// keepToken keeps a token for what its request made.
func (q *query) keepToken(token string, obj *sim.Object) {
	q.req.NativeID = obj.NativeID
	if token != "" {
		q.tx.PutToken(cloudName, token, sim.Token{
			Digest: q.digest(notCompared()...), NativeID: obj.NativeID, At: q.tx.Now(),
		})
	}
}
