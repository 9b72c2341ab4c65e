package chaostest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Address is the resource that every round works on.
const Address = "gpu_reservation.a"

// Wish is the configuration of one round's only resource.
type Wish struct {
	Name, Zone, InstanceType string
	Count                    int
	Tags                     map[string]string
	// CreateFirst is lifecycle { create_before_destroy = true }.
	CreateFirst bool
}

// FirstWish is what rounds begin with: the cheapest whole GPU, once.
func FirstWish() Wish {
	return Wish{Name: "a", Zone: "us-east-1a", InstanceType: "g4dn.xlarge", Count: 1, Tags: map[string]string{"team": "t0"}}
}

// HCL is the resource block.
func (w Wish) HCL() string {
	var tags strings.Builder
	for _, key := range slices.Sorted(maps.Keys(w.Tags)) {
		fmt.Fprintf(&tags, " %s = %q", key, w.Tags[key])
	}
	return fmt.Sprintf(`resource "gpu_reservation" "a" {
  name              = %q
  cloud             = "aws"
  zone              = %q
  instance_type     = %q
  instance_count    = %d
  tags              = {%s }
  allow_replacement = true
  lifecycle {
    create_before_destroy = %t
  }
}
`, w.Name, w.Zone, w.InstanceType, w.Count, tags.String(), w.CreateFirst)
}

// differs says in which way an object is not what is wished, or "".
func (w Wish) differs(o sim.ObjectRow) string {
	switch {
	case o.Tags[tagName] != w.Name:
		return fmt.Sprintf("%s is marked with the name %q, not %q", o.NativeID, o.Tags[tagName], w.Name)
	case o.Zone != w.Zone || o.InstanceType != w.InstanceType || o.Count != w.Count:
		return fmt.Sprintf("%s is %d × %s in %s, not %d × %s in %s",
			o.NativeID, o.Count, o.InstanceType, o.Zone, w.Count, w.InstanceType, w.Zone)
	}
	for key, value := range w.Tags {
		if o.Tags[key] != value {
			return fmt.Sprintf("%s has tag %s = %q, not %q", o.NativeID, key, o.Tags[key], value)
		}
	}
	return ""
}
