package cloudtest

import (
	"context"
	"errors"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// markType is the resource type in the suite's marks.
const markType = "gpu_reservation"

// bench is a world with one kind of reservation on it.
type bench struct {
	T
	World
	ctx  context.Context
	kind cloud.Kind
	can  cloud.KindCapabilities
}

func newBench(t T, w World, kind cloud.Kind) *bench {
	t.Helper()
	return &bench{T: t, World: w, ctx: t.Context(), kind: kind, can: w.Cloud.Capabilities().Kinds[kind]}
}

// root is the kind as which a create makes the reservations.
func (b *bench) root() cloud.Kind {
	if b.can.Base != "" {
		return b.can.Base
	}
	return b.kind
}

// begins is what can be done with what a create makes.
func (b *bench) begins() cloud.KindCapabilities { return b.Cloud.Capabilities().Kinds[b.root()] }

// needs skips the check where the world lacks a means.
func (b *bench) needs(given bool, means string) {
	b.Helper()
	if !given {
		b.Skipf("not checked: the harness has no %s", means)
	}
}

// optional is the cloud as one of its optional interfaces; without it the check
// is skipped.
func optional[C any](b *bench, name string) C {
	b.Helper()
	c, ok := cloud.As[C](b.Cloud)
	if !ok {
		b.Skipf("not checked: the cloud is no %s", name)
	}
	return c
}

// mark is the identity of the suite's reservation of a name.
func (b *bench) mark(name string) cloud.Mark {
	return cloud.Mark{Owner: "cloudtest/suite", Name: name, Type: markType}
}

// wish is the world's wish, completed by the driver and, where the kind is
// bought by offer, with the cheapest offer.
func (b *bench) wish() cloud.Spec {
	b.Helper()
	s := b.Wishes[b.kind]
	if b.can.ByOffer {
		offers := b.offers(s)
		s.OfferID = offers[0].ID
	}
	s, found := b.Cloud.Check(s)
	if len(found) > 0 {
		b.Fatalf("Check finds fault with the harness's wish: %v", found)
	}
	return s
}

// offers are what the wish could be met with, never none.
func (b *bench) offers(s cloud.Spec) []cloud.Offer {
	b.Helper()
	offerer, ok := cloud.As[cloud.Offerer](b.Cloud)
	if !ok {
		b.Fatalf("kind %s is bought by offer, but the cloud is no Offerer", b.kind)
	}
	offers, err := offerer.Offers(b.ctx, s)
	if err != nil || len(offers) == 0 {
		b.Fatalf("Offers(%+v) = %d offers, %v", s, len(offers), err)
	}
	return offers
}

// request is a create of a wish under a name, with its token.
func (b *bench) request(name string, s cloud.Spec) cloud.CreateRequest {
	b.Helper()
	token, err := cloud.Token(b.mark(name), s, 0)
	if err != nil {
		b.Fatalf("token: %v", err)
	}
	return cloud.CreateRequest{Spec: s, Mark: b.mark(name), Token: token}
}

// create makes a reservation of a name; it is released after the check as far as
// that is free, so that a run against a real account leaves nothing.
func (b *bench) create(name string, change ...func(*cloud.Spec)) cloud.Reservation {
	b.Helper()
	s := b.wish()
	for _, f := range change {
		f(&s)
	}
	r, err := b.try(b.request(name, s))
	if err != nil {
		b.Fatalf("Create(%s): %v", name, err)
	}
	return r
}

// try sends one create.
func (b *bench) try(req cloud.CreateRequest) (cloud.Reservation, error) {
	r, err := b.Cloud.Create(b.ctx, req)
	if err == nil && b.begins().ReleasedFree {
		b.Cleanup(func() {
			if err := b.Cloud.Release(context.WithoutCancel(b.ctx), r.Ref); err != nil {
				b.Logf("left behind: %s: %v", r.Ref.NativeID, err)
			}
		})
	}
	return r, err
}

// held makes a reservation and waits until it is promised.
func (b *bench) held(name string, change ...func(*cloud.Spec)) cloud.Reservation {
	b.Helper()
	r := b.decided(b.create(name, change...))
	if r.State != cloud.Held {
		b.Fatalf("%s is %s (%s) and not held", r.Ref.NativeID, r.State, r.NativeState)
	}
	return r
}

// running is held and has begun: some kinds are promised long before.
func (b *bench) running(name string) cloud.Reservation {
	b.Helper()
	r := b.held(name)
	if wait := r.StartsAt.Sub(b.now()); wait > 0 {
		b.needs(b.Advance != nil, "Advance")
		b.Advance(wait + time.Hour)
		r = b.get(r.Ref)
	}
	return r
}

// changeable is held and in a phase in which it changes in place: before it
// begins where the start moves, else once it has begun.
func (b *bench) changeable(name string) cloud.Reservation {
	b.Helper()
	if b.can.CanChange(cloud.AttrStart) {
		return b.held(name)
	}
	return b.running(name)
}

// amendable is held, and ready for its amendment.
func (b *bench) amendable(name string) cloud.Reservation {
	b.Helper()
	if b.can.CarriesTags() {
		return b.held(name)
	}
	return b.changeable(name)
}

// amendment is a small change, and what it makes of a reservation.
func (b *bench) amendment() (change cloud.Change, expect func(*cloud.Reservation)) {
	if b.can.CarriesTags() {
		tags := map[string]string{"team": "ml"}
		return cloud.Change{SetTags: tags}, func(r *cloud.Reservation) { r.Tags = tags }
	}
	return cloud.Change{Count: ptr(2)}, func(r *cloud.Reservation) { r.Count = 2 }
}

// decided waits until a reservation is no longer pending: some minutes, and days
// where a person or a later date decides.
func (b *bench) decided(r cloud.Reservation) cloud.Reservation {
	b.Helper()
	if b.Advance == nil {
		return b.get(r.Ref)
	}
	for i := 0; i < 200 && r.State != cloud.Held && r.State.Live(); i++ {
		switch {
		case i < 100:
			b.Advance(5 * time.Second)
		case b.can.Decided:
			b.Advance(2 * time.Hour)
		}
		r = b.get(r.Ref)
	}
	return r
}

// later is an instant that can be the end of a reservation of the wish: well
// after what may be committed.
func (b *bench) later(d time.Duration) time.Time {
	b.Helper()
	if start := b.Wishes[b.kind].StartAt; !start.IsZero() {
		return start.Add(60*24*time.Hour + d)
	}
	return b.now().Add(d)
}

// until is a change of a wish that has it end at an instant.
func until(at time.Time) func(*cloud.Spec) {
	return func(s *cloud.Spec) { s.EndAt, s.Duration = at, 0 }
}

// shifted is a wish for another time, if for any.
func shifted(s cloud.Spec, by time.Duration) cloud.Spec {
	if !s.StartAt.IsZero() {
		s.StartAt = s.StartAt.Add(by)
	}
	if !s.EndAt.IsZero() {
		s.EndAt = s.EndAt.Add(by)
	}
	return s
}

// movedOn is a wish of a past instant as it would be made now: later by whole days,
// which is all that some windows can be.
func (b *bench) movedOn(s cloud.Spec, from time.Time) cloud.Spec {
	b.Helper()
	const day = 24 * time.Hour
	return shifted(s, (b.now().Sub(from) + day - 1).Truncate(day))
}

// endOf is the end that a wish asks for, zero for none.
func endOf(s cloud.Spec) time.Time {
	if s.EndAt.IsZero() && s.Duration > 0 && !s.StartAt.IsZero() {
		return s.StartAt.Add(s.Duration)
	}
	return s.EndAt
}

func (b *bench) get(ref cloud.Ref) cloud.Reservation {
	b.Helper()
	r, err := b.Cloud.Get(b.ctx, ref)
	if err != nil {
		b.Fatalf("Get(%s): %v", ref.NativeID, err)
	}
	return r
}

func (b *bench) scope() cloud.Scope {
	s, _ := b.Cloud.Check(b.Wishes[b.kind])
	return b.scopeOf(s)
}

// scopeOf is all that a listing may cover which has what a wish made.
func (b *bench) scopeOf(s cloud.Spec) cloud.Scope {
	scope := cloud.Scope{Account: s.Account}
	if b.Cloud.Capabilities().ListedBy == cloud.ByRegion {
		scope.Region = s.Region
	}
	return scope
}

func (b *bench) list() []cloud.Reservation {
	b.Helper()
	all, err := b.Cloud.List(b.ctx, b.scope())
	if err != nil {
		b.Fatalf("List: %v", err)
	}
	return all
}

// marked are the live reservations in the list that carry the mark of a name.
func (b *bench) marked(name string) []cloud.Reservation {
	b.Helper()
	var found []cloud.Reservation
	for _, r := range b.list() {
		if r.State.Live() && r.Mark.Identifies(b.mark(name)) {
			found = append(found, r)
		}
	}
	return found
}

// exactlyOne is the one live reservation of a name.
func (b *bench) exactlyOne(name string) cloud.Reservation {
	b.Helper()
	found := b.marked(name)
	if len(found) != 1 {
		b.Fatalf("%d live reservations carry the mark of %q, want 1", len(found), name)
	}
	return found[0]
}

func (b *bench) release(ref cloud.Ref) {
	b.Helper()
	if err := b.Cloud.Release(b.ctx, ref); err != nil {
		b.Fatalf("Release(%s): %v", ref.NativeID, err)
	}
}

// now is the cloud's time, to the second.
func (b *bench) now() time.Time {
	b.Helper()
	keeper, ok := cloud.As[cloud.Timekeeper](b.Cloud)
	if !ok {
		return time.Now().UTC().Truncate(time.Second)
	}
	b.list() // the clock is told by the last answer
	s, _ := b.Cloud.Check(b.Wishes[b.kind])
	now, err := keeper.Now(b.ctx, s.Account, s.Region)
	if err != nil {
		b.Fatalf("Now: %v", err)
	}
	return now.UTC().Truncate(time.Second)
}

// wantCode demands an error of one of the codes.
func (b *bench) wantCode(what string, err error, codes ...cloud.Code) {
	b.Helper()
	_ = b.classed(what, err, codes...)
}

// classed is the error of one of the codes that err has to be.
func (b *bench) classed(what string, err error, codes ...cloud.Code) *cloud.Error {
	b.Helper()
	var e *cloud.Error
	if !errors.As(err, &e) {
		b.Fatalf("%s: %v, want an error of class %v", what, err, codes)
		return nil
	}
	for _, code := range codes {
		if cloud.CodeOf(err) == code {
			return e
		}
	}
	b.Fatalf("%s: class %q (%v), want %v", what, cloud.CodeOf(err), err, codes)
	return nil
}

// same demands two equal values; nil and empty are equal, times by instant.
func (b *bench) same(what string, got, want any) {
	b.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		b.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
