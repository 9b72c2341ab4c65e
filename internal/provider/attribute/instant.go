package attribute

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The years, in UTC, that an instant may be in: the zero time stands for no
// time, and RFC 3339 has no year of five digits.
const (
	firstYear = 1970
	lastYear  = 9999
)

// Instant validates an RFC 3339 time with an offset.
type Instant struct{}

// Description implements validator.String.
func (Instant) Description(context.Context) string {
	return "an RFC 3339 time such as 2031-05-10T09:00:00Z"
}

// MarkdownDescription implements validator.String.
func (v Instant) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (Instant) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	t, err := time.Parse(time.RFC3339Nano, req.ConfigValue.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a time", fmt.Sprintf(
			"%q is not an RFC 3339 time such as \"2031-05-10T09:00:00Z\" or \"2031-05-10T11:00:00+02:00\".",
			req.ConfigValue.ValueString()))
		return
	}
	if year := t.UTC().Year(); year < firstYear || year > lastYear {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a time", fmt.Sprintf(
			"%s is %q, which is not in the years %d to %d of UTC.", req.Path, req.ConfigValue.ValueString(), firstYear, lastYear))
	}
}

// TimeOf is the instant of a validated value, zero for null and unknown.
func TimeOf(v types.String) time.Time {
	t, err := time.Parse(time.RFC3339Nano, v.ValueString())
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// TimeValue is the instant in UTC, null for the zero time.
func TimeValue(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.UTC().Format(time.RFC3339Nano))
}

// KeepText is the text to keep for an instant: the one that was there while it
// means the same, to the millisecond that clouds keep.
func KeepText(before types.String, now time.Time) types.String {
	if !before.IsNull() && !before.IsUnknown() && !now.IsZero() &&
		TimeOf(before).Truncate(time.Millisecond).Equal(now.Truncate(time.Millisecond)) {
		return before
	}
	return TimeValue(now)
}
