package mem

import (
	"maps"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// SetCapacity has n instances free in a place from now on; creates take from
// them and releases give back.
func (c *Cloud) SetCapacity(p Place, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	c.capacity[p] = n
}

// SetQuota sets the limit of a quota in vCPUs; QuotaOf tells the scope.
func (c *Cloud) SetQuota(scope cloud.QuotaScope, limit float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quota[scope] = limit
}

// SetFault has f asked about every call from now on; nil ends that.
func (c *Cloud) SetFault(f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = f
}

// AddOffer puts an offer of a block or a term on sale that can be bought stock
// times. A block's length is that of its window unless it says another.
func (c *Cloud) AddOffer(o cloud.Offer, stock int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.Length == 0 {
		o.Length = o.EndAt.Sub(o.StartAt)
	}
	c.offers = append(c.offers, &stocked{offer: o, stock: stock})
}

// AddExtensionOffer puts an extension on sale that can be bought stock times, for
// any block of the offer's region, type and count. Its zone, start and end are
// those that the block gives it; Length is how much longer the block lasts.
func (c *Cloud) AddExtensionOffer(o cloud.Offer, stock int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o.Kind = cloud.Block
	c.extensions = append(c.extensions, &stocked{offer: o, stock: stock})
}

// SetPaymentLag has blocks and extensions bought from now on wait so long for
// their payment.
func (c *Cloud) SetPaymentLag(lag time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paymentLag = lag
}

// FailPayment has every payment fail that a block waits for: its own, and that
// of an extension.
func (c *Cloud) FailPayment(nativeID string) {
	c.edit(nativeID, func(o *object) {
		if o.r.Kind == cloud.Block && o.r.State == cloud.Pending {
			c.end(o, cloud.Refused)
		}
		o.failExtensions()
	})
}

// SetSignal has the market tell this of the zone and type that it names; what is
// nil in it stays unknown.
func (c *Cloud) SetSignal(s cloud.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signals = slices.DeleteFunc(c.signals, func(o cloud.Signal) bool {
		return o.Zone == s.Zone && o.InstanceType == s.InstanceType
	})
	c.signals = append(c.signals, s)
}

// SetStock changes how often an offer, of an extension too, can still be bought.
func (c *Cloud) SetStock(offerID string, stock int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range slices.Concat(c.offers, c.extensions) {
		if o.offer.ID == offerID {
			o.stock = stock
		}
	}
}

// QuotaUsed is what counts against a quota now, in vCPUs.
func (c *Cloud) QuotaUsed(scope cloud.QuotaScope) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	return c.used(scope)
}

// SetUsers has these instances run in a reservation, and no others.
func (c *Cloud) SetUsers(nativeID string, users ...string) {
	c.edit(nativeID, func(o *object) { o.users = slices.Clone(users) })
}

// SetState puts a reservation into a state in which it stays. A state that is
// not live gives its capacity back, as ever.
func (c *Cloud) SetState(nativeID string, state cloud.State) {
	c.edit(nativeID, func(o *object) {
		if o.r.State.Live() && !state.Live() {
			c.end(o, state)
			return
		}
		o.r.State, o.heldAfter = state, time.Time{}
	})
}

// SetCount changes the count without drawing on anything.
func (c *Cloud) SetCount(nativeID string, n int) {
	c.edit(nativeID, func(o *object) { o.r.Count = n })
}

// SetMissing has the cloud never give so many of the instances that it promised.
func (c *Cloud) SetMissing(nativeID string, n int) {
	c.edit(nativeID, func(o *object) { o.r.Missing = n })
}

// AddGroup has a group of a grouped cloud be there, for reservations in these
// zones; without zones, for those of the whole region.
func (c *Cloud) AddGroup(accountID, name, region string, zones ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.groups = append(c.groups, group{accountID, name, region, slices.Clone(zones)})
}

// CutShort has the next "Release" or "Update" of a grouped cloud that takes a
// second step end after its first one, with this error: a release leaves a group
// and Reservation.Remains, a refused growth Reservation.Unsettled.
func (c *Cloud) CutShort(method string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut[method] = err
}

// SetUnsettled leaves a reservation as a refused growth does that is not set back.
func (c *Cloud) SetUnsettled(nativeID string) {
	c.edit(nativeID, func(o *object) { o.r.Unsettled = true })
}

// SetUnresolved has a reservation shared also with accounts that are shown by
// these names, of which the cloud does not tell the account.
func (c *Cloud) SetUnresolved(nativeID string, names ...string) {
	c.edit(nativeID, func(o *object) { o.r.Unresolved = slices.Clone(names) })
}

// SetTag writes any tag, a reserved one too: a foreign claim is
// SetTag(id, cloud.TagClaim, …).
func (c *Cloud) SetTag(nativeID, key, value string) {
	c.edit(nativeID, func(o *object) { o.tags[key] = value })
}

// RemoveTag removes any tag.
func (c *Cloud) RemoveTag(nativeID, key string) {
	c.edit(nativeID, func(o *object) { delete(o.tags, key) })
}

// RawTags are all tags of a reservation, reserved ones too.
func (c *Cloud) RawTags(nativeID string) map[string]string {
	var tags map[string]string
	c.edit(nativeID, func(o *object) { tags = maps.Clone(o.tags) })
	return tags
}

// Forget has the cloud no longer know a reservation, nor the token that made it.
func (c *Cloud) Forget(nativeID string) {
	c.edit(nativeID, func(o *object) {
		if o.r.State.Live() {
			c.end(o, cloud.Gone)
		}
		c.objects = slices.DeleteFunc(c.objects, func(other *object) bool { return other == o })
		maps.DeleteFunc(c.tokens, func(_ token, m made) bool { return m.object == o })
	})
}

// Calls are all calls so far, refused ones too, in the order of their start.
func (c *Cloud) Calls() []cloud.Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}

// edit changes an object behind everyone's back; an unknown id changes nothing.
func (c *Cloud) edit(nativeID string, f func(*object)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	if o := c.find(nativeID); o != nil {
		f(o)
	}
}
