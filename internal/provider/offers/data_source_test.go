package offers_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/offers"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

const typeName = "gpu_offers"

func over(t *testing.T, p *configured.Provider) *providertest.Server {
	t.Helper()
	return providertest.Serve(t, providertest.Types{
		DataSources: []func() datasource.DataSource{offers.NewDataSource}, Data: p,
	})
}

func usd(units int64) *money.Money {
	return &money.Money{Micros: units * money.PerUnit, Currency: "USD"}
}

// world is a market of two types: p1.whole costs 80 in zone a and 90 in zone b,
// of zone c only the score is known, and of g1.small nothing.
func world(t *testing.T) (*providertest.Server, *providertest.Mem) {
	t.Helper()
	m := providertest.NewMem(t)
	score, no := 3, false
	m.Cloud.SetSignal(cloud.Signal{
		Zone: "mem-east-1a", InstanceType: "p1.whole", OnDemand: usd(80), Spot: usd(30),
		SpotAt: time.Date(2031, 2, 28, 12, 0, 0, 0, time.UTC), SpotScore: &score,
	})
	m.Cloud.SetSignal(cloud.Signal{Zone: "mem-east-1b", InstanceType: "p1.whole", OnDemand: usd(90)})
	m.Cloud.SetSignal(cloud.Signal{Zone: "mem-east-1c", InstanceType: "p1.whole", SpotScore: &score})
	m.Cloud.SetSignal(cloud.Signal{Zone: "mem-east-1b", InstanceType: "g1.small", Offered: &no})
	return over(t, m.Provider), m
}

// sell puts a block of two p1.whole on sale, a day long.
func sell(m *providertest.Mem, id, zone string, start time.Time, upfront int64) {
	m.Cloud.AddOffer(cloud.Offer{
		ID: id, Kind: cloud.Block, Region: "mem-east-1", Zone: zone, InstanceType: "p1.whole", Count: 2,
		StartAt: start, EndAt: start.Add(24 * time.Hour), Upfront: *usd(upfront),
	}, 1)
}

// config is the usual configuration with more attributes.
func config(more map[string]any) map[string]any {
	all := map[string]any{"cloud": "mem", "instance_types": []any{"p1.whole"}, "instance_count": 2}
	for key, value := range more {
		all[key] = value
	}
	return all
}

func read(t *testing.T, server *providertest.Server, config map[string]any) map[string]any {
	t.Helper()
	state, diags := server.ReadDataSource(typeName, config)
	if len(diags) > 0 {
		t.Fatal(diags.Errors(), diags.Warnings())
	}
	return state
}

// rows are the elements of a list, each as the values of some attributes.
func rows(t *testing.T, state map[string]any, list string, attributes ...string) []string {
	t.Helper()
	elements, ok := state[list].([]any)
	if !ok {
		t.Fatalf("%s = %v", list, state[list])
	}
	all := []string{}
	for _, element := range elements {
		object, ok := element.(map[string]any)
		if !ok {
			t.Fatalf("an element of %s is %v", list, element)
		}
		var values []string
		for _, a := range attributes {
			value := "-"
			if s, ok := object[a].(string); ok {
				value = s
			}
			values = append(values, value)
		}
		all = append(all, strings.Join(values, " "))
	}
	return all
}

// objects are the elements of a list.
func objects(t *testing.T, state map[string]any, list string) []map[string]any {
	t.Helper()
	var all []map[string]any
	elements, _ := state[list].([]any)
	for _, element := range elements {
		object, ok := element.(map[string]any)
		if !ok {
			t.Fatalf("an element of %s is %v", list, element)
		}
		all = append(all, object)
	}
	return all
}

