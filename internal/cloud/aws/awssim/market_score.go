package awssim

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	// scoreConfigType is a configuration that was scored, a hidden object.
	scoreConfigType = "spot-score-configuration"
	// maxScoreConfigs is how many new ones a day brings. AWS has a limit and
	// does not publish it: UNVERIFIED.
	maxScoreConfigs = 50
	scoreConfigKept = 24 * time.Hour
	// maxTarget is the target capacity of an account, whatever its unit.
	// AWS goes by the account's use: UNVERIFIED.
	maxTarget = 100_000
	// maxScored is how many places are told.
	maxScored = 10
	// lowScore is the best score with fewer than three types.
	lowScore = 3
)

// scored is a place with its score.
type scored struct {
	region, zoneID string
	score          int
}

// spotScores is GetSpotPlacementScores. The score itself is AWS's secret:
// here it is 7 to 10 where stock is plenty, and by the part of the target
// that is there where stock is limited.
func spotScores(q *query) ([]node, *apiError) {
	types, err := q.marketTypes()
	if err != nil {
		return nil, err
	}
	if len(types) == 0 {
		return nil, missing("InstanceType")
	}
	target, err := q.scoreTarget()
	if err != nil {
		return nil, err
	}
	regions, err := q.scoreRegions()
	if err != nil {
		return nil, err
	}
	single, err := q.form.truth("SingleAvailabilityZone")
	if err != nil {
		return nil, err
	}
	if _, err := q.form.truth("IncludeLocalZones"); err != nil {
		return nil, err
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	if err := q.countScoreConfig(); err != nil {
		return nil, err
	}
	var places []scored
	for _, region := range regions {
		places = append(places, q.scoreRegion(region, types, target, single)...)
	}
	return q.page("spotPlacementScoreSet", scoreRows(places), limits{10, 1000})
}

// scoreRows are the best places, best first.
func scoreRows(places []scored) []row {
	slices.SortFunc(places, func(a, b scored) int {
		return cmp.Or(b.score-a.score, strings.Compare(a.region, b.region), strings.Compare(a.zoneID, b.zoneID))
	})
	var rows []row
	for i, p := range places[:min(len(places), maxScored)] {
		kids := append([]node{text("region", p.region), number("score", p.score)}, optional("availabilityZoneId", p.zoneID)...)
		rows = append(rows, row{int64(i) + 1, item(kids...)})
	}
	return rows
}

// scoreTarget reads TargetCapacity and its unit.
func (q *query) scoreTarget() (int, *apiError) {
	target, given, err := q.form.whole("TargetCapacity")
	if err != nil {
		return 0, err
	}
	if !given {
		return 0, missing("TargetCapacity")
	}
	if target < 1 || target > 2_000_000_000 {
		return 0, invalid("TargetCapacity", strconv.Itoa(target), "It must be between 1 and 2000000000.")
	}
	if _, err := q.form.choice("TargetCapacityUnitType", scoreUnits()...); err != nil {
		return 0, err
	}
	if target > maxTarget {
		return 0, fail("TargetCapacityLimitExceededException", "The target capacity %d is above the account's limit of %d", target, maxTarget)
	}
	return target, nil
}

func scoreUnits() []string { return []string{"units", "vcpu", "memory-mib"} }

// unitsOf is how much of the target's unit an instance is.
func (q *query) unitsOf(instanceType string) int {
	switch q.form["TargetCapacityUnitType"] {
	case "vcpu":
		return q.sim.catalog.vcpus(instanceType)
	case "memory-mib":
		return q.sim.catalog.whole(instanceType, "memoryInfo", "sizeInMiB")
	}
	return 1
}

func (q *query) scoreRegions() ([]string, *apiError) {
	regions := q.form.list("RegionName")
	if len(regions) > maxScored {
		return nil, fail(codeInvalidValue, "More than %d Regions are given", maxScored)
	}
	for _, name := range regions {
		if _, ok := q.sim.catalog.Regions[name]; !ok {
			return nil, invalid("RegionName", printable(name), "There is no such Region.")
		}
	}
	if len(regions) == 0 {
		regions = slices.Collect(maps.Keys(q.sim.catalog.Regions))
	}
	slices.Sort(regions)
	return slices.Compact(regions), nil
}

// countScoreConfig remembers a configuration for a day and refuses too many
// new ones (fact aws-10-score-configs).
func (q *query) countScoreConfig() *apiError {
	key := "spot-score " + q.digest("MaxResults", "NextToken", "DryRun", "Version")
	known := 0
	for _, obj := range q.ownOf(scoreConfigType) {
		if obj.NativeID == key {
			return nil
		}
		known++
	}
	if known >= maxScoreConfigs {
		return fail("MaxConfigLimitExceededException",
			"You have exceeded your maximum of %d allowed Spot placement configurations in 24 hours", maxScoreConfigs)
	}
	q.tx.Insert(&sim.Object{
		Cloud: cloudName, Type: scoreConfigType, NativeID: key, Account: q.who.Account, Region: q.region,
		Hidden: true, Due: q.tx.Now().Add(scoreConfigKept),
	})
	return nil
}

// scoreRegion scores a region, which is its best zone, or each of its zones.
// Where no type is offered there is no score.
func (q *query) scoreRegion(region string, types []string, target int, single bool) []scored {
	var zones []scored
	for _, zone := range q.sim.catalog.zones(region) {
		score := q.scoreZone(region, zone, types, target)
		if score > 0 {
			zones = append(zones, scored{region, q.sim.catalog.Regions[region].Zones[zone], score})
		}
	}
	if single || len(zones) == 0 {
		return zones
	}
	best := slices.MaxFunc(zones, func(a, b scored) int { return a.score - b.score })
	return []scored{{region: region, score: best.score}}
}

// scoreZone is 0 for a zone that offers none of the types.
func (q *query) scoreZone(region, zone string, types []string, target int) int {
	offered, plenty, there := 0, false, 0
	for _, name := range types {
		if !q.sim.catalog.offered(region, zone, name) || !q.sim.catalog.spot(name) {
			continue
		}
		offered++
		left, limited := q.tx.Available(sim.Place{
			Cloud: cloudName, Account: q.who.Account, Region: region, Zone: zone, InstanceType: name,
		})
		plenty = plenty || !limited
		there += left * q.unitsOf(name)
	}
	if offered == 0 {
		return 0
	}
	score := 10 - int(spotSeries{zone: zone, instanceType: strings.Join(types, " ")}.draw(0, 4))
	if !plenty {
		score = max(1, score*min(there, target)/target)
	}
	if len(types) < 3 {
		// The order of places is kept, the scale is not.
		score = max(1, score*lowScore/10)
	}
	return score
}
