package reservation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation"
)

const typeName = "gpu_reservation"

// serve serves the data source over a world in memory.
func serve(t *testing.T) (*providertest.Server, *providertest.Mem) {
	t.Helper()
	world := providertest.NewMem(t)
	return over(t, world.Provider), world
}

func over(t *testing.T, p *configured.Provider) *providertest.Server {
	t.Helper()
	return providertest.Serve(t, providertest.Types{
		DataSources: []func() datasource.DataSource{reservation.NewDataSource}, Data: p,
	})
}

func TestDataSource_shows(t *testing.T) {
	t.Parallel()
	server, world := serve(t)
	end := time.Date(2031, 5, 10, 9, 0, 0, 0, time.UTC)
	r := world.Make(func(req *cloud.CreateRequest) {
		req.Spec.Tags = map[string]string{"team": "ml"}
		req.Spec.EndAt = end
	})
	world.Cloud.SetTag(r.Ref.NativeID, cloud.TagClaim, "claim-x")
	world.Cloud.SetTag(r.Ref.NativeID, "mem:managed", "yes")
	world.Cloud.SetUsers(r.Ref.NativeID, "i-1")
	got, diags := server.ReadDataSource(typeName, map[string]any{"id": "mem:" + r.Ref.NativeID})
	if len(diags) > 0 {
		t.Fatal(diags.Errors(), diags.Warnings())
	}
	want := map[string]any{
		"id": "mem:000000000001/mem-east-1/r-000001", "native_id": "000000000001/mem-east-1/r-000001",
		"account": nil, "account_id": "000000000001", "cloud": "mem", "region": "mem-east-1", "zone": "mem-east-1a",
		"name": "train", "owner": providertest.Owner, "claim_id": "claim-x", "simulated": false,
		"instance_type": "p1.whole", "instance_count": "2", "in_use_count": "1", "available_count": "1",
		"kind": "on_demand", "match_criteria": "targeted", "share_with": []any{}, "tags": map[string]any{"team": "ml"},
		"status": "held", "native_status": "HELD",
		"starts_at": "2031-03-01T00:00:00Z", "ends_at": "2031-05-10T09:00:00Z", "usable_until": "2031-05-10T09:00:00Z",
		"paid_upfront": nil, "currency": nil,
		"gpu_model": "H100", "gpus_per_instance": "8", "gpu_count": "16", "estimated_usd_per_hour": nil,
		"term": nil, "aws": nil, "google": nil, "azure": nil,
		"binding": map[string]any{"cloud": "mem", "region": "mem-east-1", "aws": nil, "google": nil, "azure": nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

func TestDataSource_finds(t *testing.T) {
	t.Parallel()
	byName := func(more map[string]any) map[string]any {
		config := map[string]any{"cloud": "mem", "name": "train"}
		for key, value := range more {
			config[key] = value
		}
		return config
	}
	for name, tc := range map[string]struct {
		config map[string]any
		want   string // the part of the native id after r-
	}{
		"by the resource's id":    {map[string]any{"id": "mem:000000000001/mem-east-1/r-000001"}, "000001"},
		"by a short id":           {map[string]any{"id": "mem:mem-east-1/r-000002"}, "000002"},
		"without the cloud":       {map[string]any{"id": "mem-east-1/r-000003"}, "000003"},
		"by id, another account":  {map[string]any{"id": "mem-east-1/r-000004", "account": "other"}, "000004"},
		"by name, with defaults":  {byName(nil), "000001"},
		"by name, region":         {byName(map[string]any{"region": "mem-west-1"}), "000005"},
		"by name, owner":          {byName(map[string]any{"owner": "team/else"}), "000002"},
		"by name, account":        {byName(map[string]any{"account": "other"}), "000004"},
		"live before what ended":  {map[string]any{"cloud": "mem", "name": "twice"}, "000007"},
		"ended, where none lives": {map[string]any{"cloud": "mem", "name": "over"}, "000008"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, world := serve(t)
			populate(world)
			got, diags := server.ReadDataSource(typeName, tc.config)
			if len(diags) > 0 {
				t.Fatal(diags.Errors(), diags.Warnings())
			}
			id, ok := got["native_id"].(string)
			if !ok || !strings.HasSuffix(id, "/r-"+tc.want) {
				t.Errorf("native_id = %v, want …/r-%s", got["native_id"], tc.want)
			}
			for input, value := range tc.config {
				if got[input] != value {
					t.Errorf("%s = %v, want %v as configured", input, got[input], value)
				}
			}
		})
	}
}

// populate makes nine reservations, in the order of their ids.
func populate(world *providertest.Mem) {
	marked := func(owner, name string) func(*cloud.CreateRequest) {
		return func(req *cloud.CreateRequest) { req.Mark.Owner, req.Mark.Name = owner, name }
	}
	world.Make(nil)
	world.Make(marked("team/else", "train"))
	world.Make(func(req *cloud.CreateRequest) { req.Mark = cloud.Mark{} })
	world.Make(func(req *cloud.CreateRequest) { req.Spec.Account = "other" })
	world.Make(func(req *cloud.CreateRequest) { req.Spec.Region, req.Spec.Zone = "mem-west-1", "mem-west-1a" })
	world.Cloud.SetState(world.Make(marked(providertest.Owner, "twice")).Ref.NativeID, cloud.Ended)
	world.Make(marked(providertest.Owner, "twice"))
	world.Cloud.SetState(world.Make(marked(providertest.Owner, "over")).Ref.NativeID, cloud.Ended)
	world.Cloud.SetState(world.Make(marked(providertest.Owner, "gone")).Ref.NativeID, cloud.Gone)
}

func TestDataSource_status(t *testing.T) {
	t.Parallel()
	for state, want := range map[cloud.State]struct {
		status    string
		available string
		warnings  int
	}{
		cloud.Pending:      {"pending", "0", 0},
		cloud.Held:         {"held", "2", 0},
		cloud.Refused:      {"refused", "0", 0},
		cloud.Ended:        {"ended", "0", 0},
		cloud.Unrecognized: {"pending", "0", 1},
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			server, world := serve(t)
			r := world.Make(nil)
			world.Cloud.SetState(r.Ref.NativeID, state)
			got, diags := server.ReadDataSource(typeName, map[string]any{"id": r.Ref.NativeID})
			if len(diags.Errors()) > 0 || len(diags.Warnings()) != want.warnings {
				t.Fatalf("errors %v, warnings %v", diags.Errors(), diags.Warnings())
			}
			if got["status"] != want.status || got["available_count"] != want.available {
				t.Errorf("status %v with %v available, want %+v", got["status"], got["available_count"], want)
			}
			if got["native_status"] != strings.ToUpper(string(state)) {
				t.Errorf("native_status = %v", got["native_status"])
			}
		})
	}
}

