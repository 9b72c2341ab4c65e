package endpoint_test

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/endpoint"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		example  = "https://api.example.com"
		loopback = "loopback only"
	)
	for text, want := range map[string]string{
		"https://ec2.us-east-1.amazonaws.com": "", "https://10.0.0.1:8443": "", "https://example.com/google": "",
		"http://127.0.0.1:4600": "", "http://127.8.9.1": "", "http://localhost:4600": "", "http://[::1]:4600": "",
		"http://[::ffff:127.0.0.1]": "",
		"http://10.0.0.1":           loopback, "http://example.com": loopback, "http://localhost.example.com": loopback,
		"http://127.0.0.1.example.com": loopback, "http://[::2]": loopback, "http://0.0.0.0:4600": loopback,
		"ftp://127.0.0.1": `"ftp"`, "127.0.0.1:4600": example, "localhost": example, "": example, "https://": example,
		"https://user:word@example.com": "without user", "http://user@127.0.0.1": "without user", "https://a b": example,
	} {
		said := ""
		if err := endpoint.Check(text, example); err != nil {
			said = err.Error()
		}
		if (want == "") != (said == "") || !strings.Contains(said, want) {
			t.Errorf("%q: %q, want %q", text, said, want)
		}
		if strings.Contains(said, "word@") {
			t.Errorf("%q: the password is told: %q", text, said)
		}
	}
}
