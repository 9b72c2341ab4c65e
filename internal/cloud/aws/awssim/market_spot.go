package awssim

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// spotHistory is how far back prices are told (fact aws-10-spot-history).
	spotHistory = 90 * 24 * time.Hour
	// spotStep is how long a price holds here; AWS's change at will.
	spotStep = 48 * time.Hour
	// marketTypes bounds InstanceType.N, as the model does for scores.
	marketTypes = 1000
)

func marketOperations() map[string]operation {
	return map[string]operation{
		"DescribeSpotPriceHistory": {
			params: filterParams("AvailabilityZone", "AvailabilityZoneId", "EndTime", "InstanceType.N", "MaxResults", "NextToken",
				"ProductDescription.N", "StartTime"),
			bucket: describeBucket(), read: true, run: describeSpotPrices,
		},
		"GetSpotPlacementScores": {
			params: []string{
				"DryRun", "IncludeLocalZones", "InstanceType.N", "MaxResults", "NextToken", "RegionName.N",
				"SingleAvailabilityZone", "TargetCapacity", "TargetCapacityUnitType",
			},
			refused: []string{"InstanceRequirementsWithMetadata"},
			bucket:  describeBucket(), run: spotScores,
		},
	}
}

// spotProducts lists what prices are told for, with their part of the plain
// one in thousandths (invented).
func spotProducts() map[string]int64 {
	return map[string]int64{"Linux/UNIX": 1000, "Red Hat Enterprise Linux": 1150, "SUSE Linux": 1120, "Windows": 1300}
}

// spotSeries is what has a price of its own.
type spotSeries struct{ zone, zoneID, instanceType, product string }

// spotPrice is a price and since when it holds.
type spotPrice struct {
	spotSeries
	at     time.Time
	micros int64
}

func (p spotPrice) amount() string { return dollars(p.micros, 6) }

// draw is a number of the series below n, the same for ever.
func (s spotSeries) draw(step, n int64) int64 {
	sum := sha256.Sum256([]byte(s.zone + s.instanceType + s.product + strconv.FormatInt(step, 10)))
	return int64(binary.BigEndian.Uint32(sum[:4])) % n
}

// prices are those that held in a span: the one before its start comes too.
// The base is the on-demand price, of which spot is 30 to 69 hundredths here.
func (s spotSeries) prices(onDemand int64, from, to time.Time) []spotPrice {
	offset := time.Duration(s.draw(0, int64(spotStep/time.Second))) * time.Second
	at := from.Add(-offset).Truncate(spotStep).Add(offset)
	product := spotProducts()[s.product]
	var all []spotPrice
	for ; !at.After(to); at = at.Add(spotStep) {
		rate := product * (300 + 10*s.draw(at.Unix(), 40)) / 1000
		all = append(all, spotPrice{s, at, share(onDemand, rate)})
	}
	return all
}

// spotOffers lists the series of the region that a request may mean, in order.
// A type without a spot market or without a known price has none.
func (q *query) spotOffers(types, products []string, zone string) []spotSeries {
	var all []spotSeries
	for _, name := range q.sim.catalog.typesIn(q.region) {
		if !named(types, name) || q.sim.prices[name] == 0 || !q.sim.catalog.spot(name) {
			continue
		}
		for _, z := range q.sim.catalog.zonesOf(q.region, name) {
			if zone != "" && z != zone {
				continue
			}
			for _, product := range products {
				all = append(all, spotSeries{z, q.sim.catalog.Regions[q.region].Zones[z], name, product})
			}
		}
	}
	return all
}

func (c *catalog) spot(instanceType string) bool {
	return slices.Contains(c.lookup(instanceType, "supportedUsageClasses"), "spot")
}

