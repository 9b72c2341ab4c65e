package attribute

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var keyed = regexp.MustCompile(`^([a-z_]+)\["(.*)"\]$`)

// sets are the attributes whose elements are of a set, and not of a map.
func sets() []string { return []string{"share_with"} }

// Path is where a name such as "window.end_at", `tags["team"]` or
// `share_with["lab"]` stands in a configuration; the empty name is the object as a
// whole.
func Path(name string) path.Path {
	if m := keyed.FindStringSubmatch(name); m != nil {
		if slices.Contains(sets(), m[1]) {
			return path.Root(m[1]).AtSetValue(types.StringValue(m[2]))
		}
		return path.Root(m[1]).AtMapKey(m[2])
	}
	p := path.Empty()
	for _, step := range strings.Split(name, ".") {
		if step != "" {
			p = p.AtName(step)
		}
	}
	return p
}
