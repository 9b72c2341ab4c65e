package googlesim

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// adviceMethods is what Google advises on calendar mode (fact
// google-5-advice). advice.capacity and advice.capacityHistory are about VMs
// and not offered.
func adviceMethods() []method {
	body := adviceSchema()
	return []method{{
		id: "compute.advice.calendarMode", verb: http.MethodPost, path: "projects/{project}/regions/{region}/advice/calendarMode",
		body: &body, group: groupQueries, about: aboutAdvice, run: adviseCalendar,
	}}
}

// aboutAdvice tells the machine type for faults and the call log.
func aboutAdvice(c *call, _ *sim.Tx, req *sim.Request) {
	specs, _ := c.body["futureResourcesSpecs"].(map[string]any)
	for _, spec := range specs {
		req.InstanceType, _, _ = machinesOf(spec)
	}
}

func adviceSchema() object {
	return object{"futureResourcesSpecs": {kind: dict, of: object{
		"deploymentType": {kind: text, enum: []string{dense}},
		"locationPolicy": {kind: nested, of: object{"locations": {kind: dict, of: object{
			"preference": {kind: text, enum: []string{"ALLOW", "DENY"}},
		}}}},
		"targetResources": {kind: nested, of: object{
			"aggregateResources": {kind: nested, of: object{
				"acceleratorCount": {kind: whole}, "vmFamily": {kind: text}, "workloadType": {kind: text},
			}},
			"specificSkuResources": {kind: nested, of: object{
				"instanceCount": {kind: whole}, "machineType": {kind: text},
				"localSsdPartitions": {kind: list, of: object{
					"diskInterface": {kind: text, enum: []string{"NVME", "SCSI"}}, "diskSizeGb": {kind: whole},
				}},
			}},
		}},
		"timeRangeSpec": {kind: nested, of: object{
			"minDuration": {kind: text}, "maxDuration": {kind: text},
			"startTimeNotEarlierThan": {kind: instant}, "startTimeNotLaterThan": {kind: instant},
		}},
	}}}
}

// machinesOf reads the machines of a FutureResourcesSpec.
func machinesOf(spec any) (machineType string, count int64, given bool) {
	s, _ := spec.(map[string]any)
	target, _ := s["targetResources"].(map[string]any)
	sku, given := target["specificSkuResources"].(map[string]any)
	machineType, _ = sku["machineType"].(string)
	count, _ = wholeNumber(sku["instanceCount"])
	return machineType, count, given
}

// timeRange is a FlexibleTimeRange.
type timeRange struct {
	earliest, latest time.Time
	least, most      time.Duration
}

