package sim

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Options say what a world is made of; the zero value is a world in memory.
type Options struct {
	// StatePath keeps the world in this file, shared with other processes.
	// Its clock is then wall time plus an offset in the file.
	StatePath string
	// Seed makes ids and shuffles repeat; 0 draws one.
	Seed uint64
	// Wall replaces the machine's clock.
	Wall func() time.Time
	// MaxCalls bounds the call log, oldest rows first out. 0 is no bound in
	// memory and 2,000 rows in a file.
	MaxCalls int
}

// fileCalls bounds the log of a state file, which is rewritten per request.
const fileCalls = 2000

// World is one simulated world. It is safe for concurrent use.
type World struct {
	store    store
	wall     func() time.Time
	maxCalls int
	closed   chan struct{}
	close    sync.Once

	mu     sync.RWMutex
	clouds map[string]Cloud
}

// New makes a world, or opens the one in Options.StatePath. A state file that
// cannot be read is an error that names it.
func New(opts Options) (*World, error) {
	seed := opts.Seed
	if seed == 0 {
		drawn, err := drawSeed()
		if err != nil {
			return nil, err
		}
		seed = drawn
	}
	w := &World{
		wall:     opts.Wall,
		maxCalls: opts.MaxCalls,
		closed:   make(chan struct{}),
		clouds:   map[string]Cloud{},
	}
	if w.wall == nil {
		w.wall = time.Now
	}
	if opts.StatePath == "" {
		w.store = &memory{state: newState(seed)}
		return w, nil
	}
	if w.maxCalls == 0 {
		w.maxCalls = fileCalls
	}
	w.store = newFile(opts.StatePath, seed)
	if err := w.Do(func(*Tx) error { return nil }); err != nil {
		return nil, err
	}
	return w, nil
}

func drawSeed() (uint64, error) {
	var raw [8]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return 0, fmt.Errorf("draw a seed: %w", err)
	}
	return binary.LittleEndian.Uint64(raw[:]), nil
}

// Register adds a cloud and returns its endpoint.
func (w *World) Register(c Cloud) http.Handler {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clouds[c.Name()] = c
	return &endpoint{world: w, cloud: c}
}

// Clouds lists the names of the registered clouds in order.
func (w *World) Clouds() []string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	names := make([]string, 0, len(w.clouds))
	for name := range w.clouds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (w *World) cloud(name string) (Cloud, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	c, ok := w.clouds[name]
	return c, ok
}

// Do runs f in a transaction, after everything that had fallen due. An error
// of f is returned as it is and, in a file, keeps the old state.
func (w *World) Do(f func(tx *Tx) error) error {
	return w.store.with(func(s *state) error {
		tx := &Tx{world: w, state: s, wall: w.wall().UTC()}
		tx.settle()
		return f(tx)
	})
}

// Close ends the waits of delayed answers. The world stays readable.
func (w *World) Close() {
	w.close.Do(func() { close(w.closed) })
}
