package capacity

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Finding is what a read found.
type Finding int

// What a read can find.
const (
	// Present: the reservation is as told.
	Present Finding = iota
	// Vanished: it is gone, and the state should forget it.
	Vanished
	// Kept: the state stays as it is.
	Kept
	// Left: it was given up and something of it is left. The state keeps every
	// value, and its status becomes the reading's, so that a destroy removes the
	// rest and an apply replaces it.
	Left
)

// Reading is the answer of Read.
type Reading struct {
	Finding     Finding
	Reservation cloud.Reservation
	Status      Status
	Notices     []Notice
}

// Read looks at what a state remembers. Many reads of one run share a listing;
// what a listing does not show is read by its id before it counts as gone.
func (m *Manager) Read(ctx context.Context, h Holder) (Reading, error) {
	c, err := m.Cloud(h.Cloud)
	if err != nil {
		return Reading{}, err
	}
	if err := m.realm(ctx, c, h); err != nil {
		return Reading{}, err
	}
	items, err := m.list(ctx, c, h.scope(c), fresh)
	if err != nil {
		return Reading{}, failed(err, "Cannot read reservation", "%s: %s", h, describe(c, err))
	}
	r, listed := items[h.Ref.NativeID]
	if !listed {
		r, err = c.Get(ctx, h.Ref)
		if cloud.CodeOf(err) == cloud.NotFound {
			return m.absent(ctx, h)
		}
		if err != nil {
			return Reading{}, failed(err, "Cannot read reservation", "%s: %s", h, describe(c, err))
		}
	}
	if base := c.Capabilities().Kinds[h.Kind].Base; base != "" && base == r.Kind {
		return m.withoutTerm(ctx, h, r)
	}
	return m.judge(h, r), nil
}

// withoutTerm reads an object that lacks the term its holder has. One that is over
// is no drift; one that cannot be over yet was never paid, and is to be bought.
func (m *Manager) withoutTerm(ctx context.Context, h Holder, r cloud.Reservation) (Reading, error) {
	r.Kind = h.Kind
	reading := m.judge(h, r)
	if reading.Finding != Present || reading.Status != Held || h.TermMonths == 0 {
		return reading, nil
	}
	now, err := m.Now(ctx, h.Cloud, h.Ref.Account, h.Region)
	// No month is shorter, and no term older than its object.
	if err == nil && now.Before(r.CreatedAt.Add(time.Duration(h.TermMonths)*28*day)) {
		reading.Status = Degraded
		reading.Notices = append(reading.Notices, Notice{cloud.AttrTerm, "Term is not there", fmt.Sprintf(
			"%s has no term, although one was bought: it was not paid. The next apply buys it.", h)})
	}
	return reading, err
}

// absent decides what it means that the cloud does not know the id.
func (m *Manager) absent(ctx context.Context, h Holder) (Reading, error) {
	past, err := m.pastEnd(ctx, h)
	if err != nil {
		return Reading{}, err
	}
	if past {
		return Reading{Finding: Kept}, nil
	}
	return Reading{Finding: Vanished, Notices: []Notice{gone(h, "the cloud does not know it any more")}}, nil
}

// pastEnd tells whether the holder's end has come, by the cloud's clock.
func (m *Manager) pastEnd(ctx context.Context, h Holder) (bool, error) {
	if h.EndsAt.IsZero() {
		return false, nil
	}
	now, err := m.Now(ctx, h.Cloud, h.Ref.Account, h.Region)
	return err == nil && !now.Before(h.EndsAt), err
}

// nativeNames tells whether a cloud knows its objects by their names.
func (m *Manager) nativeNames(cloudName string) bool {
	c, err := m.Cloud(cloudName)
	return err == nil && c.Capabilities().NativeName
}

func gone(h Holder, why string) Notice {
	return Notice{"", "Reservation is gone", fmt.Sprintf(
		"%s was given up outside of Terraform: %s. It is removed from the state.", h, why)}
}

// judge decides what the object's state means to its holder.
func (m *Manager) judge(h Holder, r cloud.Reservation) Reading {
	if !m.ours(h, r) {
		return Reading{Finding: Kept, Notices: []Notice{foreign(h, r)}}
	}
	switch r.State {
	case cloud.Gone:
		if r.Remains {
			return left(h, r)
		}
		why := "it is " + r.NativeState
		if !r.BilledUntil.IsZero() {
			why += fmt.Sprintf(", and is paid for until %s", stamp(r.BilledUntil))
		}
		if m.nativeNames(h.Cloud) {
			why += ". What is left of it keeps its name taken; the next create of that name removes it"
		}
		return Reading{Finding: Vanished, Notices: []Notice{gone(h, why)}}
	case cloud.Ended:
		return Reading{Finding: Kept}
	case cloud.Leaving:
		return Reading{Finding: Kept, Notices: []Notice{{"", "Reservation is being given up", fmt.Sprintf(
			"%s is %s. It stays in the state until it is gone: it is held again if that fails.", h, r.NativeState)}}}
	}
	return present(h, r)
}

