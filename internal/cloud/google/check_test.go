package google

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// wishFor is a good wish of a kind, completed.
func wishFor(kind cloud.Kind) cloud.Spec {
	s := cloud.Spec{
		Kind: kind, Account: testProject, Region: "us-central1", Zone: "us-central1-a", InstanceType: "a3-highgpu-8g", Count: 2,
		Match: cloud.Targeted, Native: map[string]string{},
	}
	if kind == cloud.OnDemand {
		s.Native[optVertex] = vertexDisallow
		return s
	}
	s.StartAt = time.Date(2031, 5, 10, 7, 0, 0, 0, time.UTC)
	s.EndAt = s.StartAt.Add(2 * day)
	return s
}

func allKinds() []cloud.Kind { return []cloud.Kind{cloud.OnDemand, cloud.Scheduled, cloud.Block} }

func TestCheckCompletes(t *testing.T) {
	t.Parallel()
	c := New(Config{})
	for _, kind := range allKinds() {
		want := wishFor(kind)
		given := want
		given.Region, given.Match, given.Native = "", "", nil
		if kind == cloud.OnDemand {
			given.Kind = ""
		}
		got, wrong := c.Check(given)
		if diff := cmp.Diff(want, got); diff != "" || len(wrong) > 0 {
			t.Errorf("%s: problems %v; (-want +got):\n%s", kind, wrong, diff)
		}
		again, wrong := c.Check(got)
		if diff := cmp.Diff(got, again); diff != "" || len(wrong) > 0 {
			t.Errorf("%s, a second time: problems %v; (-want +got):\n%s", kind, wrong, diff)
		}
	}
}

func TestCheckCompletesOptions(t *testing.T) {
	t.Parallel()
	c := New(Config{})
	s := wishFor(cloud.Scheduled)
	s.InstanceType = "n1-standard-8"
	s.Native = map[string]string{optAcceleratorType: "nvidia-tesla-t4", optSSDCount: "2", optDeployment: "", optCPUPlatform: "Intel Skylake"}
	given := map[string]string{}
	for name, value := range s.Native {
		given[name] = value
	}
	got, wrong := c.Check(s)
	want := map[string]string{
		optAcceleratorType: "nvidia-tesla-t4", optAcceleratorCount: "1", optSSDCount: "2", optSSDInterface: "scsi", optCPUPlatform: "Intel Skylake",
	}
	if diff := cmp.Diff(want, got.Native); diff != "" || len(wrong) > 0 {
		t.Errorf("problems %v; (-want +got):\n%s", wrong, diff)
	}
	if diff := cmp.Diff(given, s.Native); diff != "" {
		t.Errorf("the caller's options changed (-want +got):\n%s", diff)
	}
}

// TestCheckInstants: a fraction survives the wire with none or three digits, and
// a duration becomes the end.
func TestCheckInstants(t *testing.T) {
	t.Parallel()
	c := New(Config{})
	s := wishFor(cloud.Scheduled)
	s.StartAt = time.Date(2031, 5, 10, 9, 0, 0, 0, time.FixedZone("", 7200))
	s.EndAt = time.Date(2031, 5, 11, 9, 0, 0, 500_999_999, time.FixedZone("", 7200))
	got, wrong := c.Check(s)
	if len(wrong) > 0 || instant(got.StartAt) != "2031-05-10T07:00:00Z" || instant(got.EndAt) != "2031-05-11T07:00:00.500Z" {
		t.Errorf("problems %v; from %s to %s", wrong, instant(got.StartAt), instant(got.EndAt))
	}
	s.EndAt, s.Duration = time.Time{}, 36*time.Hour
	got, wrong = c.Check(s)
	if len(wrong) > 0 || instant(got.EndAt) != "2031-05-11T19:00:00Z" || got.Duration != s.Duration {
		t.Errorf("problems %v; the duration leads to %s", wrong, instant(got.EndAt))
	}
	if again, wrong := c.Check(got); len(wrong) > 0 || !again.EndAt.Equal(got.EndAt) {
		t.Errorf("a second time: problems %v; the end is %s", wrong, instant(again.EndAt))
	}
	if got := instant(time.Time{}); got != "" {
		t.Errorf("no instant is written as %q", got)
	}
}

