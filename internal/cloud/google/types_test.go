package google_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const listMachines = "GET aggregated/machineTypes"

// machine is a machine type as the API shows it.
type machine struct {
	Name         string           `json:"name"`
	Description  string           `json:"description,omitempty"`
	GuestCpus    int              `json:"guestCpus"`
	MemoryMb     int              `json:"memoryMb"`
	Accelerators []map[string]any `json:"accelerators,omitempty"`
}

func gpus(accelerator string, n int) []map[string]any {
	return []map[string]any{{"guestAcceleratorType": accelerator, "guestAcceleratorCount": n}}
}

// machines is one page of the machine types of some zones.
func machines(next string, byZone map[string][]machine) answer {
	items := map[string]any{"zones/asia-east1-a": map[string]any{
		"warning": map[string]any{"code": "NO_RESULTS_ON_PAGE", "message": "There are no results for scope 'zones/asia-east1-a' on this page."},
	}}
	for zone, list := range byZone {
		items["zones/"+zone] = map[string]any{"machineTypes": list}
	}
	raw, err := json.Marshal(map[string]any{"kind": "compute#machineTypeAggregatedList", "items": items, "nextPageToken": next})
	if err != nil {
		panic(err)
	}
	return answer{body: string(raw)}
}

func a2() machine {
	return machine{Name: "a2-highgpu-2g", GuestCpus: 24, MemoryMb: 174080, Accelerators: gpus("nvidia-tesla-a100", 2)}
}

func TestInstanceTypes(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{listMachines: {
		machines("more", map[string][]machine{
			"us-central1-b": {a2(), {Name: "n2-standard-8", GuestCpus: 8, MemoryMb: 32768}},
			"us-east1-b":    {{Name: "a3-megagpu-8g", GuestCpus: 208, MemoryMb: 1916928, Accelerators: gpus("nvidia-h100-mega-80gb", 8)}},
		}),
		machines("", map[string][]machine{"us-central1-a": {
			a2(),
			{
				Name: "g4-standard-6", Description: "Graphics Optimized: 1/8 NVIDIA RTX PRO 6000 GPU, 6 vCPUs", GuestCpus: 6, MemoryMb: 22528,
				Accelerators: gpus("nvidia-rtx-pro-6000", 1),
			},
			{
				Name: "g9-standard-6", Description: "1/4 NVIDIA RTX NEXT GPU", GuestCpus: 6, MemoryMb: 1024,
				Accelerators: gpus("https://www.googleapis.com/compute/v1/projects/p/zones/z/acceleratorTypes/nvidia-rtx-next", 1),
			},
			{Name: "a3-ultragpu-8g", GuestCpus: 224, MemoryMb: 3022848},
		}}),
	}})
	got, err := s.driver().InstanceTypes(t.Context(), "", "us-central1")
	want := []cloud.InstanceType{
		{Name: "a2-highgpu-2g", VCPUs: 24, GPUModel: "A100", GPUs: "2", GPUMemoryMiB: 80 * 1024, MemoryMiB: 174080},
		{Name: "a3-ultragpu-8g", VCPUs: 224, GPUModel: "H200", GPUs: "8", GPUMemoryMiB: 8 * 141 * 1024, MemoryMiB: 3022848},
		{Name: "g4-standard-6", VCPUs: 6, GPUModel: "RTX PRO 6000", GPUs: "1/8", GPUMemoryMiB: 12 * 1024, MemoryMiB: 22528},
		{Name: "g9-standard-6", VCPUs: 6, GPUModel: "nvidia-rtx-next", GPUs: "1/4", MemoryMiB: 1024},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("InstanceTypes: %v (-want +got):\n%s", err, diff)
	}
	asked := s.all(listMachines)
	if len(asked) != 2 || asked[0].query.Get("filter") != `zone eq "us-central1-.*"` || asked[1].query.Get("pageToken") != "more" {
		t.Errorf("asked %+v", asked)
	}
}

