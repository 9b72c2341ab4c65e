package azuresim_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	directory   = "72f988bf-0000-4000-8000-2d7cd011db47"
	application = "aaaaaaaa-0000-4000-8000-000000000001"
	secret      = "A~secret.value"
	armAudience = "https://management.core.windows.net/"
	assertedBy  = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// loginForm is what an application sends; nil leaves a field out.
func loginForm(pairs ...any) string {
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {application}, "client_secret": {secret}, "scope": {armAudience + "/.default"},
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		name := fmt.Sprint(pairs[i])
		form.Del(name)
		if pairs[i+1] != nil {
			form.Set(name, fmt.Sprint(pairs[i+1]))
		}
	}
	return form.Encode()
}

// token asks the token endpoint of a directory.
func (s *stage) token(pairs ...any) reply {
	s.t.Helper()
	return s.raw(http.MethodPost, s.url+"/"+directory+"/oauth2/v2.0/token", loginForm(pairs...), "")
}

// open gets a document that needs no token.
func (s *stage) open(path string) reply {
	s.t.Helper()
	return s.raw(http.MethodGet, s.url+path, "", "")
}

// denied demands an error of the login host.
func (s *stage) denied(got reply, status int, code string, number int) reply {
	s.t.Helper()
	description, _ := got.at("error_description").(string)
	if got.status != status || got.at("error") != code || got.at("error_codes", 0) != float64(number) ||
		!strings.HasPrefix(description, fmt.Sprintf("AADSTS%d: ", number)) {
		s.t.Errorf("got %d, want %d %s %d: %s", got.status, status, code, number, got.body)
	}
	return got
}

// jwt is an assertion that nobody signed.
func jwt(expires time.Time) string {
	part := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return base64.RawURLEncoding.EncodeToString(data)
	}
	return part(fields{"alg": "RS256"}) + "." + part(fields{"sub": "repo:o/r:ref", "exp": expires.Unix()}) + ".sign"
}

// claims are those of an access token.
func (s *stage) claims(of reply) reply {
	s.t.Helper()
	text, _ := of.at("access_token").(string)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		s.t.Fatalf("not a JWT: %s", of.body)
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	s.ok(err)
	return reply{body: string(data)}
}

