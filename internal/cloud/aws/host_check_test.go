package aws_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

func termWish() cloud.Spec {
	s := hostWish()
	s.Kind, s.Term = cloud.Term, &cloud.TermPlan{Months: 36, Payment: "all_upfront"}
	return s
}

func TestCheckCompletesHost(t *testing.T) {
	t.Parallel()
	c := aws.New(aws.Config{})
	for _, in := range []cloud.Spec{hostWish(), termWish()} {
		want := in
		want.Region, want.Match, want.Native = region, cloud.Targeted, map[string]string{"host_recovery": "off"}
		got, problems := c.Check(in)
		if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
			t.Errorf("problems %v; (-want +got):\n%s", problems, diff)
		}
	}
}

func TestCheckRefusesHost(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	native := func(key, value string) func(*cloud.Spec) {
		return func(s *cloud.Spec) { s.Native = map[string]string{key: value} }
	}
	ofType := func(name string) func(*cloud.Spec) { return func(s *cloud.Spec) { s.InstanceType = name } }
	tests := map[string]struct {
		spoil func(*cloud.Spec)
		at    cloud.Attribute
		says  string
	}{
		"two":              {func(s *cloud.Spec) { s.Count = 2 }, cloud.AttrCount, "one for each"},
		"none":             {func(s *cloud.Spec) { s.Count = 0 }, cloud.AttrCount, "1"},
		"no zone":          {func(s *cloud.Spec) { s.Zone, s.Region = "", region }, cloud.AttrZone, "us-east-1a"},
		"start":            {func(s *cloud.Spec) { s.StartAt = at }, cloud.AttrStart, "at once"},
		"end":              {func(s *cloud.Spec) { s.EndAt = at }, cloud.AttrEnd, "leave it out"},
		"duration":         {func(s *cloud.Spec) { s.Duration = time.Hour }, "window.duration", "leave it out"},
		"offer":            {func(s *cloud.Spec) { s.OfferID = "hro-1" }, "offer_id", "leave it out"},
		"shared":           {func(s *cloud.Spec) { s.ShareWith = []string{account} }, "share_with", "Resource Access Manager"},
		"platform":         {native("platform", "Linux/UNIX"), "aws.platform", "host_recovery"},
		"tenancy":          {native("tenancy", "default"), "aws.tenancy", "host_recovery"},
		"placement":        {native("placement_group_arn", "x"), "aws.placement_group_arn", "host_recovery"},
		"commitment":       {native("commitment", "14d"), "aws.commitment", "host_recovery"},
		"recovery":         {native("host_recovery", "true"), "aws.host_recovery", "on nor off"},
		"maintenance":      {native("host_maintenance", "yes"), "aws.host_maintenance", "on nor off"},
		"recovery of P4d":  {native("host_recovery", "on"), "aws.host_recovery", "p4d.24xlarge"},
		"a size too small": {ofType("g5.xlarge"), cloud.AttrInstanceType, "24xlarge, 48xlarge"},
		"no hosts":         {ofType("p5.48xlarge"), cloud.AttrInstanceType, "family"},
		"a fraction":       {ofType("g6f.large"), cloud.AttrInstanceType, "family"},
		"P6":               {ofType("p6e-gb200.36xlarge"), cloud.AttrInstanceType, "family"},
	}
	c := aws.New(aws.Config{})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range []cloud.Spec{hostWish(), termWish()} {
				test.spoil(&s)
				_, problems := c.Check(s)
				if len(problems) != 1 || problems[0].Attribute != test.at || !strings.Contains(problems[0].Detail, test.says) {
					t.Errorf("kind %s: got %+v, want one at %s that says %q", s.Kind, problems, test.at, test.says)
				}
			}
		})
	}
}

func TestCheckAcceptsHost(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*cloud.Spec){
		"open":             func(s *cloud.Spec) { s.Match = cloud.Open },
		"recovery":         func(s *cloud.Spec) { s.InstanceType, s.Native = "g5g.metal", map[string]string{"host_recovery": "on"} },
		"maintenance":      func(s *cloud.Spec) { s.Native = map[string]string{"host_maintenance": "on", "host_recovery": ""} },
		"an unknown GPU":   func(s *cloud.Spec) { s.InstanceType, s.Native = "p9.metal", map[string]string{"host_recovery": "on"} },
		"no GPU":           func(s *cloud.Spec) { s.InstanceType = "m5.large" },
		"the largest size": func(s *cloud.Spec) { s.InstanceType = "g7e.48xlarge" },
	} {
		s := hostWish()
		change(&s)
		if _, problems := aws.New(aws.Config{}).Check(s); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestCheckTerm(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wish cloud.Spec
		term *cloud.TermPlan
		at   cloud.Attribute
	}{
		"missing":            {termWish(), nil, cloud.AttrTerm},
		"no months":          {termWish(), &cloud.TermPlan{Payment: "no_upfront"}, "term.months"},
		"two years":          {termWish(), &cloud.TermPlan{Months: 24, Payment: "no_upfront"}, "term.months"},
		"no payment":         {termWish(), &cloud.TermPlan{Months: 12}, "term.payment_option"},
		"AWS's own word":     {termWish(), &cloud.TermPlan{Months: 12, Payment: "NoUpfront"}, "term.payment_option"},
		"for a host alone":   {hostWish(), &cloud.TermPlan{Months: 12, Payment: "no_upfront"}, cloud.AttrTerm},
		"for a plain one":    {wish(), &cloud.TermPlan{Months: 12, Payment: "no_upfront"}, cloud.AttrTerm},
		"a year, nothing up": {termWish(), &cloud.TermPlan{Months: 12, Payment: "no_upfront"}, ""},
		"half and half":      {termWish(), &cloud.TermPlan{Months: 36, Payment: "partial_upfront"}, ""},
	} {
		s := test.wish
		s.Term = test.term
		_, problems := aws.New(aws.Config{}).Check(s)
		if test.at == "" && len(problems) == 0 {
			continue
		}
		if len(problems) != 1 || problems[0].Attribute != test.at || problems[0].Detail == "" {
			t.Errorf("%s: %+v, want one at %q", name, problems, test.at)
		}
	}
}
