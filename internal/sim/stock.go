package sim

import (
	"errors"
	"fmt"
)

// Capacity is a body of PUT /capacity: how many instances can still be had.
// Account "" is one pool for every account that has none of its own; zone ""
// is regional.
type Capacity struct {
	Cloud        string `json:"cloud"`
	Account      string `json:"account,omitempty"`
	Region       string `json:"region"`
	Zone         string `json:"zone"`
	InstanceType string `json:"instance_type"`
	Available    *int   `json:"available"`
}

// Place is where stock is kept.
type Place struct {
	Cloud        string
	Account      string
	Region       string
	Zone         string
	InstanceType string
}

func (c *Capacity) place() Place {
	return Place{c.Cloud, c.Account, c.Region, c.Zone, c.InstanceType}
}

func (tx *Tx) setCapacity(c Capacity) error {
	if err := tx.knownCloud("capacity", c.Cloud); err != nil {
		return err
	}
	if c.Region == "" || c.InstanceType == "" {
		return errors.New("capacity: region and instance_type are required")
	}
	if c.Available == nil || *c.Available < 0 {
		return errors.New("capacity: available is required and not negative")
	}
	available := *c.Available
	c.Available = &available
	for i := range tx.state.Capacity {
		if tx.state.Capacity[i].place() == c.place() {
			tx.state.Capacity[i] = c
			return nil
		}
	}
	tx.state.Capacity = append(tx.state.Capacity, c)
	return nil
}

func (tx *Tx) knownCloud(what, name string) error {
	if _, ok := tx.world.cloud(name); ok {
		return nil
	}
	return fmt.Errorf("%s: unknown cloud %q; this world has %v", what, name, tx.world.Clouds())
}

// stock finds the account's own pool, then the shared one; nil is plenty.
func (tx *Tx) stock(at Place) *int {
	shared := at
	shared.Account = ""
	for _, want := range []Place{at, shared} {
		for i := range tx.state.Capacity {
			if tx.state.Capacity[i].place() == want {
				return tx.state.Capacity[i].Available
			}
		}
	}
	return nil
}

// Available tells what a place still has; false is plenty.
func (tx *Tx) Available(at Place) (int, bool) {
	stock := tx.stock(at)
	if stock == nil {
		return 0, false
	}
	return *stock, true
}

// Take takes n instances out of a place's stock, or nothing and false.
func (tx *Tx) Take(at Place, n int) bool {
	stock := tx.stock(at)
	if stock == nil {
		return true
	}
	if *stock < n {
		return false
	}
	*stock -= n
	return true
}

// Give puts n instances back. A negative n takes them without asking, which is
// how a change behind everyone's back counts; stock does not fall below none.
func (tx *Tx) Give(at Place, n int) {
	if stock := tx.stock(at); stock != nil {
		*stock = max(*stock+n, 0)
	}
}

// SetCapacity says how many instances a place still has.
func (w *World) SetCapacity(c Capacity) error {
	return w.Do(func(tx *Tx) error { return tx.setCapacity(c) })
}

// Quota is a body of PUT /quota, in the unit that the cloud counts in. Account
// "" is every account; used is what others than this world's objects use.
type Quota struct {
	Cloud   string   `json:"cloud"`
	Account string   `json:"account,omitempty"`
	Region  string   `json:"region"`
	Quota   string   `json:"quota"`
	Limit   *float64 `json:"limit"`
	Used    float64  `json:"used,omitempty"`
}

func (tx *Tx) setQuota(q Quota) error {
	if err := tx.knownCloud("quota", q.Cloud); err != nil {
		return err
	}
	if q.Quota == "" {
		return errors.New("quota: quota is required")
	}
	if q.Limit == nil || *q.Limit < 0 || q.Used < 0 {
		return errors.New("quota: limit is required; limit and used are not negative")
	}
	for i, old := range tx.state.Quotas {
		if old.Cloud == q.Cloud && old.Account == q.Account && old.Region == q.Region && old.Quota == q.Quota {
			tx.state.Quotas[i] = q
			return nil
		}
	}
	tx.state.Quotas = append(tx.state.Quotas, q)
	return nil
}

// Quota finds a quota of the account, else of every account; false means that
// the cloud's default holds.
func (tx *Tx) Quota(cloud, account, region, quota string) (limit, used float64, found bool) {
	for _, want := range []string{account, ""} {
		for _, q := range tx.state.Quotas {
			if q.Cloud == cloud && q.Account == want && q.Region == region && q.Quota == quota {
				return *q.Limit, q.Used, true
			}
		}
	}
	return 0, 0, false
}

// SetQuota sets a quota's limit and the use that others make of it.
func (w *World) SetQuota(q Quota) error {
	return w.Do(func(tx *Tx) error { return tx.setQuota(q) })
}
