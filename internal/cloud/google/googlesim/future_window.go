package googlesim

import (
	"regexp"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Bounds of a reservation period. Sources: futureFacts.
const (
	// shortestLead is how far ahead a start must be.
	shortestLead = time.Hour
	// longestLead is the year that the overview page names.
	longestLead = 366 * day
	// shortestPeriod is one day in both modes.
	shortestPeriod = day
	// longestCalendar and calendarLead bound calendar mode for GPUs.
	longestCalendar = 90 * day
	calendarLead    = 60 * day
	// mostCalendar is the largest number of GPU VMs of one such request.
	mostCalendar = 80
)

func windowSchema() object {
	return object{"startTime": {kind: text}, "endTime": {kind: text}, "duration": {kind: nested, of: durationSchema()}}
}

var fraction = regexp.MustCompile(`\.(\d+)`)

// millis tells whether an instant has no fraction of a second or one of three
// digits (facts google-2-fraction and google-5-fraction).
func millis(value string) bool {
	m := fraction.FindStringSubmatch(value)
	return !strings.Contains(value, ",") && (m == nil || len(m[1]) == 3)
}

// instantOf reads an instant of a body.
func instantOf(field, value string) (time.Time, *apiError) {
	t, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		return time.Time{}, invalid(field, value, "Must be a valid RFC3339 timestamp.")
	}
	return t.UTC(), nil
}

// checkTimes holds the instants and durations of a body to the form that
// requests have, also those that no mask names (facts google-5-fraction and
// google-5-empty-duration).
func checkTimes(body map[string]any) *apiError {
	w, _ := body["timeWindow"].(map[string]any)
	for _, f := range []struct {
		of   map[string]any
		path string
	}{{w, "timeWindow.startTime"}, {w, "timeWindow.endTime"}, {body, "autoCreatedReservationsDeleteTime"}} {
		value, given := f.of[lastPart(f.path)].(string)
		if !given {
			continue
		}
		if !millis(value) {
			return invalid("resource."+f.path, value, "Must be a valid RFC3339 timestamp.")
		}
	}
	if length, given := w["duration"].(map[string]any); given {
		return checkSpan("resource.timeWindow.duration", length)
	}
	return nil
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// instantText is an instant as it is read back: UTC with none, three, six or
// nine digits after the second, as JSON of protobuf has it. Recorded:
// 2026-11-11T00:00:00.000000101Z.
func instantText(t time.Time) string {
	text := t.UTC().Format("2006-01-02T15:04:05.000000000")
	for _, zeros := range []string{".000000000", "000000", "000"} {
		if short, ok := strings.CutSuffix(text, zeros); ok {
			return short + "Z"
		}
	}
	return text + "Z"
}

// period is a reservation period.
type period struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// readWindow reads the window of a body.
func readWindow(body map[string]any) (period, *apiError) {
	var p period
	w, given := body["timeWindow"].(map[string]any)
	if !given {
		return p, required("resource.timeWindow")
	}
	start, given := w["startTime"].(string)
	if !given || start == "" {
		return p, required("resource.timeWindow.startTime")
	}
	var err *apiError
	if p.Start, err = instantOf("resource.timeWindow.startTime", start); err != nil {
		return p, err
	}
	p.End, err = endOf(p.Start, w)
	return p, err
}

// endOf is the end of a period, from one of endTime and duration (fact
// google-5-duration). An empty duration counts as one (fact
// google-5-empty-duration).
func endOf(start time.Time, w map[string]any) (time.Time, *apiError) {
	end, byTime := w["endTime"].(string)
	length, byLength := w["duration"].(map[string]any)
	switch {
	case byLength:
		if err := checkSpan("resource.timeWindow.duration", length); err != nil {
			return time.Time{}, err
		}
		if byTime {
			return time.Time{}, invalid("resource.timeWindow.duration", shown(length), "Only one of endTime and duration can be given.")
		}
		return start.Add(span(length)), nil
	case !byTime || end == "":
		return time.Time{}, required("resource.timeWindow.endTime")
	}
	return instantOf("resource.timeWindow.endTime", end)
}

// check holds a period to the rules of its mode. A start that is not changed
// may have come near since.
func (p period) check(now time.Time, calendar bool) *apiError {
	start, end := instantText(p.Start), instantText(p.End)
	ahead := p.Start.Sub(now)
	switch {
	case ahead < shortestLead:
		return invalid("resource.timeWindow.startTime", start, "Future reservation start time is either in the past or too early.")
	case ahead > longestLead:
		return invalid("resource.timeWindow.startTime", start, "Future reservation start time is too far in the future.")
	case p.End.Sub(p.Start) < shortestPeriod:
		return invalid("resource.timeWindow.endTime", end, "Future reservation end time must be at least 24 hours later than start time.")
	case calendar && ahead > calendarLead:
		return invalid("resource.timeWindow.startTime", start, "Future reservation in calendar mode must start within 60 days.")
	case calendar && p.End.Sub(p.Start) > longestCalendar:
		return invalid("resource.timeWindow.endTime", end, "Future reservation in calendar mode can be at most 90 days long.")
	}
	return nil
}
