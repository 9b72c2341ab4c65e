package azure

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

var noon = time.Date(2031, 5, 10, 12, 0, 0, 0, time.UTC)

// wishFor is a good wish of a kind, completed.
func wishFor(kind cloud.Kind) cloud.Spec {
	s := cloud.Spec{
		Kind: kind, Account: testSub, Region: "eastus", Zone: "1", InstanceType: testSize, Count: 2,
		Match: cloud.Targeted, Native: map[string]string{optResourceGroup: "gpu"},
	}
	switch kind {
	case cloud.Scheduled:
		s.StartAt = noon
	case cloud.Block:
		s.StartAt, s.EndAt = noon, noon.Add(2*day-30*time.Minute)
	}
	return s
}

func allKinds() []cloud.Kind { return []cloud.Kind{cloud.OnDemand, cloud.Scheduled, cloud.Block} }

func checker() *Cloud { return New(Config{SubscriptionID: testSub, ResourceGroup: "GPU"}) }

func TestCheckCompletes(t *testing.T) {
	t.Parallel()
	c := checker()
	for _, kind := range allKinds() {
		want := wishFor(kind)
		given := want
		given.Match, given.Native = "", nil
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

// TestCheckKeepsItsInput: a wish is compared after it was checked.
func TestCheckKeepsItsInput(t *testing.T) {
	t.Parallel()
	given := wishFor(cloud.OnDemand)
	given.Native = map[string]string{optGroup: azureGroup, optResourceGroup: "GPU"}
	if _, wrong := checker().Check(given); len(wrong) > 0 {
		t.Errorf("problems: %v", wrong)
	}
	if diff := cmp.Diff(map[string]string{optGroup: azureGroup, optResourceGroup: "GPU"}, given.Native); diff != "" {
		t.Errorf("Check wrote into the caller's map: %s", diff)
	}
}

const azureGroup = "/subscriptions/" + testSub + "/resourceGroups/GPU/providers/Microsoft.Compute/capacityReservationGroups/Train"

func TestCheckGroups(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ given, want map[string]string }{
		"the provider's resource group": {nil, map[string]string{optResourceGroup: "gpu"}},
		"its own one":                   {map[string]string{optResourceGroup: "Team.ML"}, map[string]string{optResourceGroup: "team.ml"}},
		"a given group":                 {map[string]string{optGroup: azureGroup}, map[string]string{optGroup: testGroup}},
		"with where it is":              {map[string]string{optGroup: azureGroup, optResourceGroup: "gpu"}, map[string]string{optGroup: testGroup}},
		"an empty one":                  {map[string]string{optGroup: "", optCommitmentDays: ""}, map[string]string{optResourceGroup: "gpu"}},
	} {
		s := wishFor(cloud.OnDemand)
		s.Native = tt.given
		got, wrong := checker().Check(s)
		if diff := cmp.Diff(tt.want, got.Native); diff != "" || len(wrong) > 0 {
			t.Errorf("%s: %v; (-want +got):\n%s", name, wrong, diff)
		}
	}
	s := wishFor(cloud.OnDemand)
	s.Native = map[string]string{optGroup: azureGroup}
	if _, wrong := New(Config{SubscriptionID: testSub}).Check(s); len(wrong) > 0 {
		t.Errorf("a given group needs no resource group: %v", wrong)
	}
}

// TestCheckFractions: what is compared later is what is sent (C08).
func TestCheckFractions(t *testing.T) {
	t.Parallel()
	s := wishFor(cloud.Scheduled)
	s.StartAt = noon.Add(500 * time.Millisecond).In(time.FixedZone("", 2*3600))
	got, wrong := checker().Check(s)
	if len(wrong) > 0 || !got.StartAt.Equal(s.StartAt) {
		t.Errorf("%s becomes %s, %v", s.StartAt, got.StartAt, wrong)
	}
}

// TestCheckBlocks: what is given in any form is one pair of instants (C08).
func TestCheckBlocks(t *testing.T) {
	t.Parallel()
	plus2 := time.FixedZone("", 2*3600)
	for name, give := range map[string]func(*cloud.Spec){
		"the end":            func(s *cloud.Spec) { s.EndAt = noon.Add(7*day - 30*time.Minute) },
		"days":               func(s *cloud.Spec) { s.Duration = 7 * day },
		"both":               func(s *cloud.Spec) { s.Duration, s.EndAt = 7*day, noon.Add(7*day-30*time.Minute) },
		"in another offset":  func(s *cloud.Spec) { s.StartAt, s.EndAt = noon.In(plus2), noon.Add(7*day-30*time.Minute).In(plus2) },
		"another offset, 2d": func(s *cloud.Spec) { s.StartAt, s.Duration = noon.In(plus2), 7*day },
	} {
		s := wishFor(cloud.Block)
		s.EndAt = time.Time{}
		give(&s)
		want := wishFor(cloud.Block)
		want.EndAt = noon.Add(7*day - 30*time.Minute)
		got, wrong := checker().Check(s)
		if diff := cmp.Diff(want, got); diff != "" || len(wrong) > 0 {
			t.Errorf("%s: problems %v; (-want +got):\n%s", name, wrong, diff)
		}
	}
}

func TestCheckBlockLengths(t *testing.T) {
	t.Parallel()
	for days := range 200 {
		s := wishFor(cloud.Block)
		s.EndAt, s.Duration = time.Time{}, time.Duration(days)*day
		_, wrong := checker().Check(s)
		good := days >= 1 && days <= 14 || days%7 == 0 && days >= 21 && days <= 182
		if (len(wrong) == 0) != good {
			t.Errorf("%d days: %v", days, wrong)
		}
	}
}

func TestCheckBlockCounts(t *testing.T) {
	t.Parallel()
	for n := range 70 {
		s := wishFor(cloud.Block)
		s.Count = n
		_, wrong := checker().Check(s)
		if good := n > 0 && n&(n-1) == 0; (len(wrong) == 0) != good {
			t.Errorf("%d instances: %v", n, wrong)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	otherGroup := strings.Replace(azureGroup, testSub, otherSub, 1)
	for name, tt := range map[string]struct {
		kind   cloud.Kind
		change func(*cloud.Spec)
		at     cloud.Attribute
		says   string
	}{
		"a kind":               {"", func(s *cloud.Spec) { s.Kind = cloud.Term }, cloud.AttrKind, "block, on_demand, scheduled"},
		"an account":           {"", func(s *cloud.Spec) { s.Account = "prod" }, cloud.AttrAccount, "GUID"},
		"no region":            {"", func(s *cloud.Spec) { s.Region = "" }, cloud.AttrRegion, "eastus"},
		"a region in words":    {"", func(s *cloud.Spec) { s.Region = "East US" }, cloud.AttrRegion, "short form: eastus"},
		"a region in capitals": {"", func(s *cloud.Spec) { s.Region = "EastUS" }, cloud.AttrRegion, "short form: eastus"},
		"another cloud's":      {"", func(s *cloud.Spec) { s.Region = "us-east-1" }, cloud.AttrRegion, "not a location"},
		"a zone":               {"", func(s *cloud.Spec) { s.Zone = "a" }, cloud.AttrZone, "1, 2 and 3"},
		"a zone of a label":    {"", func(s *cloud.Spec) { s.Zone = "eastus-2" }, cloud.AttrZone, "number: 2"},
		"no type":              {"", func(s *cloud.Spec) { s.InstanceType = "" }, cloud.AttrInstanceType, "name a VM size"},
		"a type without tier":  {"", func(s *cloud.Spec) { s.InstanceType = "NC24ads_A100_v4" }, cloud.AttrInstanceType, "Standard_NC24ads_A100_v4"},
		"a type in lower case": {
			"", func(s *cloud.Spec) { s.InstanceType = "standard_nc24ads_a100_v4" }, cloud.AttrInstanceType, "spelled as Azure does",
		},
		"a path for a type":    {"", func(s *cloud.Spec) { s.InstanceType = "sizes/x" }, cloud.AttrInstanceType, "path"},
		"another tier":         {"", func(s *cloud.Spec) { s.InstanceType = "Basic_A1" }, cloud.AttrInstanceType, "not a VM size"},
		"another cloud's type": {"", func(s *cloud.Spec) { s.InstanceType = "p5.48xlarge" }, cloud.AttrInstanceType, "not a VM size"},
		"no GPU":               {"", func(s *cloud.Spec) { s.InstanceType = "Standard_D4s_v5" }, cloud.AttrInstanceType, "family D have no GPU"},
		"none":                 {"", func(s *cloud.Spec) { s.Count = 0 }, cloud.AttrCount, "1 to"},
		"three of a block":     {cloud.Block, func(s *cloud.Spec) { s.Count = 3 }, cloud.AttrCount, "1, 2, 4, 8, 16, 32 or 64"},
		"a match":              {"", func(s *cloud.Spec) { s.Match = "any" }, cloud.AttrMatch, "neither"},
		"an open date":         {cloud.Scheduled, func(s *cloud.Spec) { s.Match = cloud.Open }, cloud.AttrMatch, "scheduled is targeted"},
		"an open block":        {cloud.Block, func(s *cloud.Spec) { s.Match = cloud.Open }, cloud.AttrMatch, "block is targeted"},
		"a start":              {"", func(s *cloud.Spec) { s.StartAt = noon }, cloud.AttrStart, "starts at once"},
		"an end":               {"", func(s *cloud.Spec) { s.EndAt = noon }, cloud.AttrEnd, "have no end"},
		"a length":             {"", func(s *cloud.Spec) { s.Duration = day }, cloud.AttrDuration, "have no end"},
		"a date's end":         {cloud.Scheduled, func(s *cloud.Spec) { s.EndAt = noon.Add(day) }, cloud.AttrEnd, "have no end"},
		"a date's length":      {cloud.Scheduled, func(s *cloud.Spec) { s.Duration = day }, cloud.AttrDuration, "have no end"},
		"no date":              {cloud.Scheduled, func(s *cloud.Spec) { s.StartAt = time.Time{} }, cloud.AttrStart, "needs start_at"},
		"a fraction": {
			cloud.Scheduled, func(s *cloud.Spec) { s.StartAt = noon.Add(99) }, cloud.AttrStart, "100ns: 2031-05-10T12:00:00Z or 2031-05-10T12:00:00.0000001Z",
		},
		"a block's morning":  {cloud.Block, func(s *cloud.Spec) { s.StartAt = noon.Add(-time.Second) }, cloud.AttrStart, "2031-05-09T12:00:00Z or 2031-05-10T12:00:00Z"},
		"a block's midnight": {cloud.Block, func(s *cloud.Spec) { s.EndAt = noon.Add(2 * day) }, cloud.AttrEnd, "2031-05-12T11:30:00Z or 2031-05-13T11:30:00Z"},
		"a block backwards":  {cloud.Block, func(s *cloud.Spec) { s.EndAt = noon.Add(-30 * time.Minute) }, cloud.AttrEnd, "not after the start"},
		"a block of 15 days": {cloud.Block, func(s *cloud.Spec) { s.EndAt = noon.Add(15*day - 30*time.Minute) }, cloud.AttrEnd, "15d: Azure takes"},
		"a block's hours":    {cloud.Block, func(s *cloud.Spec) { s.EndAt, s.Duration = time.Time{}, 36*time.Hour }, cloud.AttrDuration, "36h0m0s: Azure takes"},
		"two lengths":        {cloud.Block, func(s *cloud.Spec) { s.Duration = 3 * day }, cloud.AttrDuration, "give only one"},
		"a block's start":    {cloud.Block, func(s *cloud.Spec) { s.StartAt = time.Time{} }, cloud.AttrStart, "needs start_at"},
		"a block's end":      {cloud.Block, func(s *cloud.Spec) { s.EndAt = time.Time{} }, cloud.AttrDuration, "needs a duration or end_at"},
		"an offer":           {"", func(s *cloud.Spec) { s.OfferID = "o" }, attrOfferID, "by offer"},
		"a term":             {"", func(s *cloud.Spec) { s.Term = &cloud.TermPlan{Months: 12} }, cloud.AttrTerm, "for a term"},
		"an option":          {"", func(s *cloud.Spec) { s.Native = map[string]string{"sku": "x"} }, "azure.sku", "group_id, resource_group"},
		"days of no date":    {"", func(s *cloud.Spec) { s.Native = map[string]string{optCommitmentDays: "30"} }, "azure.minimum_commitment_days", "kind on_demand"},
		"half a day":         {cloud.Scheduled, func(s *cloud.Spec) { s.Native = map[string]string{optCommitmentDays: "0.5"} }, "azure.minimum_commitment_days", "number of days"},
		"a resource group's path": {
			"", func(s *cloud.Spec) {
				s.Native = map[string]string{optResourceGroup: "/subscriptions/x/resourceGroups/gpu"}
			}, "azure.resource_group", "path",
		},
		"a resource group's end":   {"", func(s *cloud.Spec) { s.Native = map[string]string{optResourceGroup: "gpu."} }, "azure.resource_group", "period"},
		"a resource group's words": {"", func(s *cloud.Spec) { s.Native = map[string]string{optResourceGroup: "my gpus"} }, "azure.resource_group", "1 to 90"},
		"a group's name":           {"", func(s *cloud.Spec) { s.Native = map[string]string{optGroup: "train"} }, "azure.group_id", "the form is /subscriptions/"},
		"a group of another subscription": {
			"", func(s *cloud.Spec) { s.Native = map[string]string{optGroup: otherGroup} }, "azure.group_id", "set the account to that of the group",
		},
		"a group elsewhere": {
			"", func(s *cloud.Spec) { s.Native = map[string]string{optGroup: azureGroup, optResourceGroup: "rg"} }, "azure.resource_group", "in the resource group gpu",
		},
		"sharing a given group": {
			"", func(s *cloud.Spec) {
				s.ShareWith, s.Native = []string{otherSub}, map[string]string{optGroup: azureGroup}
			}, cloud.AttrShare, "azure.group_id",
		},
		"sharing a block":      {cloud.Block, func(s *cloud.Spec) { s.ShareWith = []string{otherSub} }, cloud.AttrShare, "kind block"},
		"sharing with no one":  {"", func(s *cloud.Spec) { s.ShareWith = []string{"prod"} }, cloud.AttrShare, "GUID"},
		"sharing with oneself": {"", func(s *cloud.Spec) { s.ShareWith = []string{"/subscriptions/" + testSub} }, cloud.AttrShare, "itself"},
		"sharing twice":        {"", func(s *cloud.Spec) { s.ShareWith = []string{otherSub, "/subscriptions/" + otherSub} }, cloud.AttrShare, "twice"},
		"sharing with all":     {"", func(s *cloud.Spec) { s.ShareWith = many(101) }, cloud.AttrShare, "at most 100"},
	} {
		kind := tt.kind
		if kind == "" {
			kind = cloud.OnDemand
		}
		s := wishFor(kind)
		tt.change(&s)
		_, wrong := checker().Check(s)
		if len(wrong) != 1 || wrong[0].Attribute != tt.at || !strings.Contains(wrong[0].Detail, tt.says) {
			t.Errorf("%s: %v, want one at %s that says %q", name, wrong, tt.at, tt.says)
		}
		if err := refuse(opPut, wrong); cloud.CodeOf(err) != cloud.Invalid && kind == s.Kind {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func many(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("00000000-0000-0000-0000-%012d", i)
	}
	return all
}

func TestCheckWithoutResourceGroup(t *testing.T) {
	t.Parallel()
	s := wishFor(cloud.OnDemand)
	s.Native = nil
	_, wrong := New(Config{}).Check(s)
	if len(wrong) != 1 || wrong[0].Attribute != "azure.resource_group" || !strings.Contains(wrong[0].Detail, "azure.group_id") {
		t.Error(wrong)
	}
}

func TestCheckTags(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 257)
	for name, tt := range map[string]struct {
		tags map[string]string
		at   cloud.Attribute
		says string
	}{
		"good":           {map[string]string{"Cost Center": "<1/2>", "path.with:marks": "", strings.Repeat("ü", 512): strings.Repeat("ü", 256)}, "", ""},
		"no key":         {map[string]string{"": "x"}, `tags[""]`, "needs a key"},
		"a forbidden":    {map[string]string{"a/b": "x"}, `tags["a/b"]`, `<>%&\?/`},
		"a long key":     {map[string]string{long + long: "x"}, cloud.Attribute(fmt.Sprintf("tags[%q]", long+long)), "512"},
		"a long value":   {map[string]string{"a": long}, `tags["a"]`, "256"},
		"Azure's":        {map[string]string{"Hidden-title": "x"}, `tags["Hidden-title"]`, "Azure's own"},
		"ours":           {map[string]string{"GPULock:owner": "x"}, `tags["GPULock:owner"]`, "this provider's own"},
		"a control":      {map[string]string{"a": "\x00"}, `tags["a"]`, "control"},
		"two casings":    {map[string]string{"Team": "x", "team": "y"}, `tags["team"]`, `"Team"`},
		"too many":       {numbered(46), cloud.AttrTags, "45 are left"},
		"as many as can": {numbered(45), "", ""},
	} {
		s := wishFor(cloud.OnDemand)
		s.Tags = tt.tags
		_, wrong := checker().Check(s)
		if tt.at == "" {
			if len(wrong) > 0 {
				t.Errorf("%s: %v", name, wrong)
			}
			continue
		}
		if len(wrong) != 1 || wrong[0].Attribute != tt.at || !strings.Contains(wrong[0].Detail, tt.says) {
			t.Errorf("%s: %v, want one at %s that says %q", name, wrong, tt.at, tt.says)
		}
	}
}

func numbered(n int) map[string]string {
	tags := map[string]string{}
	for i := range n {
		tags[fmt.Sprint("k", i)] = "v"
	}
	return tags
}

// TestCapabilities: what Check refuses of a kind its capabilities do not promise.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	caps := checker().Capabilities()
	for _, kind := range allKinds() {
		s := wishFor(kind)
		s.ShareWith = []string{otherSub}
		_, wrong := checker().Check(s)
		if shares := caps.Kinds[kind].CanChange(cloud.AttrShare); shares != (len(wrong) == 0) {
			t.Errorf("%s is shared in place: %t, Check says %v", kind, shares, wrong)
		}
	}
	// The start of a block on the last day is within its lead from any time of today.
	today := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	if last := today.AddDate(0, 0, 56).Add(blockOpens); last.Sub(today) > caps.Kinds[cloud.Block].MaxLead {
		t.Errorf("a block cannot start at %s", last)
	}
	// One of today has to be asked for before 11:30.
	if lead := caps.Kinds[cloud.Block].MinLead; lead != blockOpens-blockCloses {
		t.Errorf("a block can start in %s", lead)
	}
}