func check(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const dayLong = "24h"

func TestOffers_sorted(t *testing.T) {
	t.Parallel()
	server, m := world(t)
	tomorrow := m.Clock.Now().Add(24 * time.Hour)
	sell(m, "late", "mem-east-1a", tomorrow.Add(48*time.Hour), 2400)
	sell(m, "soon", "mem-east-1b", tomorrow, 2400)
	sell(m, "dear", "mem-east-1a", tomorrow, 4800)
	state := read(t, server, config(map[string]any{"window": map[string]any{"duration": dayLong}}))
	check(t, "offers", []string{
		"block mem-east-1b soon 2031-03-02T00:00:00Z 2031-03-03T00:00:00Z 2400 USD 100",
		"block mem-east-1a late 2031-03-04T00:00:00Z 2031-03-05T00:00:00Z 2400 USD 100",
		"on_demand mem-east-1a - - - - USD 160",
		"on_demand mem-east-1b - - - - USD 180",
		"block mem-east-1a dear 2031-03-02T00:00:00Z 2031-03-03T00:00:00Z 4800 USD 200",
		"on_demand mem-east-1c - - - - - -",
	}, rows(t, state, "offers", "kind", "zone", "offer_id", "starts_at", "ends_at", "upfront", "currency", "usd_per_hour"))
	for _, row := range rows(t, state, "offers", "cloud", "region", "instance_type", "instance_count", "gpu_model", "gpu_count") {
		check(t, "an offer", "mem mem-east-1 p1.whole 2 H100 16", row)
	}
	check(t, "unsearched", []string{}, rows(t, state, "unsearched", "kind"))
}

func TestOffers_window(t *testing.T) {
	t.Parallel()
	first := time.Date(2031, 3, 2, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		more map[string]any
		want []string
	}{
		"all":           {map[string]any{"window": map[string]any{"duration": dayLong}}, []string{"one", "two"}},
		"not before":    {map[string]any{"window": map[string]any{"duration": dayLong, "start_at": "2031-03-02T00:00:01Z"}}, []string{"two"}},
		"not after":     {map[string]any{"window": map[string]any{"duration": dayLong, "end_at": "2031-03-03T01:00:00+01:00"}}, []string{"one"}},
		"other length":  {map[string]any{"window": map[string]any{"duration": "2d"}}, []string{}},
		"other count":   {map[string]any{"instance_count": 1, "window": map[string]any{"duration": dayLong}}, []string{}},
		"in some zones": {map[string]any{"zones": []any{"mem-east-1b", "mem-east-1c"}, "window": map[string]any{"duration": dayLong}}, []string{"two"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, m := world(t)
			sell(m, "one", "mem-east-1a", first, 2400)
			sell(m, "two", "mem-east-1b", first.Add(24*time.Hour), 2400)
			tc.more["kinds"] = []any{"block"}
			state := read(t, server, config(tc.more))
			check(t, "offers", tc.want, rows(t, state, "offers", "offer_id"))
			check(t, "quotas", []string{}, rows(t, state, "quotas", "quota"))
		})
	}
}

// Without a window blocks are not looked for, and that is said if they are wanted.
func TestOffers_noWindow(t *testing.T) {
	t.Parallel()
	server, m := world(t)
	sell(m, "one", "mem-east-1a", m.Clock.Now(), 2400)
	before := len(m.Cloud.Calls())
	state := read(t, server, config(nil))
	check(t, "kinds", []string{"on_demand", "on_demand", "on_demand"}, rows(t, state, "offers", "kind"))
	check(t, "unsearched", []string{"block -"}, rows(t, state, "unsearched", "kind", "instance_type"))
	if said := rows(t, state, "unsearched", "reason")[0]; !strings.Contains(said, "window is not set") {
		t.Errorf("reason = %q", said)
	}
	for _, call := range m.Cloud.Calls()[before:] {
		if call.Method == "Offers" {
			t.Error("the cloud was asked for offers")
		}
	}
	state = read(t, server, config(map[string]any{"kinds": []any{"on_demand"}}))
	check(t, "unsearched", []string{}, rows(t, state, "unsearched", "kind"))
}

func TestSignals(t *testing.T) {
	t.Parallel()
	server, m := world(t)
	m.Cloud.SetSignal(cloud.Signal{Zone: "mem-east-1b", InstanceType: "p1.whole", OnDemand: &money.Money{Micros: 1, Currency: "CNY"}})
	state := read(t, server, config(map[string]any{"instance_types": []any{"p1.whole", "g1.small"}, "zones": []any{"mem-east-1b", "mem-east-1a"}}))
	const unset = "the in-memory cloud was not told"
	none := map[string]any{
		"on_demand_usd_per_hour": unset, "spot_usd_per_hour": unset, "spot_priced_at": unset, "spot_placement_score": unset,
	}
	row := func(zone, instanceType string, more map[string]any) map[string]any {
		all := map[string]any{
			"region": "mem-east-1", "zone": zone, "instance_type": instanceType, "offered": true, "on_demand_usd_per_hour": nil,
			"price_source": nil, "spot_usd_per_hour": nil, "spot_priced_at": nil, "spot_placement_score": nil, "unknown": none,
		}
		for key, value := range more {
			all[key] = value
		}
		return all
	}
	foreign := map[string]any{}
	for key, value := range none {
		foreign[key] = value
	}
	foreign["on_demand_usd_per_hour"] = "the price is in CNY, and this provider knows no exchange rates"
	check(t, "signals", []any{
		row("mem-east-1a", "g1.small", nil),
		row("mem-east-1b", "g1.small", map[string]any{"offered": false}),
		row("mem-east-1a", "p1.whole", map[string]any{
			"on_demand_usd_per_hour": "80", "price_source": "price_list", "spot_usd_per_hour": "30",
			"spot_priced_at": "2031-02-28T12:00:00Z", "spot_placement_score": "3", "unknown": map[string]any{},
		}),
		row("mem-east-1b", "p1.whole", map[string]any{"price_source": "price_list", "unknown": foreign}),
	}, state["signals"])
	// A zone without the type offers none of it; a price that cannot be compared is
	// before one that is not known.
	check(t, "offers", []string{"mem-east-1a p1.whole USD 160", "mem-east-1b p1.whole CNY -", "mem-east-1a g1.small - -"},
		rows(t, state, "offers", "zone", "instance_type", "currency", "usd_per_hour"))
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	server, m := world(t)
	m.Make(nil)
	state := read(t, server, config(map[string]any{"instance_types": []any{"p1.half", "g1.small", "p1.whole"}}))
	check(t, "quotas", []string{
		"g1.small mem-g1-vcpu vCPU 100000 0 8", "p1.half mem-p1-vcpu vCPU 100000 384 192", "p1.whole mem-p1-vcpu vCPU 100000 384 384",
	}, rows(t, state, "quotas", "instance_type", "quota", "unit", "limit", "used", "needed"))
}

// failing has one method of the cloud refuse, and no other.
func failing(m *providertest.Mem, method string) {
	m.Cloud.SetFault(func(call cloud.Call) (before, after error) {
		if call.Method != method {
			return nil, nil
		}
		return &cloud.Error{Code: cloud.PermissionDenied, Op: method, Message: "not allowed", Authenticated: true}, nil
	})
}

// One part that cannot be had leaves the others as they are.
func TestParts_fail(t *testing.T) {
	t.Parallel()
	for method, broken := range map[string]string{"Market": "signals", "Offers": "unsearched", "Quotas": "quotas"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			wish := config(map[string]any{"window": map[string]any{"duration": dayLong}})
			sound, _ := world(t)
			whole := read(t, sound, wish)
			server, m := world(t)
			failing(m, method)
			state := read(t, server, wish)
			for _, list := range []string{"signals", "unsearched", "quotas"} {
				if list != broken {
					check(t, list, whole[list], state[list])
				}
			}
			if said := cmp.Diff(whole[broken], state[broken]); !strings.Contains(said, "not allowed") {
				t.Errorf("%s does not say why: %v", broken, state[broken])
			}
		})
	}
}

