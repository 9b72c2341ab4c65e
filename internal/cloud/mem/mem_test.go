package mem_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
)

func wish() cloud.Spec {
	return cloud.Spec{Kind: cloud.OnDemand, Zone: "mem-east-1a", InstanceType: "p1.whole", Count: 1}
}

func newCloud(change func(*mem.Options)) (*mem.Cloud, *clocktest.Jump) {
	jump := clocktest.NewJump(memtest.Start())
	opts := mem.Options{Clock: jump}
	if change != nil {
		change(&opts)
	}
	return mem.New(opts), jump
}

func create(t *testing.T, c *mem.Cloud, s cloud.Spec) cloud.Reservation {
	t.Helper()
	r, err := c.Create(t.Context(), cloud.CreateRequest{Spec: s})
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	return r
}

func get(t *testing.T, c *mem.Cloud, ref cloud.Ref) cloud.Reservation {
	t.Helper()
	r, err := c.Get(t.Context(), ref)
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	return r
}

func TestCheck(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	at := memtest.Start()
	tests := map[string]struct {
		spoil func(*cloud.Spec)
		want  []cloud.Attribute
	}{
		"good":                     {func(*cloud.Spec) {}, nil},
		"region of the zone":       {func(s *cloud.Spec) { s.Region = "mem-east-1" }, nil},
		"option":                   {func(s *cloud.Spec) { s.Native = map[string]string{"tenancy": "dedicated"} }, nil},
		"no kind":                  {func(s *cloud.Spec) { s.Kind = "" }, []cloud.Attribute{cloud.AttrKind}},
		"another region":           {func(s *cloud.Spec) { s.Region = "mem-west-1" }, []cloud.Attribute{cloud.AttrZone}},
		"no zone":                  {func(s *cloud.Spec) { s.Zone = "" }, []cloud.Attribute{cloud.AttrZone}},
		"no such zone":             {func(s *cloud.Spec) { s.Zone = "mem-west-1c" }, []cloud.Attribute{cloud.AttrZone}},
		"no such region":           {func(s *cloud.Spec) { s.Zone, s.Region = "", "mem-south-1" }, []cloud.Attribute{cloud.AttrZone, cloud.AttrRegion}},
		"no type":                  {func(s *cloud.Spec) { s.InstanceType = "" }, []cloud.Attribute{cloud.AttrInstanceType}},
		"no form of a type":        {func(s *cloud.Spec) { s.InstanceType = "H100" }, []cloud.Attribute{cloud.AttrInstanceType}},
		"a type of the right form": {func(s *cloud.Spec) { s.InstanceType = "z9.future" }, nil},
		"no count":                 {func(s *cloud.Spec) { s.Count = 0 }, []cloud.Attribute{cloud.AttrCount}},
		"negative count":           {func(s *cloud.Spec) { s.Count = -1 }, []cloud.Attribute{cloud.AttrCount}},
		"most":                     {func(s *cloud.Spec) { s.Count = 1000 }, nil},
		"too many":                 {func(s *cloud.Spec) { s.Count = 1001 }, []cloud.Attribute{cloud.AttrCount}},
		"match":                    {func(s *cloud.Spec) { s.Match = "some" }, []cloud.Attribute{cloud.AttrMatch}},
		"open block":               {func(s *cloud.Spec) { s.Kind, s.Match = cloud.Block, cloud.Open }, []cloud.Attribute{cloud.AttrMatch}},
		"block anywhere":           {func(s *cloud.Spec) { s.Kind, s.Zone = cloud.Block, "" }, nil},
		"start of on-demand":       {func(s *cloud.Spec) { s.StartAt = at }, []cloud.Attribute{cloud.AttrStart}},
		"end before start":         {func(s *cloud.Spec) { s.Kind, s.StartAt, s.EndAt = cloud.Block, at, at }, []cloud.Attribute{cloud.AttrEnd}},
		"negative duration":        {func(s *cloud.Spec) { s.Duration = -1 }, []cloud.Attribute{"window.duration"}},
		"offer for on-demand":      {func(s *cloud.Spec) { s.OfferID = "x" }, []cloud.Attribute{"offer_id"}},
		"shared":                   {func(s *cloud.Spec) { s.ShareWith = []string{"x"} }, []cloud.Attribute{"share_with"}},
		"mark's tag":               {func(s *cloud.Spec) { s.Tags = map[string]string{"gpulock:x": "", "a": ""} }, []cloud.Attribute{`tags["gpulock:x"]`}},
		"system's tag":             {func(s *cloud.Spec) { s.Tags = map[string]string{"mem:x": ""} }, []cloud.Attribute{`tags["mem:x"]`}},
		"too many tags":            {func(s *cloud.Spec) { s.Tags = manyTags(51) }, []cloud.Attribute{cloud.AttrTags}},
		"unknown option":           {func(s *cloud.Spec) { s.Native = map[string]string{"color": "red"} }, []cloud.Attribute{"mem.color"}},
		"wrong value of an option": {func(s *cloud.Spec) { s.Native = map[string]string{"tenancy": "host"} }, []cloud.Attribute{"mem.tenancy"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := wish()
			test.spoil(&s)
			done, found := c.Check(s)
			var got []cloud.Attribute
			for _, p := range found {
				got = append(got, p.Attribute)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s%v", diff, found)
			}
			if len(found) == 0 && (done.Match != cloud.Targeted || done.Native["tenancy"] == "") {
				t.Errorf("not completed: %+v", done)
			}
			_, err := c.Create(t.Context(), cloud.CreateRequest{Spec: s})
			if len(found) > 0 && cloud.CodeOf(err) != cloud.Invalid {
				t.Errorf("Create of a wrong wish: %v", err)
			}
		})
	}
}

