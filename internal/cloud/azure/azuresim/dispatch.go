package azuresim

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// call is a request as far as it was understood.
type call struct {
	found
	sim    *Simulator
	params url.Values
	// base is the scheme and host that the request came to, for absolute URLs.
	base string
	path string
	// body has only fields that exist, in the specification's casing.
	body map[string]any
	// subscription is in lower case.
	subscription string
	version      string
	// requestID and correlation go into headers.
	requestID, correlation string
	// clientID is echoed where the client asks for it.
	clientID  string
	throttled bool
	// raw is the body as it came, for what is not JSON.
	raw []byte
}

// query is a call inside the transaction that serves it.
type query struct {
	*call
	tx  *sim.Tx
	req *sim.Request
	// byGroup are the reservations by the native id of their group; see children.
	byGroup map[string][]*sim.Object
}

// newGUID draws a GUID of version 4.
func newGUID(tx *sim.Tx) string {
	h := tx.Hex(32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

func (s *Simulator) newCall(tx *sim.Tx, r *http.Request) *call {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	c := &call{
		sim: s, params: r.URL.Query(), base: scheme + "://" + r.Host, path: r.URL.Path,
		requestID: newGUID(tx), correlation: r.Header.Get("x-ms-correlation-request-id"),
	}
	if c.correlation == "" {
		c.correlation = c.requestID
	}
	if strings.EqualFold(r.Header.Get("x-ms-return-client-request-id"), "true") {
		c.clientID = r.Header.Get("x-ms-client-request-id")
	}
	c.version = c.param("api-version")
	return c
}

// param is a query parameter by a name in any casing, as OData and Azure Resource
// Manager read them.
func (c *call) param(name string) string {
	if value := c.params.Get(name); value != "" {
		return value
	}
	for key, values := range c.params {
		if strings.EqualFold(key, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// Accept implements sim.Cloud.
func (s *Simulator) Accept(tx *sim.Tx, in *sim.Inbound) (*sim.Request, *sim.Answer) {
	c := s.newCall(tx, in.HTTP)
	c.raw = in.Body
	req := &sim.Request{Detail: c}
	at, routed, known := s.route(in.HTTP)
	c.found = at
	if routed {
		req.Operation = c.method.id
	}
	if err := c.accept(tx, in, req, routed, known); err != nil {
		answer := c.refuse(err)
		return req, &answer
	}
	return req, nil
}

// accept checks a request in the order in which Azure Resource Manager does: it
// asks for an api-version before a token (a plain GET of https://management.azure.com/
// shows it); the rest of the order is UNVERIFIED.
func (c *call) accept(tx *sim.Tx, in *sim.Inbound, req *sim.Request, routed, known bool) *apiError {
	if !c.method.open {
		if err := c.checkVersion(); err != nil {
			return err
		}
		if err := checkBearer(in.HTTP.Header.Get("Authorization")); err != nil {
			return err
		}
		if err := c.place(req); err != nil {
			return err
		}
	}
	if !routed {
		return c.unrouted(in.HTTP.Method, known)
	}
	if in.TooLarge {
		// 4 MB is Azure's limit; the world reads no more than it does.
		return &apiError{
			status: http.StatusRequestEntityTooLarge, code: "RequestContentTooLarge",
			message: "The request content size exceeds the maximum size.",
		}
	}
	c.describe(tx, req, peek(in.Body))
	req.Bucket = c.bucket()
	if c.method.body == nil {
		return nil
	}
	var err *apiError
	c.body, err = parseBody(in.Body, *c.method.body)
	return err
}

var versionForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(?:-(?:preview|alpha|beta|privatepreview))?$`)

// checkVersion wants an api-version (fact azure-2-api-version).
func (c *call) checkVersion() *apiError {
	if c.version == "" {
		return fail(codeVersionMissing, "The api-version query parameter (?api-version=) is required for all requests.")
	}
	if !versionForm.MatchString(strings.ToLower(c.version)) {
		return fail(codeAPIVersion, "The api-version '%s' is invalid. The supported versions are '2026-04-01,2025-04-01,2024-11-01,"+
			"2022-08-01,2022-03-01,2021-07-01'.", printable(c.version))
	}
	return nil
}

// since tells whether the api-version is of a date or later.
func (c *call) since(date string) bool { return c.version[:min(len(c.version), len(date))] >= date }

// checkBearer wants a bearer token, whatever it is (fact azure-1-token).
func checkBearer(header string) *apiError {
	token, bearer := cutFold(header, "Bearer ")
	var e *apiError
	switch {
	case header == "":
		e = fail(codeAuthentication, "Authentication failed. The 'Authorization' header is missing.")
	case !bearer || strings.TrimSpace(token) == "":
		e = fail(codeAuthentication, "Authentication failed. The 'Authorization' header is provided in an invalid format.")
	default:
		return nil
	}
	e.header = http.Header{"Www-Authenticate": {`Bearer authorization_uri="https://login.windows.net/", error="invalid_token", ` +
		`error_description="The authentication failed because of missing 'Authorization' header."`}}
	return e
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

var guidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// place reads the subscription from the path.
func (c *call) place(req *sim.Request) *apiError {
	parts := segments(c.path)
	if len(parts) < 2 || !strings.EqualFold(parts[0], "subscriptions") {
		return nil
	}
	if !guidForm.MatchString(parts[1]) {
		return fail(codeInvalidSub, "The provided subscription identifier '%s' is malformed or invalid.", printable(parts[1]))
	}
	c.subscription = strings.ToLower(parts[1])
	req.Account = c.subscription
	return nil
}

// unrouted refuses what is offered under no path, or not with that verb.
func (c *call) unrouted(verb string, known bool) *apiError {
	if known {
		// An empty code is what the provider answers. The call log has none then.
		return &apiError{
			status: http.StatusMethodNotAllowed, code: "",
			message: "The requested resource does not support http method '" + printable(verb) + "'.",
		}
	}
	parts := segments(c.path)
	for i, part := range parts {
		if !strings.EqualFold(part, "providers") || i+2 >= len(parts) {
			continue
		}
		if !strings.EqualFold(parts[i+1], "Microsoft.Compute") {
			return fail(codeInvalidNamespace, "The resource namespace '%s' is invalid.", printable(parts[i+1]))
		}
		return fail(codeInvalidType, "The resource type '%s' could not be found in the namespace 'Microsoft.Compute' for api version '%s'.",
			printable(parts[i+2]), printable(c.version))
	}
	if c.subscription == "" {
		return &apiError{
			status: http.StatusNotFound, code: "MissingSubscription",
			message: "The request did not have a subscription or a valid tenant level resource provider.",
		}
	}
	return &apiError{
		status: http.StatusNotFound, code: "NotFound", message: "The request URI '" + printable(c.path) + "' is invalid.",
	}
}

// Serve implements sim.Cloud.
func (s *Simulator) Serve(tx *sim.Tx, req *sim.Request) sim.Answer {
	c, ok := req.Detail.(*call)
	if !ok {
		return (&call{}).refuse(fail(codeInternal, "a request without a call"))
	}
	got, err := c.method.run(&query{call: c, tx: tx, req: req})
	if err != nil {
		return c.refuse(err)
	}
	answer := sim.Answer{Status: got.status, Header: c.headers(), NativeID: req.NativeID}
	if answer.Status == 0 {
		answer.Status = http.StatusOK
	}
	for key, values := range got.header {
		answer.Header[http.CanonicalHeaderKey(key)] = values
	}
	if got.body != nil {
		answer.Header.Set("Content-Type", jsonType)
		answer.Body = encode(got.body)
	}
	return answer
}