func TestInstanceTypesNamed(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{listMachines: {machines("", map[string][]machine{
		"us-central1-b": {a2(), {Name: "n1-standard-8", GuestCpus: 8, MemoryMb: 30720}}, "us-east1-b": {a2()},
	})}})
	got, err := s.driver().InstanceTypes(t.Context(), "", "us-central1", "a2-highgpu-2g", "n1-standard-8", `x") OR (name = "y`, "x9.nosuchtype")
	names := []string{}
	for _, found := range got {
		names = append(names, found.Name)
	}
	if err != nil || !slices.Equal(names, []string{"a2-highgpu-2g", "n1-standard-8"}) {
		t.Errorf("InstanceTypes of names = %v, %v", names, err)
	}
	if asked := s.all(listMachines); len(asked) != 1 || asked[0].query.Get("filter") != `(name = "a2-highgpu-2g") OR (name = "n1-standard-8")` {
		t.Errorf("asked %+v", asked)
	}
	if got, err := s.driver().InstanceTypes(t.Context(), "", "us-central1", "no type"); err != nil || len(got) > 0 || len(s.all(listMachines)) > 1 {
		t.Errorf("a name that cannot be one is asked for: %v, %v", got, err)
	}
	if _, err := s.driver().InstanceTypes(t.Context(), "", "us-east-1"); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("a region of another cloud: %v", err)
	}
}

// TestInstanceTypesIncomplete: a part that is missing is an error only where it is
// the region's.
func TestInstanceTypesIncomplete(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string]cloud.Code{"zones/us-central1-c": cloud.Internal, "zones/us-east1-b": "", "somewhere": cloud.Internal} {
		body := fmt.Sprintf(`{"kind":"compute#machineTypeAggregatedList","items":{},"unreachables":[%q]}`, scope)
		s := newStub(t, map[string][]answer{listMachines: {{body: body}}})
		if _, err := s.driver().InstanceTypes(t.Context(), "", "us-central1"); cloud.CodeOf(err) != want {
			t.Errorf("without %s: %v, want %q", scope, err, want)
		}
	}
	s := newStub(t, map[string][]answer{listMachines: {{body: `{}`}}})
	if _, err := s.driver().InstanceTypes(t.Context(), "", "us-central1"); cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("an empty answer: %v", err)
	}
}