func manyTags(n int) map[string]string {
	tags := map[string]string{}
	for i := range n {
		tags[strings.Repeat("t", i+1)] = ""
	}
	return tags
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	place := mem.Place{Zone: "mem-east-1a", InstanceType: "p1.whole"}
	scope := mem.QuotaOf(mem.DefaultAccountID, "mem-east-1", "p1.whole")
	tests := map[string]struct {
		world func(*mem.Options)
		spec  func(*cloud.Spec)
		code  cloud.Code
		hints []string
		quota *cloud.QuotaScope
	}{
		"enough": {func(o *mem.Options) { o.Capacity = map[mem.Place]int{place: 1} }, nil, "", nil, nil},
		"full":   {func(o *mem.Options) { o.Capacity = map[mem.Place]int{place: 0} }, nil, cloud.NoCapacity, nil, nil},
		"full, another zone is known to have room": {func(o *mem.Options) {
			o.Capacity = map[mem.Place]int{
				place: 0, {Zone: "mem-east-1b", InstanceType: "p1.whole"}: 0,
				{Zone: "mem-east-1c", InstanceType: "p1.whole"}: 1,
			}
		}, nil, cloud.NoCapacity, []string{"mem-east-1c"}, nil},
		"quota": {func(o *mem.Options) { o.Quota = map[cloud.QuotaScope]float64{scope: 191} }, nil, cloud.QuotaExceeded, nil, &scope},
		"quota of another family": {func(o *mem.Options) {
			o.Quota = map[cloud.QuotaScope]float64{mem.QuotaOf(mem.DefaultAccountID, "mem-east-1", "g1.small"): 0}
		}, nil, "", nil, nil},
		"unknown type":     {nil, func(s *cloud.Spec) { s.InstanceType = "z9.future" }, cloud.Unsupported, nil, nil},
		"unknown account":  {nil, func(s *cloud.Spec) { s.Account = "nobody" }, cloud.Invalid, nil, nil},
		"duration, no end": {nil, func(s *cloud.Spec) { s.Duration = time.Hour }, cloud.Invalid, nil, nil},
		"end is past":      {nil, func(s *cloud.Spec) { s.EndAt = memtest.Start() }, cloud.Invalid, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := newCloud(test.world)
			s := wish()
			if test.spec != nil {
				test.spec(&s)
			}
			_, err := c.Create(t.Context(), cloud.CreateRequest{Spec: s})
			if cloud.CodeOf(err) != test.code {
				t.Fatalf("class %q (%v), want %q", cloud.CodeOf(err), err, test.code)
			}
			var e *cloud.Error
			if errors.As(err, &e) {
				if diff := cmp.Diff([]any{test.hints, test.quota}, []any{e.ZoneHints, e.Quota}); diff != "" {
					t.Errorf("hints and quota (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestCapacityIsKept: what is taken comes back, by whatever end.
func TestCapacityIsKept(t *testing.T) {
	t.Parallel()
	ends := map[string]func(t *testing.T, c *mem.Cloud, jump *clocktest.Jump, r cloud.Reservation){
		"released": func(t *testing.T, c *mem.Cloud, _ *clocktest.Jump, r cloud.Reservation) {
			t.Helper()
			if err := c.Release(t.Context(), r.Ref); err != nil {
				t.Fatalf("Release: %v", err)
			}
		},
		"ended": func(_ *testing.T, _ *mem.Cloud, jump *clocktest.Jump, _ cloud.Reservation) { jump.Advance(time.Hour) },
		"canceled": func(_ *testing.T, c *mem.Cloud, _ *clocktest.Jump, r cloud.Reservation) {
			c.SetState(r.Ref.NativeID, cloud.Gone)
		},
		"forgotten": func(_ *testing.T, c *mem.Cloud, _ *clocktest.Jump, r cloud.Reservation) {
			c.Forget(r.Ref.NativeID)
		},
		"shrunk": func(t *testing.T, c *mem.Cloud, _ *clocktest.Jump, r cloud.Reservation) {
			t.Helper()
			n := 1
			if _, err := c.Update(t.Context(), r.Ref, cloud.Change{Count: &n}); err != nil {
				t.Fatalf("Update: %v", err)
			}
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, jump := newCloud(nil)
			c.SetCapacity(mem.Place{Zone: "mem-east-1a", InstanceType: "p1.whole"}, 2)
			s := wish()
			s.Count, s.EndAt = 2, memtest.Start().Add(time.Hour)
			r := create(t, c, s)
			if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish()}); cloud.CodeOf(err) != cloud.NoCapacity {
				t.Fatalf("Create in a full zone: %v", err)
			}
			end(t, c, jump, r)
			create(t, c, wish())
		})
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	c, jump := newCloud(func(o *mem.Options) { o.Lag = time.Minute })
	s := wish()
	s.EndAt = memtest.Start().Add(time.Hour)
	r := create(t, c, s)
	steps := []struct {
		name string
		step func()
		want cloud.State
	}{
		{"accepted", func() {}, cloud.Pending},
		{"almost", func() { jump.Advance(59 * time.Second) }, cloud.Pending},
		{"promised", func() { jump.Advance(time.Second) }, cloud.Held},
		{"set", func() { c.SetState(r.Ref.NativeID, cloud.Unrecognized) }, cloud.Unrecognized},
		{"stays", func() { jump.Advance(time.Minute) }, cloud.Unrecognized},
		{"set back", func() { c.SetState(r.Ref.NativeID, cloud.Held) }, cloud.Held},
		{"ended", func() { jump.Advance(58 * time.Minute) }, cloud.Ended},
	}
	for _, step := range steps {
		step.step()
		if got := get(t, c, r.Ref).State; got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
	}
}

// TestBehindItsBack: the knobs change what is read and nothing else.
func TestBehindItsBack(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	r := create(t, c, wish())
	want := get(t, c, r.Ref)
	c.SetCount(r.Ref.NativeID, 7)
	c.SetUsers(r.Ref.NativeID, "i-1", "i-2")
	c.SetTag(r.Ref.NativeID, "team", "ml")
	c.SetTag(r.Ref.NativeID, cloud.TagClaim, "theirs")
	c.SetTag(r.Ref.NativeID, "mem:system", "x")
	c.SetTag(r.Ref.NativeID, "short-lived", "x")
	c.RemoveTag(r.Ref.NativeID, "short-lived")
	want.Count, want.InUse, want.Tags, want.Mark.Claim = 7, 2, map[string]string{"team": "ml"}, "theirs"
	if diff := cmp.Diff(want, get(t, c, r.Ref)); diff != "" {
		t.Errorf("reservation (-want +got):\n%s", diff)
	}
	raw := map[string]string{"team": "ml", cloud.TagClaim: "theirs", "mem:system": "x"}
	if diff := cmp.Diff(raw, c.RawTags(r.Ref.NativeID)); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	c.SetTag("no such id", "a", "b")
	c.Forget(r.Ref.NativeID)
	if _, err := c.Get(t.Context(), r.Ref); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("Get of a forgotten reservation: %v", err)
	}
}

// TestAnswersAreCopies: who changes an answer does not change the world.
func TestAnswersAreCopies(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	s := wish()
	s.Tags = map[string]string{"team": "ml"}
	r := create(t, c, s)
	want := get(t, c, r.Ref)
	r.Tags["team"], r.Native["tenancy"], s.Tags["team"] = "changed", "changed", "changed"
	if diff := cmp.Diff(want, get(t, c, r.Ref)); diff != "" {
		t.Errorf("the world changed (-want +got):\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	tests := map[string]struct {
		before, after error
		made          int
	}{
		"before":  {failed, nil, 0},
		"after":   {nil, failed, 1},
		"neither": {nil, nil, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := newCloud(func(o *mem.Options) {
				o.Fault = func(call cloud.Call) (before, after error) {
					if call.Method != "Create" {
						return nil, nil
					}
					return test.before, test.after
				}
			})
			_, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish()})
			if want := errors.Join(test.before, test.after); (err != nil) != (want != nil) || (err != nil && !errors.Is(err, failed)) {
				t.Errorf("Create: %v, want %v", err, want)
			}
			all, err := c.List(t.Context(), cloud.Scope{Region: "mem-east-1"})
			if err != nil || len(all) != test.made {
				t.Errorf("%d reservations, %v; want %d", len(all), err, test.made)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	r := create(t, c, wish())
	get(t, c, r.Ref)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ended, r.Ref); !errors.Is(err, context.Canceled) {
		t.Errorf("Get with an ended context: %v", err)
	}
	want := []cloud.Call{
		{Cloud: "mem", Method: "Create", Zone: "mem-east-1a", InstanceType: "p1.whole", Writes: true},
		{Cloud: "mem", Method: "Get", NativeID: r.Ref.NativeID, Repeatable: true},
	}
	if diff := cmp.Diff(want, c.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestAccounts: an account sees and spends its own only.
func TestAccounts(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(func(o *mem.Options) {
		o.Accounts = map[string]string{"research": "000000000002"}
		o.Quota = map[cloud.QuotaScope]float64{mem.QuotaOf("000000000002", "mem-east-1", "p1.whole"): 192}
	})
	s := wish()
	s.Account = "research"
	r := create(t, c, s)
	create(t, c, wish())
	if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: s}); cloud.CodeOf(err) != cloud.QuotaExceeded {
		t.Errorf("a second one in an account with room for one: %v", err)
	}
	if _, err := c.Get(t.Context(), cloud.Ref{NativeID: r.Ref.NativeID}); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("Get with another account: %v", err)
	}
	all, err := c.List(t.Context(), cloud.Scope{Account: "research", Region: "mem-east-1"})
	if err != nil || len(all) != 1 || all[0].Ref != r.Ref {
		t.Errorf("List = %+v, %v; want %s", all, err, r.Ref.NativeID)
	}
	if _, err := c.List(t.Context(), cloud.Scope{Region: "mem-south-1"}); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("List of no region: %v", err)
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	tests := map[string]string{
		"000000000001/mem-east-1/r-000001":  "000000000001/mem-east-1/r-000001",
		"mem-east-1/r-000001":               "000000000001/mem-east-1/r-000001",
		"000000000002/mem-east-1/r-000001":  "",
		"mem-south-1/r-000001":              "",
		"r-000001":                          "",
		"000000000001/mem-east-1/r-1":       "",
		" 000000000001/mem-east-1/r-000001": "",
	}
	for id, want := range tests {
		ref, err := c.ParseID(t.Context(), "", id)
		if ref.NativeID != want || (want == "") != (cloud.CodeOf(err) == cloud.Invalid) {
			t.Errorf("ParseID(%q) = %q, %v; want %q", id, ref.NativeID, err, want)
		}
	}
}

func TestOffers(t *testing.T) {
	t.Parallel()
	c, jump := newCloud(nil)
	for i := range 6 {
		c.AddOffer(memtest.Offer(i), 1)
	}
	block := cloud.Spec{Kind: cloud.Block, InstanceType: "p1.whole"}
	start := memtest.Offer(0).StartAt
	tests := map[string]struct {
		spec func(*cloud.Spec)
		want string
	}{
		"any":               {func(*cloud.Spec) {}, "offer-2 offer-3 offer-0 offer-4 offer-1 offer-5"},
		"of a size":         {func(s *cloud.Spec) { s.Count = 2 }, "offer-4 offer-5"},
		"in a zone":         {func(s *cloud.Spec) { s.Zone = "mem-east-1b" }, "offer-4 offer-1"},
		"one":               {func(s *cloud.Spec) { s.OfferID = "offer-1" }, "offer-1"},
		"elsewhere":         {func(s *cloud.Spec) { s.Region = "mem-west-1" }, ""},
		"of another kind":   {func(s *cloud.Spec) { s.Kind = cloud.OnDemand }, ""},
		"not so early":      {func(s *cloud.Spec) { s.StartAt = start.Add(time.Second) }, ""},
		"not so long":       {func(s *cloud.Spec) { s.EndAt = start.Add(time.Hour) }, ""},
		"of a length":       {func(s *cloud.Spec) { s.Count, s.Duration = 2, 24*time.Hour }, "offer-4 offer-5"},
		"of another length": {func(s *cloud.Spec) { s.Duration = time.Hour }, ""},
		"within its bound":  {func(s *cloud.Spec) { s.Count, s.StartAt, s.EndAt = 2, start, start.Add(24*time.Hour) }, "offer-4 offer-5"},
	}
	ids := func(s cloud.Spec) string {
		t.Helper()
		offers, err := c.Offers(t.Context(), s)
		if err != nil {
			t.Fatalf("Offers: %v", err)
		}
		var all []string
		for _, o := range offers {
			all = append(all, o.ID)
		}
		return strings.Join(all, " ")
	}
	for name, test := range tests {
		s := block
		test.spec(&s)
		if got := ids(s); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	jump.Advance(48 * time.Hour)
	if got := ids(block); got != "" {
		t.Errorf("after their end: %q are still on offer", got)
	}
}

// TestBuying: each call buys, as long as there is stock, and only what fits.
func TestBuying(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	c.AddOffer(memtest.Offer(0), 2)
	s := cloud.Spec{Kind: cloud.Block, InstanceType: "p1.whole", Count: 1, OfferID: "offer-0"}
	req := cloud.CreateRequest{Spec: s, Token: "the same"}
	var ids []string
	for range 2 {
		r, err := c.Create(t.Context(), req)
		if err != nil {
			t.Fatalf("Create: %v", err)
		}
		ids = append(ids, r.Ref.NativeID)
	}
	if ids[0] == ids[1] {
		t.Errorf("a purchase took a token")
	}
	if _, err := c.Create(t.Context(), req); cloud.CodeOf(err) != cloud.NoCapacity {
		t.Errorf("a purchase beyond the stock: %v", err)
	}
	c.SetStock("offer-0", 1)
	req.Spec.Count = 2
	if _, err := c.Create(t.Context(), req); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("a purchase of another size: %v", err)
	}
	req.Spec.OfferID = ""
	if _, err := c.Create(t.Context(), req); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("a purchase without an offer: %v", err)
	}
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	c, _ := newCloud(nil)
	s := wish()
	s.Count = 3
	r := create(t, c, s)
	c.SetUsers(r.Ref.NativeID, "i-1", "i-2")
	before := get(t, c, r.Ref)
	less, none, open, some, past := 1, 0, cloud.Open, cloud.MatchCriteria("some"), memtest.Start()
	more := 1000
	c.SetCapacity(mem.Place{Zone: "mem-east-1a", InstanceType: "p1.whole"}, 1)
	tests := map[string]struct {
		change cloud.Change
		code   cloud.Code
	}{
		"below use":       {cloud.Change{Count: &less}, cloud.InUse},
		"match in use":    {cloud.Change{Match: &open}, cloud.InUse},
		"no instances":    {cloud.Change{Count: &none}, cloud.Invalid},
		"no such match":   {cloud.Change{Match: &some}, cloud.Invalid},
		"past end":        {cloud.Change{EndAt: &past}, cloud.Invalid},
		"mark as a tag":   {cloud.Change{SetTags: map[string]string{cloud.TagOwner: "x"}}, cloud.Invalid},
		"mark's removal":  {cloud.Change{RemoveTags: []string{cloud.TagOwner}}, cloud.Invalid},
		"no more of them": {cloud.Change{Count: &more, SetTags: map[string]string{"a": "b"}}, cloud.QuotaExceeded},
	}
	for name, test := range tests {
		if _, err := c.Update(t.Context(), r.Ref, test.change); cloud.CodeOf(err) != test.code {
			t.Errorf("%s: %v, want %s", name, err, test.code)
		}
		if diff := cmp.Diff(before, get(t, c, r.Ref)); diff != "" {
			t.Errorf("%s changed the reservation (-want +got):\n%s", name, diff)
		}
	}
}
