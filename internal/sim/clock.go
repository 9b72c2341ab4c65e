package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// ClockReading is the virtual clock as the control API shows it.
type ClockReading struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

// ClockChange is a body of POST /clock. Given together, set comes first, then
// advance, then freeze.
type ClockChange struct {
	Set     *time.Time `json:"set,omitempty"`
	Advance *Duration  `json:"advance,omitempty"`
	Freeze  *bool      `json:"freeze,omitempty"`
}

func (c ClockChange) validate() error {
	if c.Set == nil && c.Advance == nil && c.Freeze == nil {
		return errors.New("clock: one of set, advance, freeze is required")
	}
	if c.Advance != nil && *c.Advance < 0 {
		return errors.New("clock: advance is negative; what happened does not unhappen")
	}
	return nil
}

func (c *clockState) now(wall time.Time) time.Time {
	if c.Frozen != nil {
		return *c.Frozen
	}
	return wall.Add(c.Offset).UTC()
}

// maxLeft bounds the offsets that are remembered.
const maxLeft = 32

var errTooFar = errors.New("more than 292 years away")

// moveTo sets the clock. The offset from wall time is kept in 63 bits of
// nanoseconds, so an instant more than some 292 years away is refused.
func (c *clockState) moveTo(t, wall time.Time) error {
	t = t.UTC()
	if !wall.Add(t.Sub(wall)).Equal(t) {
		return fmt.Errorf("clock: %s is %w", t.Format(time.RFC3339), errTooFar)
	}
	c.Left = append(c.Left, c.now(wall).Sub(wall))
	if len(c.Left) > maxLeft {
		c.Left = c.Left[len(c.Left)-maxLeft:]
	}
	if c.Frozen != nil {
		c.Frozen = &t
		return nil
	}
	c.Offset = t.Sub(wall)
	return nil
}

func (c *clockState) freeze(on bool, wall time.Time) {
	now := c.now(wall)
	if on {
		c.Frozen = &now
		return
	}
	c.Frozen = nil
	c.Offset = now.Sub(wall)
}

// Near tells whether t is within d of wall time, of the virtual clock, or of
// where the virtual clock would stand without its jumps: a client that
// corrected its clock by an earlier answer's date still signs by that.
func (tx *Tx) Near(t time.Time, d time.Duration) bool {
	offsets := append([]time.Duration{0, tx.now.Sub(tx.wall)}, tx.state.Clock.Left...)
	return slices.ContainsFunc(offsets, func(offset time.Duration) bool {
		return t.Sub(tx.wall.Add(offset)).Abs() <= d
	})
}

// Clock reads the virtual clock.
func (w *World) Clock() (ClockReading, error) {
	var reading ClockReading
	err := w.Do(func(tx *Tx) error {
		reading = tx.reading()
		return nil
	})
	return reading, err
}

// ChangeClock moves, freezes or thaws the clock; what falls due happens.
func (w *World) ChangeClock(change ClockChange) (ClockReading, error) {
	var reading ClockReading
	err := w.Do(func(tx *Tx) error {
		if err := tx.changeClock(change); err != nil {
			return err
		}
		reading = tx.reading()
		return nil
	})
	return reading, err
}

// SetClock sets the clock to an instant.
func (w *World) SetClock(t time.Time) error {
	_, err := w.ChangeClock(ClockChange{Set: &t})
	return err
}

// Advance moves the clock on by d.
func (w *World) Advance(d time.Duration) error {
	span := Duration(d)
	_, err := w.ChangeClock(ClockChange{Advance: &span})
	return err
}

// Freeze stops the clock or lets it run on from where it stands.
func (w *World) Freeze(on bool) error {
	_, err := w.ChangeClock(ClockChange{Freeze: &on})
	return err
}

func (tx *Tx) reading() ClockReading {
	return ClockReading{Now: tx.now, Frozen: tx.state.Clock.Frozen != nil}
}

func (tx *Tx) changeClock(change ClockChange) error {
	if err := change.validate(); err != nil {
		return err
	}
	clock := &tx.state.Clock
	if change.Set != nil {
		if err := clock.moveTo(*change.Set, tx.Wall()); err != nil {
			return err
		}
	}
	if change.Advance != nil {
		wall := tx.Wall()
		if err := clock.moveTo(clock.now(wall).Add(time.Duration(*change.Advance)), wall); err != nil {
			return err
		}
	}
	if change.Freeze != nil {
		clock.freeze(*change.Freeze, tx.Wall())
	}
	tx.settle()
	return nil
}
