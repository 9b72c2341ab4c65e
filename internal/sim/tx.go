package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"time"
)

// Tx is one transaction on a world. It must not be kept.
type Tx struct {
	world *World
	state *state
	now   time.Time
	wall  time.Time
}

// Now is the virtual clock, the same all through a transaction.
func (tx *Tx) Now() time.Time { return tx.now }

// Wall is the machine's clock, against which signatures are checked; it too
// stands still during a transaction.
func (tx *Tx) Wall() time.Time { return tx.wall }

// settle reads the clock and lets happen what has fallen due.
func (tx *Tx) settle() {
	tx.now = tx.state.Clock.now(tx.wall)
	for {
		obj := tx.nextDue()
		if obj == nil {
			return
		}
		at := obj.Due
		obj.Due = time.Time{}
		if c, ok := tx.world.cloud(obj.Cloud); ok {
			c.Due(tx, obj, at)
		}
	}
}

// nextDue is the object with the earliest instant that has come. Objects of a
// cloud that is not registered wait for a program that knows it.
func (tx *Tx) nextDue() *Object {
	var next *Object
	for _, obj := range tx.state.Objects {
		if obj.Due.IsZero() || obj.Due.After(tx.now) {
			continue
		}
		if _, known := tx.world.cloud(obj.Cloud); !known {
			continue
		}
		if next == nil || obj.Due.Before(next.Due) {
			next = obj
		}
	}
	return next
}

// Hex draws n random hexadecimal digits, for ids.
func (tx *Tx) Hex(n int) string {
	text := ""
	for len(text) < n {
		sum := tx.draw()
		text += hex.EncodeToString(sum[:])
	}
	return text[:n]
}

// Rand is a source of randomness for this transaction.
func (tx *Tx) Rand() *rand.Rand {
	sum := tx.draw()
	return rand.New(rand.NewPCG(
		binary.LittleEndian.Uint64(sum[:8]),
		binary.LittleEndian.Uint64(sum[8:16]),
	))
}

func (tx *Tx) draw() [sha256.Size]byte {
	var raw [16]byte
	binary.LittleEndian.PutUint64(raw[:8], tx.state.Seed)
	binary.LittleEndian.PutUint64(raw[8:], tx.state.Draws)
	tx.state.Draws++
	return sha256.Sum256(raw[:])
}

// PageMax is the largest page the control API allows for a cloud; 0 leaves the
// cloud's own.
func (tx *Tx) PageMax(cloud string) int { return tx.state.Paging[cloud] }

// Token is what an idempotency token once did.
type Token struct {
	// Digest is a hash of the parameters it came with.
	Digest string `json:"digest"`
	// NativeID is the object it made.
	NativeID string    `json:"native_id"`
	At       time.Time `json:"at"`
}

// Token looks up an idempotency token by the cloud's whole key.
func (tx *Tx) Token(cloud, key string) (Token, bool) {
	t, ok := tx.state.Tokens[cloud+"\x00"+key]
	return t, ok
}

// PutToken remembers an idempotency token.
func (tx *Tx) PutToken(cloud, key string, t Token) {
	tx.state.Tokens[cloud+"\x00"+key] = t
}
