package azuresim

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// varTenant is the directory in the paths of the login host.
const varTenant = "tenant"

// tokenLife is expires_in, in seconds (Entra documentation,
// v2-oauth2-client-creds-grant-flow).
const tokenLife = 3599

// assertionType is the one client_assertion_type (the same page).
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

func loginMethods() []method {
	token := method{id: "Login_Token", verb: http.MethodPost, open: true, about: aboutLogin, word: loginError}
	v2, v1 := token, token
	v2.path, v2.run = "{"+varTenant+"}/oauth2/v2.0/token", tokenV2
	v1.path, v1.run = "{"+varTenant+"}/oauth2/token", tokenV1
	open := method{verb: http.MethodGet, open: true, about: aboutLogin, word: loginError}
	configuration, older, instance, metadata := open, open, open, open
	configuration.id, configuration.path, configuration.run = "Login_OpenIDConfiguration", "{"+varTenant+"}/v2.0/.well-known/openid-configuration", openIDV2
	older.id, older.path, older.run = "Login_OpenIDConfiguration", "{"+varTenant+"}/.well-known/openid-configuration", openIDV1
	instance.id, instance.path, instance.run = "Login_Instance", "common/discovery/instance", discoverInstance
	metadata.id, metadata.path, metadata.run, metadata.word = "Metadata_Endpoints", "metadata/endpoints", metadataEndpoints, nil
	return []method{v2, v1, configuration, older, instance, metadata}
}

// aboutLogin: a request to the login host is about no resource.
func aboutLogin(*call, *sim.Tx, *sim.Request) {}

// refused is an error of the login host: its number, its OAuth code and text
// (Entra documentation, reference-error-codes; the texts are those of public
// logs).
func (q *query) refused(status int, code, number, message string) *apiError {
	at := q.tx.Wall().UTC().Format("2006-01-02 15:04:05Z")
	return &apiError{
		status: status, code: code,
		message: "AADSTS" + number + ": " + message + " Trace ID: " + newGUID(q.tx) + " Correlation ID: " + q.correlation + " Timestamp: " + at,
	}
}

// withoutParameter refuses a request that lacks a parameter.
func (q *query) withoutParameter(name string) *apiError {
	return q.refused(http.StatusBadRequest, "invalid_request", "900144",
		"The request body must contain the following parameter: '"+name+"'.")
}

var (
	loginNumber = regexp.MustCompile(`^AADSTS(\d+):`)
	loginTrace  = regexp.MustCompile(`Trace ID: (\S+) Correlation ID: (\S+) Timestamp: (.+)$`)
)

type loginErrorWire struct {
	Error         string `json:"error"`
	Description   string `json:"error_description"`
	Codes         []int  `json:"error_codes"`
	Timestamp     string `json:"timestamp"`
	TraceID       string `json:"trace_id"`
	CorrelationID string `json:"correlation_id"`
	URI           string `json:"error_uri,omitempty"`
}

// loginError is an error as the login host words it (fact azure-1-login-error).
func loginError(e *apiError) any {
	w := loginErrorWire{Error: e.code, Description: e.message, Codes: []int{}}
	if m := loginNumber.FindStringSubmatch(e.message); m != nil {
		// The pattern has digits only.
		number, _ := strconv.Atoi(m[1])
		w.Codes, w.URI = []int{number}, "https://login.microsoftonline.com/error?code="+m[1]
	}
	if m := loginTrace.FindStringSubmatch(e.message); m != nil {
		w.TraceID, w.CorrelationID, w.Timestamp = m[1], m[2], m[3]
	}
	return w
}

