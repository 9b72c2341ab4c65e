package chaostest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Stage is a simulated world of its own with a gate in front, and the hand that
// calls the provider in process.
type Stage struct {
	World *sim.World
	Audit *Audit
	Gate  *Gate
	Hand  *Inline
}

// NewStage makes a stage of one cloud; seed makes the world's ids repeat.
func NewStage(cloud string, seed uint64) (*Stage, error) {
	t, err := targetOf(cloud)
	if err != nil {
		return nil, err
	}
	world, err := sim.New(sim.Options{Seed: max(1, seed)})
	if err != nil {
		return nil, fmt.Errorf("simulated world: %w", err)
	}
	s := &Stage{World: world, Audit: newAudit(t, world)}
	s.Gate = NewGate(s.Audit)
	reading, err := world.ChangeClock(sim.ClockChange{Freeze: new(true)})
	if err != nil {
		return nil, fmt.Errorf("simulated world: %w", err)
	}
	jump := clocktest.NewJump(reading.Now)
	jump.OnJump(s.push(reading.Now))
	s.Hand = &Inline{Gate: s.Gate, Clock: jump, Owner: "chaos/inline"}
	for _, endpoint := range all.Simulators(world) {
		if endpoint.Name == cloud {
			s.Hand.Cloud = endpoint.Handler
		}
	}
	if s.Hand.Cloud == nil {
		return nil, fmt.Errorf("no simulator of %s", cloud)
	}
	return s, nil
}

// push moves the world's clock along with the provider's.
func (s *Stage) push(last time.Time) func(time.Time) {
	var mu sync.Mutex
	return func(now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		if now.After(last) {
			if err := s.World.Advance(now.Sub(last)); err != nil {
				s.Audit.Fail("the world's clock cannot be moved: %v", err)
			}
			last = now
		}
	}
}

// Close ends the world.
func (s *Stage) Close() { s.World.Close() }

// Dice are the random numbers of one round: the same for the same seed and
// round, whatever was played before.
func Dice(seed uint64, round int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(round)))
}

// PlayInline plays one round of a cloud's kind in process.
func PlayInline(cloud, kind string, seed uint64, round int) error {
	s, err := NewStage(cloud, seed+uint64(round))
	if err != nil {
		return err
	}
	defer s.Close()
	dice := Dice(seed, round)
	s.Hand.StepWise = dice.IntN(2) == 0
	return (&Round{Kind: kind, Hand: s.Hand, Audit: s.Audit, Rand: dice}).Run()
}