// Every attribute that is null although it applies has a reason, and what has a
// reason is null.
func TestUnknown_complete(t *testing.T) {
	t.Parallel()
	applies := map[string][]string{
		"signals": {"zone", "offered", "on_demand_usd_per_hour", "spot_usd_per_hour", "spot_priced_at", "spot_placement_score"},
		"offers":  {"zone", "currency", "usd_per_hour", "gpu_model", "gpu_count"},
		"quotas":  {"quota", "unit", "limit", "used", "needed"},
	}
	for _, method := range []string{"", "Market", "Offers", "Quotas", "InstanceTypes"} {
		server, m := world(t)
		sell(m, "one", "mem-east-1a", m.Clock.Now(), 2400)
		failing(m, method)
		state, diags := server.ReadDataSource(typeName, config(map[string]any{
			"instance_types": []any{"p1.whole", "g1.small", "x1.new"}, "window": map[string]any{"duration": dayLong},
		}))
		if errs := diags.Errors(); len(errs) > 0 {
			t.Fatal(errs)
		}
		if said := strings.Join(diags.Warnings(), "\n"); !strings.Contains(said, `"x1.new"`) || !strings.Contains(said, "instance_types") {
			t.Errorf("%q does not warn of the type that nobody knows", said)
		}
		for list, attributes := range applies {
			elements, _ := state[list].([]any)
			for _, element := range elements {
				object, _ := element.(map[string]any)
				unknown, _ := object["unknown"].(map[string]any)
				for _, a := range attributes {
					if why, ok := unknown[a].(string); (object[a] == nil) != (ok && why != "") {
						t.Errorf("without %q: %s.%s = %v, unknown because %q", method, list, a, object[a], why)
					}
				}
			}
		}
	}
}

