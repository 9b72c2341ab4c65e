package mem_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const day = 24 * time.Hour

func of(kind cloud.Kind) cloud.Spec { return memtest.Wishes()[kind] }

// makeBlock buys the first offer of the harness, which is for one day from
// tomorrow.
func makeBlock(t *testing.T, c *mem.Cloud) cloud.Reservation {
	t.Helper()
	c.AddOffer(memtest.Offer(0), 1)
	c.AddExtensionOffer(memtest.ExtensionOffer(700), 2)
	s := of(cloud.Block)
	s.OfferID = memtest.Offer(0).ID
	return create(t, c, s)
}

func TestCheckOfKinds(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	start := of(cloud.Scheduled).StartAt
	tests := map[string]struct {
		kind  cloud.Kind
		spoil func(*cloud.Spec)
		want  []cloud.Attribute
	}{
		"scheduled":             {cloud.Scheduled, func(*cloud.Spec) {}, nil},
		"no start":              {cloud.Scheduled, func(s *cloud.Spec) { s.StartAt = time.Time{} }, []cloud.Attribute{cloud.AttrStart}},
		"open":                  {cloud.Scheduled, func(s *cloud.Spec) { s.Match = cloud.Open }, []cloud.Attribute{cloud.AttrMatch}},
		"end of the commitment": {cloud.Scheduled, func(s *cloud.Spec) { s.EndAt = start.Add(14 * day) }, nil},
		"end inside it":         {cloud.Scheduled, func(s *cloud.Spec) { s.EndAt = start.Add(14*day - 1) }, []cloud.Attribute{cloud.AttrEnd}},
		"too short":             {cloud.Scheduled, func(s *cloud.Spec) { s.Duration = 13 * day }, []cloud.Attribute{cloud.AttrEnd}},
		"shorter commitment": {cloud.Scheduled, func(s *cloud.Spec) {
			s.Duration, s.Native = 13*day, map[string]string{"commitment": "24h"}
		}, nil},
		"no commitment": {cloud.Scheduled, func(s *cloud.Spec) {
			s.Native = map[string]string{"commitment": "0s"}
		}, []cloud.Attribute{"mem.commitment"}},
		"commitment of another": {cloud.OnDemand, func(s *cloud.Spec) {
			s.Native = map[string]string{"commitment": "24h"}
		}, []cloud.Attribute{"mem.commitment"}},
		"host":             {cloud.DedicatedHost, func(s *cloud.Spec) { s.Native = map[string]string{"recovery": "on"} }, nil},
		"recovery":         {cloud.DedicatedHost, func(s *cloud.Spec) { s.Native = map[string]string{"recovery": "yes"} }, []cloud.Attribute{"mem.recovery"}},
		"two hosts":        {cloud.DedicatedHost, func(s *cloud.Spec) { s.Count = 2 }, []cloud.Attribute{cloud.AttrCount}},
		"host with window": {cloud.DedicatedHost, func(s *cloud.Spec) { s.StartAt, s.EndAt, s.Duration = start, start.Add(1), 1 }, []cloud.Attribute{cloud.AttrStart, cloud.AttrEnd, cloud.AttrDuration}},
		"host with term":   {cloud.DedicatedHost, func(s *cloud.Spec) { s.Term = &cloud.TermPlan{} }, []cloud.Attribute{cloud.AttrTerm}},
		"term":             {cloud.Term, func(*cloud.Spec) {}, nil},
		"no term":          {cloud.Term, func(s *cloud.Spec) { s.Term = nil }, []cloud.Attribute{cloud.AttrTerm}},
		"odd term": {cloud.Term, func(s *cloud.Spec) {
			s.Term = &cloud.TermPlan{Months: 6, Payment: "later"}
		}, []cloud.Attribute{"term.months", "term.payment_option"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := of(test.kind)
			test.spoil(&s)
			_, found := c.Check(s)
			var got []cloud.Attribute
			for _, p := range found {
				got = append(got, p.Attribute)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s%v", diff, found)
			}
		})
	}
}