func TestMarket(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{listMachines: {machines("", map[string][]machine{
		"us-central1-b": {a2()}, "us-central1-a": {a2()}, "us-east1-b": {a2()},
	})}})
	type told struct {
		instanceType, zone string
		offered            bool
	}
	query := cloud.MarketQuery{Region: "us-central1", InstanceTypes: []string{"g2-standard-4", "a2-highgpu-2g"}}
	for name, tt := range map[string]struct {
		zones []string
		want  []told
	}{
		"wherever offered": {nil, []told{{"a2-highgpu-2g", "us-central1-a", true}, {"a2-highgpu-2g", "us-central1-b", true}}},
		"these zones": {[]string{"us-central1-c", "us-central1-a"}, []told{
			{"g2-standard-4", "us-central1-a", false},
			{"g2-standard-4", "us-central1-c", false},
			{"a2-highgpu-2g", "us-central1-a", true},
			{"a2-highgpu-2g", "us-central1-c", false},
		}},
	} {
		query.Zones = tt.zones
		signals, err := s.driver().Market(t.Context(), query)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []told
		for _, s := range signals {
			got = append(got, told{s.InstanceType, s.Zone, *s.Offered})
			explained(t, s)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// explained demands a reason for all that is not known.
func explained(t *testing.T, s cloud.Signal) {
	t.Helper()
	for _, field := range []cloud.SignalField{cloud.SignalOnDemand, cloud.SignalSpot, cloud.SignalSpotScore} {
		if s.Unknown[field] == "" || strings.Contains(s.Unknown[field], "not offered") == *s.Offered {
			t.Errorf("%s in %s does not say why %s is not known: %q", s.InstanceType, s.Zone, field, s.Unknown[field])
		}
	}
}

// TestMarketAsksNothing: what is not asked for costs no call.
func TestMarketAsksNothing(t *testing.T) {
	t.Parallel()
	s := newStub(t, nil)
	got, err := s.driver().Market(t.Context(), cloud.MarketQuery{Region: "us-central1"})
	if err != nil || len(got) > 0 || len(s.keys()) > 0 {
		t.Errorf("Market of no types = %v, %v after %v", got, err, s.keys())
	}
}

func TestMarketFails(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{listMachines: {refusal(403, "forbidden", "no permission")}})
	query := cloud.MarketQuery{Region: "us-central1", InstanceTypes: []string{"a2-highgpu-2g"}, Zones: []string{"us-central1-a"}}
	if got, err := s.driver().Market(t.Context(), query); cloud.CodeOf(err) != cloud.PermissionDenied {
		t.Errorf("Market = %v, %v", got, err)
	}
}

const getRegion = "GET regions/us-central1"

func region(quotas string) answer {
	return answer{body: `{"kind":"compute#region","name":"us-central1","quotas":[` + quotas + `]}`}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	const l4 = `{"metric":"NVIDIA_L4_GPUS","limit":8.0,"usage":3.0}`
	const t4 = `{"metric":"NVIDIA_T4_GPUS","limit":4.0,"usage":0.0}`
	used := func(n float64) *float64 { return &n }
	scope := func(metric string) cloud.QuotaScope {
		return cloud.QuotaScope{AccountID: home, Region: "us-central1", Quota: metric}
	}
	n1 := map[string]string{"accelerator_type": "nvidia-tesla-t4", "accelerator_count": "2"}
	tests := map[string]struct {
		spec   cloud.Spec
		quotas string
		want   []cloud.Quota
	}{
		"bundled": {
			cloud.Spec{Zone: zone, InstanceType: "g2-standard-24", Count: 3},
			t4 + "," + l4,
			[]cloud.Quota{{Scope: scope("NVIDIA_L4_GPUS"), Unit: "GPU", Limit: 8, Used: used(3), Need: 6}},
		},
		"attached": {
			cloud.Spec{Region: "us-central1", InstanceType: "n1-standard-8", Count: 2, Native: n1},
			t4 + "," + l4,
			[]cloud.Quota{{Scope: scope("NVIDIA_T4_GPUS"), Unit: "GPU", Limit: 4, Used: used(0), Need: 4}},
		},
	}
	for name, tt := range tests {
		s := newStub(t, map[string][]answer{getRegion: {region(tt.quotas)}})
		got, err := s.driver().Quotas(t.Context(), tt.spec)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil || len(s.keys()) != 1 {
			t.Errorf("%s: %v after %v (-want +got):\n%s", name, err, s.keys(), diff)
		}
	}
}

func TestQuotasUnknown(t *testing.T) {
	t.Parallel()
	h100 := cloud.Spec{Zone: zone, InstanceType: "a3-highgpu-8g", Count: 1}
	l4 := cloud.Spec{Zone: zone, InstanceType: "g2-standard-4", Count: 1}
	later := l4
	later.Kind = cloud.Scheduled
	for name, tt := range map[string]struct {
		spec   cloud.Spec
		answer answer
		want   cloud.Code
		calls  int
	}{
		"forbidden": {l4, refusal(403, "forbidden", "no"), cloud.PermissionDenied, 1},
		"no region": {l4, refusal(404, "notFound", "no such region"), cloud.NotFound, 1},
		"not fetched": {l4, answer{body: `{"kind":"compute#region","name":"us-central1",
			"quotaStatusWarning":{"code":"QUOTA_INFO_UNAVAILABLE","message":"later"}}`}, cloud.NotFound, 1},
		"empty":        {l4, answer{body: `{}`}, cloud.Internal, 1},
		"not told":     {l4, region(`{"metric":"NVIDIA_T4_GPUS","limit":4.0,"usage":0.0}`), cloud.NotFound, 1},
		"no metric":    {h100, answer{}, cloud.NotFound, 0},
		"unknown type": {cloud.Spec{Zone: zone, InstanceType: "a9-highgpu-8g", Count: 1}, answer{}, cloud.NotFound, 0},
		"no place":     {cloud.Spec{InstanceType: "g2-standard-4", Count: 1}, answer{}, cloud.Invalid, 0},
		"at a date":    {later, answer{}, cloud.NotFound, 0},
	} {
		s := newStub(t, map[string][]answer{getRegion: {tt.answer}})
		got, err := s.driver().Quotas(t.Context(), tt.spec)
		if cloud.CodeOf(err) != tt.want || len(s.keys()) != tt.calls {
			t.Errorf("%s: %v, %v after %v; want %s", name, got, err, s.keys(), tt.want)
		}
	}
}
