package aws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

func TestCheckCompletes(t *testing.T) {
	t.Parallel()
	c := aws.New(aws.Config{Region: "eu-west-1"})
	in := cloud.Spec{
		Zone: "us-west-2-lax-1a", InstanceType: "g6f.large", Count: 1,
		EndAt: time.Date(2031, 5, 1, 9, 0, 0, 1_999_999, time.FixedZone("", 3600)),
	}
	want := in
	want.Kind, want.Region, want.Match = cloud.OnDemand, "us-west-2", cloud.Targeted
	want.EndAt = time.Date(2031, 5, 1, 8, 0, 0, 1_000_000, time.UTC)
	want.Native = map[string]string{"platform": "Linux/UNIX", "tenancy": "default"}
	got, problems := c.Check(in)
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("problems %v; (-want +got):\n%s", problems, diff)
	}
	again, problems := c.Check(got)
	if diff := cmp.Diff(got, again); diff != "" || len(problems) > 0 {
		t.Errorf("a second time: problems %v; (-want +got):\n%s", problems, diff)
	}
}

func TestCheckZones(t *testing.T) {
	t.Parallel()
	c := aws.New(aws.Config{})
	for zone, want := range map[string]string{
		"us-east-1a": "us-east-1", "ap-southeast-2c": "ap-southeast-2", "us-gov-west-1b": "us-gov-west-1", "cn-north-1a": "cn-north-1",
		"us-east-1-dfw-2a": "us-east-1", "us-west-2-lax-1b": "us-west-2", "us-east-1-wl1-bos-wlz-1": "us-east-1",
		"us-iso-east-1a": "us-iso-east-1", "eusc-de-east-1a": "eusc-de-east-1",
		"us-east-1": "", "use1-az1": "", "us-west-2-lax-1": "", "US-EAST-1A": "", "no such zone!": "", "us-east-1a ": "", "westeurope-1": "",
	} {
		s := wish()
		s.Zone = zone
		got, problems := c.Check(s)
		if got.Region != want || (len(problems) > 0) != (want == "") {
			t.Errorf("zone %q: region %q, problems %v; want region %q", zone, got.Region, problems, want)
		}
	}
}

// TestCheckRefuses: each wrong wish has exactly one problem, at its attribute,
// and the text says what would be right.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	many := map[string]string{}
	for i := range 46 {
		many[fmt.Sprint("k", i)] = ""
	}
	tag := func(key, value string) func(*cloud.Spec) {
		return func(s *cloud.Spec) { s.Tags = map[string]string{key: value} }
	}
	native := func(key, value string) func(*cloud.Spec) {
		return func(s *cloud.Spec) { s.Native = map[string]string{key: value} }
	}
	long := strings.Repeat("ü", 128)
	tests := map[string]struct {
		spoil func(*cloud.Spec)
		at    cloud.Attribute
		says  string
	}{
		"kind":             {func(s *cloud.Spec) { s.Kind = "spot" }, cloud.AttrKind, "on_demand"},
		"account":          {func(s *cloud.Spec) { s.Account = "resarch" }, cloud.AttrAccount, "research"},
		"no zone":          {func(s *cloud.Spec) { s.Zone, s.Region = "", region }, cloud.AttrZone, "us-east-1a"},
		"zone of another":  {func(s *cloud.Spec) { s.Region = "us-west-2" }, cloud.AttrZone, "us-east-1"},
		"zone id":          {func(s *cloud.Spec) { s.Zone, s.Region = "use1-az1", region }, cloud.AttrZone, "name"},
		"region":           {func(s *cloud.Spec) { s.Region, s.Zone = "Virginia", "" }, cloud.AttrRegion, "us-east-1"},
		"no type":          {func(s *cloud.Spec) { s.InstanceType = "" }, cloud.AttrInstanceType, "p5.48xlarge"},
		"type in capitals": {func(s *cloud.Spec) { s.InstanceType = "P5.48xlarge" }, cloud.AttrInstanceType, "p5.48xlarge"},
		"type of another":  {func(s *cloud.Spec) { s.InstanceType = "a3-highgpu-8g" }, cloud.AttrInstanceType, "p5.48xlarge"},
		"no instances":     {func(s *cloud.Spec) { s.Count = 0 }, cloud.AttrCount, "1 to 1000"},
		"negative":         {func(s *cloud.Spec) { s.Count = -1 }, cloud.AttrCount, "1 to 1000"},
		"too many":         {func(s *cloud.Spec) { s.Count = 1001 }, cloud.AttrCount, "1 to 1000"},
		"match":            {func(s *cloud.Spec) { s.Match = "closed" }, cloud.AttrMatch, "targeted"},
		"start":            {func(s *cloud.Spec) { s.StartAt = at }, cloud.AttrStart, "start_at"},
		"duration":         {func(s *cloud.Spec) { s.Duration = -time.Hour }, "window.duration", "negative"},
		"offer":            {func(s *cloud.Spec) { s.OfferID = "cb-1" }, "offer_id", "on_demand"},
		"shared":           {func(s *cloud.Spec) { s.ShareWith = []string{account} }, "share_with", "Resource Access Manager"},
		"option":           {native("ebs_optimized", "true"), "aws.ebs_optimized", "platform"},
		"platform":         {native("platform", "linux"), "aws.platform", "Linux/UNIX"},
		"tenancy":          {native("tenancy", "host"), "aws.tenancy", "dedicated"},
		"placement form":   {native("placement_group_arn", "near"), "aws.placement_group_arn", "arn:aws:ec2"},
		"placement far":    {native("placement_group_arn", "arn:aws:ec2:us-west-2:111122223333:placement-group/near"), "aws.placement_group_arn", "us-west-2"},
		"many tags":        {func(s *cloud.Spec) { s.Tags = many }, cloud.AttrTags, "45"},
		"tag of AWS":       {tag("AWS:x", ""), `tags["AWS:x"]`, "AWS"},
		"tag of ours":      {tag("gpulock:made-up", ""), `tags["gpulock:made-up"]`, "gpulock:"},
		"tag without key":  {tag("", "x"), `tags[""]`, "key"},
		"long key":         {tag(long+"x", ""), cloud.Attribute(fmt.Sprintf("tags[%q]", long+"x")), "128"},
		"long value":       {tag("k", long+long+"x"), `tags["k"]`, "256"},
		"control":          {tag("k", "a\x00b"), `tags["k"]`, "control"},
		"not UTF-8":        {tag("k", "\xff"), `tags["k"]`, "UTF-8"},
	}
	c := aws.New(aws.Config{Accounts: map[string]aws.Account{"research": {}}})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := wish()
			test.spoil(&s)
			_, problems := c.Check(s)
			problems = only(problems, test.at, name == "region")
			if len(problems) != 1 || problems[0].Attribute != test.at || !strings.Contains(problems[0].Detail, test.says) {
				t.Errorf("got %+v, want one at %s that says %q", problems, test.at, test.says)
			}
		})
	}
}

