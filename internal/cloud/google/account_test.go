package google_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

// TestAccountID: an id needs no call, a number one.
func TestAccountID(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		"GET projects/4711": {resourceManager("proj-aa", "4711")},
		"GET projects/4712": {refusal(403, "forbidden", "no")},
		"GET projects/4713": {{body: `{}`}},
	})
	c := s.driver()
	for _, tc := range []struct {
		account, want string
		code          cloud.Code
	}{
		{"", home, ""},
		{"proj-aa", "proj-aa", ""},
		{"example.com:proj-aa", "example.com:proj-aa", ""},
		{"4711", "proj-aa", ""},
		{"4711", "proj-aa", ""},
		{"4712", "", cloud.PermissionDenied},
		{"4713", "", cloud.Internal},
		{"No such project!", "", cloud.Invalid},
		{"../x", "", cloud.Invalid},
	} {
		got, err := c.AccountID(t.Context(), tc.account)
		if got != tc.want || cloud.CodeOf(err) != tc.code {
			t.Errorf("AccountID(%q) = %q, %v; want %q, class %q", tc.account, got, err, tc.want, tc.code)
		}
	}
	want := []string{"GET projects/4711", "GET projects/4712", "GET projects/4713"}
	if diff := cmp.Diff(want, s.keys()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// noTransport refuses what must not be sent.
type noTransport struct{ t *testing.T }

// RoundTrip implements http.RoundTripper.
func (n noTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	n.t.Errorf("a request was sent: %s %s", r.Method, r.URL.Path)
	return nil, errors.New("no network in tests")
}

// TestNoCredentials: they are missed by the first call that needs them, with the
// way to give them.
func TestNoCredentials(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(secret, []byte(`{"type":"strange","private_key":"s3cret"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"no file": filepath.Join(t.TempDir(), "none.json"), "broken file": secret} {
		t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
		c := google.New(google.Config{Project: home, Transport: noTransport{t}})
		if id, err := c.AccountID(t.Context(), ""); id != home || err != nil {
			t.Errorf("%s: AccountID = %q, %v", name, id, err)
		}
		_, err := c.Get(t.Context(), trainRef())
		e := classed(t, err)
		if e.Code != cloud.PermissionDenied || e.Authenticated || e.Accepted || !strings.Contains(e.Message, "gcloud auth application-default login") {
			t.Errorf("%s: %+v", name, e)
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error quotes a secret: %v", name, err)
		}
	}
}

// TestAnonymous: a simulated world gets no credentials, and none are read.
func TestAnonymous(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
	var header http.Header
	sender := transport(func(r *http.Request) (*http.Response, error) {
		header = r.Header
		return nil, errors.New("no network in tests")
	})
	c := google.New(google.Config{Project: home, Endpoint: "https://sim.example.com", Anonymous: true, Transport: sender, Clock: newStub(t, nil).jump})
	if _, err := c.Get(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("Get: %v", err)
	}
	if header == nil || header.Get("Authorization") != "" {
		t.Errorf("headers are %v", header)
	}
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestProject: where the default project comes from.
func TestProject(t *testing.T) {
	key := filepath.Join(t.TempDir(), "user.json")
	user := `{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c","quota_project_id":"quota-project"}`
	if err := os.WriteFile(key, []byte(user), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", key)
	for _, tc := range []struct {
		configured, first, second, want string
		code                            cloud.Code
	}{
		{"proj-configured", "proj-first", "proj-second", "proj-configured", ""},
		{"", "proj-first", "proj-second", "proj-first", ""},
		{"", "", "proj-second", "proj-second", ""},
		{"", "", "", "", cloud.Invalid},
	} {
		t.Setenv("GOOGLE_PROJECT", tc.first)
		t.Setenv("GOOGLE_CLOUD_PROJECT", tc.second)
		got, err := google.New(google.Config{Project: tc.configured, Transport: noTransport{t}}).AccountID(t.Context(), "")
		if got != tc.want || cloud.CodeOf(err) != tc.code {
			t.Errorf("%+v: AccountID = %q, %v", tc, got, err)
		}
	}
}

// TestEndpoint: nothing goes out in the clear but to this machine.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]cloud.Code{
		"http://compute.example.com": cloud.Invalid,
		"ftp://localhost":            cloud.Invalid,
		"localhost:8080":             cloud.Invalid,
		"http://[::1]:1":             cloud.Internal,
		"http://localhost:1":         cloud.Internal,
	} {
		sender := transport(func(*http.Request) (*http.Response, error) { return nil, errors.New("no network in tests") })
		c := google.New(google.Config{Project: home, Endpoint: endpoint, Transport: sender, Clock: newStub(t, nil).jump})
		if _, err := c.Get(t.Context(), trainRef()); cloud.CodeOf(err) != want {
			t.Errorf("%s: %v, want class %q", endpoint, err, want)
		}
	}
}

// TestProjectUnknown: a number that is no project's is a bad account, and not an
// object that is gone.
func TestProjectUnknown(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{"GET projects/4711": {{status: 404, body: `{"error":{"code":404,"message":"no","status":"NOT_FOUND"}}`}}})
	c := s.driver()
	_, account := c.AccountID(t.Context(), "4711")
	_, listed := c.List(t.Context(), cloud.Scope{Account: "4711"})
	req := request()
	req.Spec.Account = "4711"
	_, created := c.Create(t.Context(), req)
	for name, err := range map[string]error{"AccountID": account, "List": listed, "Create": created} {
		if e := classed(t, err); e.Code != cloud.Invalid || e.Accepted {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
