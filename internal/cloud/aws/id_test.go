package aws_test

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

func TestParseID(t *testing.T) {
	t.Parallel()
	china := "arn:aws-cn:ec2:cn-north-1:111122223333:capacity-reservation/" + short
	tests := map[string]struct {
		id, want string // want "": Invalid
		says     string
		asks     bool
	}{
		"ARN":                   {arn, arn, "", false},
		"ARN of China":          {china, china, "", false},
		"blanks around":         {" " + arn + "\n", arn, "", false},
		"region and id":         {"us-west-2/" + short, strings.Replace(arn, "us-east-1", "us-west-2", 1), "", true},
		"id alone":              {short, arn, "", true},
		"made up, but formed":   {"cr-doesnotexist", strings.Replace(arn, short, "cr-doesnotexist", 1), "", true},
		"China":                 {"cn-north-1/" + short, china, "", true},
		"empty":                 {"", "", "us-east-1/cr-", false},
		"words":                 {"no such form!", "", "us-east-1/cr-", false},
		"slashes":               {"////", "", "", false},
		"no region":             {"here/" + short, "", "not a region", false},
		"zone":                  {"us-east-1a/" + short, "", "not a region", false},
		"wrong partition":       {strings.Replace(arn, "arn:aws:", "arn:aws-cn:", 1), "", "partition aws", false},
		"instance":              {"arn:aws:ec2:us-east-1:111122223333:instance/i-1", "", "another resource", false},
		"another service":       {"arn:aws:s3:us-east-1:111122223333:capacity-reservation/" + short, "", "another resource", false},
		"ARN, bad region":       {strings.Replace(arn, "us-east-1", "nowhere", 1), "", "region", false},
		"ARN, no account":       {strings.Replace(arn, account, "", 1), "", "12 digits", false},
		"ARN, no id":            {strings.Replace(arn, short, "", 1), "", "cr-0123456789abcdef0", false},
		"ARN, no slash":         {"arn:aws:ec2:us-east-1:111122223333:dedicated-host", "", "h-0123456789abcdef0", false},
		"ARN, cut":              {"arn:aws:ec2", "", "not an ARN", false},
		"Google's":              {"projects/p/zones/z/reservations/n", "", "", false},
		"ARN of a host":         {hostARN, hostARN, "", false},
		"region and host":       {"us-west-2/" + host, strings.Replace(hostARN, "us-east-1", "us-west-2", 1), "", true},
		"host alone":            {host, hostARN, "", true},
		"a host as another":     {strings.Replace(arn, short, host, 1), "", "id of a capacity-reservation", false},
		"another as a host":     {strings.Replace(hostARN, host, short, 1), "", "id of a dedicated-host", false},
		"a host's reservation":  {"hr-0123456789abcdef0", "", "h-0123456789abcdef0", false},
		"id with a blank in it": {"cr-0123 456", "", "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			got, err := s.cloud(func(c *aws.Config) { c.Accounts = map[string]aws.Account{"research": {}} }).
				ParseID(t.Context(), "research", test.id)
			if test.want == "" {
				if e := classed(t, err); e.Code != cloud.Invalid || !strings.Contains(e.Message, test.says) {
					t.Errorf("got %v, want Invalid that says %q", err, test.says)
				}
			} else if err != nil || got != (cloud.Ref{Account: "research", NativeID: test.want}) {
				t.Errorf("got %+v, %v", got, err)
			}
			if asked := len(s.actions()) > 0; asked != test.asks {
				t.Errorf("asked the cloud: %v, want %v", asked, test.asks)
			}
		})
	}
}

func TestMethodsRefuseABadID(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	c, bad := s.cloud(), cloud.Ref{NativeID: "cr-1"}
	_, get := c.Get(t.Context(), bad)
	_, update := c.Update(t.Context(), bad, cloud.Change{})
	_, users := c.Users(t.Context(), bad)
	for method, err := range map[string]error{"Get": get, "Update": update, "Users": users, "Release": c.Release(t.Context(), bad)} {
		if cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("%s: %v", method, err)
		}
	}
	s.wantActions()
}
