package sim

import (
	"errors"
	"math"
	"time"
)

// Rate is a body of POST /rate: one bucket for a whole cloud, in place of the
// documented ones.
type Rate struct {
	Cloud     string  `json:"cloud"`
	PerSecond float64 `json:"per_second"`
	Burst     float64 `json:"burst"`
}

// bucket is the standing of a token bucket.
type bucket struct {
	Tokens  float64   `json:"tokens"`
	Virtual time.Time `json:"virtual"`
	Wall    time.Time `json:"wall"`
}

// overrideBucket is the key of a cloud's bucket under POST /rate.
const overrideBucket = "\x00rate"

// admit takes a token for the request, or tells that there is none.
func (tx *Tx) admit(cloud string, b Bucket) bool {
	if r, ok := tx.state.Rates[cloud]; ok {
		b = Bucket{Name: overrideBucket, PerSecond: r.PerSecond, Burst: r.Burst}
	}
	if b.Name == "" {
		return true
	}
	key := cloud + "\x00" + b.Name
	wall := tx.Wall()
	standing, ok := tx.state.Buckets[key]
	if !ok {
		standing = &bucket{Tokens: b.Burst, Virtual: tx.now, Wall: wall}
		tx.state.Buckets[key] = standing
	}
	passed := max(tx.now.Sub(standing.Virtual), wall.Sub(standing.Wall), 0)
	standing.Tokens = math.Min(b.Burst, standing.Tokens+passed.Seconds()*b.PerSecond)
	standing.Virtual, standing.Wall = tx.now, wall
	if standing.Tokens < 1 {
		return false
	}
	standing.Tokens--
	return true
}

func (tx *Tx) setRate(r Rate) error {
	if err := tx.knownCloud("rate", r.Cloud); err != nil {
		return err
	}
	if r.PerSecond <= 0 || r.Burst < 1 {
		return errors.New("rate: per_second must be above 0 and burst at least 1")
	}
	tx.state.Rates[r.Cloud] = r
	delete(tx.state.Buckets, r.Cloud+"\x00"+overrideBucket)
	return nil
}

// SetRate puts one bucket in place of a cloud's documented ones; it is full.
func (w *World) SetRate(r Rate) error {
	return w.Do(func(tx *Tx) error { return tx.setRate(r) })
}

// ClearRates gives every cloud its documented buckets back, full.
func (w *World) ClearRates() error {
	return w.Do(func(tx *Tx) error {
		clear(tx.state.Rates)
		clear(tx.state.Buckets)
		return nil
	})
}

// Paging is a body of PUT /paging: pages no longer than this.
type Paging struct {
	Cloud string `json:"cloud"`
	Max   int    `json:"max"`
}

func (tx *Tx) setPaging(p Paging) error {
	if err := tx.knownCloud("paging", p.Cloud); err != nil {
		return err
	}
	if p.Max < 1 {
		return errors.New("paging: max must be at least 1")
	}
	tx.state.Paging[p.Cloud] = p.Max
	return nil
}

// SetPaging makes a cloud's pages smaller.
func (w *World) SetPaging(p Paging) error {
	return w.Do(func(tx *Tx) error { return tx.setPaging(p) })
}

// Reset makes a clean world with the clock at now.
func (w *World) Reset() error {
	return w.Do(func(tx *Tx) error {
		tx.state.reset()
		tx.settle()
		return nil
	})
}
