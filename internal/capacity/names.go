package capacity

import (
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// names remembers what was taken in this run.
type names struct{ taken sync.Map }

// take reports whether the name was free and is now taken.
func (n *names) take(name string) bool {
	_, loaded := n.taken.LoadOrStore(name, true)
	return !loaded
}

func (n *names) has(name string) bool {
	_, ok := n.taken.Load(name)
	return ok
}

// nameKey is what may be used once in a run.
func nameKey(m cloud.Mark) string { return m.Owner + "\x00" + m.Type + "\x00" + m.Name }

// usedTwice refuses the second use of a name.
func usedTwice(m cloud.Mark, done string) error {
	return refuse("name", "Name used twice",
		"Another %s of this run is named %q for owner %q. Each name may be used once per owner. Nothing was %s for this one.",
		m.Type, m.Name, m.Owner, done)
}
