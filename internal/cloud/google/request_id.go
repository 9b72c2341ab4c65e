package google

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"google.golang.org/protobuf/proto"
)

// requestID makes a create idempotent: the same token, attempt and body give the
// same id in every process, another body another one. What Compute Engine does
// with a repeated id and another body is not documented.
func requestID(token string, attempt int, body proto.Message) (string, error) {
	if token == "" {
		return freshID(), nil
	}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(body)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(token), []byte(strconv.Itoa(attempt)), raw} {
		sum.Write([]byte(strconv.Itoa(len(part)) + ":"))
		sum.Write(part)
	}
	return uuid([16]byte(sum.Sum(nil))), nil
}

// freshID is one that was never used.
func freshID() string {
	var id [16]byte
	// Read never fails (package crypto/rand).
	_, _ = rand.Read(id[:])
	return uuid(id)
}

// uuid writes 128 bits as RFC 9562 has custom ones, version 8: Compute Engine
// takes any valid UUID but zero.
func uuid(id [16]byte) string {
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// attempt is the next attempt number of a token.
func (c *Cloud) attempt(token string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.attempts[token]
}

// failed remembers that an attempt of a token ended in a failed operation, which
// its request id would bring back for ever.
func (c *Cloud) failed(token string, next int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts[token] = max(c.attempts[token], next)
}
