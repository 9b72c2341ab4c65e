package mem

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Commitment is the native option that says how long a scheduled reservation
// is committed from its start, as a duration; DefaultCommitment unless given.
const (
	Commitment        = "commitment"
	DefaultCommitment = "336h"
)

// Recovery is the native option of hosts that can change in place.
const Recovery = "recovery"

// option is one native option.
type option struct {
	name, fallback string
	// wrong says what is wrong with a value, "" if nothing is.
	wrong func(value string) string
}

func (o option) attribute() cloud.Attribute { return cloud.Attribute(Name + "." + o.name) }

func tenancy() option { return option{"tenancy", "shared", oneOf("shared", "dedicated")} }

func recovery() option { return option{Recovery, "off", oneOf("on", "off")} }

func commitment() option {
	return option{Commitment, DefaultCommitment, func(value string) string {
		if d, err := time.ParseDuration(value); err != nil || d <= 0 {
			return fmt.Sprintf("must be a positive duration such as %s, is %q", DefaultCommitment, value)
		}
		return ""
	}}
}

func oneOf(first, second string) func(string) string {
	return func(value string) string {
		if value != first && value != second {
			return fmt.Sprintf("must be %s or %s, is %q", first, second, value)
		}
		return ""
	}
}

// native checks the options that were given.
func (p *problems) native(known []option, given map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(known, func(o option) bool { return o.name == key })
		if i < 0 {
			p.add(option{name: key}.attribute(), "there is no such option")
			continue
		}
		if wrong := known[i].wrong(given[key]); wrong != "" {
			p.add(known[i].attribute(), "%s", wrong)
		}
	}
}

// completed are the options with the defaults of those that were not given.
func completed(known []option, given map[string]string) map[string]string {
	done := map[string]string{}
	for _, o := range known {
		done[o.name] = o.fallback
	}
	maps.Copy(done, given)
	return done
}