func TestDataSource_refuses(t *testing.T) {
	t.Parallel()
	many := []any{}
	for i := range 21 {
		many = append(many, "p"+string(rune('a'+i))+".x")
	}
	for name, tc := range map[string]struct {
		more  map[string]any
		edit  func(*providertest.Mem)
		words []string
	}{
		"unknown cloud":     {map[string]any{"cloud": "mars"}, nil, []string{`AttributeName("cloud")`, `"mars"`}},
		"cloud not built":   {map[string]any{"cloud": "later"}, nil, []string{`AttributeName("cloud")`, "not built yet"}},
		"no types":          {map[string]any{"instance_types": []any{}}, nil, []string{`AttributeName("instance_types")`}},
		"too many types":    {map[string]any{"instance_types": many}, nil, []string{`AttributeName("instance_types")`, "20"}},
		"type of no form":   {map[string]any{"instance_types": []any{"P1"}}, nil, []string{`AttributeName("instance_types")`, `"P1"`}},
		"no instances":      {map[string]any{"instance_count": 0}, nil, []string{`AttributeName("instance_count")`}},
		"too many":          {map[string]any{"instance_count": 1001}, nil, []string{`AttributeName("instance_count")`, "1000"}},
		"other kind":        {map[string]any{"kinds": []any{"spot"}}, nil, []string{`AttributeName("kinds")`, "spot"}},
		"no kind":           {map[string]any{"kinds": []any{}}, nil, []string{`AttributeName("kinds")`}},
		"no such region":    {map[string]any{"region": "mem-moon-1"}, nil, []string{`AttributeName("region")`, "mem-moon-1"}},
		"zone elsewhere":    {map[string]any{"region": "mem-east-1", "zones": []any{"mem-west-1a"}}, nil, []string{`AttributeName("zones")`, "mem-west-1"}},
		"zones of two":      {map[string]any{"zones": []any{"mem-east-1a", "mem-west-1a"}}, nil, []string{`AttributeName("zones")`, "mem-west-1"}},
		"window of no time": {map[string]any{"window": map[string]any{"start_at": "soon"}}, nil, []string{`AttributeName("start_at")`}},
		"window of no form": {map[string]any{"window": map[string]any{"duration": "1s"}}, nil, []string{`AttributeName("duration")`}},
		"window backwards": {
			map[string]any{"window": map[string]any{"start_at": "2031-03-03T00:00:00Z", "end_at": "2031-03-02T00:00:00Z"}},
			nil,
			[]string{`AttributeName("window")`, `AttributeName("end_at")`},
		},
		"no region":       {nil, func(m *providertest.Mem) { m.Regions = nil }, []string{`AttributeName("region")`}},
		"no such account": {map[string]any{"account": "nobody"}, nil, []string{"nobody"}},
		"not configured":  {nil, func(m *providertest.Mem) { m.Manager = nil }, []string{"not configured yet"}},
		"no credentials":  {nil, func(m *providertest.Mem) { failing(m, "AccountID") }, []string{"not allowed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, m := world(t)
			if tc.edit != nil {
				tc.edit(m)
			}
			state, diags := server.ReadDataSource(typeName, config(tc.more))
			all := strings.Join(diags.Errors(), "\n")
			if state != nil || all == "" {
				t.Fatalf("state %v, errors %q, want errors only", state, all)
			}
			for _, word := range tc.words {
				if !strings.Contains(all, word) {
					t.Errorf("%q does not say %q", all, word)
				}
			}
		})
	}
}

