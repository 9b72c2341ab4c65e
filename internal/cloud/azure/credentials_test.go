package azure_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
)

// transport answers requests of any host.
type transport func(*http.Request) (int, string)

// RoundTrip implements http.RoundTripper.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	status, body := f(r)
	return &http.Response{
		StatusCode: status, Request: r, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// secret signs in by a secret of the environment, and by nothing else.
func secret(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential", "AZURE_TENANT_ID": "11111111-2222-3333-4444-555555555555",
		"AZURE_CLIENT_ID": "66666666-2222-3333-4444-555555555555", "AZURE_CLIENT_SECRET": "s3cret", "AZURE_AUTHORITY_HOST": "",
		"AZURE_CLIENT_CERTIFICATE_PATH": "", "AZURE_USERNAME": "", "AZURE_PASSWORD": "",
	} {
		t.Setenv(name, value)
	}
}

// login answers as the login host does, with tokens by the given answer.
func login(r *http.Request, status int, token string) (int, string) {
	base := "https://" + r.URL.Host + "/11111111-2222-3333-4444-555555555555"
	switch {
	case strings.Contains(r.URL.Path, "/discovery/instance"):
		return 200, `{"tenant_discovery_endpoint":"` + base + `/v2.0/.well-known/openid-configuration","metadata":[]}`
	case strings.HasSuffix(r.URL.Path, "/openid-configuration"):
		return 200, `{"issuer":"` + base + `/v2.0","authorization_endpoint":"` + base + `/oauth2/v2.0/authorize","token_endpoint":"` + base + `/oauth2/v2.0/token"}`
	}
	return status, token
}

// TestCredentials: the standard chain's token goes out with every request, to the
// cloud of the endpoint, and is fetched once for all subscriptions.
func TestCredentials(t *testing.T) {
	secret(t)
	for endpoint, want := range map[string][2]string{
		"":                                    {"management.azure.com", "https://management.core.windows.net//.default"},
		"https://management.azure.com/":       {"management.azure.com", "https://management.core.windows.net//.default"},
		"https://MANAGEMENT.chinacloudapi.cn": {"management.chinacloudapi.cn", "https://management.core.chinacloudapi.cn//.default"},
		"https://arm.private.example.com":     {"arm.private.example.com", "https://arm.private.example.com/.default"},
	} {
		var mu sync.Mutex
		var hosts []string
		tokens, scope := 0, ""
		c := azure.New(azure.Config{SubscriptionID: home, Endpoint: endpoint, Transport: transport(func(r *http.Request) (int, string) {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasSuffix(r.URL.Path, "/oauth2/v2.0/token") {
				tokens++
				body, _ := io.ReadAll(r.Body)
				scope = string(body)
			}
			if !strings.Contains(r.URL.Path, "/subscriptions/") {
				return login(r, 200, `{"access_token":"t0ken","token_type":"Bearer","expires_in":3600}`)
			}
			if got := r.Header.Get("Authorization"); got != "Bearer t0ken" {
				t.Errorf("%q: sent with %q", endpoint, got)
			}
			hosts = append(hosts, r.URL.Host)
			return 404, notFound().body
		})})
		var all sync.WaitGroup
		for _, id := range []string{trainID, strings.Replace(trainID, home, away, 1)} {
			all.Go(func() {
				if _, err := c.Get(t.Context(), cloud.Ref{NativeID: id}); cloud.CodeOf(err) != cloud.NotFound {
					t.Errorf("%q: %v", endpoint, err)
				}
			})
		}
		all.Wait()
		if tokens != 1 || len(hosts) != 4 || hosts[0] != want[0] || !strings.Contains(unescaped(t, scope), want[1]) {
			t.Errorf("%q: %d tokens of %s, sent to %v", endpoint, tokens, scope, hosts)
		}
	}
}

func unescaped(t *testing.T, form string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://x", strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return req.FormValue("scope")
}

// TestCredentialsRefused: a token that is refused is a missing credential, which is
// told at once and without what the login host said.
func TestCredentialsRefused(t *testing.T) {
	secret(t)
	c := azure.New(azure.Config{SubscriptionID: home, ResourceGroup: "gpu", Clock: newStub(t, nil).jump, Transport: transport(func(r *http.Request) (int, string) {
		if strings.Contains(r.URL.Path, "/subscriptions/") {
			t.Errorf("sent without a token: %s", r.URL)
		}
		return login(r, 401, `{"error":"invalid_client","error_description":"AADSTS7000215: s3cret is wrong","error_codes":[7000215]}`)
	})})
	_, err := c.Create(t.Context(), plain())
	e := classed(t, err)
	if e.Code != cloud.PermissionDenied || e.Authenticated || e.Accepted || !strings.Contains(e.Message, "401 Unauthorized") || !strings.Contains(e.Message, "az login") {
		t.Errorf("Create: %+v", e)
	}
	if strings.Contains(err.Error(), "s3cret") || e.Cause != nil {
		t.Errorf("the error quotes a secret: %v, %v", err, e.Cause)
	}
}

// TestCredentialsEnd: the look for a token ends with the call.
func TestCredentialsEnd(t *testing.T) {
	secret(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := azure.New(azure.Config{SubscriptionID: home, Transport: transport(func(r *http.Request) (int, string) {
		cancel()
		return login(r, 503, `{}`)
	})})
	if _, err := c.Get(ctx, trainRef()); !errors.Is(err, context.Canceled) {
		t.Errorf("Get: %v", err)
	}
}

// TestAnonymous: neither plain HTTP nor a simulated world sees a real credential.
func TestAnonymous(t *testing.T) {
	secret(t)
	for _, cfg := range []azure.Config{{Endpoint: "http://127.0.0.1:1"}, {Endpoint: "https://localhost:1", Anonymous: true}} {
		cfg.SubscriptionID = home
		cfg.Transport = transport(func(r *http.Request) (int, string) {
			if !strings.Contains(r.URL.Path, "/subscriptions/") || r.Header.Get("Authorization") != "Bearer anonymous" {
				t.Errorf("sent to %s with %q", r.URL, r.Header.Get("Authorization"))
			}
			return 404, notFound().body
		})
		if _, err := azure.New(cfg).Get(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.NotFound {
			t.Errorf("Get: %v", err)
		}
	}
}

// TestEndpointInTheClear: a token is for loopback and for HTTPS.
func TestEndpointInTheClear(t *testing.T) {
	t.Parallel()
	c := azure.New(azure.Config{SubscriptionID: home, Endpoint: "http://arm.example.com"})
	if _, err := c.Get(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("Get: %v", err)
	}
}

// TestRedirected: a redirection is followed by nobody who carries a token.
func TestRedirected(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{getR: {{status: 307, header: map[string]string{"Location": "HOST/elsewhere"}}}})
	if _, err := s.driver().Get(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.Internal || len(s.keys()) != 1 {
		t.Errorf("Get: %v, %v", err, s.keys())
	}
}
