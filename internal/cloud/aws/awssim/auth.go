package awssim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// staticAccount owns every access key that the simulator did not mint.
const staticAccount = "111122223333"

// clockSkew is how far a request may be off before it has expired.
const clockSkew = 15 * time.Minute

// scope is what a signature says of itself: CORE signs all three services the
// same way, and the region stands nowhere else (fact aws-2-region-in-scope).
type scope struct {
	keyID, date, region, service string
	signedHeaders                []string
	signature                    string
}

// identity is who calls.
type identity struct {
	Account string `json:"account"`
	ARN     string `json:"arn"`
	UserID  string `json:"user_id"`
}

var (
	authorization = regexp.MustCompile(
		`^AWS4-HMAC-SHA256 Credential=([\w]+)/(\d{8})/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request, ?` +
			`SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$`)
	requiredHeaders = []string{"host", "x-amz-date"}
)

func unauthenticated() *apiError {
	return fail(codeAuthFailure, "AWS was not able to validate the provided access credentials")
}

// readScope reads the Authorization header.
func readScope(r *http.Request) (scope, *apiError) {
	m := authorization.FindStringSubmatch(r.Header.Get("Authorization"))
	if m == nil {
		return scope{}, unauthenticated()
	}
	s := scope{
		keyID: m[1], date: m[2], region: m[3], service: m[4],
		signedHeaders: strings.Split(m[5], ";"), signature: m[6],
	}
	for _, name := range requiredHeaders {
		if !slices.Contains(s.signedHeaders, name) {
			return scope{}, unauthenticated()
		}
	}
	return s, nil
}

// checkDate accepts what is near wall time or near the cloud's clock: clients
// that correct their clock by the Date header sign by the latter.
func (s scope) checkDate(tx *sim.Tx, r *http.Request) *apiError {
	text := r.Header.Get("X-Amz-Date")
	signed, err := time.Parse("20060102T150405Z", text)
	if err != nil || !strings.HasPrefix(text, s.date) {
		return unauthenticated()
	}
	if !tx.Near(signed, clockSkew) {
		return fail(codeRequestExpired, "Request has expired.")
	}
	return nil
}

// identify tells who signed. Only the keys minted here have a secret to check
// against; of others the form is all that can be known.
func (s scope) identify(tx *sim.Tx, in *sim.Inbound) (identity, *apiError) {
	token := in.HTTP.Header.Get("X-Amz-Security-Token")
	session, found, err := findSession(tx, s.keyID)
	if err != nil {
		return identity{}, fail(codeInternal, "%v", err)
	}
	if !found {
		if strings.HasPrefix(token, tokenPrefix) {
			return identity{}, unauthenticated()
		}
		return identity{
			Account: staticAccount, ARN: "arn:aws:iam::" + staticAccount + ":user/simulated", UserID: s.keyID,
		}, nil
	}
	if token != session.Token || !hmac.Equal([]byte(s.sign(in, session.Secret)), []byte(s.signature)) {
		return identity{}, unauthenticated()
	}
	if tx.Wall().After(session.Expires) {
		return identity{}, fail(codeRequestExpired, "Request has expired.")
	}
	return session.Identity, nil
}

// sign computes the signature the request should have (Signature Version 4).
func (s scope) sign(in *sim.Inbound, secret string) string {
	r := in.HTTP
	var headers strings.Builder
	for _, name := range s.signedHeaders {
		headers.WriteString(name + ":" + signedValue(r, name) + "\n")
	}
	path := r.URL.EscapedPath()
	if path == "" {
		path = "/"
	}
	canonical := strings.Join([]string{
		r.Method, path, r.URL.Query().Encode(), headers.String(),
		strings.Join(s.signedHeaders, ";"), hexHash(in.Body),
	}, "\n")
	place := s.date + "/" + s.region + "/" + s.service + "/aws4_request"
	toSign := strings.Join([]string{
		"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), place, hexHash([]byte(canonical)),
	}, "\n")
	key := []byte("AWS4" + secret)
	for _, part := range []string{s.date, s.region, s.service, "aws4_request", toSign} {
		key = mac(key, part)
	}
	return hex.EncodeToString(key)
}

// signedValue is a header as it was signed; Go's server keeps two elsewhere.
func signedValue(r *http.Request, name string) string {
	switch name {
	case "host":
		return r.Host
	case "content-length":
		return strconv.FormatInt(r.ContentLength, 10)
	}
	values := slices.Clone(r.Header.Values(name))
	for i, v := range values {
		values[i] = strings.Join(strings.Fields(v), " ")
	}
	return strings.Join(values, ",")
}

func mac(key []byte, message string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(message))
	return h.Sum(nil)
}

func hexHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