// TestScheduled walks one from its assessment to past its commitment.
func TestScheduled(t *testing.T) {
	t.Parallel()
	c, jump := newCloud(func(o *mem.Options) { o.Assessment = 5 * day })
	r := create(t, c, of(cloud.Scheduled))
	start, committed := r.StartsAt, r.StartsAt.Add(14*day)
	free := start.Add(-mem.FreeBefore)
	steps := []struct {
		at              time.Time
		state           cloud.State
		committed, free time.Time
		quote           cloud.Code
		hours           int64
	}{
		{r.CreatedAt, cloud.Pending, time.Time{}, time.Time{}, cloud.Conflict, 0},
		{r.CreatedAt.Add(5 * day), cloud.Held, committed, free, "", 0},
		{free.Add(-1), cloud.Held, committed, free, "", 0},
		{free, cloud.Held, committed, free, "", 7 * 24},
		{start, cloud.Held, committed, time.Time{}, "", 7 * 24},
		{start.Add(4 * day), cloud.Held, committed, time.Time{}, "", 5 * 24},
		{committed, cloud.Held, time.Time{}, time.Time{}, cloud.Conflict, 0},
	}
	for _, step := range steps {
		jump.Advance(step.at.Sub(jump.Now()))
		got := get(t, c, r.Ref)
		quote, err := c.Quote(t.Context(), r.Ref)
		want := []any{step.state, step.committed, step.free, step.quote, step.hours}
		if diff := cmp.Diff(want, []any{got.State, got.CommittedUntil, got.FreeUntil, cloud.CodeOf(err), quote.InstanceHours}); diff != "" {
			t.Errorf("at %s (-want +got):\n%s", step.at, diff)
		}
	}
	if err := c.Release(t.Context(), r.Ref); err != nil {
		t.Errorf("Release after the commitment: %v", err)
	}
}

// TestScheduledIsDecidedLater: quota is asked at once, capacity by the decision.
func TestScheduledIsDecidedLater(t *testing.T) {
	t.Parallel()
	place := mem.Place{Zone: "mem-east-1a", InstanceType: "p1.whole"}
	c, jump := newCloud(func(o *mem.Options) { o.Assessment = day; o.Capacity = map[mem.Place]int{place: 1} })
	first, second := create(t, c, of(cloud.Scheduled)), create(t, c, of(cloud.Scheduled))
	two := 2
	if _, err := c.Update(t.Context(), first.Ref, cloud.Change{Count: &two}); cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("growth before the decision: %v", err)
	}
	jump.Advance(day)
	if a, b := get(t, c, first.Ref).State, get(t, c, second.Ref).State; a != cloud.Held || b != cloud.Refused {
		t.Errorf("states with room for one: %s and %s", a, b)
	}
	c.SetQuota(mem.QuotaOf(mem.DefaultAccountID, "mem-east-1", "p1.whole"), 0)
	if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: of(cloud.Scheduled)}); cloud.CodeOf(err) != cloud.QuotaExceeded {
		t.Errorf("without quota: %v", err)
	}
	inside := first.StartsAt.Add(day)
	if _, err := c.Update(t.Context(), first.Ref, cloud.Change{EndAt: &inside}); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("an end inside the commitment: %v", err)
	}
	jump.Advance(89*day + 1)
	if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: of(cloud.Scheduled)}); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("a start that is too near: %v", err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		between func(*testing.T, *mem.Cloud, *clocktest.Jump, cloud.Ref, *cloud.Quote)
		want    cloud.Code
	}{
		"as quoted": {func(*testing.T, *mem.Cloud, *clocktest.Jump, cloud.Ref, *cloud.Quote) {}, ""},
		"expired": {func(_ *testing.T, _ *mem.Cloud, jump *clocktest.Jump, _ cloud.Ref, _ *cloud.Quote) {
			jump.Advance(mem.QuoteLife)
		}, cloud.Conflict},
		"no such quote": {func(_ *testing.T, _ *mem.Cloud, _ *clocktest.Jump, _ cloud.Ref, q *cloud.Quote) {
			q.ID = "q-none"
		}, cloud.Conflict},
		"grown since": {func(t *testing.T, c *mem.Cloud, _ *clocktest.Jump, ref cloud.Ref, _ *cloud.Quote) {
			t.Helper()
			two := 2
			if _, err := c.Update(t.Context(), ref, cloud.Change{Count: &two}); err != nil {
				t.Fatalf("Update: %v", err)
			}
		}, cloud.Conflict},
		"in use": {func(_ *testing.T, c *mem.Cloud, _ *clocktest.Jump, ref cloud.Ref, _ *cloud.Quote) {
			c.SetUsers(ref.NativeID, "i-1")
		}, cloud.InUse},
		"forgotten": {func(_ *testing.T, c *mem.Cloud, _ *clocktest.Jump, ref cloud.Ref, _ *cloud.Quote) {
			c.Forget(ref.NativeID)
		}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, jump := newCloud(nil)
			r := create(t, c, of(cloud.Scheduled))
			jump.Advance(80 * day)
			q, err := c.Quote(t.Context(), r.Ref)
			if err != nil || q.InstanceHours != 7*24 || !q.BilledUntil.Equal(r.StartsAt.Add(14*day)) {
				t.Fatalf("Quote = %+v, %v", q, err)
			}
			test.between(t, c, jump, r.Ref, &q)
			if err := c.Cancel(t.Context(), r.Ref, q); cloud.CodeOf(err) != test.want {
				t.Errorf("Cancel: %v, want %q", err, test.want)
			}
		})
	}
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	c, jump := newCloud(func(o *mem.Options) { o.PaymentLag = time.Hour })
	r := makeBlock(t, c)
	if _, err := c.ExtensionOffers(t.Context(), r.Ref, day); r.State != cloud.Pending || cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("before its payment the block is %s and: %v", r.State, err)
	}
	jump.Advance(time.Hour)
	extend := func() cloud.Extension {
		t.Helper()
		offers, err := c.ExtensionOffers(t.Context(), r.Ref, day)
		if err != nil || len(offers) != 1 {
			t.Fatalf("ExtensionOffers = %+v, %v", offers, err)
		}
		e, err := c.Extend(t.Context(), r.Ref, offers[0])
		if err != nil {
			t.Fatalf("Extend: %v", err)
		}
		return e
	}
	failed := extend()
	if _, err := c.Extend(t.Context(), r.Ref, memtest.ExtensionOffer(700)); cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("a second one before the first is paid: %v", err)
	}
	c.FailPayment(r.Ref.NativeID)
	paid := extend()
	jump.Advance(time.Hour)
	failed.State, paid.State = cloud.Refused, cloud.Held
	all, err := c.Extensions(t.Context(), r.Ref)
	if diff := cmp.Diff([]cloud.Extension{failed, paid}, all); err != nil || diff != "" {
		t.Errorf("history: %v (-want +got):\n%s", err, diff)
	}
	got := get(t, c, r.Ref)
	end := r.EndsAt.Add(day)
	want := []any{end, end, end.Add(-30 * time.Minute), day}
	if diff := cmp.Diff(want, []any{got.EndsAt, got.CommittedUntil, got.UsableUntil, got.Length}); diff != "" {
		t.Errorf("the extended block (-want +got):\n%s", diff)
	}
	if _, err := c.Extend(t.Context(), r.Ref, memtest.ExtensionOffer(700)); cloud.CodeOf(err) != cloud.NoCapacity {
		t.Errorf("beyond the stock: %v", err)
	}
}

