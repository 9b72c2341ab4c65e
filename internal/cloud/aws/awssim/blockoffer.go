package awssim

import (
	"slices"
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	// maxBlockInstances is the largest block.
	maxBlockInstances = 64
	// maxOffers is how many offers are shown at most.
	maxOffers = 6
	// longestBlock is the longest length, extensions included.
	longestBlock = 182 * day
	// Starts of blocks: this far ahead at least and at most.
	blockEarliest = 30 * time.Minute
	blockLatest   = 8 * week
	// rotation is over how many days the first offers of the zones spread.
	rotation = 3
)

// blockSearch is what DescribeCapacityBlockOfferings looks for.
type blockSearch struct {
	instanceType string
	count        int
	length       time.Duration
	// from is the earliest start, to the latest end; zero is any.
	from, to time.Time
}

// span is a block that could be had.
type span struct {
	zone         string
	starts, ends time.Time
}

// blockOffers is DescribeCapacityBlockOfferings.
func blockOffers(q *query) ([]node, *apiError) {
	search, err := q.blockSearch()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, s := range search.spans(q.blockZones(search), q.tx.Now()) {
		fee := q.sim.catalog.BlockRates.fee(search.instanceType, q.region, search.count, s.ends.Sub(s.starts), surcharge(s.zone, s.starts))
		obj, err := q.remember(sim.Object{
			Type: blockOfferType, Zone: s.zone, InstanceType: search.instanceType, Count: search.count,
			StartsAt: s.starts, EndsAt: s.ends,
		}, offer{Fee: fee}, s.starts)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{obj.Serial, offerNode(obj, fee)})
	}
	return q.page("capacityBlockOfferingSet", rows, limits{1, 1000})
}

func offerNode(obj *sim.Object, fee string) node {
	length := obj.EndsAt.Sub(obj.StartsAt)
	return item(
		text("capacityBlockOfferingId", obj.NativeID),
		text("instanceType", obj.InstanceType),
		text("availabilityZone", obj.Zone),
		number("instanceCount", obj.Count),
		instant("startDate", obj.StartsAt),
		instant("endDate", obj.EndsAt),
		number("capacityBlockDurationHours", int(length/time.Hour)),
		number("capacityBlockDurationMinutes", int(length%time.Hour/time.Minute)),
		text("upfrontFee", fee),
		text("currencyCode", currency),
		text("tenancy", "default"),
		text("zoneType", "availability-zone"),
	)
}

func (q *query) blockSearch() (blockSearch, *apiError) {
	s := blockSearch{instanceType: q.form["InstanceType"]}
	var err *apiError
	if s.length, err = q.blockLength("CapacityDurationHours"); err != nil {
		return s, err
	}
	if err := q.checkBlockType(s.instanceType); err != nil {
		return s, err
	}
	if !q.form.has("InstanceCount") {
		return s, missing("InstanceCount")
	}
	if s.count, _, err = q.form.whole("InstanceCount"); err != nil {
		return s, err
	}
	if s.count < 1 || s.count > maxBlockInstances {
		return s, invalid("InstanceCount", strconv.Itoa(s.count), "It must be between 1 and "+strconv.Itoa(maxBlockInstances)+".")
	}
	if s.from, err = q.form.time("StartDateRange"); err != nil {
		return s, err
	}
	if s.to, err = q.form.time("EndDateRange"); err != nil {
		return s, err
	}
	if !s.to.IsZero() && !s.to.After(s.from) {
		return s, fail(codeInvalidCombination, "EndDateRange is not after StartDateRange")
	}
	_, err = q.form.truth("AllAvailabilityZones")
	return s, err
}

// blockLength reads hours that a block can have (fact aws-5-length).
func (q *query) blockLength(parameter string) (time.Duration, *apiError) {
	if !q.form.has(parameter) {
		return 0, missing(parameter)
	}
	hours, _, err := q.form.whole(parameter)
	if err != nil {
		return 0, err
	}
	days := hours / 24
	whole := hours%24 == 0 && days >= 1 && days <= 182
	if !whole || (days > 14 && days%7 != 0) {
		return 0, invalid(parameter, strconv.Itoa(hours), "It must be 1 to 14 days or a multiple of 7 days up to 182.")
	}
	return time.Duration(days) * day, nil
}

// checkBlockType refuses what no block is made of; the code is UNVERIFIED.
func (q *query) checkBlockType(instanceType string) *apiError {
	if instanceType == "" {
		return missing("InstanceType")
	}
	if q.sim.catalog.Types[instanceType] == nil {
		return invalid("InstanceType", printable(instanceType), "There is no such instance type.")
	}
	if !slices.Contains(q.sim.catalog.lookup(instanceType, "supportedUsageClasses"), blockKind) {
		return fail(codeUnsupported, "The instance type %s is not supported by Capacity Blocks", instanceType)
	}
	return nil
}

// blockZones are the zones that offer the type and have as many left.
func (q *query) blockZones(s blockSearch) []string {
	return slices.DeleteFunc(q.sim.catalog.zonesOf(q.region, s.instanceType), func(zone string) bool {
		left, limited := q.tx.Available(sim.Place{
			Cloud: cloudName, Account: q.who.Account, Region: q.region, Zone: zone, InstanceType: s.instanceType,
		})
		return limited && left < s.count
	})
}

// spans lists what is offered: of each zone in turn, while there is room.
// Which of all that would fit AWS shows is not known, UNVERIFIED.
func (s blockSearch) spans(zones []string, now time.Time) []span {
	var byZone [][]span
	for i, zone := range zones {
		byZone = append(byZone, s.spansIn(zone, i%rotation, now))
	}
	var shown []span
	for n := range maxOffers {
		for _, all := range byZone {
			if n < len(all) && len(shown) < maxOffers {
				shown = append(shown, all[n])
			}
		}
	}
	return shown
}

// spansIn lists what fits in one zone. Blocks end at 11:30 UTC and start at
// that time of day, or soon: then they are shorter or longer than was asked
// for (fact aws-5-offers). The first day is one of the first three, by shift.
func (s blockSearch) spansIn(zone string, shift int, now time.Time) []span {
	earliest := now.Add(blockEarliest)
	soon := !s.from.After(earliest)
	if !soon {
		earliest = s.from
	}
	first := nextEnd(earliest)
	var all []span
	for n := range maxOffers {
		d := n
		if n < rotation {
			d = (n + shift) % rotation
		}
		starts := first.Add(time.Duration(d) * day)
		all = append(all, span{zone, starts, starts.Add(s.length)})
	}
	if soon {
		all = slices.Insert(all, 1, s.spansSoon(zone, earliest)...)
	}
	return slices.DeleteFunc(all, func(b span) bool {
		return b.starts.After(now.Add(blockLatest)) || (!s.to.IsZero() && b.ends.After(s.to))
	})
}

// spansSoon are the shorter and the longer one that start at once. Half a
// block is not offered, UNVERIFIED.
func (s blockSearch) spansSoon(zone string, earliest time.Time) []span {
	starts := earliest.Add(time.Minute - 1).Truncate(time.Minute)
	longer := nextEnd(starts.Add(s.length))
	shorter := longer.Add(-day)
	var all []span
	if shorter.Sub(starts) >= s.length/2 {
		all = append(all, span{zone, starts, shorter})
	}
	return append(all, span{zone, starts, longer})
}

// nextEnd is the first 11:30 UTC at t or after.
func nextEnd(t time.Time) time.Time {
	end := t.UTC().Truncate(day).Add(11*time.Hour + 30*time.Minute)
	if end.Before(t) {
		end = end.Add(day)
	}
	return end
}
