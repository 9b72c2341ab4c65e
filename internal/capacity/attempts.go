package capacity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Outcome is how one try at one place ended.
type Outcome string

// The outcomes of an attempt.
const (
	OutcomeHeld    Outcome = "held"
	OutcomeRefused Outcome = "refused"
	OutcomeSkipped Outcome = "skipped"
	OutcomeUnknown Outcome = "unknown"
)

// Attempt is one try at one place and how it ended.
type Attempt struct {
	Cloud, Account, Region, Zone, InstanceType string
	Kind                                       cloud.Kind
	Outcome                                    Outcome
	// Class is the error class, Native and Message the cloud's own words.
	Class           cloud.Code
	Native, Message string
	At              time.Time
}

// place is where the attempt was made, in words.
func (a Attempt) place() string {
	return fmt.Sprintf("%s %s %s (%s)", a.Cloud, Place(a.Region, a.Zone), a.InstanceType, a.Kind)
}

// why is how it ended, in words.
func (a Attempt) why() string {
	text := string(a.Outcome)
	if a.Class != "" {
		text += ", " + string(a.Class)
	}
	for _, part := range []string{a.Native, a.Message} {
		if part != "" {
			text += ": " + part
		}
	}
	return text
}

// attempt records an error at a wish's place.
func attempt(w Wish, err error, at time.Time) Attempt {
	a := Attempt{
		Cloud: w.Cloud, Account: w.Spec.Account, Region: w.Spec.Region, Zone: w.Spec.Zone,
		InstanceType: w.Spec.InstanceType, Kind: w.Spec.Kind, Outcome: OutcomeRefused,
		Class: cloud.CodeOf(err), Message: cloud.Clean(err.Error()), At: at.UTC(),
	}
	if cloud.MaybeAccepted(err) {
		a.Outcome = OutcomeUnknown
	}
	var e *cloud.Error
	if errors.As(err, &e) && e.Native+e.Message != "" {
		a.Native, a.Message = e.Native, e.Message
	}
	if e != nil && len(e.ZoneHints) > 0 {
		a.Message += " (the cloud names zones that have it: " + strings.Join(e.ZoneHints, ", ") + ")"
	}
	return a
}

// warn writes the attempt to the log as it ends.
func (a Attempt) warn(ctx context.Context, log *slog.Logger, next string) {
	log.WarnContext(ctx, "refused: "+a.place(), "class", string(a.Class), "code", a.Native, "message", a.Message,
		"zone", a.Zone, "instance_type", a.InstanceType, "next", next)
}

// Report is one row per attempt, equal ones in a row told once.
func Report(attempts []Attempt) string {
	var b strings.Builder
	for i := 0; i < len(attempts); {
		last := i
		for last+1 < len(attempts) && sameEnd(attempts[i], attempts[last+1]) {
			last++
		}
		a := attempts[i]
		fmt.Fprintf(&b, "  - %s: %s (%s", a.place(), a.why(), a.At.Format(time.RFC3339))
		if n := last - i + 1; n > 1 {
			fmt.Fprintf(&b, " to %s, %d times", attempts[last].At.Format(time.RFC3339), n)
		}
		b.WriteString(")\n")
		i = last + 1
	}
	return b.String()
}

func sameEnd(a, b Attempt) bool {
	a.At, b.At = time.Time{}, time.Time{}
	return a == b
}