// TestUnpaid: what is not paid in time never counts.
func TestUnpaid(t *testing.T) {
	t.Parallel()
	c, jump := newCloud(nil)
	r := makeBlock(t, c)
	c.SetPaymentLag(5 * day)
	if _, err := c.Extend(t.Context(), r.Ref, memtest.ExtensionOffer(700)); err != nil {
		t.Fatalf("Extend: %v", err)
	}
	jump.Advance(6 * day)
	if got := get(t, c, r.Ref); got.State != cloud.Ended || !got.EndsAt.Equal(r.EndsAt) {
		t.Errorf("the block is %s and ends %s", got.State, got.EndsAt)
	}
	if all, err := c.Extensions(t.Context(), r.Ref); err != nil || len(all) != 1 || all[0].State != cloud.Refused {
		t.Errorf("history = %+v, %v", all, err)
	}
	c, _ = newCloud(func(o *mem.Options) { o.PaymentLag = time.Hour })
	r = makeBlock(t, c)
	c.FailPayment(r.Ref.NativeID)
	if got := get(t, c, r.Ref); got.State != cloud.Refused || !got.CommittedUntil.IsZero() {
		t.Errorf("a block that was not paid is %s, committed until %s", got.State, got.CommittedUntil)
	}
}

func TestTerm(t *testing.T) {
	t.Parallel()
	c, jump := newCloud(nil)
	c.AddOffer(memtest.TermOffer(12, "all_upfront", 10_000), 1)
	r := create(t, c, of(cloud.Term))
	plan := *of(cloud.Term).Term
	buy := func(p cloud.TermPurchase) error {
		_, err := c.Update(t.Context(), r.Ref, cloud.Change{Term: &p})
		return err
	}
	limit := func(micros int64, currency string) *money.Money {
		return &money.Money{Micros: micros, Currency: currency}
	}
	steps := []struct {
		name string
		p    cloud.TermPurchase
		want cloud.Code
	}{
		{"below its price", cloud.TermPurchase{Term: plan, Token: "t", Limit: limit(9_999_999_999, "USD")}, cloud.Invalid},
		{"in another currency", cloud.TermPurchase{Term: plan, Token: "t", Limit: limit(99_000_000_000, "EUR")}, cloud.Invalid},
		{"not on sale", cloud.TermPurchase{Term: cloud.TermPlan{Months: 36, Payment: "no_upfront"}, Token: "t"}, cloud.Invalid},
		{"at its price", cloud.TermPurchase{Term: plan, Token: "t", Limit: limit(10_000_000_000, "USD")}, ""},
		{"once for its token", cloud.TermPurchase{Term: plan, Token: "t"}, ""},
		{"another of the token", cloud.TermPurchase{Term: cloud.TermPlan{Months: 36, Payment: "no_upfront"}, Token: "t"}, cloud.Conflict},
		{"a second one", cloud.TermPurchase{Term: plan, Token: "u"}, cloud.Conflict},
	}
	for _, step := range steps {
		if err := buy(step.p); cloud.CodeOf(err) != step.want {
			t.Errorf("%s: %v, want %q", step.name, err, step.want)
		}
	}
	got := get(t, c, r.Ref)
	end := r.CreatedAt.AddDate(1, 0, 0)
	want := []any{cloud.Term, &plan, end, limit(10_000_000_000, "USD")}
	if diff := cmp.Diff(want, []any{got.Kind, got.Term, got.CommittedUntil, got.PaidUpfront}); diff != "" {
		t.Errorf("the host (-want +got):\n%s", diff)
	}
	jump.Advance(end.Sub(jump.Now()))
	if diff := cmp.Diff(r, get(t, c, r.Ref)); diff != "" {
		t.Errorf("the host after its term (-want +got):\n%s", diff)
	}
}

