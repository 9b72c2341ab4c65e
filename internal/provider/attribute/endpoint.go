package attribute

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Endpoint validates the URL of an API: HTTPS, or plain HTTP on loopback.
type Endpoint struct{}

// Description implements validator.String.
func (Endpoint) Description(context.Context) string {
	return "an HTTPS URL, or a plain HTTP one on loopback"
}

// MarkdownDescription implements validator.String.
func (v Endpoint) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (Endpoint) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := checkEndpoint(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Endpoint not usable", err.Error()+".")
	}
}

func checkEndpoint(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil {
		return fmt.Errorf("not a URL such as https://ec2.us-east-1.amazonaws.com, without user and password")
	}
	switch {
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return fmt.Errorf("the scheme %q is neither https nor http", u.Scheme)
	case u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback():
		return nil
	}
	return fmt.Errorf("plain HTTP is for loopback only, and %s is not: requests carry credentials", u.Hostname())
}