func TestDataSource_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config map[string]any
		edit   func(*providertest.Mem)
		words  []string
	}{
		"nothing to look for": {map[string]any{"cloud": "mem"}, nil, []string{"[id,name]"}},
		"two ways":            {map[string]any{"id": "mem:mem-east-1/r-000001", "name": "train", "cloud": "mem"}, nil, []string{"id", "name"}},
		"id and region":       {map[string]any{"id": "mem:mem-east-1/r-000001", "region": "mem-east-1"}, nil, []string{"region", "id"}},
		"id and owner":        {map[string]any{"id": "mem:mem-east-1/r-000001", "owner": "x"}, nil, []string{"owner", "id"}},
		"id and cloud":        {map[string]any{"id": "mem:mem-east-1/r-000001", "cloud": "mem"}, nil, []string{"cloud", "id"}},
		"name without cloud":  {map[string]any{"name": "train"}, nil, []string{"cloud", "name"}},
		"empty id":            {map[string]any{"id": ""}, nil, []string{"id", "at least 1"}},
		"unknown id": {
			map[string]any{"id": "mem:mem-east-1/r-999999"},
			nil,
			[]string{"Reservation not found", `"mem:mem-east-1/r-999999"`, "no reservation"},
		},
		"malformed id":     {map[string]any{"id": "mem:train"}, nil, []string{"Cannot read reservation", `"mem:train"`}},
		"id of no cloud":   {map[string]any{"id": "train"}, nil, []string{`"train"`, "not the id of a reservation on any cloud"}},
		"unknown name":     {map[string]any{"cloud": "mem", "name": "tran"}, nil, []string{"Reservation not found", `"tran"`, `"team/test"`, "mem mem-east-1"}},
		"given up":         {map[string]any{"cloud": "mem", "name": "gone"}, nil, []string{"Reservation not found", `"gone"`, "given up"}},
		"given up, by id":  {map[string]any{"id": "mem:mem-east-1/r-000009"}, nil, []string{"Reservation not found", "mem-east-1/r-000009", "GONE"}},
		"name held twice":  {map[string]any{"cloud": "mem", "name": "train"}, func(m *providertest.Mem) { m.Make(nil) }, []string{"there are 2", "r-000001", "r-000010"}},
		"unknown cloud":    {map[string]any{"cloud": "mars", "name": "train"}, nil, []string{"cloud", `"mars"`, "mem"}},
		"cloud not built":  {map[string]any{"cloud": "later", "name": "train"}, nil, []string{"Cloud not supported yet"}},
		"id, not built":    {map[string]any{"id": "later:x/y"}, nil, []string{"later:x/y", "not built yet"}},
		"unknown account":  {map[string]any{"cloud": "mem", "name": "train", "account": "nobody"}, nil, []string{"nobody"}},
		"nobody's name":    {map[string]any{"cloud": "mem", "name": "train"}, func(m *providertest.Mem) { m.Owner = "" }, []string{"No owner", "owner"}},
		"not a region":     {map[string]any{"cloud": "mem", "name": "train", "region": "mars-1"}, nil, []string{"mars-1"}},
		"not configured":   {map[string]any{"cloud": "mem", "name": "train"}, func(m *providertest.Mem) { m.Manager = nil }, []string{"not configured yet"}},
		"throttled":        {map[string]any{"cloud": "mem", "name": "train"}, throttle, []string{"slow down"}},
		"throttled, by id": {map[string]any{"id": "mem:mem-east-1/r-000001"}, throttle, []string{"Cannot read reservation", "slow down"}},
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

func throttle(m *providertest.Mem) {
	m.Cloud.SetFault(func(call cloud.Call) (before, after error) {
		if call.Method != "Get" && call.Method != "List" {
			return nil, nil
		}
		return &cloud.Error{Code: cloud.Throttled, Op: call.Method, Message: "slow down"}, nil
	})
}

// A second read shows what changed since the first: nothing is remembered.
func TestDataSource_isLive(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]map[string]any{
		"by id":   {"id": "mem:mem-east-1/r-000001"},
		"by name": {"cloud": "mem", "name": "train"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, world := serve(t)
			r := world.Make(nil)
			for _, users := range [][]string{nil, {"i-1"}, {"i-1", "i-2"}} {
				world.Cloud.SetUsers(r.Ref.NativeID, users...)
				got, diags := server.ReadDataSource(typeName, config)
				if len(diags) > 0 {
					t.Fatal(diags.Errors())
				}
				if want := string(rune('0' + len(users))); got["in_use_count"] != want {
					t.Errorf("in_use_count = %v, want %s", got["in_use_count"], want)
				}
			}
		})
	}
}