// TestCheckLeavesToTheCloud: what this code does not know is no problem.
func TestCheckLeavesToTheCloud(t *testing.T) {
	t.Parallel()
	c := New(Config{})
	for name, change := range map[string]func(*cloud.Spec){
		"family":    func(s *cloud.Spec) { s.InstanceType = "a9-ultragpu-8g" },
		"size":      func(s *cloud.Spec) { s.InstanceType = "a3-highgpu-99g-metal" },
		"zone":      func(s *cloud.Spec) { s.Zone, s.Region = "atlantis-south7-ai1q", "" },
		"open":      func(s *cloud.Spec) { s.Match = cloud.Open },
		"numbers":   func(s *cloud.Spec) { s.ShareWith = []string{"123456", "proj-beta"} },
		"account":   func(s *cloud.Spec) { s.Account = "123456" },
		"domain":    func(s *cloud.Spec) { s.Account = "acme.com:proj-x" },
		"no region": func(s *cloud.Spec) { s.Region = "" },
	} {
		for _, kind := range allKinds() {
			s := wishFor(kind)
			change(&s)
			if _, wrong := c.Check(s); len(wrong) > 0 {
				t.Errorf("%s, %s: %v", name, kind, wrong)
			}
		}
	}
}

// refusal is one wrong wish with exactly one problem, at its attribute, whose
// text says what would be right.
type refusal struct {
	spoil func(*cloud.Spec)
	at    cloud.Attribute
	says  string
}

func native(pairs ...string) func(*cloud.Spec) {
	return func(s *cloud.Spec) {
		for i := 0; i < len(pairs); i += 2 {
			s.Native[pairs[i]] = pairs[i+1]
		}
	}
}