// only leaves out what a wish without its zone is told as well.
func only(problems []cloud.Problem, at cloud.Attribute, filter bool) []cloud.Problem {
	if !filter {
		return problems
	}
	var kept []cloud.Problem
	for _, p := range problems {
		if p.Attribute == at {
			kept = append(kept, p)
		}
	}
	return kept
}

func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 45 {
		many[fmt.Sprint("k", i)] = strings.Repeat("ü", 256)
	}
	for name, change := range map[string]func(*cloud.Spec){
		"a thousand":      func(s *cloud.Spec) { s.Count = 1000 },
		"odd types":       func(s *cloud.Spec) { s.InstanceType = "p6e-gb200.36xlarge" },
		"metal":           func(s *cloud.Spec) { s.InstanceType = "u-6tb1.metal" },
		"many long tags":  func(s *cloud.Spec) { s.Tags = many },
		"a free tag":      func(s *cloud.Spec) { s.Tags = map[string]string{"awsome (really)": "gpulock: yes & <no>"} },
		"a known account": func(s *cloud.Spec) { s.Account = "research" },
		"a duration":      func(s *cloud.Spec) { s.Duration = time.Hour },
		"an open one":     func(s *cloud.Spec) { s.Match = cloud.Open },
		"a group beside": func(s *cloud.Spec) {
			s.Native = map[string]string{"placement_group_arn": "arn:aws:ec2:us-east-1:111122223333:placement-group/near"}
		},
	} {
		s := wish()
		change(&s)
		if _, problems := aws.New(aws.Config{Accounts: map[string]aws.Account{"research": {}}}).Check(s); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestCapabilitiesArePure(t *testing.T) {
	t.Parallel()
	c := aws.New(aws.Config{})
	one, two := c.Capabilities(), c.Capabilities()
	if diff := cmp.Diff(one, two); diff != "" {
		t.Error(diff)
	}
	two.Kinds[cloud.OnDemand] = cloud.KindCapabilities{}
	two.Kinds["more"] = cloud.KindCapabilities{}
	if diff := cmp.Diff(one, c.Capabilities()); diff != "" {
		t.Errorf("a caller changed them:\n%s", diff)
	}
}
