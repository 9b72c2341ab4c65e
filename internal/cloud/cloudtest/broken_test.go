package cloudtest_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// broken is an in-memory cloud with one method after another replaced.
type broken struct {
	*mem.Cloud
	mu   sync.Mutex
	seen map[string]bool

	capabilities func(cloud.Capabilities) cloud.Capabilities
	check        func(cloud.Spec) (cloud.Spec, []cloud.Problem)
	create       func(context.Context, cloud.CreateRequest) (cloud.Reservation, error)
	get          func(context.Context, cloud.Ref) (cloud.Reservation, error)
	list         func(context.Context, cloud.Scope) ([]cloud.Reservation, error)
	release      func(context.Context, cloud.Ref) error
	update       func(context.Context, cloud.Ref, cloud.Change) (cloud.Reservation, error)
	offers       func(context.Context, cloud.Spec) ([]cloud.Offer, error)
	longer       func(context.Context, cloud.Ref, time.Duration) ([]cloud.Offer, error)
	history      func(context.Context, cloud.Ref) ([]cloud.Extension, error)
	extend       func(context.Context, cloud.Ref, cloud.Offer) (cloud.Extension, error)
	quote        func(context.Context, cloud.Ref) (cloud.Quote, error)
	cancel       func(context.Context, cloud.Ref, cloud.Quote) error
	market       func(context.Context, cloud.MarketQuery) ([]cloud.Signal, error)
	group        func(cloud.Spec, string) string
	groupOf      func(cloud.Ref) string
	preflight    func(context.Context, cloud.Spec, string) ([]cloud.Problem, error)
}

// first tells whether a key is seen for the first time.
func (b *broken) first(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.seen[key]
	b.seen[key] = true
	return !was
}

func (b *broken) Capabilities() cloud.Capabilities {
	if b.capabilities == nil {
		return b.Cloud.Capabilities()
	}
	return b.capabilities(b.Cloud.Capabilities())
}

func (b *broken) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	if b.check == nil {
		return b.Cloud.Check(s)
	}
	return b.check(s)
}

func (b *broken) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	if b.create == nil {
		return b.Cloud.Create(ctx, req)
	}
	return b.create(ctx, req)
}

func (b *broken) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	if b.get == nil {
		return b.Cloud.Get(ctx, ref)
	}
	return b.get(ctx, ref)
}

func (b *broken) List(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
	if b.list == nil {
		return b.Cloud.List(ctx, scope)
	}
	return b.list(ctx, scope)
}

func (b *broken) Release(ctx context.Context, ref cloud.Ref) error {
	if b.release == nil {
		return b.Cloud.Release(ctx, ref)
	}
	return b.release(ctx, ref)
}

func (b *broken) Update(ctx context.Context, ref cloud.Ref, change cloud.Change) (cloud.Reservation, error) {
	if b.update == nil {
		return b.Cloud.Update(ctx, ref, change)
	}
	return b.update(ctx, ref, change)
}

func (b *broken) Offers(ctx context.Context, s cloud.Spec) ([]cloud.Offer, error) {
	if b.offers == nil {
		return b.Cloud.Offers(ctx, s)
	}
	return b.offers(ctx, s)
}

func (b *broken) ExtensionOffers(ctx context.Context, ref cloud.Ref, by time.Duration) ([]cloud.Offer, error) {
	if b.longer == nil {
		return b.Cloud.ExtensionOffers(ctx, ref, by)
	}
	return b.longer(ctx, ref, by)
}

func (b *broken) Extensions(ctx context.Context, ref cloud.Ref) ([]cloud.Extension, error) {
	if b.history == nil {
		return b.Cloud.Extensions(ctx, ref)
	}
	return b.history(ctx, ref)
}

func (b *broken) Extend(ctx context.Context, ref cloud.Ref, offer cloud.Offer) (cloud.Extension, error) {
	if b.extend == nil {
		return b.Cloud.Extend(ctx, ref, offer)
	}
	return b.extend(ctx, ref, offer)
}

func (b *broken) Quote(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
	if b.quote == nil {
		return b.Cloud.Quote(ctx, ref)
	}
	return b.quote(ctx, ref)
}

func (b *broken) Cancel(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
	if b.cancel == nil {
		return b.Cloud.Cancel(ctx, ref, quote)
	}
	return b.cancel(ctx, ref, quote)
}

func (b *broken) Market(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
	if b.market == nil {
		return b.Cloud.Market(ctx, query)
	}
	return b.market(ctx, query)
}

func (b *broken) Group(s cloud.Spec, name string) string {
	if b.group == nil {
		return b.Cloud.Group(s, name)
	}
	return b.group(s, name)
}

func (b *broken) GroupOf(ref cloud.Ref) string {
	if b.groupOf == nil {
		return b.Cloud.GroupOf(ref)
	}
	return b.groupOf(ref)
}

func (b *broken) Preflight(ctx context.Context, s cloud.Spec, name string) ([]cloud.Problem, error) {
	if b.preflight == nil {
		return b.Cloud.Preflight(ctx, s, name)
	}
	return b.preflight(ctx, s, name)
}

// reclass changes what an error says of itself.
func reclass(err error, change func(*cloud.Error)) error {
	var e *cloud.Error
	if !errors.As(err, &e) {
		return err
	}
	other := *e
	change(&other)
	return &other
}

// fault is one way to break a cloud and the check that is meant to see it.
type fault struct {
	check string
	plant func(b *broken)
}
