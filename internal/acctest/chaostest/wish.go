package chaostest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Address is the resource that every round works on.
const Address = "gpu_reservation.a"

// The kinds of reservation that are interrupted.
const (
	OnDemand      = "on_demand"
	Scheduled     = "scheduled"
	Block         = "block"
	DedicatedHost = "dedicated_host"
	Term          = "term"
)

const (
	day = 24 * time.Hour
	// decided is after what time the cloud has surely decided.
	decided = time.Hour
)

// Wish is the configuration of one round's only resource.
type Wish struct {
	Cloud, Kind, Name, Region, Zone, InstanceType string
	Count                                         int
	Tags                                          map[string]string
	// ShareWith are the projects that it is shared with.
	ShareWith []string
	// StartAt and Duration are the window, zero for what it does not say.
	StartAt  time.Time
	Duration time.Duration
	// Payment is the payment option of a term of a year, "" for none.
	Payment string
	// OnDestroy is "" for the default, and Charge the most that giving up may
	// cost, in US dollars.
	OnDestroy string
	Charge    int
	// CreateFirst is lifecycle { create_before_destroy = true }.
	CreateFirst bool
}

// FirstWish is what lives of a kind begin with at an instant of the cloud's
// clock.
func FirstWish(cloud, kind string, now time.Time) Wish {
	w := Wish{Cloud: cloud, Kind: kind, Name: "a", Count: 1}
	if t, err := targetOf(cloud); err == nil {
		return t.first(w, now)
	}
	return w
}

// attributes are those that the configuration gives.
func (w Wish) attributes() map[string]any {
	given := map[string]any{
		"name": w.Name, "cloud": w.Cloud, "kind": w.Kind, "instance_type": w.InstanceType, "instance_count": w.Count,
		"allow_replacement": true,
	}
	tags, window := map[string]any{}, map[string]any{}
	for key, value := range w.Tags {
		tags[key] = value
	}
	if w.Tags != nil {
		given["tags"] = tags
	}
	if len(w.ShareWith) > 0 {
		given["share_with"] = w.ShareWith
	}
	for name, value := range map[string]string{"region": w.Region, "zone": w.Zone, "on_destroy": w.OnDestroy} {
		if value != "" {
			given[name] = value
		}
	}
	if w.Charge > 0 {
		given["max_cancellation_usd"] = w.Charge
	}
	if !w.StartAt.IsZero() {
		window["start_at"] = w.StartAt.Format(time.RFC3339)
	}
	if w.Duration > 0 {
		window["duration"] = fmt.Sprintf("%dh", w.Duration/time.Hour)
	}
	if len(window) > 0 {
		given["window"] = window
	}
	if w.Payment != "" {
		given["term"] = map[string]any{"months": 12, "payment_option": w.Payment}
	}
	return given
}

// HCL is the resource block. JSON is HCL as well, but for templates, of which
// there are none.
func (w Wish) HCL() string {
	given := w.attributes()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(given)) {
		raw, err := json.Marshal(given[name])
		if err != nil { // text, numbers and maps of them are all that there is
			raw = []byte("null")
		}
		fmt.Fprintf(&b, "  %s = %s\n", name, raw)
	}
	return fmt.Sprintf("resource \"gpu_reservation\" \"a\" {\n%s  lifecycle {\n    create_before_destroy = %t\n  }\n}\n", &b, w.CreateFirst)
}

// String is the wish in a report.
func (w Wish) String() string {
	text := fmt.Sprintf("%d × %s, %s, in %s%s, name %s, tags %v", w.Count, w.InstanceType, w.Kind, w.Region, w.Zone, w.Name, w.Tags)
	if w.Duration > 0 {
		text += ", for " + w.Duration.String()
	}
	if len(w.ShareWith) > 0 {
		text += fmt.Sprintf(", shared with %v", w.ShareWith)
	}
	if w.Payment != "" {
		text += ", " + w.Payment
	}
	return text
}

// allow is a permission with what the wish may cost: one purchase of what is
// paid at once, and no longer than asked for.
func (w Wish) allow(may Permission) Permission {
	if may.Length = w.Duration; w.Kind == Block || w.Payment != "" {
		may.Buys = 1
	}
	return may
}

// decidedLater tells that the cloud accepts first and decides a moment later.
func (w Wish) decidedLater() bool { return w.Kind == Block || w.Kind == Scheduled }

// over is how long it takes until what is paid at once is surely over: it starts
// within eight weeks.
func (w Wish) over() time.Duration {
	switch {
	case w.Cloud != "google" && w.Kind == Block:
		return 60*day + w.Duration
	case w.Payment != "":
		return 366 * day
	}
	return 0
}

// short is how much sooner a window ends than after its length.
func (w Wish) short() time.Duration {
	t, err := targetOf(w.Cloud)
	if err != nil {
		return 0
	}
	return t.short
}

// differs says in which way an object is not what is wished, or "".
func (w Wish) differs(o sim.ObjectRow, name string) string {
	switch length := o.EndsAt.Sub(o.StartsAt.Time); {
	case name != w.Name:
		return fmt.Sprintf("%s is marked with the name %q, not %q", o.NativeID, name, w.Name)
	case w.Zone != "" && o.Zone != w.Zone || o.InstanceType != w.InstanceType || o.Count != w.Count:
		return fmt.Sprintf("%s is %d × %s in %s, not %d × %s in %s",
			o.NativeID, o.Count, o.InstanceType, o.Zone, w.Count, w.InstanceType, w.Zone)
	case w.Duration > 0 && length != w.Duration-w.short():
		return fmt.Sprintf("%s is of %s, not %s", o.NativeID, length, w.Duration-w.short())
	}
	for key, value := range w.Tags {
		if o.Tags[key] != value {
			return fmt.Sprintf("%s has tag %s = %q, not %q", o.NativeID, key, o.Tags[key], value)
		}
	}
	return ""
}
