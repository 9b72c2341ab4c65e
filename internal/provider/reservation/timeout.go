package reservation

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	// defaultTimeout is how long an operation may take where nothing is set.
	defaultTimeout = 20 * time.Minute
	// minTimeout is less than any operation takes: shorter ones are over before
	// the first call.
	minTimeout = time.Second
)

// noTimeouts is the attribute left out; its zero value has no type and cannot be
// stored.
func noTimeouts() timeouts.Value {
	return timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{
		"create": types.StringType, "update": types.StringType, "delete": types.StringType,
	})}
}

// checkTimeouts reports timeouts that leave no time. What is not a duration at
// all the attribute's own validators report.
func (m model) checkTimeouts(diags *diag.Diagnostics) {
	parts := m.Timeouts.Attributes()
	for _, operation := range slices.Sorted(maps.Keys(parts)) {
		text, ok := parts[operation].(types.String)
		if !ok || text.IsNull() || text.IsUnknown() {
			continue
		}
		if d, err := time.ParseDuration(text.ValueString()); err == nil && d < minTimeout {
			at := path.Root("timeouts").AtName(operation)
			diags.AddAttributeError(at, "Timeout too short", fmt.Sprintf(
				"%s is %q, and nothing can be done in less than %s.", at, text.ValueString(), minTimeout))
		}
	}
}
