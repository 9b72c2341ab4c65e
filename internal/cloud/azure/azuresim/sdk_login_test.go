package azuresim_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// tlsStage is a stage that is reached under Azure's own host names.
type tlsStage struct {
	*stage
	client *http.Client
	// secure is its address with TLS.
	secure string
}

func newTLSStage(t *testing.T) tlsStage {
	t.Helper()
	world, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	server, err := sim.Serve(sim.ServeOptions{TLSDir: t.TempDir()}, azuresim.New(world).Named())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		world.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{t: t, world: world, url: server.URL("azure"), version: "2026-04-01"}
	return tlsStage{s, clientOf(s, server), server.Endpoints()[0].TLSURL}
}

// clientOf trusts the simulated authority and finds the server under each name.
func clientOf(s *stage, server *sim.Server) *http.Client {
	s.t.Helper()
	certificate, err := os.ReadFile(server.CAFile())
	s.ok(err)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(certificate) {
		s.t.Fatal("no certificate")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	for _, e := range server.Endpoints() {
		address := strings.TrimPrefix(e.TLSURL, "https://")
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
	}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// signIn gets a token by a credential of Azure's library.
func signIn(t *testing.T, credential azcore.TokenCredential) (azcore.AccessToken, error) {
	t.Helper()
	return credential.GetToken(t.Context(), policy.TokenRequestOptions{Scopes: []string{armAudience + "/.default"}})
}

func TestClientSecretCredential(t *testing.T) {
	t.Parallel()
	s := newTLSStage(t)
	options := azidentity.ClientSecretCredentialOptions{ClientOptions: policy.ClientOptions{Cloud: cloud.AzurePublic, Transport: s.client}}
	credential, err := azidentity.NewClientSecretCredential(directory, application, secret, &options)
	s.ok(err)
	token, err := signIn(t, credential)
	s.ok(err)
	if token.Token == "" || time.Until(token.ExpiresOn) < 50*time.Minute {
		t.Errorf("got %+v", token)
	}
	wrong, err := azidentity.NewClientSecretCredential(directory, application, directory, &options)
	s.ok(err)
	var failed *azidentity.AuthenticationFailedError
	if _, err := signIn(t, wrong); !errors.As(err, &failed) || failed.RawResponse.StatusCode != http.StatusUnauthorized {
		t.Errorf("the id of a secret: %v", err)
	}
}

func TestClientAssertionCredential(t *testing.T) {
	t.Parallel()
	s := newTLSStage(t)
	credential, err := azidentity.NewClientAssertionCredential(directory, application, func(context.Context) (string, error) {
		return jwt(time.Now().Add(time.Hour)), nil
	}, &azidentity.ClientAssertionCredentialOptions{ClientOptions: policy.ClientOptions{Transport: s.client}})
	s.ok(err)
	_, err = signIn(t, credential)
	s.ok(err)
}

// TestHostsOfMetadata: under Azure's names the login host is another one.
func TestHostsOfMetadata(t *testing.T) {
	t.Parallel()
	s := newTLSStage(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://management.azure.com/metadata/endpoints?api-version=2022-09-01", http.NoBody)
	s.ok(err)
	resp, err := s.client.Do(req)
	s.ok(err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	s.ok(err)
	got := reply{resp.StatusCode, resp.Header, string(data)}
	s.says(got, "https://login.microsoftonline.com", "authentication", "loginEndpoint")
	s.says(got, "https://management.azure.com/", "resourceManager")
}

// TestAuthorityOfAnotherName signs in at the simulator's own address: instance
// discovery asks Azure's login host about it, which knows no such host.
func TestAuthorityOfAnotherName(t *testing.T) {
	t.Parallel()
	s := newTLSStage(t)
	for name, disabled := range map[string]bool{"with instance discovery": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := azidentity.ClientSecretCredentialOptions{
				ClientOptions:            policy.ClientOptions{Cloud: cloud.Configuration{ActiveDirectoryAuthorityHost: s.secure}, Transport: s.client},
				DisableInstanceDiscovery: disabled,
			}
			credential, err := azidentity.NewClientSecretCredential(directory, application, secret, &options)
			s.ok(err)
			_, err = signIn(t, credential)
			if disabled {
				s.ok(err)
				return
			}
			if err == nil || !strings.Contains(err.Error(), "invalid_instance") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestTerraformProviderAzurermSignsIn plays how the public provider gets its token
// and reads: go-azure-sdk's form and OData headers (a snapshot of 2026-08-22 on
// the wire), under Azure's own names.
func TestTerraformProviderAzurermSignsIn(t *testing.T) {
	t.Parallel()
	s := newTLSStage(t)
	exchange := func(verb, url, body string, header http.Header) reply {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), verb, url, strings.NewReader(body))
		s.ok(err)
		req.Header = header
		resp, err := s.client.Do(req)
		s.ok(err)
		defer func() { _ = resp.Body.Close() }()
		data, err := io.ReadAll(resp.Body)
		s.ok(err)
		return reply{resp.StatusCode, resp.Header, string(data)}
	}
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	got := s.accepted(exchange(http.MethodPost, "https://login.microsoftonline.com/"+directory+"/oauth2/v2.0/token",
		loginForm("scope", "https://management.azure.com/.default"), form), http.StatusOK)
	token, _ := got.at("access_token").(string)
	read := http.Header{
		"Accept": {"application/json; charset=utf-8; IEEE754Compatible=false"}, "Odata-Version": {"4.0"}, "Odata-Maxversion": {"4.0"},
		"Authorization": {"Bearer " + token},
	}
	const path = "https://management.azure.com" + own + "?api-version=2022-03-01"
	got = s.refused(exchange(http.MethodGet, path, "", read), http.StatusNotFound, "ResourceNotFound")
	if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Errorf("an error of type %q", kind)
	}
	write := read.Clone()
	write.Set("Content-Type", "application/json; charset=utf-8")
	s.accepted(exchange(http.MethodPut, path, `{"location":"eastus","tags":{},"zones":["1"]}`, write), http.StatusCreated)
	s.says(s.accepted(exchange(http.MethodGet, path, "", read), http.StatusOK), "eastus", "location")
}