// left is a reading of what a release that did not end left behind.
func left(h Holder, r cloud.Reservation) Reading {
	return Reading{Finding: Left, Reservation: r, Status: Refused, Notices: []Notice{{"status", "Reservation was given up only in part", fmt.Sprintf(
		"%s holds nothing any more, and its release did not end: %s. It stays in the state, so that a destroy removes what is left and "+
			"an apply replaces it.", h, r.NativeState)}}}
}

func foreign(h Holder, r cloud.Reservation) Notice {
	if r.Mark.Claim == "" && h.Mark.Claim == "" {
		return Notice{"owner", "Reservation was taken over", fmt.Sprintf(
			"%s carries the mark owner %q, name %q; this state is of owner %q. It is left alone.", h, r.Mark.Owner, r.Mark.Name, h.Mark.Owner)}
	}
	return Notice{"claim_id", "Reservation was taken over", fmt.Sprintf(
		"%s now carries claim %q of owner %q, name %q; this state holds claim %q. It is left alone.",
		h, r.Mark.Claim, r.Mark.Owner, r.Mark.Name, h.Mark.Claim)}
}

// present is a reading of an object that counts, with its status: a status
// changes on a read only from pending to held, or together with an action that
// the same plan proposes.
func present(h Holder, r cloud.Reservation) Reading {
	reading := Reading{Finding: Present, Reservation: r, Status: h.Status}
	switch {
	case r.State == cloud.Refused:
		reading.Status = Refused
	case h.Status == Degraded, r.Unsettled:
		reading.Status = Degraded
	case r.State == cloud.Held:
		reading.Status = Held
	case h.Status == "":
		reading.Status = Pending
	}
	if r.Missing > 0 {
		reading.Notices = append(reading.Notices, partly(r))
	}
	if r.Unsettled {
		reading.Notices = append(reading.Notices, unsettled(h, r))
	}
	if len(r.Unresolved) > 0 {
		reading.Notices = append(reading.Notices, unresolved(h, r))
	}
	if r.State == cloud.Unrecognized {
		reading.Notices = append(reading.Notices, Notice{"status", "State not recognized", fmt.Sprintf(
			"%s is %q, which this version of the provider does not know. It counts as not yet held.", h, r.NativeState)})
	}
	return reading
}

// unsettled says that a change that failed is in the way of what an object holds.
func unsettled(h Holder, r cloud.Reservation) Notice {
	return Notice{cloud.AttrCount, "Reservation cannot be used", fmt.Sprintf(
		"%s holds %d × %s and is %s: a change such as a growth failed and was not set back. What uses it goes on, and nothing new can "+
			"until the count is written again, which the next apply does.", h, r.Count, r.InstanceType, r.NativeState)}
}

// Live reads the object itself, past every listing, and tells whether it holds
// or may come to hold capacity.
func (m *Manager) Live(ctx context.Context, h Holder) (cloud.Reservation, bool, error) {
	c, err := m.Cloud(h.Cloud)
	if err != nil {
		return cloud.Reservation{}, false, err
	}
	if err := m.realm(ctx, c, h); err != nil {
		return cloud.Reservation{}, false, err
	}
	r, err := c.Get(ctx, h.Ref)
	if cloud.CodeOf(err) == cloud.NotFound {
		return r, false, nil
	}
	if err != nil {
		return r, false, failed(err, "Cannot read reservation", "%s: %s", h, describe(c, err))
	}
	return r, r.State.Live(), nil
}

// Import reads the object that a person's id names.
func (m *Manager) Import(ctx context.Context, cloudName, account, id string) (cloud.Reservation, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return cloud.Reservation{}, err
	}
	importer, ok := cloud.As[cloud.Importer](c)
	if !ok {
		return cloud.Reservation{}, refuse("", "Cannot import", "%s has no import.", c.Capabilities().Title)
	}
	ref, err := importer.ParseID(ctx, account, id)
	if err != nil {
		return cloud.Reservation{}, failed(err, "Cannot import", "%s", describe(c, err))
	}
	r, err := c.Get(ctx, ref)
	if cloud.CodeOf(err) == cloud.NotFound {
		return r, failed(err, "Cannot import, not found", "%s has no reservation %s.", c.Capabilities().Title, ref.NativeID)
	}
	if err != nil {
		return r, failed(err, "Cannot import", "%s: %s", ref.NativeID, describe(c, err))
	}
	if r.State.GivenUp() {
		return r, refuse("", "Cannot import, it is gone", "%s is %s.", ref.NativeID, r.NativeState)
	}
	return r, nil
}

// List returns every reservation of a place, from a listing made now. One that does
// not list by region has more than the place's.
func (m *Manager) List(ctx context.Context, cloudName, account, region string) ([]cloud.Reservation, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return nil, err
	}
	items, err := m.list(ctx, c, scopeOf(c, account, region, "", ""), 0)
	if err != nil {
		return nil, failed(err, "Cannot list reservations", "%s", describe(c, err))
	}
	sorted := slices.SortedFunc(maps.Values(items), func(a, b cloud.Reservation) int {
		return cmp.Compare(a.Ref.NativeID, b.Ref.NativeID)
	})
	return slices.DeleteFunc(sorted, func(r cloud.Reservation) bool { return region != "" && r.Region != region }), nil
}
