// Package endpoint has the rule for a URL that takes the place of a cloud's own:
// what requests with credentials may be sent to.
package endpoint

import (
	"fmt"
	"net/netip"
	"net/url"
)

// Check refuses what is not the URL of an API, and what would send credentials in
// the clear: it is HTTPS, or plain HTTP on loopback, without user and password. Of
// the URL the text of an error repeats at most scheme and host name, since the
// rest may hold a secret; example is a URL that would be right.
func Check(text, example string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return fmt.Errorf("not a URL such as %s, without user and password", example)
	}
	switch {
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return fmt.Errorf("the scheme %q is neither https nor http", u.Scheme)
	case loopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("plain HTTP is for loopback only, and %s is not: requests carry credentials", u.Hostname())
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
