package azure

import (
	"strconv"
	"time"
)

const day = 24 * time.Hour

// The days of a block run from 12:00 to 11:30 UTC. Requests name dates, answers
// instants: a PUT of 2025-08-01 to 2025-08-02 comes back as 2025-08-01T12:00:00Z to
// 2025-08-02T11:30:00Z (armcompute v8.4, examples of CapacityReservationsClient).
const (
	blockOpens  = 12 * time.Hour
	blockCloses = 11*time.Hour + 30*time.Minute
	// blockGap is what the end lacks to whole days.
	blockGap = blockOpens - blockCloses
)

// dateOf is the date of an instant as requests write it.
func dateOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// blockStart and blockEnd are the instants of the bounds of a block, zero for what
// is neither a date nor an instant.
func blockStart(text string) time.Time { return bound(text, blockOpens) }

func blockEnd(text string) time.Time { return bound(text, blockCloses) }

func bound(text string, at time.Duration) time.Time {
	if date, err := time.Parse(time.DateOnly, text); err == nil {
		return date.Add(at)
	}
	return instantOf(text)
}

// instantOf reads an instant, or a date as its first one.
func instantOf(text string) time.Time {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// tick is the finest step of a time: a tick of .NET, in which Azure's services count
// (that a start keeps all of it is UNVERIFIED).
const tick = 100 * time.Nanosecond

// sendableTime is the instant as it is sent and comes back.
func sendableTime(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(tick)
}

// instant writes a time, with its fraction where it has one; the zero time is "".
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return sendableTime(t).Format(time.RFC3339Nano)
}

// days writes a length in whole days where it is one.
func days(d time.Duration) string {
	if d > 0 && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return d.String()
}
