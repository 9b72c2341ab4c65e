package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azcloud "github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// authorityVariable names the login host of a private cloud (azidentity,
// environment variables).
const authorityVariable = "AZURE_AUTHORITY_HOST"

// credentialsHint is how to give credentials (azidentity, DefaultAzureCredential).
const credentialsHint = "sign in with `az login`, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET " +
	"(or AZURE_FEDERATED_TOKEN_FILE) in the environment, or run with a managed identity"

const (
	// credentialWait bounds one look for a token over the whole chain.
	credentialWait = 30 * time.Second
	// stillGood is for how long a token must still be valid to be sent: the client
	// library renews its own as early (azcore, policy_bearer_token.go).
	stillGood = 5 * time.Minute
)

// placeholder is the token that a simulated world is sent: any will do, and no
// real one may travel in the clear.
const placeholder = "anonymous"

// credential keeps the token that all clients share. Each of them would fetch one
// of its own, and have others wait for it past the end of their contexts.
type credential struct {
	// inner is nil where the placeholder is sent.
	inner azcore.TokenCredential
	scope string

	// gate holds one token: whoever has it may look and fetch.
	gate chan struct{}
	kept azcore.AccessToken
}

// load prepares the default chain of credentials. A token is fetched by the first
// request.
func (c *Cloud) load(place azcloud.Configuration, over *http.Client) (*credential, error) {
	creds := &credential{
		scope: place.Services[azcloud.ResourceManager].Audience + "/.default",
		gate:  make(chan struct{}, 1),
	}
	if c.anonymous() {
		return creds, nil
	}
	chain, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{
		ClientOptions: policy.ClientOptions{Cloud: place, Transport: over},
		TenantID:      c.cfg.TenantID,
		// A private login host has no entry in the public list of them.
		DisableInstanceDiscovery: private(place),
	})
	if err != nil {
		return nil, credentialError(err)
	}
	creds.inner = chain
	return creds, nil
}

// private tells whether a login host is none of Azure's own.
func private(place azcloud.Configuration) bool {
	for _, known := range []azcloud.Configuration{azcloud.AzurePublic, azcloud.AzureGovernment, azcloud.AzureChina} {
		if host(place.ActiveDirectoryAuthorityHost) == host(known.ActiveDirectoryAuthorityHost) {
			return false
		}
	}
	return place.ActiveDirectoryAuthorityHost != ""
}

// ready fetches a token if there is none to send, for as long as ctx lasts.
func (c *credential) ready(ctx context.Context) error {
	_, err := c.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{c.scope}, EnableCAE: true})
	return err
}

// GetToken implements azcore.TokenCredential. Claims are a challenge to a token
// that was refused: it is not sent again.
func (c *credential) GetToken(ctx context.Context, want policy.TokenRequestOptions) (azcore.AccessToken, error) {
	if c.inner == nil {
		return azcore.AccessToken{Token: placeholder, ExpiresOn: time.Now().Add(24 * time.Hour)}, nil
	}
	select {
	case c.gate <- struct{}{}:
	case <-ctx.Done():
		return azcore.AccessToken{}, ctx.Err()
	}
	defer func() { <-c.gate }()
	if want.Claims == "" && time.Until(c.kept.ExpiresOn) > stillGood {
		return c.kept, nil
	}
	token, err := c.fetch(ctx, want)
	if err == nil {
		c.kept = token
	}
	return token, err
}

// fetch bounds the look for a token and turns its failure into an error that says
// what to do.
func (c *credential) fetch(ctx context.Context, want policy.TokenRequestOptions) (azcore.AccessToken, error) {
	limited, cancel := context.WithTimeout(ctx, credentialWait)
	defer cancel()
	token, err := c.inner.GetToken(limited, want)
	switch {
	case err == nil:
		return token, nil
	case ctx.Err() != nil:
		return azcore.AccessToken{}, ctx.Err()
	}
	return azcore.AccessToken{}, credentialError(err)
}

// credentialError tells why there are no credentials. Only what is known to hold
// no secret is quoted: a login host's answer or a program's output might.
func credentialError(err error) *cloud.Error {
	return &cloud.Error{
		Code: cloud.PermissionDenied, Op: "Credentials",
		Message: cloud.Clean("no Azure credentials" + quotable(err) + "; " + credentialsHint),
	}
}

func quotable(err error) string {
	var refused *azidentity.AuthenticationFailedError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return ": looking for them took longer than " + credentialWait.String()
	case errors.As(err, &refused) && refused.RawResponse != nil:
		return fmt.Sprintf(": the login host answered %d %s", refused.RawResponse.StatusCode, http.StatusText(refused.RawResponse.StatusCode))
	}
	return ""
}
