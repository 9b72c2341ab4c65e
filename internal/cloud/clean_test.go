package cloud_test

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"as it is":      {"InsufficientInstanceCapacity: no p5.48xlarge", "InsufficientInstanceCapacity: no p5.48xlarge"},
		"one line":      {" a\n\tb\u200b c\r\n", "a b c"},
		"bearer":        {"sent Bearer abc.def-1 here", "sent Bearer (hidden) here"},
		"bearer header": {"Authorization: Bearer abc.def", "Authorization: Bearer (hidden)"},
		"basic header":  {"authorization: Basic dXNlcjpwYXNz", "authorization: Basic (hidden)"},
		"other header":  {"Authorization: abc", "Authorization: (hidden)"},
		"session token": {`"SessionToken": "abc", "x": 1`, `"SessionToken": "(hidden)", "x": 1`},
		"query":         {"?X-Amz-Security-Token=abc&Signature=def&a=b", "?X-Amz-Security-Token=(hidden)&Signature=(hidden)&a=b"},
		"secret":        {"client_secret=abc", "client_secret=(hidden)"},
		"key id":        {"key AKIAIOSFODNN7EXAMPLE is disabled", "key (hidden) is disabled"},
		"bare token":    {"token ya29.a0Af_x-y.z expired", "token (hidden) expired"},
		"bare key":      {"key AIzaSyA1234567890abcdefghijklmnopqrstuv is bad", "key (hidden) is bad"},
		"private key":   {"read -----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----", "read (hidden)"},
		"refusal": {
			"AuthorizationFailed: 'x' does not have authorization to perform action",
			"AuthorizationFailed: 'x' does not have authorization to perform action",
		},
		"header as JSON":   {`{"Authorization": "abc", "x": 1}`, `{"Authorization": "(hidden)", "x": 1}`},
		"bare JWT":         {"token eyJhbGci.eyJzdWIi.sIg-_ expired", "token (hidden) expired"},
		"signed URL":       {"GET /o?sv=1&sig=a%2Fb&x=1", "GET /o?sv=1&sig=(hidden)&x=1"},
		"encoded decision": {"Encoded authorization failure message: abc", "Encoded authorization failure message: (hidden)"},
	} {
		if got := cloud.Clean(tc.text); got != tc.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", name, tc.text, got, tc.want)
		}
	}
	if got := []rune(cloud.Clean(strings.Repeat("ü", 501))); len(got) != 500 || got[499] != '…' {
		t.Errorf("a long text has %d characters and ends in %q", len(got), got[len(got)-1])
	}
}