// domainForm is a verified domain of a directory, which names it too.
var domainForm = regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$`)

// sharedTenants stand for no directory.
func sharedTenants() []string { return []string{"common", "organizations", "consumers"} }

// checkTenant tells whether a directory can be meant. Each GUID and domain is
// one here.
func (q *query) checkTenant() *apiError {
	tenant := q.vars[varTenant]
	if guidForm.MatchString(tenant) || domainForm.MatchString(tenant) || slices.Contains(sharedTenants(), tenant) {
		return nil
	}
	return q.refused(http.StatusBadRequest, "invalid_request", "90002", "Tenant '"+printable(tenant)+"' not found. Check to make sure "+
		"you have the correct tenant ID and are signing into the correct cloud. Check with your subscription administrator, this may "+
		"happen if there are no active subscriptions for the tenant.")
}

// tenantID is the GUID of the directory.
func (q *query) tenantID() string {
	if tenant := q.vars[varTenant]; guidForm.MatchString(tenant) {
		return strings.ToLower(tenant)
	}
	return derivedGUID("tenant " + strings.ToLower(q.vars[varTenant]))
}

// derivedGUID makes a GUID that follows from a name.
func derivedGUID(name string) string {
	sum := sha256.Sum256([]byte(name))
	h := hex.EncodeToString(sum[:])
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:32]
}

// grant reads what both token endpoints have in common.
func (q *query) grant() (url.Values, *apiError) {
	form, err := url.ParseQuery(string(q.raw))
	if err != nil {
		form = url.Values{}
	}
	if err := q.checkTenant(); err != nil {
		return nil, err
	}
	switch grant := form.Get("grant_type"); grant {
	case "":
		return nil, q.withoutParameter("grant_type")
	case "client_credentials":
	default:
		return nil, q.refused(http.StatusBadRequest, "unsupported_grant_type", "70003",
			"The app requested an unsupported grant type '"+printable(grant)+"'.")
	}
	if slices.Contains(sharedTenants(), q.vars[varTenant]) {
		return nil, q.refused(http.StatusBadRequest, "invalid_request", "50059",
			"No tenant-identifying information found in either the request or implied by any provided credentials.")
	}
	return form, q.checkClient(form)
}

func (q *query) checkClient(form url.Values) *apiError {
	id := form.Get("client_id")
	switch {
	case id == "":
		return q.withoutParameter("client_id")
	case !guidForm.MatchString(id):
		return q.refused(http.StatusBadRequest, "unauthorized_client", "700016", "Application with identifier '"+printable(id)+
			"' was not found in the directory '"+printable(q.vars[varTenant])+"'. This can happen if the application has not been installed "+
			"by the administrator of the tenant or consented to by any user in the tenant. You may have sent your authentication request to "+
			"the wrong tenant.")
	}
	if secret := form.Get("client_secret"); secret != "" {
		return q.checkSecret(id, secret)
	}
	if assertion := form.Get("client_assertion"); assertion != "" {
		return q.checkAssertion(form.Get("client_assertion_type"), assertion)
	}
	return q.refused(http.StatusUnauthorized, "invalid_client", "7000218",
		"The request body must contain the following parameter: 'client_assertion' or 'client_secret'.")
}

// checkSecret takes every secret but one that has the form of a secret's id,
// which is what people send by mistake.
func (q *query) checkSecret(id, secret string) *apiError {
	if !guidForm.MatchString(secret) {
		return nil
	}
	return q.refused(http.StatusUnauthorized, "invalid_client", "7000215", "Invalid client secret provided. Ensure the secret being sent "+
		"in the request is the client secret value, not the client secret ID, for a secret added to app '"+id+"'.")
}

// checkAssertion takes every assertion that is a JWT of the time, whoever signed
// it.
func (q *query) checkAssertion(kind, assertion string) *apiError {
	if kind != assertionType {
		return q.refused(http.StatusBadRequest, "invalid_request", "900144",
			"The request body must contain the following parameter: 'client_assertion_type'.")
	}
	parts := strings.Split(assertion, ".")
	var claims struct {
		Expires float64 `json:"exp"`
	}
	if len(parts) == 3 {
		if data, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil && json.Unmarshal(data, &claims) == nil {
			if claims.Expires > 0 && float64(q.tx.Wall().Unix()) > claims.Expires+300 {
				return q.refused(http.StatusUnauthorized, "invalid_client", "700024", "Client assertion is not within its valid time range.")
			}
			return nil
		}
	}
	return q.refused(http.StatusBadRequest, "invalid_request", "50027", "JWT token is invalid or malformed.")
}

type tokenWire struct {
	Type       string `json:"token_type"`
	Expires    any    `json:"expires_in"`
	ExtExpires any    `json:"ext_expires_in"`
	ExpiresOn  string `json:"expires_on,omitempty"`
	NotBefore  string `json:"not_before,omitempty"`
	Resource   string `json:"resource,omitempty"`
	Token      string `json:"access_token"`
}

// tokenV2 is the token endpoint of version 2, where numbers are numbers.
func tokenV2(q *query) (result, *apiError) {
	form, err := q.grant()
	if err != nil {
		return result{}, err
	}
	resource, err := q.resourceOf(form.Get("scope"))
	if err != nil {
		return result{}, err
	}
	token := q.accessToken(form.Get("client_id"), resource)
	return noStore(tokenWire{Type: "Bearer", Expires: tokenLife, ExtExpires: tokenLife, Token: token}), nil
}

// resourceOf takes the resource out of a scope. The scopes of OpenID, which some
// clients always send, name none.
func (q *query) resourceOf(scope string) (string, *apiError) {
	var scopes []string
	for word := range strings.FieldsSeq(scope) {
		if !slices.Contains([]string{"openid", "profile", "offline_access", "email"}, word) {
			scopes = append(scopes, word)
		}
	}
	if len(scopes) == 0 {
		return "", q.withoutParameter("scope")
	}
	resource, whole := strings.CutSuffix(scopes[0], "/.default")
	if !whole || len(scopes) > 1 || resource == "" {
		return "", q.refused(http.StatusBadRequest, "invalid_scope", "1002012", "The provided value for scope "+printable(scope)+
			" is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier "+
			"(application ID URI).")
	}
	return resource, nil
}

// tokenV1 is the token endpoint of version 1, where numbers are texts.
func tokenV1(q *query) (result, *apiError) {
	form, err := q.grant()
	if err != nil {
		return result{}, err
	}
	resource := form.Get("resource")
	if resource == "" {
		return result{}, q.withoutParameter("resource")
	}
	now, life := q.tx.Wall().UTC(), strconv.Itoa(tokenLife)
	return noStore(tokenWire{
		Type: "Bearer", Expires: life, ExtExpires: life, Resource: resource, Token: q.accessToken(form.Get("client_id"), resource),
		ExpiresOn: strconv.FormatInt(now.Add(tokenLife*time.Second).Unix(), 10), NotBefore: strconv.FormatInt(now.Add(-5*time.Minute).Unix(), 10),
	}), nil
}

func noStore(body any) result {
	return result{header: http.Header{"Cache-Control": {"no-store, no-cache"}, "P3p": {`CP="DSP CUR OTPi IND OTRi ONL FIN"`}}, body: body}
}

// accessToken has the claims of an application's token, by the machine's clock,
// which is the one that clients hold it to. Its signature is none: nobody here
// asks for it. terraform-provider-azurerm reads oid and appid.
func (q *query) accessToken(client, resource string) string {
	now, client := q.tx.Wall().Unix(), strings.ToLower(client)
	object := derivedGUID("application " + client)
	claims := map[string]any{
		"aud": resource, "iss": "https://sts.windows.net/" + q.tenantID() + "/", "iat": now - 300, "nbf": now - 300, "exp": now + tokenLife,
		"appid": client, "appidacr": "1", "idp": "https://sts.windows.net/" + q.tenantID() + "/", "idtyp": "app", "oid": object, "sub": object,
		"tid": q.tenantID(), "uti": q.tx.Hex(22), "ver": "1.0",
	}
	part := func(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
	return part(encode(map[string]any{"typ": "JWT", "alg": "RS256"})) + "." + part(encode(claims)) + "." + part([]byte(q.tx.Hex(64)))
}
