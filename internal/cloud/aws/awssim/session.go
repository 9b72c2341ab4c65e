package awssim

import (
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	sessionType = "session"
	// tokenPrefix marks the session tokens of this simulator, so that one
	// of another world is not taken for a stranger's.
	tokenPrefix = "SimulatedSessionToken"
)

// session is a set of temporary keys. It is kept as a hidden object.
type session struct {
	Secret   string    `json:"secret"`
	Token    string    `json:"token"`
	Expires  time.Time `json:"expires"`
	Identity identity  `json:"identity"`
}

// mint makes keys that are good for d of wall time, by which clients and
// signatures go.
func mint(tx *sim.Tx, who identity, region string, d time.Duration) (string, session, error) {
	keyID := "ASIA" + strings.ToUpper(tx.Hex(16))
	s := session{
		Secret: tx.Hex(40), Token: tokenPrefix + tx.Hex(64),
		Expires: tx.Wall().Add(d).Truncate(time.Second), Identity: who,
	}
	// Forgotten a day after on the virtual clock, so that a state file does
	// not grow with every process that ever used it.
	obj := &sim.Object{
		Cloud: cloudName, Type: sessionType, NativeID: keyID, Account: who.Account, Region: region,
		Hidden: true, Due: tx.Now().Add(d + 24*time.Hour),
	}
	if err := obj.Encode(s); err != nil {
		return "", session{}, err
	}
	tx.Insert(obj)
	return keyID, s, nil
}

func findSession(tx *sim.Tx, keyID string) (session, bool, error) {
	obj, ok := tx.Object(cloudName, keyID)
	if !ok || obj.Type != sessionType {
		return session{}, false, nil
	}
	var s session
	err := obj.Decode(&s)
	return s, err == nil, err
}
