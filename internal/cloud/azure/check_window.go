package azure

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Lengths of a block (armcompute v8.4, ScheduleProfile.End).
const (
	week          = 7 * day
	maxBlockDays  = 14
	minBlockWeeks = 3
	maxBlockWeeks = 26
)

// checkEndless refuses a window: a reservation on demand starts at once, and ends
// when it is deleted.
func checkEndless(s *cloud.Spec, p *problems) {
	if !s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a reservation of kind on_demand starts at once; leave start_at out")
	}
	checkNoEnd(s, p)
}

func checkNoEnd(s *cloud.Spec, p *problems) {
	if !s.EndAt.IsZero() {
		p.add(cloud.AttrEnd, "Azure's reservations of kind %s have no end; leave end_at out", s.Kind)
	}
	if s.Duration != 0 {
		p.add(cloud.AttrDuration, "Azure's reservations of kind %s have no end; leave the duration out", s.Kind)
	}
}

// checkStart looks at a reservation for a date, which has a start and no end
// (armcompute v8.4, CapacityReservationProperties.ScheduleProfile). What is too
// near or too far only the cloud's clock knows.
func checkStart(s *cloud.Spec, p *problems) {
	if s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a reservation of kind scheduled needs start_at")
	}
	checkTick(s.StartAt, p)
	s.StartAt = s.StartAt.UTC()
	checkNoEnd(s, p)
}

// checkTick refuses a start that would not come back as it was sent.
func checkTick(start time.Time, p *problems) {
	if sent := sendableTime(start); !sent.Equal(start) {
		p.add(cloud.AttrStart, "Azure's times are multiples of %s: %s or %s", tick, instant(sent), instant(sent.Add(tick)))
	}
}

// checkBlock holds a block to Azure's days and completes its end, which is all that
// is sent of a duration.
func checkBlock(s *cloud.Spec, p *problems) {
	start := blockDay(s.StartAt)
	switch {
	case s.StartAt.IsZero():
		p.add(cloud.AttrStart, "a reservation of kind block needs start_at, at 12:00:00 UTC of its first day")
	case !start.Equal(s.StartAt):
		p.add(cloud.AttrStart, "the days of a block begin at 12:00:00 UTC: %s or %s", instant(start), instant(start.Add(day)))
	default:
		s.StartAt = start
	}
	switch {
	case s.EndAt.IsZero() && s.Duration == 0:
		p.add(cloud.AttrDuration, "a reservation of kind block needs a duration or end_at")
	case s.EndAt.IsZero():
		checkBlockLength(s, p)
	default:
		checkBlockEnd(s, p)
	}
}

// blockDay is the beginning of the block's day in which an instant lies.
func blockDay(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Add(-blockOpens).Truncate(day).Add(blockOpens)
}

// checkBlockLength turns a duration into the end: whole days, of which the last one
// ends half an hour early.
func checkBlockLength(s *cloud.Spec, p *problems) {
	if !isBlockLength(s.Duration) {
		p.add(cloud.AttrDuration, "%s: Azure takes blocks of 1 to %d days or of %d to %d whole weeks",
			days(s.Duration), maxBlockDays, minBlockWeeks, maxBlockWeeks)
		return
	}
	if !s.StartAt.IsZero() && blockDay(s.StartAt).Equal(s.StartAt) {
		s.EndAt, s.Duration = s.StartAt.Add(s.Duration-blockGap), 0
	}
}

// checkBlockEnd looks at an end that is given as an instant.
func checkBlockEnd(s *cloud.Spec, p *problems) {
	end := blockDay(s.EndAt).Add(day - blockGap)
	if !end.Equal(s.EndAt) {
		p.add(cloud.AttrEnd, "the days of a block end at 11:30:00 UTC: %s or %s", instant(end.Add(-day)), instant(end))
		return
	}
	s.EndAt = end
	if s.StartAt.IsZero() || !blockDay(s.StartAt).Equal(s.StartAt) {
		return
	}
	length := s.EndAt.Sub(s.StartAt) + blockGap
	switch {
	case length <= 0:
		p.add(cloud.AttrEnd, "the end %s is not after the start %s", instant(s.EndAt), instant(s.StartAt))
	case !isBlockLength(length):
		p.add(cloud.AttrEnd, "that is %s: Azure takes blocks of 1 to %d days or of %d to %d whole weeks",
			days(length), maxBlockDays, minBlockWeeks, maxBlockWeeks)
	}
	if s.Duration == 0 {
		return
	}
	if s.Duration != length {
		p.add(cloud.AttrDuration, "%s from %s does not lead to the end %s; give only one of the two", days(s.Duration), instant(s.StartAt), instant(s.EndAt))
		return
	}
	s.Duration = 0
}

// isBlockLength tells a length that a block can have, counted in whole days.
func isBlockLength(d time.Duration) bool {
	if d <= 0 || d%day != 0 {
		return false
	}
	return d <= maxBlockDays*day || d%week == 0 && d >= minBlockWeeks*week && d <= maxBlockWeeks*week
}
