package google_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

// serviceAccount writes the credentials of one whose tokens come from a server.
func serviceAccount(t *testing.T, tokens string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "proj-of-account", "client_email": "ci@proj-of-account.iam.gserviceaccount.com",
		"private_key_id": "1", "private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": tokens,
		"quota_project_id": "proj-that-pays",
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCredentials: the standard chain's tokens go out with every request, along
// with the project that pays for it, and its project is the default one.
func TestCredentials(t *testing.T) {
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"t0ken","token_type":"Bearer","expires_in":3600}`)
	}))
	t.Cleanup(tokens.Close)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", serviceAccount(t, tokens.URL))
	t.Setenv("GOOGLE_PROJECT", "")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	var got *http.Request
	c := google.New(google.Config{Transport: transport(func(r *http.Request) (*http.Response, error) {
		got = r
		return &http.Response{StatusCode: 404, Request: r, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(notFound().body))}, nil
	})})
	if id, err := c.AccountID(t.Context(), ""); id != "proj-of-account" || err != nil {
		t.Errorf("AccountID = %q, %v", id, err)
	}
	if _, err := c.Get(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.NotFound {
		t.Fatalf("Get: %v", err)
	}
	if got.URL.Host != "compute.googleapis.com" || got.Header.Get("Authorization") != "Bearer t0ken" || got.Header.Get("X-Goog-User-Project") != "proj-that-pays" {
		t.Errorf("sent to %s with %v", got.URL.Host, got.Header)
	}
}

// TestCredentialsRefused: a token that is refused is a missing credential, which
// is told at once and without what the token endpoint said.
func TestCredentialsRefused(t *testing.T) {
	asked := 0
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_grant","error_description":"assertion s3cret"}`)
	}))
	t.Cleanup(tokens.Close)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", serviceAccount(t, tokens.URL))
	c := google.New(google.Config{Project: home, Transport: noTransport{t}, Clock: newStub(t, nil).jump})
	_, err := c.Create(t.Context(), request())
	e := classed(t, err)
	if e.Code != cloud.PermissionDenied || e.Authenticated || e.Accepted || !strings.Contains(e.Message, "400 Bad Request") {
		t.Errorf("Create: %+v", e)
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the error quotes a secret: %v", err)
	}
	if asked != 1 {
		t.Errorf("the token endpoint was asked %d times", asked)
	}
}