func runRefusals(t *testing.T, kinds []cloud.Kind, tests map[string]refusal) {
	t.Helper()
	c := New(Config{Project: "proj-home"})
	for name, tt := range tests {
		for _, kind := range kinds {
			s := wishFor(kind)
			tt.spoil(&s)
			_, wrong := c.Check(s)
			if len(wrong) != 1 || wrong[0].Attribute != tt.at || !strings.Contains(wrong[0].Detail, tt.says) {
				t.Errorf("%s, %s: problems %+v; want one at %s that says %q", name, kind, wrong, tt.at, tt.says)
			}
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint("proj-", i+100)
	}
	share := func(with ...string) func(*cloud.Spec) { return func(s *cloud.Spec) { s.ShareWith = with } }
	machine := func(name string) func(*cloud.Spec) { return func(s *cloud.Spec) { s.InstanceType = name } }
	runRefusals(t, allKinds(), map[string]refusal{
		"kind":            {func(s *cloud.Spec) { s.Kind = cloud.DedicatedHost }, cloud.AttrKind, "block, on_demand, scheduled"},
		"account":         {func(s *cloud.Spec) { s.Account = "Research" }, cloud.AttrAccount, "project"},
		"no zone":         {func(s *cloud.Spec) { s.Zone = "" }, cloud.AttrZone, "us-central1-a"},
		"zone of another": {func(s *cloud.Spec) { s.Region = "us-east1" }, cloud.AttrZone, "us-central1"},
		"AWS zone":        {func(s *cloud.Spec) { s.Zone = "us-east-1a" }, cloud.AttrZone, "us-central1-a"},
		"zone path":       {func(s *cloud.Spec) { s.Zone = "zones/us-central1-a" }, cloud.AttrZone, "name"},
		"region as zone":  {func(s *cloud.Spec) { s.Zone = "us-central1" }, cloud.AttrZone, "us-central1-a"},
		"no type":         {machine(""), cloud.AttrInstanceType, "a3-highgpu-8g"},
		"type in capital": {machine("A3-HighGPU-8g"), cloud.AttrInstanceType, "a3-highgpu-8g"},
		"AWS type":        {machine("p5.48xlarge"), cloud.AttrInstanceType, "a3-highgpu-8g"},
		"type path":       {machine("zones/us-central1-a/machineTypes/a3-highgpu-8g"), cloud.AttrInstanceType, "name"},
		"no GPU":          {machine("n2-standard-8"), cloud.AttrInstanceType, "a3"},
		"TPU":             {machine("ct5lp-hightpu-4t"), cloud.AttrInstanceType, "a3"},
		"no count":        {func(s *cloud.Spec) { s.Count = 0 }, cloud.AttrCount, "takes 1 to "},
		"negative count":  {func(s *cloud.Spec) { s.Count = -1 }, cloud.AttrCount, "takes 1 to "},
		"large count":     {func(s *cloud.Spec) { s.Count = 1001 }, cloud.AttrCount, "takes 1 to "},
		"match":           {func(s *cloud.Spec) { s.Match = "any" }, cloud.AttrMatch, "targeted"},
		"offer":           {func(s *cloud.Spec) { s.OfferID = "o-1" }, "offer_id", "leave it out"},
		"term":            {func(s *cloud.Spec) { s.Term = &cloud.TermPlan{Months: 12} }, cloud.AttrTerm, "leave it out"},
		"tags":            {func(s *cloud.Spec) { s.Tags = map[string]string{"team": "ml"} }, cloud.AttrTags, "no labels"},
		"share form":      {share("Proj"), cloud.AttrShare, "number"},
		"share twice":     {share("proj-beta", "proj-beta"), cloud.AttrShare, "twice"},
		"share with self": {share("proj-beta", testProject), cloud.AttrShare, "itself"},
		"share with many": {share(many...), cloud.AttrShare, "at most 100"},
		"share with home": {func(s *cloud.Spec) { s.Account, s.ShareWith = "", []string{"proj-home"} }, cloud.AttrShare, "itself"},
		"unknown option":  {native("tenancy", "host"), "google.tenancy", "min_cpu_platform"},
		"platform":        {native(optCPUPlatform, "skylake"), "google.min_cpu_platform", "Intel Skylake"},
		"no disks":        {native(optSSDCount, "0"), "google.local_ssd_count", "1 to 32"},
		"disk words":      {native(optSSDCount, "two"), "google.local_ssd_count", "1 to 32"},
		"disk interface":  {native(optSSDCount, "1", optSSDInterface, "NVME"), "google.local_ssd_interface", "nvme"},
		"interface alone": {native(optSSDInterface, "nvme"), "google.local_ssd_interface", "local_ssd_count"},
	})
}

func TestCheckRefusesAccelerators(t *testing.T) {
	t.Parallel()
	n1 := func(pairs ...string) func(*cloud.Spec) {
		return func(s *cloud.Spec) {
			s.InstanceType = "n1-standard-8"
			native(pairs...)(s)
		}
	}
	runRefusals(t, []cloud.Kind{cloud.OnDemand, cloud.Scheduled}, map[string]refusal{
		"N1 alone":      {n1(), "google.accelerator_type", "nvidia-tesla-t4"},
		"custom N1":     {func(s *cloud.Spec) { s.InstanceType = "custom-4-8192" }, "google.accelerator_type", "nvidia-tesla-t4"},
		"not for N1":    {n1(optAcceleratorType, "nvidia-l4"), "google.accelerator_type", "nvidia-tesla-t4"},
		"form":          {n1(optAcceleratorType, "T4"), "google.accelerator_type", "nvidia-tesla-t4"},
		"bundled":       {native(optAcceleratorType, "nvidia-tesla-t4"), "google.accelerator_type", "leave it out"},
		"count alone":   {native(optAcceleratorCount, "1"), "google.accelerator_count", "accelerator_type"},
		"count of many": {n1(optAcceleratorType, "nvidia-tesla-t4", optAcceleratorCount, "3"), "google.accelerator_count", "1, 2, 4"},
		"count words":   {n1(optAcceleratorType, "nvidia-tesla-t4", optAcceleratorCount, "one"), "google.accelerator_count", "number"},
		"count of none": {n1(optAcceleratorType, "nvidia-tesla-t4", optAcceleratorCount, "0"), "google.accelerator_count", "number"},
		"count in full": {n1(optAcceleratorType, "nvidia-tesla-t4", optAcceleratorCount, "01"), "google.accelerator_count", "number"},
	})
	runRefusals(t, []cloud.Kind{cloud.Block}, map[string]refusal{
		"accelerator": {native(optAcceleratorType, "nvidia-tesla-t4"), "google.accelerator_type", "kind block"},
		"A2":          {func(s *cloud.Spec) { s.InstanceType = "a2-highgpu-8g" }, cloud.AttrInstanceType, "scheduled"},
		"G2":          {func(s *cloud.Spec) { s.InstanceType = "g2-standard-48" }, cloud.AttrInstanceType, "scheduled"},
		"N1":          {func(s *cloud.Spec) { s.InstanceType = "n1-standard-8" }, cloud.AttrInstanceType, "scheduled"},
	})
}

func TestCheckRefusesByKind(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 5, 10, 7, 0, 0, 0, time.UTC)
	runRefusals(t, []cloud.Kind{cloud.OnDemand}, map[string]refusal{
		"start":           {func(s *cloud.Spec) { s.StartAt = at }, cloud.AttrStart, "leave start_at out"},
		"duration":        {func(s *cloud.Spec) { s.Duration = -1 }, cloud.AttrDuration, "not negative"},
		"vertex":          {native(optVertex, "ALLOW_ALL"), "google.vertex_sharing", "allow_all"},
		"deployment":      {native(optDeployment, "dense"), "google.deployment_type", "kind on_demand"},
		"placement":       {native(optPlacement, "Policy 1"), "google.placement_policy", "resourcePolicies"},
		"placement there": {native(optPlacement, "projects/proj-alpha/regions/us-east1/resourcePolicies/p"), "google.placement_policy", "us-east1"},
		"placement else":  {native(optPlacement, "projects/proj-beta/regions/us-central1/resourcePolicies/p"), "google.placement_policy", "proj-beta"},
		"placement by number": {
			native(optPlacement, "projects/11/regions/us-central1/resourcePolicies/p"), "google.placement_policy", "name of the policy",
		},
	})
	runRefusals(t, []cloud.Kind{cloud.Scheduled, cloud.Block}, map[string]refusal{
		"no start":       {func(s *cloud.Spec) { s.StartAt = time.Time{} }, cloud.AttrStart, "start_at"},
		"no end":         {func(s *cloud.Spec) { s.EndAt = time.Time{} }, cloud.AttrDuration, "end_at"},
		"end at start":   {func(s *cloud.Spec) { s.EndAt = s.StartAt }, cloud.AttrEnd, "not after"},
		"end of another": {func(s *cloud.Spec) { s.Duration = 3 * day }, cloud.AttrDuration, "only one"},
		"vertex":         {native(optVertex, "allow_all"), "google.vertex_sharing", "deployment_type"},
		"placement":      {native(optPlacement, "p"), "google.placement_policy", "deployment_type"},
		"deployment":     {native(optDeployment, "DENSE"), "google.deployment_type", "dense"},
	})
	short := "takes reservations for a date of 24 hours and more"
	runRefusals(t, []cloud.Kind{cloud.Scheduled}, map[string]refusal{
		"short":          {func(s *cloud.Spec) { s.EndAt = s.StartAt.Add(day - time.Millisecond) }, cloud.AttrEnd, short},
		"short duration": {func(s *cloud.Spec) { s.EndAt, s.Duration = time.Time{}, 23*time.Hour }, cloud.AttrDuration, short},
		"many":           {func(s *cloud.Spec) { s.Count = 1001 }, cloud.AttrCount, "1 to 1000"},
	})
	runRefusals(t, []cloud.Kind{cloud.Block}, map[string]refusal{
		"many":          {func(s *cloud.Spec) { s.Count = 81 }, cloud.AttrCount, "1 to 80"},
		"long":          {func(s *cloud.Spec) { s.EndAt = s.StartAt.Add(90*day + time.Second) }, cloud.AttrEnd, "1 to 90 days"},
		"short":         {func(s *cloud.Spec) { s.EndAt = s.StartAt.Add(23 * time.Hour) }, cloud.AttrEnd, "1 to 90 days"},
		"long duration": {func(s *cloud.Spec) { s.EndAt, s.Duration = time.Time{}, 91*day }, cloud.AttrDuration, "1 to 90 days"},
	})
}