// A shape that the cloud cannot describe is a warning, and the rest is shown.
func TestDataSource_unknownShape(t *testing.T) {
	t.Parallel()
	server, world := serve(t)
	r := world.Make(nil)
	world.Cloud.SetFault(func(call cloud.Call) (before, after error) {
		if call.Method == "InstanceTypes" {
			return &cloud.Error{Code: cloud.PermissionDenied, Op: call.Method, Message: "not yours to ask"}, nil
		}
		return nil, nil
	})
	got, diags := server.ReadDataSource(typeName, map[string]any{"id": r.Ref.NativeID})
	if len(diags.Errors()) > 0 || len(diags.Warnings()) != 1 || !strings.Contains(diags.Warnings()[0], "not yours to ask") {
		t.Fatalf("errors %v, warnings %v", diags.Errors(), diags.Warnings())
	}
	if got["gpu_model"] != nil || got["gpu_count"] != nil || got["instance_count"] != "2" {
		t.Errorf("gpu_model %v, gpu_count %v, instance_count %v", got["gpu_model"], got["gpu_count"], got["instance_count"])
	}
}

// What the resource shows, the data source shows under the same name, but for
// what only a configuration knows.
func TestDataSource_showsWhatTheResourceShows(t *testing.T) {
	t.Parallel()
	ours := []string{
		"allow_replacement", "max_cancellation_usd", "max_upfront_usd", "max_usd_per_hour", "offer_id", "on_destroy",
		"on_release_in_use", "tags_all", "timeouts", "wait_for_capacity", "window",
	}
	shown := reservation.ViewAttributes()
	for name := range resourceAttributes(t) {
		_, ok := shown[name]
		if left := slices.Contains(ours, name) || name == "account"; ok == left {
			t.Errorf("%s: shown %v, meant to be left out %v", name, ok, left)
		}
	}
}
