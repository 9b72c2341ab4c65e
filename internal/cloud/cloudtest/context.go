package cloudtest

import (
	"context"
	"errors"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func contextChecks() []check {
	return []check{
		{name: "passed-through", run: func(b *bench) {
			r := b.held("context")
			req := b.request("never", b.wish())
			for method, call := range b.calls(r.Ref, req) {
				ctx, cancel := context.WithCancel(b.ctx)
				cancel()
				err := call(ctx)
				if !errors.Is(err, context.Canceled) || cloud.CodeOf(err) != "" {
					b.Errorf("%s with an ended context: %v (class %q), want the context's own error",
						method, err, cloud.CodeOf(err))
				}
			}
			if found := b.marked("never"); len(found) != 0 {
				b.Errorf("Create with an ended context made %d reservations", len(found))
			}
			if got := b.get(r.Ref); !got.State.Live() {
				b.Errorf("Release with an ended context left state %s", got.State)
			}
		}},
	}
}

// calls are the methods that always ask the cloud.
func (b *bench) calls(ref cloud.Ref, req cloud.CreateRequest) map[string]func(context.Context) error {
	calls := map[string]func(context.Context) error{
		"Create": func(ctx context.Context) error { _, err := b.Cloud.Create(ctx, req); return err },
		"Get":    func(ctx context.Context) error { _, err := b.Cloud.Get(ctx, ref); return err },
		"List":   func(ctx context.Context) error { _, err := b.Cloud.List(ctx, b.scope()); return err },
		"Release": func(ctx context.Context) error {
			return b.Cloud.Release(ctx, ref)
		},
	}
	b.moneyCalls(calls, ref)
	if preflighter, ok := cloud.As[cloud.Preflighter](b.Cloud); ok {
		calls["Preflight"] = func(ctx context.Context) error {
			_, err := preflighter.Preflight(ctx, req.Spec, req.Mark.Name)
			return err
		}
	}
	if updater, ok := cloud.As[cloud.Updater](b.Cloud); ok && amended(b.can) {
		change, _ := b.amendment()
		calls["Update"] = func(ctx context.Context) error {
			_, err := updater.Update(ctx, ref, change)
			return err
		}
	}
	if lister, ok := cloud.As[cloud.UserLister](b.Cloud); ok {
		calls["Users"] = func(ctx context.Context) error { _, err := lister.Users(ctx, ref); return err }
	}
	return calls
}

// moneyCalls adds the methods that tell prices or spend.
func (b *bench) moneyCalls(calls map[string]func(context.Context) error, ref cloud.Ref) {
	if extender, ok := cloud.As[cloud.Extender](b.Cloud); ok && b.ExtendBy > 0 && b.can.CanChange(cloud.AttrDuration) {
		offer := b.extension(extender, ref)
		calls["ExtensionOffers"] = func(ctx context.Context) error {
			_, err := extender.ExtensionOffers(ctx, ref, b.ExtendBy)
			return err
		}
		calls["Extensions"] = func(ctx context.Context) error { _, err := extender.Extensions(ctx, ref); return err }
		calls["Extend"] = func(ctx context.Context) error {
			_, err := extender.Extend(ctx, ref, offer)
			return err
		}
	}
	if canceller, ok := cloud.As[cloud.Canceller](b.Cloud); ok && slices.Contains(b.Cancellable, b.kind) {
		calls["Quote"] = func(ctx context.Context) error { _, err := canceller.Quote(ctx, ref); return err }
		calls["Cancel"] = func(ctx context.Context) error { return canceller.Cancel(ctx, ref, cloud.Quote{ID: "never"}) }
	}
	if reader, ok := cloud.As[cloud.MarketReader](b.Cloud); ok {
		query := b.query()
		calls["Market"] = func(ctx context.Context) error { _, err := reader.Market(ctx, query); return err }
	}
}
