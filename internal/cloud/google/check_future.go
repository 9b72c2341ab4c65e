package google

import (
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const day = 24 * time.Hour

// minScheduled is the shortest period (Compute Engine, "Troubleshoot future
// reservation requests").
const minScheduled = day

// Bounds of the calendar mode for GPUs (Compute Engine, "Create a future
// reservation request in calendar mode"). More or longer ones take an arrangement
// with Google.
const (
	minBlock      = day
	maxBlock      = 90 * day
	maxBlockCount = 80
)

// scheduledForm is a future reservation in the default mode. It knows no
// placement and shares with no other service (discovery document,
// FutureReservation).
func scheduledForm() form {
	return form{
		most:    maxCount,
		options: []setting{acceleratorOption(), countOption(), platformOption(), disksOption(), interfaceOption(), deploymentOption()},
		check: func(s *cloud.Spec, p *problems) {
			at := checkFuture(s, p)
			checkAttached(s, p)
			if length, ok := lengthOf(*s); ok && length < minScheduled {
				p.add(at, "%s: Google Cloud takes reservations for a date of 24 hours and more", length)
			}
		},
	}
}

// blockForm is a future reservation in the calendar mode. Its machine types come
// with their GPUs. Whether they must be targeted only the cloud knows.
func blockForm() form {
	return form{
		most:    maxBlockCount,
		options: []setting{platformOption(), disksOption(), interfaceOption(), deploymentOption()},
		check: func(s *cloud.Spec, p *problems) {
			at := checkFuture(s, p)
			checkBlockType(s, p)
			if length, ok := lengthOf(*s); ok && (length < minBlock || length > maxBlock) {
				p.add(at, "%s: Google Cloud takes blocks of 1 to 90 days", length)
			}
		},
	}
}

// lengthOf is how long a wish lasts, if it says and is not wrong anyway.
func lengthOf(s cloud.Spec) (length time.Duration, ok bool) {
	length = s.EndAt.Sub(s.StartAt)
	return length, !s.StartAt.IsZero() && !s.EndAt.IsZero() && length > 0
}

// checkFuture completes the end, which is all that is sent of a duration, and
// tells which attribute says it.
func checkFuture(s *cloud.Spec, p *problems) cloud.Attribute {
	if s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a reservation of kind %s needs start_at", s.Kind)
	}
	at := cloud.AttrEnd
	switch {
	case s.EndAt.IsZero() && s.Duration == 0:
		p.add(cloud.AttrDuration, "a reservation of kind %s needs a duration or end_at", s.Kind)
	case s.StartAt.IsZero() || s.Duration <= 0:
	case s.EndAt.IsZero():
		at = cloud.AttrDuration
		s.EndAt = sendable(s.StartAt.Add(s.Duration))
		if !s.EndAt.After(s.StartAt) {
			p.add(at, "%s: the shortest duration that can be sent is a millisecond", s.Duration)
		}
	case !s.EndAt.Equal(sendable(s.StartAt.Add(s.Duration))):
		p.add(cloud.AttrDuration, "%s from %s does not lead to the end %s; give only one of the two",
			s.Duration, instant(s.StartAt), instant(s.EndAt))
	}
	return at
}

func checkBlockType(s *cloud.Spec, p *problems) {
	family := familyOf(s.InstanceType)
	if slices.Contains(beforeA3, family) {
		p.add(cloud.AttrInstanceType, "Google Cloud takes blocks of A3 and newer machine types, not of %s; kind scheduled reserves it for a date",
			strings.ToUpper(family))
	}
}
