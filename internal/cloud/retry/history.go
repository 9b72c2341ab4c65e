package retry

import (
	"errors"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// history is what the tries of one call have shown.
type history struct {
	start    time.Time
	tries    int
	internal int
	// accepted: one of the tries may have been accepted.
	accepted bool
	// err is how the last try ended, with last inside where it is classed.
	err  error
	last *cloud.Error
	// seen is the last classed error of an earlier try.
	seen *cloud.Error
	// cut is the context's end, where it came in a wait or in the last try.
	cut error
}

// add notes how a try ended.
func (h *history) add(err error) {
	if h.last != nil {
		h.seen = h.last
	}
	h.tries++
	h.accepted = h.accepted || cloud.MaybeAccepted(err)
	h.err, h.last = err, nil
	var e *cloud.Error
	switch {
	case errors.As(err, &e):
		h.last = e
		if e.Code == cloud.Internal {
			h.internal++
		}
	case cloud.CodeOf(err) == "":
		h.cut = err
	}
}

// stop notes that the context ended before another try.
func (h *history) stop(end error) {
	if !errors.Is(h.err, end) {
		h.cut = end
	}
}

// result is the error of the whole: a single try's as it is; otherwise the last
// classed one, with how many there were and with the context's end where that
// stopped them.
func (h *history) result(now time.Time) error {
	last := h.err
	if h.last == nil && h.cut != nil && h.seen != nil {
		h.last, last = h.seen, h.seen
	}
	if h.last == nil || (h.tries == 1 && h.cut == nil) {
		return h.err
	}
	if h.last.Accepted != h.accepted {
		changed := *h.last
		changed.Accepted = h.accepted
		last = &changed
	}
	err := fmt.Errorf("%w (tries: %d, in %s)", last, h.tries, now.Sub(h.start).Round(time.Millisecond))
	if h.cut != nil {
		return fmt.Errorf("%w; stopped: %w", err, h.cut)
	}
	return err
}
