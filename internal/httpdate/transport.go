package httpdate

import "net/http"

// Transport notes the Date header of every answer of the cloud's own: a server
// error may come from a proxy.
type Transport struct {
	Inner http.RoundTripper
	Clock *Clock
}

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.Inner.RoundTrip(req)
	if err == nil && resp.StatusCode < http.StatusInternalServerError {
		t.Clock.Note(resp.Header.Get("Date"))
	}
	return resp, err
}