func loginProofs() map[string]proof {
	return map[string]proof{
		"azure-1-client-secret": {
			accepted: func(s *stage) {
				got := s.accepted(s.token(), http.StatusOK)
				s.says(s.says(got, "Bearer", "token_type"), 3599, "expires_in")
			},
			rejected: func(s *stage) {
				s.denied(s.token("client_secret", nil), http.StatusUnauthorized, "invalid_client", 7000218)
				s.denied(s.token("client_id", nil), http.StatusBadRequest, "invalid_request", 900144)
				s.denied(s.token("client_id", "my-app"), http.StatusBadRequest, "unauthorized_client", 700016)
				s.denied(s.token("client_secret", "bbbbbbbb-0000-4000-8000-000000000001"), http.StatusUnauthorized, "invalid_client", 7000215)
			},
		},
		"azure-1-client-assertion": {
			accepted: func(s *stage) {
				s.accepted(s.token("client_secret", nil, "client_assertion_type", assertedBy, "client_assertion", jwt(time.Now().Add(time.Hour))),
					http.StatusOK)
			},
			rejected: func(s *stage) {
				with := func(kind any, assertion string) reply {
					return s.token("client_secret", nil, "client_assertion_type", kind, "client_assertion", assertion)
				}
				s.denied(with(nil, jwt(time.Now())), http.StatusBadRequest, "invalid_request", 900144)
				s.denied(with(assertedBy, "a.b"), http.StatusBadRequest, "invalid_request", 50027)
				s.denied(with(assertedBy, "a.!.c"), http.StatusBadRequest, "invalid_request", 50027)
				s.denied(with(assertedBy, jwt(time.Now().Add(-time.Hour))), http.StatusUnauthorized, "invalid_client", 700024)
			},
		},
		"azure-1-token-v1": {
			accepted: func(s *stage) {
				got := s.raw(http.MethodPost, s.url+"/"+directory+"/oauth2/token", loginForm("scope", nil, "resource", armAudience), "")
				s.says(s.accepted(got, http.StatusOK), armAudience, "resource")
				if _, text := got.at("expires_in").(string); !text {
					s.t.Error(got.body)
				}
				s.says(s.claims(got), armAudience, "aud")
			},
			rejected: func(s *stage) {
				s.denied(s.raw(http.MethodPost, s.url+"/"+directory+"/oauth2/token", loginForm(), ""), http.StatusBadRequest, "invalid_request", 900144)
			},
		},
		"azure-1-scope": {
			accepted: func(s *stage) {
				got := s.accepted(s.token("scope", "https://management.azure.com/.default openid offline_access profile"), http.StatusOK)
				s.says(s.claims(got), "https://management.azure.com", "aud")
			},
			rejected: func(s *stage) {
				s.denied(s.token("scope", nil), http.StatusBadRequest, "invalid_request", 900144)
				s.denied(s.token("scope", "openid"), http.StatusBadRequest, "invalid_request", 900144)
				s.denied(s.token("scope", armAudience+"user_impersonation"), http.StatusBadRequest, "invalid_scope", 1002012)
			},
		},
		"azure-1-tenant": {
			accepted: func(s *stage) {
				s.accepted(s.raw(http.MethodPost, s.url+"/contoso.onmicrosoft.com/oauth2/v2.0/token", loginForm(), ""), http.StatusOK)
			},
			rejected: func(s *stage) {
				s.denied(s.raw(http.MethodPost, s.url+"/common/oauth2/v2.0/token", loginForm(), ""), http.StatusBadRequest, "invalid_request", 50059)
				s.denied(s.raw(http.MethodPost, s.url+"/my-tenant/oauth2/v2.0/token", loginForm(), ""), http.StatusBadRequest, "invalid_request", 90002)
			},
		},
		"azure-1-grant": {
			accepted: func(s *stage) { s.accepted(s.token(), http.StatusOK) },
			rejected: func(s *stage) {
				s.denied(s.token("grant_type", nil), http.StatusBadRequest, "invalid_request", 900144)
				s.denied(s.token("grant_type", "password"), http.StatusBadRequest, "unsupported_grant_type", 70003)
			},
		},
		"azure-1-claims": {
			accepted: func(s *stage) {
				got := s.claims(s.accepted(s.token(), http.StatusOK))
				s.says(s.says(got, application, "appid"), directory, "tid")
				s.says(got, got.at("sub"), "oid")
				s.says(got, "https://sts.windows.net/"+directory+"/", "iss")
				if expires, _ := got.at("exp").(float64); time.Until(time.Unix(int64(expires), 0)) < 50*time.Minute {
					s.t.Errorf("it expires by another clock than the client's: %s", got.body)
				}
			},
			rejected: func(s *stage) {
				s.denied(s.token("client_id", "a"), http.StatusBadRequest, "unauthorized_client", 700016)
			},
		},
		"azure-1-openid": {
			accepted: func(s *stage) {
				got := s.accepted(s.open("/"+directory+"/.well-known/openid-configuration"), http.StatusOK)
				s.says(got, "https://sts.windows.net/"+directory+"/", "issuer")
				s.says(got, s.url+"/"+directory+"/oauth2/token", "token_endpoint")
				got = s.accepted(s.open("/common/v2.0/.well-known/openid-configuration"), http.StatusOK)
				s.says(got, s.url+"/{tenantid}/v2.0", "issuer")
				got = s.accepted(s.open("/"+directory+"/v2.0/.well-known/openid-configuration"), http.StatusOK)
				s.says(got, s.url+"/"+directory+"/v2.0", "issuer")
				s.says(got, s.url+"/"+directory+"/oauth2/v2.0/token", "token_endpoint")
				s.says(got, s.url+"/"+directory+"/oauth2/v2.0/authorize", "authorization_endpoint")
			},
			rejected: func(s *stage) {
				s.denied(s.open("/nowhere/v2.0/.well-known/openid-configuration"), http.StatusBadRequest, "invalid_request", 90002)
			},
		},
		"azure-1-instance": {
			accepted: func(s *stage) {
				ask := func(authority, version string) reply {
					return s.accepted(s.open("/common/discovery/instance?api-version="+version+"&authorization_endpoint="+url.QueryEscape(authority)), http.StatusOK)
				}
				public := "https://login.microsoftonline.com/" + directory
				got := ask(public+"/oauth2/v2.0/authorize", "1.1")
				s.says(got, public+"/v2.0/.well-known/openid-configuration", "tenant_discovery_endpoint")
				s.says(got, "login.microsoftonline.com", "metadata", 0, "preferred_network")
				s.says(ask(public+"/oauth2/authorize", "1.0"), public+"/.well-known/openid-configuration", "tenant_discovery_endpoint")
				got = ask(s.url+"/"+directory+"/oauth2/v2.0/authorize", "1.1")
				s.says(got, strings.TrimPrefix(s.url, "http://"), "metadata", 1, "preferred_cache")
			},
			rejected: func(s *stage) {
				s.denied(s.open("/common/discovery/instance?api-version=1.1"), http.StatusBadRequest, "invalid_request", 900144)
				s.denied(s.open("/common/discovery/instance?api-version=1.1&authorization_endpoint=https://login.example.com/a/authorize"),
					http.StatusBadRequest, "invalid_instance", 50049)
			},
		},
		"azure-1-metadata": {
			accepted: func(s *stage) {
				got := s.accepted(s.open("/metadata/endpoints?api-version=2019-05-01"), http.StatusOK)
				s.says(got, "AzureCloud", 0, "name")
				got = s.accepted(s.open("/metadata/endpoints?api-version=2015-01-01"), http.StatusOK)
				s.says(got, s.url, "authentication", "loginEndpoint")
				s.says(got, "https://graph.windows.net/", "graphEndpoint")
				got = s.accepted(s.open("/metadata/endpoints?api-version=2022-09-01"), http.StatusOK)
				s.says(s.says(got, s.url+"/", "resourceManager"), s.url, "authentication", "loginEndpoint")
				s.says(s.says(got, "AAD", "authentication", "identityProvider"), armAudience, "authentication", "audiences", 0)
			},
			rejected: func(s *stage) {
				s.refused(s.open("/metadata/endpoints"), http.StatusBadRequest, "MissingApiVersionParameter")
			},
		},
		"azure-1-login-error": {
			accepted: func(s *stage) { s.says(s.accepted(s.token(), http.StatusOK), nil, "error") },
			rejected: func(s *stage) {
				got := s.denied(s.token("client_id", nil), http.StatusBadRequest, "invalid_request", 900144)
				description, _ := got.at("error_description").(string)
				for _, field := range []string{"trace_id", "correlation_id", "timestamp"} {
					if text, _ := got.at(field).(string); text == "" || !strings.Contains(description, text) {
						s.t.Errorf("%s: %s", field, got.body)
					}
				}
				s.says(got, "https://login.microsoftonline.com/error?code=900144", "error_uri")
			},
		},
	}
}