func TestTermOnlyOnHosts(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	r := create(t, c, wish())
	change := cloud.Change{Term: &cloud.TermPurchase{Term: *of(cloud.Term).Term, Token: "t"}}
	if _, err := c.Update(t.Context(), r.Ref, change); cloud.CodeOf(err) != cloud.Unsupported {
		t.Errorf("a term for an on-demand reservation: %v", err)
	}
	host := create(t, c, of(cloud.DedicatedHost))
	c.SetState(host.Ref.NativeID, cloud.Pending)
	if _, err := c.Update(t.Context(), host.Ref, change); cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("a term for a host that is not yet held: %v", err)
	}
}

func TestKindsOfAList(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	ids := map[cloud.Kind]string{cloud.Block: makeBlock(t, c).Ref.NativeID}
	for _, kind := range []cloud.Kind{cloud.OnDemand, cloud.Scheduled, cloud.DedicatedHost} {
		ids[kind] = create(t, c, of(kind)).Ref.NativeID
	}
	ids[cloud.Term] = ids[cloud.DedicatedHost]
	for kind, id := range ids {
		all, err := c.List(t.Context(), cloud.Scope{Region: "mem-east-1", Kind: kind})
		if err != nil || len(all) != 1 || all[0].Ref.NativeID != id {
			t.Errorf("List of kind %s = %+v, %v; want %s", kind, all, err, id)
		}
	}
}

func TestMarket(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	price, score, no := money.Money{Micros: 98_000_000, Currency: "USD"}, 3, false
	c.SetSignal(cloud.Signal{Zone: "mem-west-1a", InstanceType: "p1.whole", OnDemand: &price})
	c.SetSignal(cloud.Signal{Zone: "mem-west-1a", InstanceType: "p1.whole", SpotScore: &score, Offered: &no})
	got, err := c.Market(t.Context(), cloud.MarketQuery{Region: "mem-west-1", InstanceTypes: []string{"p1.whole", "z9.none", "g1.small"}})
	if err != nil {
		t.Fatalf("Market: %v", err)
	}
	why := "the in-memory cloud was not told"
	unknown := map[cloud.SignalField]string{cloud.SignalOnDemand: why, cloud.SignalSpot: why, cloud.SignalSpotScore: why}
	yes := true
	plain := func(zone, name string) cloud.Signal {
		return cloud.Signal{Region: "mem-west-1", Zone: zone, InstanceType: name, Offered: &yes, Unknown: unknown}
	}
	set := plain("mem-west-1a", "p1.whole")
	set.Offered, set.SpotScore = &no, &score
	set.Unknown = map[cloud.SignalField]string{cloud.SignalOnDemand: why, cloud.SignalSpot: why}
	want := []cloud.Signal{set, plain("mem-west-1b", "p1.whole"), plain("mem-west-1a", "g1.small"), plain("mem-west-1b", "g1.small")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("signals (-want +got):\n%s", diff)
	}
	for _, query := range []cloud.MarketQuery{{Region: "mem-south-1"}, {Region: "mem-west-1", Zones: []string{"mem-east-1a"}}} {
		if _, err := c.Market(t.Context(), query); cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("Market(%+v): %v", query, err)
		}
	}
}
