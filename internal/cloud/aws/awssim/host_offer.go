package awssim

import (
	"regexp"
	"slices"
	"strconv"
)

// What prices of terms are rounded down to, so that what is shown is exact.
const (
	cent = microsPerDollar / 100
	mill = microsPerDollar / 1000
)

// Terms of host reservations in seconds.
const (
	oneYear    = 365 * 24 * 60 * 60
	threeYears = 3 * oneYear
)

// hostOffer is a host reservation that can be bought, per host.
type hostOffer struct {
	ID      string `json:"id"`
	Family  string `json:"family"`
	Seconds int    `json:"seconds"`
	Payment string `json:"payment"`
	Upfront int64  `json:"upfront"`
	Hourly  int64  `json:"hourly"`
}

// hostPlan is how much of the on-demand price a term costs, in thousandths,
// and how much of that is paid up front.
type hostPlan struct {
	seconds     int
	payment     string
	rate, ahead int64
}

// hostPlans lists the terms. The rates are invented in AWS's usual order (the
// longer and the more ahead, the cheaper), UNVERIFIED. Three years without an
// up-front payment are not sold (user guide, dedicated hosts overview; newer
// copies name exceptions).
func hostPlans() []hostPlan {
	return []hostPlan{
		{oneYear, "NoUpfront", 700, 0},
		{oneYear, "PartialUpfront", 660, 500},
		{oneYear, "AllUpfront", 640, 1000},
		{threeYears, "PartialUpfront", 460, 500},
		{threeYears, "AllUpfront", 430, 1000},
	}
}

// hostRate is the on-demand price of a host against that of its family's
// dearest size, in thousandths. UNVERIFIED.
const hostRate = 1100

// hostOffers lists what the region sells, in order: a term for every family
// that is on hosts, is offered there and has a known price. So dl1, and what
// is no GPU, has none; which families have some is UNVERIFIED.
func (q *query) hostOffers() []hostOffer {
	var offers []hostOffer
	for _, family := range q.hostFamilies() {
		var dearest int64
		for name, micros := range q.sim.prices {
			if hostFamily(name) == family {
				dearest = max(dearest, micros)
			}
		}
		if dearest == 0 {
			continue
		}
		for _, plan := range hostPlans() {
			offers = append(offers, plan.offer(q.region, family, share(dearest, hostRate)))
		}
	}
	return offers
}

// hostFamilies lists the families with a host size that the region offers.
func (q *query) hostFamilies() []string {
	var families []string
	for _, name := range q.sim.catalog.typesIn(q.region) {
		if family := hostFamily(name); q.sim.catalog.onHosts(name) && !slices.Contains(families, family) {
			families = append(families, family)
		}
	}
	return families
}

func (p hostPlan) offer(region, family string, onDemand int64) hostOffer {
	total := share(onDemand, p.rate) * int64(p.seconds/3600)
	upfront := share(total, p.ahead) / cent * cent
	key := region + family + p.payment + strconv.Itoa(p.seconds)
	return hostOffer{
		ID: "hro-" + hexHash([]byte(key))[:17], Family: family, Seconds: p.seconds, Payment: p.payment,
		Upfront: upfront, Hourly: (total - upfront) / int64(p.seconds/3600) / mill * mill,
	}
}

// terms are the elements that every answer about an offering has.
func (o hostOffer) terms() []node {
	return []node{
		text("currencyCode", "USD"), number("duration", o.Seconds), text("instanceFamily", o.Family),
		text("paymentOption", o.Payment), text("upfrontPrice", dollars(o.Upfront, 3)), text("hourlyPrice", dollars(o.Hourly, 3)),
	}
}

func hostOfferFilter(o hostOffer, name string) ([]string, bool) {
	values := map[string]string{"instance-family": o.Family, "payment-option": o.Payment}
	value, known := values[name]
	return []string{value}, known
}

// namedOffer is the offering that a request names.
func (q *query) namedOffer() (hostOffer, *apiError) {
	id, given := q.form["OfferingId"]
	if !given {
		return hostOffer{}, missing("OfferingId")
	}
	if !hostOfferIDForm.MatchString(id) {
		return hostOffer{}, fail("InvalidHostReservationOfferingId.Malformed", "The offering ID %s is malformed", printable(id))
	}
	for _, o := range q.hostOffers() {
		if o.ID == id {
			return o, nil
		}
	}
	return hostOffer{}, fail("InvalidHostReservationOfferingId.NotFound", "The offering ID '%s' was not found", id)
}

var hostOfferIDForm = regexp.MustCompile(`^hro-[0-9a-f]{17}$`)

// describeHostOfferings is DescribeHostReservationOfferings.
func describeHostOfferings(q *query) ([]node, *apiError) {
	if err := checkFilters(q, hostOfferFilter); err != nil {
		return nil, err
	}
	shortest, err := q.termLength("MinDuration", oneYear)
	if err != nil {
		return nil, err
	}
	longest, err := q.termLength("MaxDuration", threeYears)
	if err != nil {
		return nil, err
	}
	offers := q.hostOffers()
	if q.form.has("OfferingId") {
		only, err := q.namedOffer()
		if err != nil {
			return nil, err
		}
		offers = []hostOffer{only}
	}
	offers = slices.DeleteFunc(offers, func(o hostOffer) bool { return o.Seconds < shortest || o.Seconds > longest })
	var rows []row
	for i, o := range offers {
		if keep(q, o, hostOfferFilter) {
			rows = append(rows, row{int64(i) + 1, item(append(o.terms(), text("offeringId", o.ID))...)})
		}
	}
	return q.page("offeringSet", rows, limits{5, 500})
}

// termLength reads a bound on the term.
func (q *query) termLength(name string, otherwise int) (int, *apiError) {
	seconds, given, err := q.form.whole(name)
	if err != nil || !given {
		return otherwise, err
	}
	if seconds != oneYear && seconds != threeYears {
		return 0, invalid(name, strconv.Itoa(seconds), "It must be one or three years in seconds.")
	}
	return seconds, nil
}
