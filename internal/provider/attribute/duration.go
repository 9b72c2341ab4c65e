package attribute

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	day = 24 * time.Hour
	// maxDays is as far as a count of nanoseconds in 63 bits reaches.
	maxDays = math.MaxInt64 / int(day)
)

var days = regexp.MustCompile(`^(\d+)d(.*)$`)

// ParseDuration reads Go's syntax with whole days in front: "36h", "14d",
// "1d12h". It is never negative.
func ParseDuration(text string) (time.Duration, error) {
	var total time.Duration
	rest := text
	if m := days.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || n > maxDays {
			return 0, tooLong(text)
		}
		total, rest = time.Duration(n)*day, m[2]
		if rest == "" {
			return total, nil
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as \"90m\", \"36h\", \"14d\" or \"1d12h\"", text)
	}
	if d < 0 {
		return 0, errors.New("a duration cannot be negative")
	}
	if d > math.MaxInt64-total {
		return 0, tooLong(text)
	}
	return total + d, nil
}

// DurationValue is a duration as a person would write it, null for zero.
func DurationValue(d time.Duration) types.String {
	switch {
	case d == 0:
		return types.StringNull()
	case d%day == 0:
		return types.StringValue(fmt.Sprintf("%dd", d/day))
	}
	return types.StringValue(d.String())
}

func tooLong(text string) error {
	return fmt.Errorf("%q is longer than the longest duration, %d days", text, maxDays)
}

// Duration validates a duration of at least Min.
type Duration struct{ Min time.Duration }

// Description implements validator.String.
func (v Duration) Description(context.Context) string {
	return fmt.Sprintf("a duration of at least %s in Go syntax, or with d for days", v.Min)
}

// MarkdownDescription implements validator.String.
func (v Duration) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (v Duration) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	d, err := ParseDuration(req.ConfigValue.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a duration", err.Error()+".")
		return
	}
	if d < v.Min {
		resp.Diagnostics.AddAttributeError(req.Path, "Duration too short",
			fmt.Sprintf("%q is less than %s.", req.ConfigValue.ValueString(), v.Min))
	}
}
