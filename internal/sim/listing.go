package sim

import (
	"errors"
	"fmt"
	"time"
)

// ObjectRow is an object as the control API shows it, and as a scenario gives
// it. Instants that do not apply are "".
type ObjectRow struct {
	Cloud        string            `json:"cloud"`
	Type         string            `json:"type"`
	NativeID     string            `json:"native_id"`
	Region       string            `json:"region"`
	Zone         string            `json:"zone"`
	InstanceType string            `json:"instance_type"`
	Count        int               `json:"count"`
	InUse        Use               `json:"in_use"`
	Status       string            `json:"status"`
	Tags         map[string]string `json:"tags"`
	StartsAt     Instant           `json:"starts_at"`
	EndsAt       Instant           `json:"ends_at"`
}

// Instant is a time that may be absent, which is "".
type Instant struct{ time.Time }

// MarshalJSON writes RFC 3339 in UTC, or "".
func (i Instant) MarshalJSON() ([]byte, error) {
	if i.IsZero() {
		return []byte(`""`), nil
	}
	return i.UTC().MarshalJSON()
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Instant) UnmarshalJSON(data []byte) error {
	if string(data) == `""` {
		i.Time = time.Time{}
		return nil
	}
	if err := i.Time.UnmarshalJSON(data); err != nil {
		return errors.New(`an instant is an RFC 3339 string, or ""`)
	}
	i.Time = i.UTC()
	return nil
}

// ObjectPatch is a body of PATCH /objects: a change behind everyone's back.
// Tags merge as a JSON merge patch does: null removes one. An empty map
// removes them all.
type ObjectPatch struct {
	NativeID string             `json:"native_id"`
	Status   *string            `json:"status,omitempty"`
	InUse    *Use               `json:"in_use,omitempty"`
	Count    *int               `json:"count,omitempty"`
	Tags     map[string]*string `json:"tags,omitempty"`
	Gone     bool               `json:"gone,omitempty"`
}

// Objects lists what users of any cloud hold or once held, oldest first.
func (w *World) Objects() ([]ObjectRow, error) {
	rows := []ObjectRow{}
	err := w.Do(func(tx *Tx) error {
		for _, obj := range tx.state.Objects {
			if !obj.Hidden {
				rows = append(rows, obj.row())
			}
		}
		return nil
	})
	return rows, err
}

func (o *Object) row() ObjectRow {
	c := o.clone()
	tags := c.Tags
	if tags == nil {
		tags = map[string]string{}
	}
	return ObjectRow{
		Cloud: c.Cloud, Type: c.Type, NativeID: c.NativeID,
		Region: c.Region, Zone: c.Zone, InstanceType: c.InstanceType,
		Count: c.Count, InUse: c.InUse, Status: c.Status, Tags: tags,
		StartsAt: Instant{c.StartsAt}, EndsAt: Instant{c.EndsAt},
	}
}

// Patch changes an object behind everyone's back.
func (w *World) Patch(patch ObjectPatch) error {
	return w.Do(func(tx *Tx) error { return tx.patch(patch) })
}

func (tx *Tx) patch(patch ObjectPatch) error {
	obj := tx.visible(patch.NativeID)
	if obj == nil {
		return fmt.Errorf("objects: no object has the native_id %q", patch.NativeID)
	}
	if patch.Count != nil && *patch.Count < 0 {
		return errors.New("objects: count is negative")
	}
	before := obj.clone()
	cloud, known := tx.world.cloud(obj.Cloud)
	if patch.Gone {
		tx.Remove(obj)
		if known {
			cloud.Changed(tx, before, nil)
		}
		return nil
	}
	obj.apply(patch)
	if known {
		cloud.Changed(tx, before, obj)
	}
	return nil
}

func (tx *Tx) visible(id string) *Object {
	for _, obj := range tx.state.Objects {
		if !obj.Hidden && id != "" && obj.Is(id) {
			return obj
		}
	}
	return nil
}

func (o *Object) apply(patch ObjectPatch) {
	if patch.Status != nil {
		o.Status = *patch.Status
	}
	if patch.InUse != nil {
		o.InUse = *patch.InUse
	}
	if patch.Count != nil {
		o.Count = *patch.Count
	}
	if patch.Tags == nil {
		return
	}
	if len(patch.Tags) == 0 || o.Tags == nil {
		o.Tags = map[string]string{}
	}
	for key, value := range patch.Tags {
		if value == nil {
			delete(o.Tags, key)
			continue
		}
		o.Tags[key] = *value
	}
}
