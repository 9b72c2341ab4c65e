package reservations_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservations"
)

const typeName = "gpu_reservations"

func serve(t *testing.T) (*providertest.Server, *providertest.Mem) {
	t.Helper()
	world := providertest.NewMem(t)
	return providertest.Serve(t, providertest.Types{
		DataSources: []func() datasource.DataSource{reservations.NewDataSource, reservation.NewDataSource}, Data: world.Provider,
	}), world
}

// populate makes six reservations, in the order of their ids.
func populate(world *providertest.Mem) {
	world.Make(nil)
	world.Make(func(req *cloud.CreateRequest) { req.Mark = cloud.Mark{} })
	world.Make(func(req *cloud.CreateRequest) { req.Mark.Owner, req.Spec.InstanceType = "team/else", "g1.slice" })
	world.Cloud.SetState(world.Make(func(req *cloud.CreateRequest) { req.Mark.Name = "over" }).Ref.NativeID, cloud.Gone)
	world.Make(func(req *cloud.CreateRequest) { req.Spec.Account = "other" })
	world.Make(func(req *cloud.CreateRequest) { req.Spec.Region, req.Spec.Zone = "mem-west-1", "mem-west-1a" })
}

// shown are the items of a state.
func shown(t *testing.T, state map[string]any) []map[string]any {
	t.Helper()
	list, ok := state["reservations"].([]any)
	if !ok {
		t.Fatalf("reservations = %v", state["reservations"])
	}
	items := []map[string]any{}
	for _, element := range list {
		item, ok := element.(map[string]any)
		if !ok {
			t.Fatalf("an element is %v", element)
		}
		items = append(items, item)
	}
	return items
}

func TestDataSource_filters(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config map[string]any
		want   string
	}{
		"everything":    {nil, "1 2 3 4"},
		"region":        {map[string]any{"region": "mem-west-1"}, "6"},
		"account":       {map[string]any{"account": "other"}, "5"},
		"owner":         {map[string]any{"owner": providertest.Owner}, "1 4"},
		"name":          {map[string]any{"name": "train"}, "1 3"},
		"status":        {map[string]any{"status": "cancelled"}, "4"},
		"instance type": {map[string]any{"instance_type": "g1.slice"}, "3"},
		"all at once": {
			map[string]any{"owner": providertest.Owner, "name": "train", "status": "held", "instance_type": "p1.whole"}, "1",
		},
		"nothing fits": {map[string]any{"owner": "nobody"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, world := serve(t)
			populate(world)
			config := map[string]any{"cloud": "mem"}
			for key, value := range tc.config {
				config[key] = value
			}
			state, diags := server.ReadDataSource(typeName, config)
			if len(diags) > 0 {
				t.Fatal(diags.Errors(), diags.Warnings())
			}
			var ids []string
			for _, item := range shown(t, state) {
				id, _ := item["native_id"].(string)
				ids = append(ids, strings.TrimLeft(id[strings.LastIndex(id, "-")+1:], "0"))
			}
			if got := strings.Join(ids, " "); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// The two data sources show one reservation in the same way.
func TestDataSource_sameObject(t *testing.T) {
	t.Parallel()
	server, world := serve(t)
	populate(world)
	state, diags := server.ReadDataSource(typeName, map[string]any{"cloud": "mem"})
	if len(diags) > 0 {
		t.Fatal(diags.Errors(), diags.Warnings())
	}
	for _, item := range shown(t, state) {
		if item["status"] == "cancelled" {
			continue // looking one up does not find it
		}
		one, diags := server.ReadDataSource("gpu_reservation", map[string]any{"id": item["id"]})
		if len(diags) > 0 {
			t.Fatal(diags.Errors(), diags.Warnings())
		}
		delete(one, "account")
		if diff := cmp.Diff(one, item); diff != "" {
			t.Errorf("%v (-one +listed):\n%s", item["id"], diff)
		}
	}
}

func TestDataSource_unmarked(t *testing.T) {
	t.Parallel()
	server, world := serve(t)
	world.Make(func(req *cloud.CreateRequest) { req.Mark = cloud.Mark{} })
	state, diags := server.ReadDataSource(typeName, map[string]any{"cloud": "mem"})
	if len(diags) > 0 {
		t.Fatal(diags.Errors())
	}
	for _, item := range shown(t, state) {
		for _, name := range []string{"name", "owner", "claim_id"} {
			if item[name] != nil {
				t.Errorf("%s = %v, want null", name, item[name])
			}
		}
	}
}

// Many reservations of few shapes cost one listing and one question per shape.
func TestDataSource_calls(t *testing.T) {
	t.Parallel()
	server, world := serve(t)
	for i := range 20 {
		world.Make(func(req *cloud.CreateRequest) {
			if i%2 == 0 {
				req.Spec.InstanceType = "g1.slice"
			}
		})
	}
	before := len(world.Cloud.Calls())
	state, diags := server.ReadDataSource(typeName, map[string]any{"cloud": "mem"})
	if len(diags) > 0 || len(shown(t, state)) != 20 {
		t.Fatal(diags.Errors())
	}
	var methods []string
	for _, call := range world.Cloud.Calls()[before:] {
		methods = append(methods, call.Method)
	}
	slices.Sort(methods)
	if diff := cmp.Diff([]string{"InstanceTypes", "InstanceTypes", "List"}, methods); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestDataSource_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config map[string]any
		edit   func(*providertest.Mem)
		words  []string
	}{
		"no cloud":        {map[string]any{}, nil, []string{"cloud"}},
		"unknown cloud":   {map[string]any{"cloud": "mars"}, nil, []string{`"mars"`}},
		"cloud not built": {map[string]any{"cloud": "later"}, nil, []string{"not built yet"}},
		"unknown status":  {map[string]any{"cloud": "mem", "status": "active"}, nil, []string{"status", "cancelled"}},
		"no region":       {map[string]any{"cloud": "mem"}, func(m *providertest.Mem) { m.Regions = nil }, []string{"not a region"}},
		"not configured":  {map[string]any{"cloud": "mem"}, func(m *providertest.Mem) { m.Manager = nil }, []string{"not configured yet"}},
		"a list cut short": {map[string]any{"cloud": "mem"}, func(m *providertest.Mem) {
			m.Cloud.SetFault(func(call cloud.Call) (before, after error) {
				return nil, &cloud.Error{Code: cloud.Internal, Op: call.Method, Message: "page 2 is missing"}
			})
		}, []string{"Cannot list", "page 2 is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, world := serve(t)
			populate(world)
			if tc.edit != nil {
				tc.edit(world)
			}
			state, diags := server.ReadDataSource(typeName, tc.config)
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
