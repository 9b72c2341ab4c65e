package azure

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	getSizes    = "GET /skus"
	getUsages   = "GET /usages"
	getGroup    = "GET /capacityreservationgroups/train"
	listMembers = "GET /capacityreservations"
	getPrices   = "GET /api/retail/prices"
)

// skuBody is a size in a location with capabilities and restrictions.
func skuBody(name, location, zones, capabilities, restrictions string) string {
	var caps []string
	for _, c := range strings.Split(capabilities, ";") {
		key, value, _ := strings.Cut(c, "=")
		caps = append(caps, fmt.Sprintf(`{"name":%q,"value":%q}`, key, value))
	}
	return fmt.Sprintf(`{"resourceType":"virtualMachines","name":%q,"family":"StandardNCADSA100v4Family","locations":[%q],
		"locationInfo":[{"location":%q,"zones":[%s]}],"capabilities":[%s],"restrictions":[%s]}`,
		name, location, location, zones, strings.Join(caps, ","), restrictions)
}

const a100 = "vCPUs=24;MemoryGB=220;GPUs=1;CapacityReservationSupported=True;SupportedCapacityReservationTypes=Open,Targeted"

func sizesBody(next string, skus ...string) reply {
	return reply{body: fmt.Sprintf(`{"value":[%s],"nextLink":%q}`, strings.Join(skus, ","), next)}
}

// someSizes is two pages of a location's list, as it comes: with disks, with hosts,
// and with another location.
func someSizes() []reply {
	return []reply{
		sizesBody(testOrigin+"/subscriptions/"+testSub+"/providers/Microsoft.Compute/skus?page=2",
			skuBody(testSize, "EastUS", `"3","1"`, a100, ""),
			skuBody("Standard_D4s_v5", "eastus", `"1"`, "vCPUs=4;MemoryGB=16;CapacityReservationSupported=True", ""),
			strings.Replace(skuBody("Premium_LRS", "eastus", `"1"`, "x=y", ""), "virtualMachines", "disks", 1),
			skuBody("Standard_ND96asr_v4", "westus2", `"1"`, "vCPUs=96;GPUs=8", "")),
		sizesBody("",
			skuBody("Standard_NV6ads_A10_v5", "eastus", "", "vCPUs=6;MemoryGB=55;GPUs=1;CapacityReservationSupported=True", ""),
			skuBody("Standard_NV4ads_V710_v5", "eastus", "", "vCPUs=4;MemoryGB=16;CapacityReservationSupported=false", ""),
			skuBody("Standard_NC99x_NEXT_v9", "eastus", `"1"`, "vCPUs=8;vCPUsAvailable=4;MemoryGB=0.5;GPUs=2", ""),
			skuBody("Standard_ND96isr_H100_v5", "eastus", `"1","2"`, "vCPUs=96;MemoryGB=1900;GPUs=8;CapacityReservationSupported=True;SupportedCapacityReservationTypes=Block",
				`{"type":"Zone","values":["eastus"],"reasonCode":"NotAvailableForSubscription","restrictionInfo":{"locations":["eastus"],"zones":["2"]}}`),
			skuBody("Standard_NC6s_v3", "eastus", `"1"`, "vCPUs=6;GPUs=1;CapacityReservationSupported=True",
				`{"type":"Location","values":["eastus"],"reasonCode":"QuotaId","restrictionInfo":{"locations":["eastus"]}}`)),
	}
}

