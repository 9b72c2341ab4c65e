package azuresim

import (
	"fmt"
	"slices"
	"time"
)

const day = 24 * time.Hour

// Bounds of schedules (armcompute v8.4, ScheduleProfile).
const (
	// blockLead is how many days ahead a block can start.
	blockLead = 56
	// longestDays and the weeks bound the length of a block: 1 to 14 whole days
	// or 3 to 26 whole weeks.
	longestDays   = 14
	shortestWeeks = 3
	longestWeeks  = 26
	// A future reservation starts 7 days to 6 months ahead. Whether calendar
	// months are meant is UNVERIFIED; this is half a year.
	futureLeast = 7 * day
	futureMost  = 183 * day
)

// A block's days run from noon to 11:30 UTC, which is also when the requests of
// a day end (armcompute v8.4, ScheduleProfile.Start and the example
// BlockCapacityReservation_Get; azure-rest-api-specs #35669: the time of day is
// defaulted).
const (
	blockOpens  = 12 * time.Hour
	blockCloses = 11*time.Hour + 30*time.Minute
)

// usualCommitment is minimumCommitmentDays where none is sent. The service fills
// in a default (armcompute v8.4, ScheduleProfile); 30 is what public examples
// send, as a default UNVERIFIED.
const usualCommitment = 30

// blockCounts are the values of sku.capacity of a block (armcompute v8.4,
// CapacityReservation.SKU).
func blockCounts() []int { return []int{1, 2, 4, 8, 16, 32, 64} }

// flaw is what is wrong with a schedule. Texts are UNVERIFIED: no public log has
// one.
type flaw struct {
	target string
	text   string
}

const (
	targetSchedule   = "scheduleProfile"
	targetStart      = "scheduleProfile.start"
	targetEnd        = "scheduleProfile.end"
	targetCommitment = "scheduleProfile.minimumCommitmentDays"
)

func flawed(target, format string, args ...any) *flaw {
	return &flaw{target, fmt.Sprintf(format, args...)}
}

// window is a scheduleProfile as it is sent; "" and nil are left out.
type window struct {
	start, end string
	days       *int
}

// readBlock reads the schedule of a block that is asked for at an instant.
func (w window) readBlock(now time.Time) (schedule, *flaw) {
	s := schedule{SentStart: w.start, SentEnd: w.end}
	switch {
	case w.start == "":
		return s, flawed(targetStart, "The start of the schedule is required for block capacity reservations.")
	case w.end == "":
		return s, flawed(targetEnd, "The end of the schedule is required for block capacity reservations.")
	case w.days != nil:
		// UNVERIFIED that it is refused, and not passed over.
		return s, flawed(targetCommitment, "Minimum commitment days are not supported for block capacity reservations.")
	}
	first, wrong := dayOf(targetStart, w.start, blockOpens)
	if wrong != nil {
		return s, wrong
	}
	last, wrong := dayOf(targetEnd, w.end, blockCloses)
	if wrong != nil {
		return s, wrong
	}
	if wrong := checkBlock(first, last, now.UTC()); wrong != nil {
		return s, wrong
	}
	s.Start, s.End = first.Add(blockOpens), last.Add(blockCloses)
	return s, nil
}

// dayOf reads a date. The instant that a read shows for it is the same date, so
// that what was read can be sent again; other times are refused, UNVERIFIED.
func dayOf(target, text string, clock time.Duration) (time.Time, *flaw) {
	if date, err := time.Parse(time.DateOnly, text); err == nil {
		return date, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.UTC().Sub(at.UTC().Truncate(day)) != clock {
		return time.Time{}, flawed(target, "'%s' is not valid: only the date part is allowed, such as 2025-06-27.", text)
	}
	return at.UTC().Truncate(day), nil
}

// checkBlock holds the first and last day of a block to the rules.
func checkBlock(first, last, now time.Time) *flaw {
	today := now.Truncate(day)
	switch {
	case first.Before(today):
		return flawed(targetStart, "The start date must be today or within %d days in the future.", blockLead)
	case first.Equal(today) && !now.Before(today.Add(blockCloses)):
		return flawed(targetStart, "For same-day scheduling, requests must be submitted before 11:30 AM UTC.")
	case first.Sub(today) > blockLead*day:
		return flawed(targetStart, "The start date must be today or within %d days in the future.", blockLead)
	case !blockLength(int(last.Sub(first) / day)):
		return flawed(targetEnd, "The end date must be after the start date, with a duration of either 1-%d whole days or %d-%d whole weeks.",
			longestDays, shortestWeeks, longestWeeks)
	}
	return nil
}

// blockLength tells whether a block can be so many days long.
func blockLength(days int) bool {
	if days >= 1 && days <= longestDays {
		return true
	}
	return days%7 == 0 && days/7 >= shortestWeeks && days/7 <= longestWeeks
}

// checkBlockCount holds sku.capacity to what a block can have.
func checkBlockCount(count int) *flaw {
	if slices.Contains(blockCounts(), count) {
		return nil
	}
	return flawed("sku.capacity", "The capacity of a block capacity reservation must be one of 1, 2, 4, 8, 16, 32, 64.")
}

// readFuture reads the schedule of a future reservation.
func (w window) readFuture(now time.Time, lead time.Duration, usual int) (schedule, *flaw) {
	s := schedule{SentStart: w.start, CommitmentDays: usual}
	switch {
	case w.start == "":
		return s, flawed(targetStart, "The start of the schedule is required for future capacity reservations.")
	case w.end != "":
		return s, flawed(targetEnd, "The end of the schedule is supported for block capacity reservations only.")
	case w.days != nil && *w.days < 1:
		// The smallest number is UNVERIFIED.
		return s, flawed(targetCommitment, "Minimum commitment days must be positive.")
	case w.days != nil:
		s.CommitmentDays = *w.days
	}
	start, wrong := startOf(w.start)
	if wrong != nil {
		return s, wrong
	}
	s.Start = start
	if wrong := checkFutureStart(start, now); wrong != nil {
		return s, wrong
	}
	s.ModifiableUntil = modifiableUntil(start, now, lead)
	return s, nil
}

// startOf reads a date or an instant. The time of day of a date is that of a
// block, UNVERIFIED for future reservations.
func startOf(text string) (time.Time, *flaw) {
	if date, err := time.Parse(time.DateOnly, text); err == nil {
		return date.Add(blockOpens), nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, flawed(targetStart, "'%s' is not a valid date.", text)
	}
	return at.UTC(), nil
}

func checkFutureStart(start, now time.Time) *flaw {
	if ahead := start.Sub(now); ahead < futureLeast || ahead > futureMost {
		return flawed(targetStart, "The start date must be at least 7 days and at most 6 months in the future.")
	}
	return nil
}

// modifiableUntil is when the start is fixed; zero where it was from the
// beginning. The examples of the specification have 56 days before the start, a
// start that is near has none (azure-powershell #30118 tests for null).
func modifiableUntil(start, now time.Time, lead time.Duration) time.Time {
	if until := start.Add(-lead); until.After(now) {
		return until
	}
	return time.Time{}
}

// committedUntil is when a future reservation can be changed and deleted again.
func (s schedule) committedUntil() time.Time {
	return s.Start.Add(time.Duration(s.CommitmentDays) * day)
}
