package capacity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// Wish is one reservation as the configuration asks for it.
type Wish struct {
	Cloud string
	Mark  cloud.Mark
	Spec  cloud.Spec
	// WaitForCapacity is how long a full place is asked again.
	WaitForCapacity time.Duration
	// Timeout bounds the whole operation.
	Timeout time.Duration
	// MaxPerHour and MaxUpfront are the ceilings, nil where none is set.
	MaxPerHour, MaxUpfront *money.Money
	Price                  Price
	// ReleaseInUse allows to shrink below what is in use.
	ReleaseInUse bool
	// Buy has an update buy what the object lacks of the wish: the rest of its
	// length, its term. Without it an update never buys.
	Buy bool
}

// where is the wish's place, in words.
func (w Wish) where() string {
	return fmt.Sprintf("%d × %s in %s %s", w.Spec.Count, w.Spec.InstanceType, w.Cloud, Place(w.Spec.Region, w.Spec.Zone))
}

// Place names a zone, together with its region where the zone's name does not tell
// that; a region without a zone is a place too.
func Place(region, zone string) string {
	if strings.Contains(zone, region) {
		return zone
	}
	return strings.TrimSpace(region + " " + zone)
}

// Check completes the wish and names everything that is wrong with it. It makes
// no call.
func (m *Manager) Check(cloudName string, spec cloud.Spec) (cloud.Spec, []cloud.Problem, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return spec, nil, err
	}
	spec, problems := c.Check(spec)
	return spec, problems, nil
}

// Preflight asks the cloud what stands in the way of a completed wish for a
// reservation of that name; none where the cloud is not one to ask.
func (m *Manager) Preflight(ctx context.Context, cloudName string, spec cloud.Spec, name string) ([]cloud.Problem, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return nil, err
	}
	asked, ok := cloud.As[cloud.Preflighter](c)
	if !ok {
		return nil, nil
	}
	problems, err := asked.Preflight(ctx, spec, name)
	if err != nil {
		return nil, failed(err, "Cannot ask "+c.Capabilities().Title+" about the reservation", "%s", describe(c, err))
	}
	return problems, nil
}

// difference is an attribute in which an object is not what is wished.
type difference struct {
	attribute cloud.Attribute
	is, want  string
}

func (d difference) String() string {
	return fmt.Sprintf("%s is %q, not %q", d.attribute, d.is, d.want)
}

// fixedDifferences are those that cannot be mended in place. What the wish does
// not give cannot differ, but for a zone where that means the region, the times of a kind bought by offer bound a search, and
// an object of the kind's base becomes one of the kind by its term.
func fixedDifferences(caps cloud.Capabilities, spec cloud.Spec, r cloud.Reservation) []difference {
	kind := caps.Kinds[spec.Kind]
	is := r.Kind
	if kind.Base != "" && is == kind.Base {
		is = spec.Kind
	}
	all := []difference{
		{cloud.AttrKind, string(is), string(spec.Kind)},
		{cloud.AttrRegion, r.Region, spec.Region},
		{cloud.AttrZone, r.Zone, spec.Zone},
		{cloud.AttrInstanceType, r.InstanceType, spec.InstanceType},
		{cloud.AttrCount, fmt.Sprint(r.Count), given(spec.Count)},
		{cloud.AttrMatch, string(r.Match), string(spec.Match)},
	}
	all = append(all, window(kind, spec, r)...)
	all = slices.DeleteFunc(all, func(d difference) bool {
		return d.want == "" && (d.attribute != cloud.AttrZone || !caps.Regional)
	})
	if r.Term != nil && spec.Term != nil {
		all = append(all, difference{cloud.AttrTerm, r.Term.String(), spec.Term.String()})
	}
	for _, key := range slices.Sorted(maps.Keys(spec.Native)) {
		if has(r.Native, key) {
			all = append(all, difference{nativeAttribute(caps, key), r.Native[key], spec.Native[key]})
		}
	}
	all = slices.DeleteFunc(all, func(d difference) bool { return d.is == d.want || kind.CanChange(d.attribute) })
	return append(all, sharing(kind, spec, r)...)
}

// window are start and end of what is not bought by offer; a mere length has no one
// instant.
func window(kind cloud.KindCapabilities, spec cloud.Spec, r cloud.Reservation) []difference {
	if kind.ByOffer || spec.StartAt.IsZero() && spec.EndAt.IsZero() {
		return nil
	}
	return []difference{
		{cloud.AttrStart, instant(r.StartsAt), instant(spec.StartAt)},
		{cloud.AttrEnd, instant(r.EndsAt), instant(Wish{Spec: spec}.end(time.Time{}))},
	}
}