func TestInstanceTypes(t *testing.T) {
	t.Parallel()
	s := newCanned(t, map[string][]reply{getSizes: someSizes()})
	d := s.driver()
	got, err := d.InstanceTypes(t.Context(), "", "eastus")
	want := []cloud.InstanceType{
		{Name: "Standard_NC24ads_A100_v4", VCPUs: 24, GPUModel: "A100", GPUs: "1", GPUMemoryMiB: 80 * 1024, MemoryMiB: 220 * 1024},
		{Name: "Standard_NC6s_v3", VCPUs: 6, GPUModel: "V100", GPUs: "1", GPUMemoryMiB: 16 * 1024},
		{Name: "Standard_NC99x_NEXT_v9", VCPUs: 4, GPUs: "2", MemoryMiB: 512},
		{Name: "Standard_ND96isr_H100_v5", VCPUs: 96, GPUModel: "H100", GPUs: "8", GPUMemoryMiB: 640 * 1024, MemoryMiB: 1900 * 1024},
		{Name: "Standard_NV4ads_V710_v5", VCPUs: 4, GPUModel: "V710", GPUs: "1/6", GPUMemoryMiB: 4 * 1024, MemoryMiB: 16 * 1024},
		{Name: "Standard_NV6ads_A10_v5", VCPUs: 6, GPUModel: "A10", GPUs: "1/6", GPUMemoryMiB: 4 * 1024, MemoryMiB: 55 * 1024},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; (-want +got):\n%s", err, diff)
	}
	if filter := s.asked[0].URL.Query().Get("$filter"); filter != "location eq 'eastus'" {
		t.Errorf("the list is of %q", filter)
	}
	named, err := d.InstanceTypes(t.Context(), "", "eastus", "Standard_D4s_v5", "Standard_Unknown_v1", "Standard_ND96asr_v4")
	if diff := cmp.Diff([]cloud.InstanceType{{Name: "Standard_D4s_v5", VCPUs: 4, MemoryMiB: 16 * 1024}}, named); diff != "" || err != nil {
		t.Errorf("%v; (-want +got):\n%s", err, diff)
	}
	if n := len(s.keys()); n != 2 {
		t.Errorf("%d requests: the list is read once", n)
	}
	if _, err := d.InstanceTypes(t.Context(), "", "eastus' or 1 eq 1"); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("a location that is none: %v", err)
	}
}

