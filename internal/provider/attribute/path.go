package attribute

import (
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
)

var keyed = regexp.MustCompile(`^([a-z_]+)\["(.*)"\]$`)

// Path is where a name such as "window.end_at" or `tags["team"]` stands in a
// configuration; the empty name is the object as a whole.
func Path(name string) path.Path {
	if m := keyed.FindStringSubmatch(name); m != nil {
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
