package gpu

import "strings"

// Model is the catalog's id of an accelerator, such as "H100-SXM5-80GB". Words
// are separated by dashes and run from the general to the particular, so that a
// leading part names a family.
type Model string

// In reports whether the model is the given one or belongs to the given family:
// "H100" holds every H100-* and neither H200 nor H100X. Letter case does not
// count. An empty family holds nothing.
func (m Model) In(family string) bool {
	id := string(m)
	if family == "" || len(id) < len(family) || !strings.EqualFold(id[:len(family)], family) {
		return false
	}
	return len(id) == len(family) || id[len(family)] == '-'
}
