package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Object is one thing a cloud holds. The header is common to all clouds and is
// the truth for what it names; Payload is the cloud's own. A cloud may keep
// what users do not see here too (operations, sessions) by setting Hidden.
type Object struct {
	Cloud        string            `json:"cloud"`
	Type         string            `json:"type"`
	NativeID     string            `json:"native_id"`
	Aliases      []string          `json:"aliases,omitempty"`
	Account      string            `json:"account,omitempty"`
	Region       string            `json:"region,omitempty"`
	Zone         string            `json:"zone,omitempty"`
	InstanceType string            `json:"instance_type,omitempty"`
	Count        int               `json:"count,omitempty"`
	InUse        Use               `json:"in_use"`
	Status       string            `json:"status,omitempty"`
	Tags         map[string]string `json:"tags,omitempty"`
	StartsAt     time.Time         `json:"starts_at,omitzero"`
	EndsAt       time.Time         `json:"ends_at,omitzero"`
	// Due is when the cloud wants to be called; zero is never.
	Due    time.Time `json:"due,omitzero"`
	Hidden bool      `json:"hidden,omitempty"`
	// Serial orders objects by creation and never repeats; pages count by it.
	Serial  int64           `json:"serial"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Decode reads the payload into v.
func (o *Object) Decode(v any) error {
	if err := json.Unmarshal(o.Payload, v); err != nil {
		return fmt.Errorf("payload of %s: %w", o.NativeID, err)
	}
	return nil
}

// Encode sets the payload from v.
func (o *Object) Encode(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("payload of %s: %w", o.NativeID, err)
	}
	o.Payload = data
	return nil
}

// Is tells whether id is one of the object's names.
func (o *Object) Is(id string) bool {
	return sameID(o.NativeID, id) || slices.ContainsFunc(o.Aliases, func(alias string) bool { return sameID(alias, id) })
}

func (o *Object) clone() *Object {
	c := *o
	c.Tags = maps.Clone(o.Tags)
	c.Aliases = slices.Clone(o.Aliases)
	c.Payload = slices.Clone(o.Payload)
	c.InUse.Users = slices.Clone(o.InUse.Users)
	return &c
}

// Use is how much of an object is used: a number, or the users by id.
type Use struct {
	Number int
	Users  []string
}

// Count is the number of users.
func (u Use) Count() int {
	if u.Users != nil {
		return len(u.Users)
	}
	return u.Number
}

// MarshalJSON writes the ids where they are known, else the number.
func (u Use) MarshalJSON() ([]byte, error) {
	if u.Users != nil {
		return json.Marshal(u.Users)
	}
	return json.Marshal(u.Number)
}

// UnmarshalJSON reads a number or a list of ids.
func (u *Use) UnmarshalJSON(data []byte) error {
	var number int
	if err := json.Unmarshal(data, &number); err == nil {
		if number < 0 {
			return errors.New("in_use is negative")
		}
		*u = Use{Number: number}
		return nil
	}
	var users []string
	if err := json.Unmarshal(data, &users); err != nil {
		return errors.New("in_use is a number or a list of ids")
	}
	*u = Use{Users: users}
	return nil
}

// Objects lists a cloud's objects of one type, oldest first.
func (tx *Tx) Objects(cloud, kind string) []*Object {
	var found []*Object
	for _, obj := range tx.state.Objects {
		if obj.Cloud == cloud && obj.Type == kind {
			found = append(found, obj)
		}
	}
	return found
}

// Object finds a cloud's object by its native id or another of its names.
func (tx *Tx) Object(cloud, id string) (*Object, bool) {
	for _, obj := range tx.state.Objects {
		if obj.Cloud == cloud && obj.Is(id) {
			return obj, true
		}
	}
	return nil, false
}

// Insert adds an object and gives it its serial.
func (tx *Tx) Insert(obj *Object) {
	tx.state.Serial++
	obj.Serial = tx.state.Serial
	tx.state.Objects = append(tx.state.Objects, obj)
}

// Remove takes an object out.
func (tx *Tx) Remove(obj *Object) {
	tx.state.Objects = slices.DeleteFunc(tx.state.Objects, func(o *Object) bool {
		return o.Serial == obj.Serial
	})
}

// sameID compares ids as the control API does: no cloud tells two objects apart by
// letter case alone, and some write one id in several ways.
func sameID(a, b string) bool { return strings.EqualFold(a, b) }
