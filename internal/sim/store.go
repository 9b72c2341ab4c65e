package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/gofrs/flock"
)

// ErrCorrupt marks a state file that is not one; it is never replaced.
var ErrCorrupt = errors.New("the state file of the simulation is damaged")

// store keeps a state; with runs f alone, everywhere, and keeps what f did.
type store interface {
	with(f func(*state) error) error
}

// memory keeps the state in this process.
type memory struct {
	mu    sync.Mutex
	state *state
}

func (m *memory) with(f func(*state) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return f(m.state)
}

// file keeps the state in a file that several processes share. The lock lies
// beside it because the file itself is replaced with each write.
type file struct {
	mu   sync.Mutex
	path string
	lock *flock.Flock
	seed uint64
}

func newFile(path string, seed uint64) *file {
	return &file{
		path: path,
		lock: flock.New(path+".lock", flock.SetPermissions(0o600)),
		seed: seed,
	}
}

func (s *file) with(f func(*state) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.lock.Lock(); err != nil {
		return fmt.Errorf("lock %s.lock: %w", s.path, err)
	}
	defer func() {
		if unlockErr := s.lock.Unlock(); unlockErr != nil {
			err = errors.Join(err, fmt.Errorf("unlock %s.lock: %w", s.path, unlockErr))
		}
	}()
	world, err := s.read()
	if err != nil {
		return err
	}
	if err := f(world); err != nil {
		return err
	}
	return s.write(world)
}

func (s *file) read() (*state, error) {
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return newState(s.seed), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the state file of the simulation: %w", err)
	}
	world := &state{}
	if err := json.Unmarshal(data, world); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; restore it, or remove it to start a new world", ErrCorrupt, s.path, err)
	}
	if world.Version != stateVersion {
		return nil, fmt.Errorf("%w: %s has version %d and this program knows version %d",
			ErrCorrupt, s.path, world.Version, stateVersion)
	}
	world.fill()
	return world, nil
}

// write replaces the file by rename: a process killed at any instant leaves the
// old state or the new one. The temporary name is fixed, which the lock allows,
// so that killed processes leave at most one. There is no fsync: what is
// guarded against is the end of a process, not of the machine.
func (s *file) write(world *state) error {
	data, err := json.Marshal(world)
	if err != nil {
		return fmt.Errorf("encode the state of the simulation: %w", err)
	}
	temporary := s.path + ".tmp"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the left-over %s: %w", temporary, err)
	}
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return fmt.Errorf("write the state file of the simulation: %w", err)
	}
	if err := os.Rename(temporary, s.path); err != nil {
		return fmt.Errorf("replace the state file of the simulation: %w", err)
	}
	return nil
}