// TestInstanceTypesAgain: a list that failed is not kept.
func TestInstanceTypesAgain(t *testing.T) {
	t.Parallel()
	s := newCanned(t, map[string][]reply{getSizes: {{status: 403, body: fails("AuthorizationFailed", "m")}, {body: `{"nextLink":""}`}, sizesBody("")}})
	d := s.driver()
	for i, want := range []cloud.Code{cloud.PermissionDenied, cloud.Internal, ""} {
		if _, err := d.InstanceTypes(t.Context(), "", "eastus"); cloud.CodeOf(err) != want {
			t.Errorf("try %d: %v", i, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.InstanceTypes(ctx, "", "eastus"); !errors.Is(err, context.Canceled) {
		t.Errorf("at the end of its context: %v", err)
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	usages := `{"value":[{"unit":"Count","currentValue":10,"limit":100,"name":{"value":"cores","localizedValue":"Total Regional vCPUs"}},
		{"unit":"Count","currentValue":2,"limit":48,"name":{"value":"standardNCADSA100v4Family"}}]}`
	s := newCanned(t, map[string][]reply{getSizes: someSizes(), getUsages: {{body: usages}}})
	got, err := s.driver().Quotas(t.Context(), wishFor(cloud.OnDemand))
	two, ten := 2.0, 10.0
	want := []cloud.Quota{
		{Scope: cloud.QuotaScope{AccountID: testSub, Region: "eastus", Quota: "standardncadsa100v4family"}, Unit: "vCPU", Limit: 48, Used: &two, Need: 48},
		{Scope: cloud.QuotaScope{AccountID: testSub, Region: "eastus", Quota: "cores"}, Unit: "vCPU", Limit: 100, Used: &ten, Need: 48},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; (-want +got):\n%s", err, diff)
	}
	// A refusal names the same limits.
	for i, message := range []string{overFamily, strings.Replace(overRegion, "West US 2", "eastus", 1)} {
		scope := *quotaIn(message)
		scope.AccountID = testSub
		if scope != want[i].Scope {
			t.Errorf("a refusal names %+v, the limit is %+v", scope, want[i].Scope)
		}
	}
}

func TestQuotasUnknown(t *testing.T) {
	t.Parallel()
	unknown := wishFor(cloud.OnDemand)
	unknown.InstanceType = "Standard_NC1_v1"
	for name, tt := range map[string]struct {
		spec   cloud.Spec
		usages reply
		want   cloud.Code
	}{
		"a date":          {wishFor(cloud.Scheduled), reply{}, cloud.NotFound},
		"a block":         {wishFor(cloud.Block), reply{}, cloud.NotFound},
		"a type":          {unknown, reply{}, cloud.NotFound},
		"no such limit":   {wishFor(cloud.OnDemand), reply{body: `{"value":[]}`}, cloud.NotFound},
		"may not be read": {wishFor(cloud.OnDemand), reply{status: 403, body: fails("AuthorizationFailed", "m")}, cloud.PermissionDenied},
	} {
		s := newCanned(t, map[string][]reply{getSizes: someSizes(), getUsages: {tt.usages}})
		if got, err := s.driver().Quotas(t.Context(), tt.spec); cloud.CodeOf(err) != tt.want || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	forbidden := reply{status: 403, body: fails("AuthorizationFailed", "m")}
	given := map[string]string{optGroup: testGroup}
	for name, tt := range map[string]struct {
		change func(*cloud.Spec)
		script map[string]reply
		want   []string // attribute and a part of the text, in order
	}{
		"nothing":                {nil, nil, nil},
		"an open one":            {func(s *cloud.Spec) { s.Match = cloud.Open }, nil, nil},
		"a block":                {func(s *cloud.Spec) { *s = block1(); s.Zone = "1" }, nil, nil},
		"not offered":            {func(s *cloud.Spec) { s.InstanceType = "Standard_NC1_v1" }, nil, []string{"instance_type: Azure does not offer Standard_NC1_v1 in eastus"}},
		"misspelled":             {func(s *cloud.Spec) { s.InstanceType = "Standard_NC24ADS_A100_v4" }, nil, []string{"instance_type: spelled as Azure does: Standard_NC24ads_A100_v4"}},
		"not reserved":           {func(s *cloud.Spec) { s.InstanceType, s.Zone = "Standard_NV4ads_V710_v5", "" }, nil, []string{"instance_type: CapacityReservationSupported False"}},
		"not on demand":          {func(s *cloud.Spec) { s.InstanceType = "Standard_ND96isr_H100_v5" }, nil, []string{"instance_type: it has: Block"}},
		"not as block":           {func(s *cloud.Spec) { *s = block1(); s.InstanceType = testSize }, nil, []string{"instance_type: no Block reservations"}},
		"for a date":             {func(s *cloud.Spec) { s.Kind = cloud.Scheduled }, nil, nil},
		"restricted":             {func(s *cloud.Spec) { s.InstanceType = "Standard_NC6s_v3" }, nil, []string{"instance_type: QuotaId"}},
		"a zone":                 {func(s *cloud.Spec) { s.Zone = "2" }, nil, []string{"zone: it is in 1, 3"}},
		"no zones":               {func(s *cloud.Spec) { s.InstanceType = "Standard_NV6ads_A10_v5" }, nil, []string{"zone: leave the zone out"}},
		"a closed zone":          {func(s *cloud.Spec) { *s = block1(); s.Zone = "2" }, nil, []string{"zone: NotAvailableForSubscription"}},
		"nothing may be read":    {nil, map[string]reply{getSizes: forbidden}, nil},
		"no such location":       {nil, map[string]reply{getSizes: sizesBody("")}, []string{"region: no sizes in a location"}},
		"a given group":          {func(s *cloud.Spec) { s.Native = given }, nil, nil},
		"a group that is absent": {func(s *cloud.Spec) { s.Native = given }, map[string]reply{getGroup: {status: 404, body: fails("ResourceNotFound", "m")}}, nil},
		"a group that may not be read": {
			func(s *cloud.Spec) { s.Native = given }, map[string]reply{getGroup: forbidden}, nil,
		},
		"reservations that may not be read": {func(s *cloud.Spec) { s.Native = given }, map[string]reply{listMembers: forbidden}, nil},
		"a group elsewhere": {
			func(s *cloud.Spec) { s.Native = given },
			map[string]reply{getGroup: {body: `{"name":"train","location":"West US","zones":["1"]}`}},
			[]string{"azure.group_id: is in westus"},
		},
		"a group of another type": {
			func(s *cloud.Spec) { s.Native = given }, map[string]reply{getGroup: {body: groupBody("Block", "", "")}}, []string{"azure.group_id: of type Block"},
		},
		"a regional group": {
			func(s *cloud.Spec) { s.Native = given }, map[string]reply{getGroup: {body: `{"name":"train","location":"eastus"}`}}, []string{"zone: of the whole region"},
		},
		"a zonal group": {func(s *cloud.Spec) { s.Native, s.Zone = given, "" }, nil, []string{"zone: name one of them"}},
		"a zone that is not in the group": {
			func(s *cloud.Spec) { s.Native, s.Zone = given, "3" }, nil, []string{"zone: zone 3 is not in the group train, which is of 1"},
		},
		"a second reservation of a size": {
			func(s *cloud.Spec) { s.Native = given },
			map[string]reply{listMembers: members(`{"name":"other","sku":{"name":"standard_nc24ads_a100_v4"},"zones":["1"]}`)},
			[]string{"instance_type: in zone 1 already, other"},
		},
		"reservations that leave room": {
			func(s *cloud.Spec) { s.Native = given },
			map[string]reply{listMembers: members(`{"name":"Train","sku":{"name":"Standard_NC24ads_A100_v4"},"zones":["1"]}`,
				`{"name":"b","sku":{"name":"Standard_NC24ads_A100_v4"},"zones":["2"]}`, `{"name":"c","sku":{"name":"Standard_NC48ads_A100_v4"},"zones":["1"]}`)},
			nil,
		},
	} {
		script := map[string][]reply{
			getSizes: someSizes(), getGroup: {{body: groupBody("Targeted", "", "")}}, listMembers: {members()},
		}
		for key, r := range tt.script {
			script[key] = []reply{r}
		}
		s := wishFor(cloud.OnDemand)
		if tt.change != nil {
			tt.change(&s)
		}
		got, err := newCanned(t, script).driver().Preflight(t.Context(), s, "train")
		if err != nil || len(got) != len(tt.want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, tt.want)
			continue
		}
		for i, want := range tt.want {
			at, says, _ := strings.Cut(want, ": ")
			if string(got[i].Attribute) != at || !strings.Contains(got[i].Detail, says) {
				t.Errorf("%s: %v, want %s", name, got[i], want)
			}
		}
	}
}

func block1() cloud.Spec {
	s := wishFor(cloud.Block)
	s.InstanceType = "Standard_ND96isr_H100_v5"
	return s
}

func members(reservations ...string) reply {
	return reply{body: `{"value":[` + strings.Join(reservations, ",") + `]}`}
}

// TestPreflightFails: what went wrong on the way is no answer, nor is that there is no
// one to answer.
func TestPreflightFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer reply
		want   cloud.Code
	}{
		"throttled":       {reply{status: 429, body: fails("TooManyRequests", "m")}, cloud.Throttled},
		"not signed in":   {reply{status: 401, body: fails("AuthenticationFailed", "m")}, cloud.PermissionDenied},
		"no subscription": {reply{status: 404, body: fails("SubscriptionNotFound", "m")}, cloud.PermissionDenied},
	} {
		s := newCanned(t, map[string][]reply{getSizes: {tt.answer}})
		if got, err := s.driver().Preflight(t.Context(), wishFor(cloud.OnDemand), "train"); cloud.CodeOf(err) != tt.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