// narrow sells blocks of no more than two instances.
type narrow struct{ *mem.Cloud }

func (c narrow) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	spec, problems := c.Cloud.Check(s)
	if s.Kind == cloud.Block && s.Count > 2 {
		problems = append(problems, cloud.Problem{Attribute: cloud.AttrCount, Detail: "at most 2 in a block"})
	}
	return spec, problems
}

// More instances than a block can have are wrong where nothing else is looked
// for; on-demand capacity may still be had.
func TestCount_ofBlocks(t *testing.T) {
	t.Parallel()
	m := providertest.NewMem(t)
	m.Manager = capacity.New(capacity.Config{Clouds: map[string]cloud.Cloud{"mem": narrow{m.Cloud}}, Clock: m.Clock})
	server := over(t, m.Provider)
	wide := func(kinds ...any) map[string]any {
		return config(map[string]any{"instance_count": 3, "kinds": kinds, "window": map[string]any{"duration": "1d"}})
	}
	state, diags := server.ReadDataSource(typeName, wide("block"))
	if all := strings.Join(diags.Errors(), "\n"); state != nil || !strings.Contains(all, `AttributeName("instance_count")`) || !strings.Contains(all, "At most 2") {
		t.Errorf("state %v, errors %q; want one at instance_count", state, all)
	}
	state = read(t, server, wide("block", "on_demand"))
	check(t, "unsearched", []string{"block p1.whole at most 2 in a block"}, rows(t, state, "unsearched", "kind", "instance_type", "reason"))
}

// opted is a cloud that reserves g1.small with an option of its own only, and may
// want to know the zone of a block.
type opted struct {
	*mem.Cloud
	zoned bool
}

func (c opted) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	spec, problems := c.Cloud.Check(s)
	if s.InstanceType == "g1.small" {
		problems = append(problems, cloud.Problem{Attribute: "mem.board", Detail: "name a board"})
	}
	if c.zoned && s.Kind == cloud.Block && s.Zone == "" {
		problems = append(problems, cloud.Problem{Attribute: cloud.AttrZone, Detail: "name a zone"})
	}
	return spec, problems
}

func (opted) InstanceTypes(context.Context, string, string, ...string) ([]cloud.InstanceType, error) {
	return []cloud.InstanceType{{Name: "g1.small", GPUs: "0"}, {Name: "p1.whole", GPUs: "8", GPUModel: "H100"}}, nil
}

// A type that is reserved with an option of the cloud's own cannot be asked for
// here: that is told, and other types are as they are.
func TestOptions_ofOneType(t *testing.T) {
	t.Parallel()
	m := providertest.NewMem(t)
	m.Manager = capacity.New(capacity.Config{Clouds: map[string]cloud.Cloud{"mem": opted{m.Cloud, false}}, Clock: m.Clock})
	state := read(t, over(t, m.Provider), config(map[string]any{
		"instance_types": []any{"g1.small", "p1.whole"}, "zones": []any{"mem-east-1a"}, "window": map[string]any{"duration": dayLong},
	}))
	const why = "it is reserved with mem.board, which is not an argument here: name a board"
	check(t, "offers", []string{"on_demand p1.whole 16"}, rows(t, state, "offers", "kind", "instance_type", "gpu_count"))
	check(t, "signals", []string{"g1.small mem-east-1a", "p1.whole mem-east-1a"}, rows(t, state, "signals", "instance_type", "zone"))
	check(t, "unsearched", []string{"on_demand g1.small " + why, "block g1.small " + why},
		rows(t, state, "unsearched", "kind", "instance_type", "reason"))
	check(t, "quotas", []string{"g1.small -", "p1.whole mem-p1-vcpu"}, rows(t, state, "quotas", "instance_type", "quota"))
	unknown, _ := objects(t, state, "quotas")[0]["unknown"].(map[string]any)
	check(t, "no quota", why, unknown["limit"])
}

