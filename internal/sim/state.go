package sim

import "time"

// stateVersion changes when an older program could not read the file.
const stateVersion = 1

// state is everything a world remembers. It is JSON so that a state file can be
// read by people.
type state struct {
	Version  int                `json:"version"`
	Seed     uint64             `json:"seed"`
	Draws    uint64             `json:"draws"`
	Clock    clockState         `json:"clock"`
	Seeded   bool               `json:"scenario_loaded,omitempty"`
	Serial   int64              `json:"serial"`
	Objects  []*Object          `json:"objects,omitempty"`
	Tokens   map[string]Token   `json:"tokens,omitempty"`
	Capacity []Capacity         `json:"capacity,omitempty"`
	Quotas   []Quota            `json:"quotas,omitempty"`
	Faults   []*standingFault   `json:"faults,omitempty"`
	Rates    map[string]Rate    `json:"rates,omitempty"`
	Buckets  map[string]*bucket `json:"buckets,omitempty"`
	Paging   map[string]int     `json:"paging,omitempty"`
	LastSeq  int64              `json:"last_seq"`
	Calls    []Call             `json:"calls,omitempty"`
}

type clockState struct {
	Offset time.Duration `json:"offset_ns"`
	Frozen *time.Time    `json:"frozen,omitempty"`
	// Left are the offsets that jumps have left behind, newest last.
	Left []time.Duration `json:"left_ns,omitempty"`
}

func newState(seed uint64) *state {
	return &state{
		Version: stateVersion,
		Seed:    seed,
		Tokens:  map[string]Token{},
		Rates:   map[string]Rate{},
		Buckets: map[string]*bucket{},
		Paging:  map[string]int{},
	}
}

// fill makes the maps that an empty JSON left nil.
func (s *state) fill() {
	fresh := newState(s.Seed)
	if s.Tokens == nil {
		s.Tokens = fresh.Tokens
	}
	if s.Rates == nil {
		s.Rates = fresh.Rates
	}
	if s.Buckets == nil {
		s.Buckets = fresh.Buckets
	}
	if s.Paging == nil {
		s.Paging = fresh.Paging
	}
}

// reset empties the world; ids, serials and call numbers go on so that nothing
// from before can be mistaken for something after.
func (s *state) reset() {
	clean := newState(s.Seed)
	clean.Draws, clean.Serial, clean.LastSeq = s.Draws, s.Serial, s.LastSeq
	clean.Seeded = s.Seeded
	*s = *clean
}