// TestCheckBounds: what is just within the bounds of a future reservation is no
// problem, and how far ahead it starts is told with the kind.
func TestCheckBounds(t *testing.T) {
	t.Parallel()
	c := New(Config{})
	for name, tc := range map[string]struct {
		kind   cloud.Kind
		count  int
		length time.Duration
		leads  [2]time.Duration
	}{
		"a day for a date":   {cloud.Scheduled, 1000, day, [2]time.Duration{time.Hour, 366 * day}},
		"years for a date":   {cloud.Scheduled, 1, 1000 * day, [2]time.Duration{time.Hour, 366 * day}},
		"a day of a block":   {cloud.Block, 80, day, [2]time.Duration{time.Hour, 60 * day}},
		"90 days of a block": {cloud.Block, 1, 90 * day, [2]time.Duration{time.Hour, 60 * day}},
	} {
		s := wishFor(tc.kind)
		s.Count, s.EndAt = tc.count, s.StartAt.Add(tc.length)
		if _, wrong := c.Check(s); len(wrong) > 0 {
			t.Errorf("%s: %v", name, wrong)
		}
		if can := c.Capabilities().Kinds[tc.kind]; can.MinLead != tc.leads[0] || can.MaxLead != tc.leads[1] {
			t.Errorf("%s: starts %s to %s ahead, want %v", name, can.MinLead, can.MaxLead, tc.leads)
		}
	}
}