// Where blocks are asked for with exact instants there are no offers of them, and
// that is said, with and without a window.
func TestBlocks_notByOffer(t *testing.T) {
	t.Parallel()
	m := providertest.NewNative(t)
	m.Manager = capacity.New(capacity.Config{Clouds: map[string]cloud.Cloud{"mem": opted{m.Cloud, true}}, Clock: m.Clock})
	server := over(t, m.Provider)
	for name, more := range map[string]map[string]any{
		"no window": {},
		"length":    {"window": map[string]any{"duration": dayLong}},
		"zone":      {"zones": []any{"mem-east-1a"}, "window": map[string]any{"start_at": "2031-03-20T00:00:00Z", "duration": dayLong}},
	} {
		state := read(t, server, config(more))
		check(t, name, []string{"block - " +
			"the in-memory cloud sells no offers of kind block; reservations of kind block and scheduled are asked for with the exact window"},
			rows(t, state, "unsearched", "kind", "instance_type", "reason"))
	}
	backwards := config(map[string]any{"window": map[string]any{"start_at": "2031-03-03T00:00:00Z", "end_at": "2031-03-02T00:00:00Z"}})
	if _, diags := server.ReadDataSource(typeName, backwards); !strings.Contains(strings.Join(diags.Errors(), ""), `AttributeName("end_at")`) {
		t.Errorf("a window backwards: %q", diags.Errors())
	}
}

// Zones name their region; the provider's default is for those who name nothing.
func TestRegion_ofZones(t *testing.T) {
	t.Parallel()
	server, _ := world(t)
	for want, more := range map[string]map[string]any{
		"mem-west-1": {"zones": []any{"mem-west-1a"}}, "mem-east-1": nil,
	} {
		state := read(t, server, config(more))
		check(t, "region", want, rows(t, state, "signals", "region")[0])
	}
}

// listless is a cloud with AWS's name whose price list may tell nothing.
type listless struct {
	*mem.Cloud
	signals []cloud.Signal
	err     error
}

func (listless) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) { return s, nil }

func (c listless) Market(context.Context, cloud.MarketQuery) ([]cloud.Signal, error) {
	return c.signals, c.err
}

// The catalog knows what the price list does not tell, where its prices hold.
func TestPrices_ofCatalog(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	why := map[cloud.SignalField]string{cloud.SignalOnDemand: "throttled"}
	at := func(zone string, offered *bool, price *money.Money) cloud.Signal {
		return cloud.Signal{
			Region: "us-east-1", Zone: zone, InstanceType: "p5.48xlarge", Offered: offered, OnDemand: price, Unknown: why,
		}
	}
	for name, tc := range map[string]struct {
		cloud listless
		want  []string
	}{
		"told":         {listless{signals: []cloud.Signal{at("us-east-1a", &yes, usd(60))}}, []string{"us-east-1a 60 price_list"}},
		"not told":     {listless{signals: []cloud.Signal{at("us-east-1a", &yes, nil)}}, []string{"us-east-1a 55.04 catalog"}},
		"not offered":  {listless{signals: []cloud.Signal{at("us-east-1a", &no, nil)}}, []string{"us-east-1a - -"}},
		"a Local Zone": {listless{signals: []cloud.Signal{at("us-east-1-dfw-2a", &yes, nil)}}, []string{"us-east-1-dfw-2a - -"}},
		"nothing at all": {listless{err: &cloud.Error{Code: cloud.Throttled, Message: "slow down"}}, []string{
			"us-east-1a 55.04 catalog", "us-east-1b 55.04 catalog", "us-east-1c 55.04 catalog",
			"us-east-1d 55.04 catalog", "us-east-1e 55.04 catalog", "us-east-1f 55.04 catalog",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := providertest.NewMem(t)
			tc.cloud.Cloud = m.Cloud
			m.Manager = capacity.New(capacity.Config{Clouds: map[string]cloud.Cloud{"aws": tc.cloud}, Clock: m.Clock})
			state := read(t, over(t, m.Provider), map[string]any{
				"cloud": "aws", "region": "us-east-1", "instance_types": []any{"p5.48xlarge"}, "kinds": []any{"on_demand"},
			})
			check(t, "signals", tc.want, rows(t, state, "signals", "zone", "on_demand_usd_per_hour", "price_source"))
		})
	}
}
