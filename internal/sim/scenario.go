package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// many is one body or a list of bodies.
type many[T any] []T

// UnmarshalJSON is as strict as the control API.
func (m *many[T]) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return decode(data, (*[]T)(m))
	}
	var one T
	if err := decode(data, &one); err != nil {
		return err
	}
	*m = []T{one}
	return nil
}

// scenario is the file that sets a world up: the control API's bodies by the
// name of their path. Objects are rows that come into being.
type scenario struct {
	Clock    *ClockChange    `json:"clock"`
	Capacity many[Capacity]  `json:"capacity"`
	Quota    many[Quota]     `json:"quota"`
	Faults   many[Fault]     `json:"faults"`
	Rate     many[Rate]      `json:"rate"`
	Paging   many[Paging]    `json:"paging"`
	Objects  many[ObjectRow] `json:"objects"`
}

// Load applies a scenario, whole or not at all. The clock comes first, then
// stock and quotas, then objects, which take from neither; faults and rates
// come last.
func (w *World) Load(data []byte) error {
	return w.Do(func(tx *Tx) error { return tx.loadWhole(data) })
}

// loadWhole puts the old state back after an error, which only a world in
// memory needs.
func (tx *Tx) loadWhole(data []byte) error {
	saved, err := json.Marshal(tx.state)
	if err != nil {
		return fmt.Errorf("scenario: save the state: %w", err)
	}
	failed := tx.load(data)
	if failed == nil {
		return nil
	}
	old := &state{}
	if err := json.Unmarshal(saved, old); err != nil {
		return fmt.Errorf("scenario: restore the state: %w", err)
	}
	old.fill()
	*tx.state = *old
	return failed
}

// LoadOnce applies a scenario to a world that has not had one: processes that
// share a state file each call it, and one of them does it.
func (w *World) LoadOnce(data []byte) error {
	return w.Do(func(tx *Tx) error {
		if tx.state.Seeded {
			return nil
		}
		if err := tx.loadWhole(data); err != nil {
			return err
		}
		tx.state.Seeded = true
		return nil
	})
}

func (tx *Tx) load(data []byte) error {
	var s scenario
	if err := decode(data, &s); err != nil {
		return fmt.Errorf("scenario: %w", err)
	}
	if s.Clock != nil {
		if err := tx.changeClock(*s.Clock); err != nil {
			return fmt.Errorf("scenario: %w", err)
		}
	}
	steps := []error{
		each(s.Capacity, tx.setCapacity),
		each(s.Quota, tx.setQuota),
		each(s.Objects, tx.seed),
		each(s.Rate, tx.setRate),
		each(s.Paging, tx.setPaging),
		tx.addFaults(s.Faults),
	}
	for _, err := range steps {
		if err != nil {
			return fmt.Errorf("scenario: %w", err)
		}
	}
	return nil
}

func each[T any](list []T, f func(T) error) error {
	for i, item := range list {
		if err := f(item); err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return nil
}

// seed brings an object into being that a scenario describes.
func (tx *Tx) seed(row ObjectRow) error {
	if err := tx.knownCloud("objects", row.Cloud); err != nil {
		return err
	}
	if row.NativeID != "" && tx.visible(row.NativeID) != nil {
		return fmt.Errorf("objects: %s exists already", row.NativeID)
	}
	obj := &Object{
		Cloud: row.Cloud, Type: row.Type, NativeID: row.NativeID,
		Region: row.Region, Zone: row.Zone, InstanceType: row.InstanceType,
		Count: row.Count, InUse: row.InUse, Status: row.Status, Tags: row.Tags,
		StartsAt: row.StartsAt.Time, EndsAt: row.EndsAt.Time,
		Payload: json.RawMessage("{}"),
	}
	cloud, _ := tx.world.cloud(row.Cloud)
	if err := cloud.Seed(tx, obj); err != nil {
		return fmt.Errorf("objects: %w", err)
	}
	tx.Insert(obj)
	return nil
}
