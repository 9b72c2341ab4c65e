package googlesim_test

import (
	"net/http"
	"strings"
	"time"
)

func adviceProofs() map[string]proof {
	return map[string]proof{"google-5-advice": {accepted: adviceAccepted, rejected: adviceRejected}}
}

// advise asks about a3-highgpu-8g in calendar mode; pairs name fields of the
// specification.
func (s *stage) advise(pairs ...any) reply {
	s.t.Helper()
	spec := fields{"targetResources": fields{"specificSkuResources": fields{"instanceCount": "2", "machineType": "a3-highgpu-8g"}}}
	for i := 0; i+1 < len(pairs); i += 2 {
		path, _ := pairs[i].(string)
		set(spec, strings.Split(path, "."), pairs[i+1])
	}
	return s.send(http.MethodPost, "p1/regions/us-central1/advice/calendarMode", encode(fields{"futureResourcesSpecs": fields{"spec": spec}}))
}

func adviceAccepted(s *stage) {
	at := []any{"recommendations", 0, "recommendationsPerSpec", "spec"}
	path := func(more ...any) []any { return append(append([]any{}, at...), more...) }
	got := s.says(s.accepted(s.advise()), "zones/us-central1-a", path("location")...)
	s.says(got, rfc(now().Add(time.Hour)), path("startTime")...)
	s.says(got, rfc(now().Add(time.Hour+90*day)), path("endTime")...)
	s.says(got, "NOT_SUPPORTED", path("otherLocations", "zones/us-central1-f", "status")...)
	s.stockOfA3(1)
	got = s.says(s.accepted(s.advise("timeRangeSpec.maxDuration", "172800s")), "zones/us-central1-b", path("location")...)
	s.says(got, "NO_CAPACITY", path("otherLocations", "zones/us-central1-a", "status")...)
	s.says(got, rfc(now().Add(time.Hour+2*day)), path("endTime")...)
	got = s.accepted(s.advise("timeRangeSpec.startTimeNotEarlierThan", rfc(now().Add(59*day)), "timeRangeSpec.startTimeNotLaterThan",
		rfc(now().Add(61*day)), "locationPolicy.locations", fields{"zones/us-central1-b": fields{"preference": "DENY"}}))
	s.says(got, "zones/us-central1-c", path("location")...)
	s.says(got, nil, path("otherLocations", "zones/us-central1-b")...)
	got = s.accepted(s.advise("timeRangeSpec.startTimeNotEarlierThan", rfc(now().Add(-day))))
	s.says(got, rfc(now().Add(time.Hour)), path("startTime")...)
	got = s.accepted(s.advise("timeRangeSpec.startTimeNotEarlierThan", rfc(now().Add(61*day)), "timeRangeSpec.startTimeNotLaterThan",
		rfc(now().Add(62*day))))
	s.says(got, nil, path("location")...)
	s.says(got, "CONDITIONS_NOT_MET", path("otherLocations", "zones/us-central1-c", "status")...)
}

func adviceRejected(s *stage) {
	const sku = "targetResources.specificSkuResources"
	s.invalid(s.advise(sku+".machineType", "p5.48xlarge"))
	s.invalid(s.advise(sku+".instanceCount", 81))
	s.refused(s.advise(sku, nil), http.StatusBadRequest, "required")
	s.invalid(s.advise("timeRangeSpec.minDuration", "1d"))
	s.invalid(s.advise("timeRangeSpec.minDuration", "172800s", "timeRangeSpec.maxDuration", "86400s"))
	s.invalid(s.advise("timeRangeSpec.minDuration", "7862400s", "timeRangeSpec.maxDuration", "7862400s"))
	s.invalid(s.advise("timeRangeSpec.startTimeNotEarlierThan", rfc(now().Add(day)), "timeRangeSpec.startTimeNotLaterThan", rfc(now())))
	s.invalid(s.advise("locationPolicy.locations", fields{"us-central1-a": fields{"preference": "DENY"}}))
	s.invalid(s.send(http.MethodPost, "p1/regions/us-central1/advice/calendarMode", "{}"))
}
