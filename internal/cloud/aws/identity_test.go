package aws_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

const assumed = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIAROLE</AccessKeyId>` +
	`<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>` +
	`</AssumeRoleResult></AssumeRoleResponse>`

// bare removes from the environment everything that gives credentials.
func bare(t *testing.T) string {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	return dir
}

func standard(c *aws.Config) { c.Credentials = nil }

func TestAccountIDIsKept(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	c := s.cloud()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := c.AccountID(t.Context(), ""); err != nil || got != account {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	all.Wait()
	s.wantActions("GetCallerIdentity")
}

func TestAccountIDFails(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	c := s.cloud()
	good := s.answers["GetCallerIdentity"][0]
	s.on("GetCallerIdentity", answer{body: "<GetCallerIdentityResponse><GetCallerIdentityResult/></GetCallerIdentityResponse>"},
		refused(403, "InvalidClientTokenId", "The security token included in the request is invalid."), good)
	for _, want := range []cloud.Code{cloud.Internal, cloud.PermissionDenied, ""} {
		if _, err := c.AccountID(t.Context(), ""); cloud.CodeOf(err) != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := c.AccountID(t.Context(), "nobody"); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("an unknown account: %v", err)
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on("AssumeRole", answer{body: assumed})
	s.on(describe, described(""))
	c := s.cloud(func(c *aws.Config) {
		c.AssumeRole = aws.AssumeRole{RoleARN: "arn:aws:iam::111122223333:role/base"}
		c.Accounts = map[string]aws.Account{
			"research": {AssumeRole: aws.AssumeRole{RoleARN: "arn:aws:iam::444455556666:role/gpu", ExternalID: "ext-1"}},
			"same":     {},
		}
	})
	for _, name := range []string{"research", "research", "same", ""} {
		if _, err := c.List(t.Context(), cloud.Scope{Account: name, Region: "us-west-2", Kind: cloud.OnDemand}); err != nil {
			t.Fatal(err)
		}
	}
	s.wantActions("AssumeRole", describe, describe, "AssumeRole", describe, "AssumeRole", describe)
	first := s.sent("AssumeRole", 0)
	wantForm(t, first.form, map[string]string{
		"RoleArn": "arn:aws:iam::444455556666:role/gpu", "ExternalId": "ext-1", "RoleSessionName": "terraform-provider-gpu",
		"DurationSeconds": "900",
	})
	if first.key != "AKIAEXAMPLE" || first.region != region {
		t.Errorf("the role was assumed by %s in %s", first.key, first.region)
	}
	if role := s.sent("AssumeRole", 1).form.Get("RoleArn"); role != "arn:aws:iam::111122223333:role/base" {
		t.Errorf("account without a role of its own assumed %s", role)
	}
	if list := s.sent(describe, 0); list.key != "ASIAROLE" || list.region != "us-west-2" {
		t.Errorf("the list was signed by %s for %s", list.key, list.region)
	}
}

func TestRoleRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answers []answer
		code    cloud.Code
	}{
		"denied":    {[]answer{refused(403, "AccessDenied", "not authorized to perform: sts:AssumeRole")}, cloud.PermissionDenied},
		"malformed": {[]answer{refused(400, "ValidationError", "is invalid")}, cloud.PermissionDenied},
		"throttled": {[]answer{refused(400, "Throttling", "Rate exceeded")}, cloud.Throttled},
		"lost":      {[]answer{{drop: true}}, cloud.Internal},
		"recovers":  {[]answer{refused(403, "AccessDenied", "no"), {body: assumed}}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on("AssumeRole", test.answers...)
			s.on(create, created(object("active")))
			c := s.cloud(func(c *aws.Config) { c.AssumeRole.RoleARN = "arn:aws:iam::111122223333:role/base" })
			_, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"})
			if test.code == "" {
				_, err = c.Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"})
			}
			if cloud.CodeOf(err) != test.code || (err != nil && cloud.MaybeAccepted(err)) {
				t.Errorf("got %v (%s), want %q and nothing accepted", err, cloud.CodeOf(err), test.code)
			}
			if test.code != "" && !strings.Contains(err.Error(), "AssumeRole") {
				t.Errorf("%v does not name the call", err)
			}
		})
	}
}

func TestNoCredentials(t *testing.T) {
	dir := bare(t)
	s := newStub(t)
	s.on(describe, described(""))
	c := s.cloud(standard)
	began := time.Now()
	_, err := c.List(t.Context(), cloud.Scope{Region: region, Kind: cloud.OnDemand})
	e := classed(t, err)
	if e.Code != cloud.PermissionDenied {
		t.Errorf("got %v (%s)", err, e.Code)
	}
	for _, way := range []string{"AWS_ACCESS_KEY_ID", "aws.profile", "aws.assume_role"} {
		if !strings.Contains(e.Error(), way) {
			t.Errorf("%v does not name %s", err, way)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	s.wantActions()

	// Given later, they are found: the failure is not kept.
	credentials := "[default]\naws_access_key_id = AKIAFILE\naws_secret_access_key = s\n"
	if err := os.WriteFile(filepath.Join(dir, "credentials"), []byte(credentials), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.List(t.Context(), cloud.Scope{Region: region, Kind: cloud.OnDemand}); err != nil {
		t.Error(err)
	}
}

func TestCredentialsFromTheEnvironment(t *testing.T) {
	bare(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	t.Setenv("AWS_REGION", "eu-west-1")
	t.Setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	s := newStub(t)
	s.on(describe, refused(503, "RequestLimitExceeded", "no"), described(""))
	c := s.cloud(standard, func(c *aws.Config) { c.Region = "" })
	if _, err := c.List(t.Context(), cloud.Scope{Kind: cloud.OnDemand}); err != nil {
		t.Fatal(err)
	}
	if sent := s.sent(describe, 1); sent.key != "AKIAENV" || sent.region != "eu-west-1" {
		t.Errorf("signed by %s for %s", sent.key, sent.region)
	}
}

func TestStaticCredentialsReadNothingElse(t *testing.T) {
	bare(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAENV")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	t.Setenv("AWS_PROFILE", "no-such-profile")
	t.Setenv("AWS_REGION", "eu-west-1")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	s := newStub(t)
	s.on(describe, described(""))
	if _, err := s.cloud().List(t.Context(), cloud.Scope{Kind: cloud.OnDemand}); err != nil {
		t.Fatal(err)
	}
	if sent := s.sent(describe, 0); sent.key != "AKIAEXAMPLE" || sent.region != region {
		t.Errorf("signed by %s for %s", sent.key, sent.region)
	}
	_, err := s.cloud(func(c *aws.Config) { c.Region = "" }).List(t.Context(), cloud.Scope{Kind: cloud.OnDemand})
	if e := classed(t, err); e.Code != cloud.Invalid || !strings.Contains(e.Message, "aws.region") {
		t.Errorf("without a region: %v", err)
	}
}

func TestProfiles(t *testing.T) {
	dir := bare(t)
	text := "[one]\naws_access_key_id = AKIAONE\naws_secret_access_key = s\n" +
		"[two]\naws_access_key_id = AKIATWO\naws_secret_access_key = s\n"
	if err := os.WriteFile(filepath.Join(dir, "credentials"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(dir, "config")
	process := "[profile process]\ncredential_process = echo top-secret-output\n"
	if err := os.WriteFile(output, []byte(process), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStub(t)
	s.on(describe, described(""))
	c := s.cloud(standard, func(c *aws.Config) {
		c.Profile = "one"
		c.Accounts = map[string]aws.Account{"two": {Profile: "two"}, "none": {Profile: "missing"}, "process": {Profile: "process"}}
	})
	for i, name := range []string{"", "two"} {
		if _, err := c.List(t.Context(), cloud.Scope{Account: name, Region: region, Kind: cloud.OnDemand}); err != nil {
			t.Fatal(err)
		}
		if want := []string{"AKIAONE", "AKIATWO"}[i]; s.sent(describe, i).key != want {
			t.Errorf("account %q signed with %s", name, s.sent(describe, i).key)
		}
	}
	_, err := c.List(t.Context(), cloud.Scope{Account: "none", Region: region, Kind: cloud.OnDemand})
	if e := classed(t, err); e.Code != cloud.PermissionDenied || !strings.Contains(e.Message, `no profile "missing"`) {
		t.Errorf("a missing profile: %v", err)
	}
	_, err = c.List(t.Context(), cloud.Scope{Account: "process", Region: region, Kind: cloud.OnDemand})
	if e := classed(t, err); e.Code != cloud.PermissionDenied || e.Cause != nil || strings.Contains(err.Error(), "top-secret") {
		t.Errorf("a process that says nonsense: %v (%v)", err, e.Cause)
	}
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	for endpoint, ok := range map[string]bool{
		"http://example.com": false, "http://10.0.0.1:80": false, "example.com": false, "ftp://localhost": false, "https://": false,
	} {
		s := newStub(t)
		c := s.cloud(func(c *aws.Config) { c.Endpoint = endpoint })
		_, err := c.List(t.Context(), cloud.Scope{Region: region, Kind: cloud.OnDemand})
		if (cloud.CodeOf(err) != cloud.Invalid) != ok {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	s := newStub(t)
	s.on(describe, described(""))
	c := s.cloud(func(c *aws.Config) { c.Endpoint = strings.Replace(s.url, "127.0.0.1", "localhost", 1) })
	if _, err := c.List(t.Context(), cloud.Scope{Region: region, Kind: cloud.OnDemand}); err != nil {
		t.Error(err)
	}
	if _, err := c.List(t.Context(), cloud.Scope{Region: "us_east", Kind: cloud.OnDemand}); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("a region that is none: %v", err)
	}
}
