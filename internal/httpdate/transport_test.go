package httpdate_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/httpdate"
)

// answering is a connection whose every answer is the same.
type answering func() (*http.Response, error)

func (a answering) RoundTrip(*http.Request) (*http.Response, error) { return a() }

func TestTransport(t *testing.T) {
	t.Parallel()
	date := time.Date(2031, 3, 1, 12, 0, 0, 0, time.UTC)
	answer := func(status int, header string) answering {
		return func() (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Date": {header}}, Body: http.NoBody}, nil
		}
	}
	for name, tc := range map[string]struct {
		inner http.RoundTripper
		told  bool
	}{
		"an answer":      {answer(200, date.Format(http.TimeFormat)), true},
		"a refusal":      {answer(403, date.Format(http.TimeFormat)), true},
		"of a proxy":     {answer(502, date.Format(http.TimeFormat)), false},
		"without a date": {answer(200, "soon"), false},
		"no answer":      {answering(func() (*http.Response, error) { return nil, errors.New("closed") }), false},
	} {
		c := httpdate.New(clock.Wall{})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := httpdate.Transport{Inner: tc.inner, Clock: c}.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		if _, told := c.Now(); told != tc.told {
			t.Errorf("%s: told %v, want %v", name, told, tc.told)
		}
	}
}