// TestCheckNamesEverything: one problem hides no other.
func TestCheckNamesEverything(t *testing.T) {
	t.Parallel()
	_, wrong := New(Config{}).Check(cloud.Spec{
		Kind: cloud.Block, Account: "P", Region: "x", InstanceType: "a2-highgpu-1g", Count: 0, Match: "m", Duration: -1, OfferID: "o",
		Tags: map[string]string{"a": "b", cloud.TagOwner: "x"}, ShareWith: []string{"P"}, Native: map[string]string{optVertex: "v", "x": "y"},
	})
	got := map[cloud.Attribute]int{}
	for _, w := range wrong {
		got[w.Attribute]++
	}
	want := map[cloud.Attribute]int{
		cloud.AttrAccount: 1, cloud.AttrRegion: 1, cloud.AttrZone: 1, cloud.AttrInstanceType: 1, cloud.AttrCount: 1, cloud.AttrMatch: 1,
		cloud.AttrDuration: 1, cloud.AttrStart: 1, "offer_id": 1, cloud.AttrTags: 1, `tags["gpulock:owner"]`: 1, cloud.AttrShare: 1,
		"google.vertex_sharing": 1, "google.x": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attributes of the problems (-want +got):\n%s", diff)
	}
	e := refuse("compute.reservations.insert", wrong)
	if e.Code != cloud.Invalid || !strings.Contains(e.Message, "zone: ") || !strings.Contains(e.Message, "account: ") {
		t.Errorf("the refusal is %+v", e)
	}
	if e := refuse("op", []cloud.Problem{{Attribute: cloud.AttrKind, Detail: "no"}}); e.Code != cloud.Unsupported {
		t.Errorf("a kind that there is not is refused as %s", e.Code)
	}
}

// TestCheckReducesPolicies: a link becomes the name that a read shows.
func TestCheckReducesPolicies(t *testing.T) {
	t.Parallel()
	const path = "/regions/us-central1/resourcePolicies/near"
	for name, tc := range map[string]struct{ configured, account, region, link string }{
		"name":               {testProject, "", "us-central1", "near"},
		"path":               {testProject, "", "us-central1", "projects/" + testProject + path},
		"self link":          {"proj-beta", testProject, "us-central1", "https://www.googleapis.com/compute/v1/projects/" + testProject + path},
		"number":             {"", "11", "us-central1", "https://compute.googleapis.com/compute/v1/projects/11" + path},
		"project not known":  {"", "", "us-central1", "projects/proj-beta" + path},
		"region from a zone": {testProject, "", "", "projects/" + testProject + path},
	} {
		s := wishFor(cloud.OnDemand)
		s.Account, s.Region = tc.account, tc.region
		s.Native[optPlacement] = tc.link
		got, wrong := New(Config{Project: tc.configured}).Check(s)
		if len(wrong) > 0 || got.Native[optPlacement] != "near" {
			t.Errorf("%s: %q, problems %v", name, got.Native[optPlacement], wrong)
		}
		if s.Native[optPlacement] != tc.link {
			t.Errorf("%s: the caller's wish was changed to %v", name, s.Native)
		}
	}
}