// lengthOf reads a google.protobuf.Duration in JSON, such as "86400s".
func lengthOf(field, value string) (time.Duration, *apiError) {
	number, ok := strings.CutSuffix(value, "s")
	seconds, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || seconds <= 0 || seconds > longestSpan {
		return 0, invalid(field, value, "Must be a positive duration in seconds, such as 86400s.")
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// readRange reads timeRangeSpec; what is not given is as wide as calendar
// mode allows.
func readRange(path string, body map[string]any, now time.Time) (timeRange, *apiError) {
	r := timeRange{now.Add(shortestLead), now.Add(calendarLead), shortestPeriod, longestCalendar}
	for name, into := range map[string]*time.Time{"startTimeNotEarlierThan": &r.earliest, "startTimeNotLaterThan": &r.latest} {
		if value, given := body[name].(string); given {
			at, err := instantOf(path+"."+name, value)
			if err != nil {
				return r, err
			}
			*into = at
		}
	}
	for name, into := range map[string]*time.Duration{"minDuration": &r.least, "maxDuration": &r.most} {
		if value, given := body[name].(string); given {
			length, err := lengthOf(path+"."+name, value)
			if err != nil {
				return r, err
			}
			*into = length
		}
	}
	switch {
	case r.latest.Before(r.earliest):
		return r, invalid(path+".startTimeNotLaterThan", instantText(r.latest), "It is before startTimeNotEarlierThan.")
	case r.most < r.least:
		return r, invalid(path+".maxDuration", r.most.String(), "It is shorter than minDuration.")
	case r.least > longestCalendar || r.most < shortestPeriod:
		return r, invalid(path+".maxDuration", r.most.String(), "A reservation in calendar mode lasts between 1 and 90 days.")
	}
	return r, nil
}

// adviceWire is a FutureResourcesRecommendation in JSON.
type adviceWire struct {
	ID        string                   `json:"recommendationId"`
	Type      string                   `json:"recommendationType"`
	Location  string                   `json:"location,omitempty"`
	StartTime string                   `json:"startTime,omitempty"`
	EndTime   string                   `json:"endTime,omitempty"`
	Others    map[string]otherLocation `json:"otherLocations,omitempty"`
}

type otherLocation struct {
	Status  string `json:"status"`
	Details string `json:"details"`
}

// adviseCalendar is advice.calendarMode. Stock here is one number and not one
// per day, so that the earliest start and the longest period are advised.
func adviseCalendar(q *query) (any, *apiError) {
	specs, _ := q.body["futureResourcesSpecs"].(map[string]any)
	if len(specs) != 1 {
		return nil, invalid("resource.futureResourcesSpecs", strconv.Itoa(len(specs)), "Exactly one specification must be given.")
	}
	key := slices.Sorted(maps.Keys(specs))[0]
	spec, _ := specs[key].(map[string]any)
	advice, err := q.adviseSpec("resource.futureResourcesSpecs["+printable(key)+"]", spec)
	if err != nil {
		return nil, err
	}
	return map[string]any{"recommendations": []any{
		map[string]any{"recommendationsPerSpec": map[string]any{key: advice}},
	}}, nil
}

func (q *query) adviseSpec(path string, spec map[string]any) (adviceWire, *apiError) {
	const sku = ".targetResources.specificSkuResources"
	w := adviceWire{ID: newUUID(q.tx), Type: "FUTURE_RESERVATION", Others: map[string]otherLocation{}}
	name, count, given := machinesOf(spec)
	m, known := machineTypes()[name]
	switch {
	case !given:
		return w, required(path + sku)
	case !known:
		return w, invalid(path+sku+".machineType", name, "Unknown machine type.")
	case count < 1 || count > mostCalendar:
		return w, invalid(path+sku+".instanceCount", strconv.FormatInt(count, 10), "Must be between 1 and 80.")
	}
	times, _ := spec["timeRangeSpec"].(map[string]any)
	r, err := readRange(path+".timeRangeSpec", times, q.tx.Now())
	if err != nil {
		return w, err
	}
	zones, err := q.allowedZones(path, spec)
	if err != nil {
		return w, err
	}
	p, fits := r.period(q.tx.Now())
	for _, zone := range zones {
		status := q.prospects(m, zone, int(count), fits)
		if status.Status == "RECOMMENDED" && w.Location == "" {
			w.Location, w.StartTime, w.EndTime = "zones/"+zone, instantText(p.Start), instantText(p.End)
			continue
		}
		w.Others["zones/"+zone] = status
	}
	return w, nil
}

// period is the earliest and longest that a range and calendar mode allow.
func (r timeRange) period(now time.Time) (period, bool) {
	start := r.earliest
	if soonest := now.Add(shortestLead); start.Before(soonest) {
		start = soonest
	}
	p := period{start, start.Add(min(r.most, longestCalendar))}
	return p, !start.After(r.latest) && !start.After(now.Add(calendarLead))
}

// allowedZones are the zones of the region that the policy does not deny.
func (q *query) allowedZones(path string, spec map[string]any) ([]string, *apiError) {
	policy, _ := spec["locationPolicy"].(map[string]any)
	locations, _ := policy["locations"].(map[string]any)
	denied := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(locations)) {
		zone, form := strings.CutPrefix(key, "zones/")
		if region, known := regionOf(zone); !form || !known || region != q.region {
			return nil, invalid(path+".locationPolicy.locations", key, "It is not a zone of region "+q.region+", such as zones/"+q.region+"-a.")
		}
		wish, _ := locations[key].(map[string]any)
		denied[zone] = wish["preference"] == "DENY"
	}
	var allowed []string
	for _, letter := range regions()[q.region] {
		if zone := q.region + "-" + string(letter); !denied[zone] {
			allowed = append(allowed, zone)
		}
	}
	return allowed, nil
}

// prospects tells how a zone is for a request.
func (q *query) prospects(m machineType, zone string, count int, fits bool) otherLocation {
	place := sim.Place{Cloud: cloudName, Account: q.project, Region: q.region, Zone: zone, InstanceType: m.name}
	available, limited := q.tx.Available(place)
	switch {
	case !slices.Contains(calendarSeries(), m.series()) || !offered(zone, m.accelerator):
		return otherLocation{"NOT_SUPPORTED", "The machine type is not supported in this zone."}
	case !fits:
		return otherLocation{"CONDITIONS_NOT_MET", "No start within the next 60 days meets the time range."}
	case limited && available < count:
		return otherLocation{"NO_CAPACITY", "There is no capacity for the requested machines."}
	}
	return otherLocation{"RECOMMENDED", "The requested machines are available."}
}

func newUUID(tx *sim.Tx) string {
	h := tx.Hex(32)
	return strings.Join([]string{h[:8], h[8:12], "4" + h[13:16], "8" + h[17:20], h[20:]}, "-")
}
