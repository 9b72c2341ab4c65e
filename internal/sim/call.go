package sim

import (
	"encoding/json"
	"errors"
	"time"
)

// Call is a row of the call log: one HTTP request at a cloud's endpoint.
type Call struct {
	Seq          int64     `json:"seq"`
	Time         time.Time `json:"time"`
	Cloud        string    `json:"cloud"`
	Operation    string    `json:"operation"`
	Account      string    `json:"account"`
	Region       string    `json:"region"`
	Zone         string    `json:"zone"`
	InstanceType string    `json:"instance_type"`
	NativeID     string    `json:"native_id"`
	// Status is the HTTP status that was sent; unknown where none was.
	Status Number `json:"status"`
	Code   string `json:"code"`
	// Attempt is the client's own count of its tries.
	Attempt Number `json:"attempt"`
}

// Number is a number that may be unknown: 0 here, "" in JSON.
type Number int

// MarshalJSON writes the number, or "" where it is unknown.
func (n Number) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte(`""`), nil
	}
	return json.Marshal(int(n))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == `""` {
		*n = 0
		return nil
	}
	var value int
	if err := json.Unmarshal(data, &value); err != nil {
		return errors.New(`a number, or "" for unknown, is wanted`)
	}
	*n = Number(value)
	return nil
}

// Calls lists the log's rows after seq, oldest first.
func (w *World) Calls(since int64) ([]Call, error) {
	rows := []Call{}
	err := w.Do(func(tx *Tx) error {
		for _, c := range tx.state.Calls {
			if c.Seq > since {
				rows = append(rows, c)
			}
		}
		return nil
	})
	return rows, err
}

// log appends a row and returns its number.
func (tx *Tx) log(cloud string, req *Request) int64 {
	tx.state.LastSeq++
	tx.state.Calls = append(tx.state.Calls, Call{
		Seq: tx.state.LastSeq, Time: tx.now, Cloud: cloud,
		Operation: req.Operation, Account: req.Account, Region: req.Region,
		Zone: req.Zone, InstanceType: req.InstanceType, NativeID: req.NativeID,
		Attempt: Number(req.Attempt),
	})
	if bound := tx.world.maxCalls; bound > 0 && len(tx.state.Calls) > bound {
		tx.state.Calls = append([]Call(nil), tx.state.Calls[len(tx.state.Calls)-bound:]...)
	}
	return tx.state.LastSeq
}

// row finds a row of the log; nil where the bound has pushed it out.
func (tx *Tx) row(seq int64) *Call {
	for i := len(tx.state.Calls) - 1; i >= 0; i-- {
		if tx.state.Calls[i].Seq == seq {
			return &tx.state.Calls[i]
		}
	}
	return nil
}