// sharing is the difference in whom an object is shared with, where it cannot be
// mended.
func sharing(kind cloud.KindCapabilities, spec cloud.Spec, r cloud.Reservation) []difference {
	if sharedAs(r, spec.ShareWith) || kind.Reshares(sharers(r), spec.ShareWith) {
		return nil
	}
	return []difference{{cloud.AttrShare, listed(sharers(r)), listed(spec.ShareWith)}}
}

// outside tells in what a prepaid window is not where the wish looks for one. What
// was bought under it already stays, wherever it is.
func (w Wish) outside(kind cloud.KindCapabilities, r cloud.Reservation) []difference {
	var ds []difference
	if !kind.ByOffer {
		return nil
	}
	if start := w.Spec.StartAt; !start.IsZero() && r.StartsAt.Before(start) {
		ds = append(ds, difference{cloud.AttrStart, stamp(r.StartsAt), stamp(start)})
	}
	if end := w.Spec.EndAt; !end.IsZero() && r.EndsAt.After(end) {
		ds = append(ds, difference{cloud.AttrEnd, stamp(r.EndsAt), stamp(end)})
	}
	return ds
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// instant is a time as text, "" for none.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}

func nativeAttribute(caps cloud.Capabilities, key string) cloud.Attribute {
	return cloud.Attribute(caps.Cloud + "." + key)
}

// given is a number as text, "" where there is none.
func given(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func join(ds []difference) string {
	texts := make([]string, len(ds))
	for i, d := range ds {
		texts[i] = d.String()
	}
	return strings.Join(texts, ", ")
}

// changes are what brings a live object to the wish, tags and purchases apart.
func (w Wish) changes(caps cloud.Capabilities, r cloud.Reservation) cloud.Change {
	kind := caps.Kinds[w.Spec.Kind]
	var change cloud.Change
	if kind.CanChange(cloud.AttrCount) && w.Spec.Count != settledCount(r) {
		change.Count = &w.Spec.Count
	}
	if kind.CanChange(cloud.AttrMatch) && w.Spec.Match != "" && w.Spec.Match != r.Match {
		change.Match = &w.Spec.Match
	}
	if !sharedAs(r, w.Spec.ShareWith) && kind.Reshares(sharers(r), w.Spec.ShareWith) {
		change.ShareWith = &w.Spec.ShareWith
	}
	change.StartAt, change.EndAt = w.moves(kind, r)
	change.Native = w.options(caps, r)
	return change
}

// moves are start and end where they move.
func (w Wish) moves(kind cloud.KindCapabilities, r cloud.Reservation) (start, end *time.Time) {
	if at := w.Spec.StartAt; kind.CanChange(cloud.AttrStart) && !at.IsZero() && !sameInstant(at, r.StartsAt) {
		start = &at
	}
	if at := w.end(r.CreatedAt); kind.CanChange(cloud.AttrEnd) && !sameInstant(at, r.EndsAt) {
		end = &at
	}
	return start, end
}

// options are the cloud's own options that change in place and differ.
func (w Wish) options(caps cloud.Capabilities, r cloud.Reservation) map[string]string {
	options := maps.Clone(w.Spec.Native)
	maps.DeleteFunc(options, func(key, value string) bool {
		fixed := !caps.Kinds[w.Spec.Kind].CanChange(nativeAttribute(caps, key))
		return fixed || !has(r.Native, key) || r.Native[key] == value
	})
	return options
}

// end is when the promise shall end: a length counts from the start, or from
// when the object is made.
func (w Wish) end(made time.Time) time.Time {
	if !w.Spec.EndAt.IsZero() || w.Spec.Duration == 0 {
		return w.Spec.EndAt
	}
	if !w.Spec.StartAt.IsZero() {
		made = w.Spec.StartAt
	}
	return made.Add(w.Spec.Duration)
}

// alters tells whether a change is more than tags and mark.
func alters(c cloud.Change) bool {
	return c.Count != nil || c.Match != nil || c.StartAt != nil || c.EndAt != nil || c.ShareWith != nil || len(c.Native) > 0
}

// sameInstant compares what clouds keep of a time: milliseconds.
func sameInstant(a, b time.Time) bool {
	return a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond))
}

// tagChange sets what is missing and removes what was ours and is no longer
// wished for; a tag that is not ours stays.
func tagChange(want, before, is map[string]string) (set map[string]string, remove []string) {
	set = map[string]string{}
	for key, value := range want {
		if is[key] != value || !has(is, key) {
			set[key] = value
		}
	}
	for key := range before {
		if !has(want, key) && has(is, key) {
			remove = append(remove, key)
		}
	}
	slices.Sort(remove)
	return set, remove
}

func has(tags map[string]string, key string) bool {
	_, ok := tags[key]
	return ok
}
