package attribute

import "github.com/hashicorp/terraform-plugin-framework/types"

// TextValue is null for the empty text.
func TextValue(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}