func spotFilter(p spotPrice, name string) ([]string, bool) {
	values := map[string]string{
		"availability-zone": p.zone, "availability-zone-id": p.zoneID, "instance-type": p.instanceType,
		"product-description": p.product, "spot-price": p.amount(), "timestamp": p.at.Format("Mon Jan 02 15:04:05 UTC 2006"),
	}
	value, known := values[name]
	return []string{value}, known
}

// describeSpotPrices is DescribeSpotPriceHistory, newest first.
func describeSpotPrices(q *query) ([]node, *apiError) {
	if err := checkFilters(q, spotFilter); err != nil {
		return nil, err
	}
	from, to, err := q.spotSpan()
	if err != nil {
		return nil, err
	}
	series, err := q.spotWanted()
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, s := range series {
		for _, p := range s.prices(q.sim.prices[s.instanceType], from, to) {
			if keep(q, p, spotFilter) {
				rows = append(rows, row{spotKey(p.at, i), p.node()})
			}
		}
	}
	page, err := q.page("spotPriceHistorySet", rows, limits{1, 1000})
	if err != nil {
		return nil, err
	}
	if len(page) == 1 {
		// The last page has a token too, an empty one.
		page = append(page, text("nextToken", ""))
	}
	return page, nil
}

// spotKey orders prices newest first, then by series.
func spotKey(at time.Time, series int) int64 {
	const farFuture = 1 << 36 // seconds, beyond any clock
	return (farFuture-at.Unix())<<20 + int64(series)
}

func (p spotPrice) node() node {
	return item(
		text("availabilityZone", p.zone), text("availabilityZoneId", p.zoneID), text("instanceType", p.instanceType),
		text("productDescription", p.product), text("spotPrice", p.amount()), instant("timestamp", p.at))
}

// spotSpan reads StartTime and EndTime; what lies before the 90 days or after
// now is left out.
func (q *query) spotSpan() (from, to time.Time, err *apiError) {
	if from, err = q.form.time("StartTime"); err != nil {
		return from, to, err
	}
	if to, err = q.form.time("EndTime"); err != nil {
		return from, to, err
	}
	now := q.tx.Now()
	if to.IsZero() || to.After(now) {
		to = now
	}
	if oldest := now.Add(-spotHistory); from.Before(oldest) {
		from = oldest
	}
	if from.After(now) {
		from = now
	}
	if from.After(to) {
		return from, to, fail(codeInvalidCombination, "StartTime is after EndTime")
	}
	return from, to, nil
}

// spotWanted reads which series are asked for. A name with "(Amazon VPC)" is
// the plain one (UNVERIFIED, as is that unknown names are refused).
func (q *query) spotWanted() ([]spotSeries, *apiError) {
	zone := ""
	if q.form.has("AvailabilityZone") || q.form.has("AvailabilityZoneId") {
		var err *apiError
		if zone, _, err = q.zone(); err != nil {
			return nil, err
		}
	}
	types, err := q.marketTypes()
	if err != nil {
		return nil, err
	}
	var products []string
	for _, given := range q.form.list("ProductDescription") {
		name := strings.TrimSuffix(given, " (Amazon VPC)")
		if spotProducts()[name] == 0 {
			return nil, invalid("ProductDescription", printable(given), "There is no such product.")
		}
		products = append(products, name)
	}
	if len(products) == 0 {
		for name := range spotProducts() {
			products = append(products, name)
		}
	}
	slices.SortFunc(products, cmp.Compare[string])
	return q.spotOffers(types, slices.Compact(products), zone), nil
}

// marketTypes reads InstanceType.N; what does not exist is refused.
func (q *query) marketTypes() ([]string, *apiError) {
	types := q.form.list("InstanceType")
	if len(types) > marketTypes {
		return nil, fail(codeInvalidValue, "More than %d instance types are given", marketTypes)
	}
	for _, name := range types {
		if q.sim.catalog.Types[name] == nil {
			return nil, invalid("InstanceType", printable(name), "There is no such instance type.")
		}
	}
	slices.Sort(types)
	return slices.Compact(types), nil
}
