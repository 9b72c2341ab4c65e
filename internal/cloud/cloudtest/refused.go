package cloudtest

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func refusalChecks() []check {
	return []check{
		{name: "capacity", of: traits{prompt}, run: func(b *bench) {
			b.needs(b.SetCapacity != nil, "SetCapacity")
			req := b.request("refused", b.wish())
			b.SetCapacity(req.Spec, 0)
			b.refused(req, cloud.NoCapacity)
		}},
		{name: "later", of: traits{slow}, run: refusedLater},
		{name: "quota", of: traits{metered}, run: refusedByQuota},
		{name: "throttled", run: throttledCreate},
		{name: "throttled-read", run: throttledReads},
		{name: "invalid", run: func(b *bench) {
			req := b.request("refused", b.wish())
			req.Spec.Count = 1_000_000
			_, err := b.try(req)
			// Where no limit but the quota is known, that one refuses.
			if e := b.classed("Create of a million", err, cloud.Invalid, cloud.QuotaExceeded); e.Accepted {
				b.Errorf("%v says that it may have been accepted", e)
			}
		}},
		{name: "type", run: func(b *bench) {
			req := b.request("refused", b.wish())
			req.Spec.InstanceType = "x9.nosuchtype"
			_, err := b.try(req)
			if e := b.classed("Create of an unknown type", err, cloud.Invalid, cloud.Unsupported); e.Accepted {
				b.Errorf("%v says that it may have been accepted", e)
			}
		}},
		{name: "lead", of: traits{leads}, run: refusedLead},
		{name: "then-granted", of: traits{prompt}, run: grantedAfterRefusal},
	}
}

// refused demands that a create fails in one class, certainly without effect.
func (b *bench) refused(req cloud.CreateRequest, code cloud.Code) {
	b.Helper()
	_ = b.refusal(req, code)
}

// refusal is the error of a create that has to be refused.
func (b *bench) refusal(req cloud.CreateRequest, code cloud.Code) *cloud.Error {
	b.Helper()
	_, err := b.try(req)
	e := b.classed("Create", err, code)
	if e.Accepted {
		b.Errorf("%v says that it may have been accepted", err)
	}
	return e
}

// refusedLater: what is decided later may be accepted without capacity, but is
// never promised.
func refusedLater(b *bench) {
	b.needs(b.SetCapacity != nil && b.Advance != nil, "SetCapacity or Advance")
	req := b.request("refused", b.wish())
	b.SetCapacity(req.Spec, 0)
	r, err := b.try(req)
	if err != nil {
		b.wantCode("Create", err, cloud.NoCapacity)
		return
	}
	if r = b.decided(r); r.State != cloud.Refused {
		b.Errorf("without capacity the decision was %s (%s), want %s", r.State, r.NativeState, cloud.Refused)
	}
}

// refusedLead: a start nearer or further than the kind allows is refused.
func refusedLead(b *bench) {
	b.needs(b.Advance != nil, "Advance")
	for what, lead := range map[string]time.Duration{
		"nearest": b.can.MinLead - time.Hour, "furthest": b.can.MaxLead + 25*time.Hour,
	} {
		if lead < 0 || (what == "furthest" && b.can.MaxLead == 0) {
			continue
		}
		s, start := b.wish(), b.now().Add(lead)
		if !s.StartAt.IsZero() {
			s = shifted(s, start.Sub(s.StartAt))
		}
		s.StartAt = start
		_, err := b.try(b.request(what, s))
		b.wantCode("Create beyond the "+what+" start", err, cloud.Invalid)
	}
}

func refusedByQuota(b *bench) {
	b.needs(b.SetQuota != nil, "SetQuota")
	req := b.request("refused", b.wish())
	b.SetQuota(req.Spec, 0)
	e := b.refusal(req, cloud.QuotaExceeded)
	if e.Quota == nil {
		b.Fatalf("%v does not tell which quota", e)
	}
	account, err := b.Cloud.AccountID(b.ctx, req.Spec.Account)
	if err != nil {
		b.Fatalf("AccountID: %v", err)
	}
	if q := *e.Quota; q.AccountID != account || (q.Region != "" && q.Region != req.Spec.Region) || q.Quota == "" {
		b.Errorf("quota %+v does not belong to %s in %s", q, account, req.Spec.Region)
	}
	if found := b.marked("refused"); len(found) != 0 {
		b.Errorf("a refused create left %d reservations", len(found))
	}
}

func throttledCreate(b *bench) {
	b.needs(b.Throttle != nil, "Throttle")
	req := b.request("throttled", b.wish())
	b.Throttle(true)
	b.refused(req, cloud.Throttled)
	b.Throttle(false)
	if found := b.marked("throttled"); len(found) != 0 {
		b.Errorf("a throttled create left %d reservations", len(found))
	}
}

func throttledReads(b *bench) {
	b.needs(b.Throttle != nil, "Throttle")
	r := b.create("read")
	b.Throttle(true)
	_, err := b.Cloud.Get(b.ctx, r.Ref)
	b.wantCode("Get", err, cloud.Throttled)
	_, err = b.Cloud.List(b.ctx, b.scope())
	b.wantCode("List", err, cloud.Throttled)
	b.wantCode("Release", b.Cloud.Release(b.ctx, r.Ref), cloud.Throttled)
	b.Throttle(false)
	if got := b.get(r.Ref); !got.State.Live() {
		b.Errorf("a throttled release left state %s", got.State)
	}
}

// grantedAfterRefusal: a refusal leaves nothing in the way, not even the token.
func grantedAfterRefusal(b *bench) {
	b.needs(b.SetCapacity != nil, "SetCapacity")
	req := b.request("granted", b.wish())
	b.SetCapacity(req.Spec, 0)
	b.refused(req, cloud.NoCapacity)
	b.SetCapacity(req.Spec, req.Spec.Count)
	if _, err := b.try(req); err != nil {
		b.Fatalf("Create with the same token once there is capacity: %v", err)
	}
	b.exactlyOne("granted")
}
