package google

import (
	"context"
	"errors"
	"net/http"
	"time"

	"cloud.google.com/go/auth"
	adc "cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/credentials/impersonate"
	"cloud.google.com/go/auth/httptransport"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// scope covers Compute Engine and Resource Manager.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// credentialWait bounds one look for a token over the whole chain.
const credentialWait = 30 * time.Second

// credentials are who the driver acts as; the zero value is nobody.
type credentials struct{ auth *auth.Credentials }

// load finds the Application Default Credentials, and on top of them those of the
// service account to act as. A token is fetched by the first request.
func (c *Cloud) load() (credentials, error) {
	own, err := adc.DetectDefault(&adc.DetectOptions{Scopes: []string{scope}})
	if err != nil {
		return credentials{}, credentialError(err)
	}
	acting := own
	if email := c.cfg.ImpersonateServiceAccount; email != "" {
		acting, err = impersonate.NewCredentials(&impersonate.CredentialsOptions{
			TargetPrincipal: email, Scopes: []string{scope}, Credentials: own,
		})
		if err != nil {
			return credentials{}, credentialError(err)
		}
	}
	return credentials{auth.NewCredentials(&auth.CredentialsOptions{
		TokenProvider:          guarded{acting},
		ProjectIDProvider:      auth.CredentialsPropertyFunc(own.ProjectID),
		QuotaProjectIDProvider: auth.CredentialsPropertyFunc(own.QuotaProjectID),
		UniverseDomainProvider: auth.CredentialsPropertyFunc(acting.UniverseDomain),
	})}, nil
}

// client sends with the credentials, over base if it is given.
func (c credentials) client(base http.RoundTripper) (*http.Client, error) {
	sender, err := httptransport.NewClient(&httptransport.Options{
		Credentials: c.auth, BaseRoundTripper: base, DisableTelemetry: true,
		// Without a map the library drops the project that pays.
		Headers: http.Header{},
	})
	if err != nil {
		return nil, credentialError(err)
	}
	return sender, nil
}

// project is the one that the credentials are of, empty where they are of none.
func (c credentials) project(ctx context.Context) string {
	if c.auth == nil {
		return ""
	}
	id, err := c.auth.ProjectID(ctx)
	if err != nil {
		return ""
	}
	return id
}

// guarded bounds the look for a token and turns its failure into an error that
// says what to do.
type guarded struct{ inner *auth.Credentials }

// Token implements auth.TokenProvider.
func (g guarded) Token(ctx context.Context) (*auth.Token, error) {
	limited, cancel := context.WithTimeout(ctx, credentialWait)
	defer cancel()
	token, err := g.inner.Token(limited)
	switch {
	case err == nil:
		return token, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, credentialError(err)
}

// credentialError tells why there are no credentials. Only what is known to hold
// no secret is quoted: a token endpoint's answer or a credential program's output
// might.
func credentialError(err error) *cloud.Error {
	return &cloud.Error{
		Code: cloud.PermissionDenied, Op: "Credentials",
		Message: cloud.Clean("no Google Cloud credentials" + quotable(err) + "; " + credentialsHint),
	}
}

func quotable(err error) string {
	var refused *auth.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return ": looking for them took longer than " + credentialWait.String()
	case errors.As(err, &refused) && refused.Response != nil:
		return ": the token endpoint answered " + refused.Response.Status
	}
	return ""
}
