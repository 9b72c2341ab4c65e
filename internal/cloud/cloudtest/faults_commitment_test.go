package cloudtest_test

import (
	"context"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// shown changes every reservation that is shown.
func shown(change func(*cloud.Reservation)) func(*broken) {
	return func(b *broken) {
		one := func(r cloud.Reservation, err error) (cloud.Reservation, error) {
			if err == nil {
				change(&r)
			}
			return r, err
		}
		b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
			return one(b.Cloud.Create(ctx, req))
		}
		b.get = func(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) { return one(b.Cloud.Get(ctx, ref)) }
		b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
			return one(b.Cloud.Update(ctx, ref, c))
		}
		b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
			all, err := b.Cloud.List(ctx, scope)
			for i := range all {
				change(&all[i])
			}
			return all, err
		}
	}
}

// quoted changes every quote.
func quoted(change func(*cloud.Quote)) func(*broken) {
	return func(b *broken) {
		b.quote = func(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
			q, err := b.Cloud.Quote(ctx, ref)
			change(&q)
			return q, err
		}
	}
}

// requoted cancels at a quote that is made there and then.
func requoted(b *broken) {
	b.cancel = func(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
		if fresh, err := b.Cloud.Quote(ctx, ref); err == nil {
			quote = fresh
		}
		return b.Cloud.Cancel(ctx, ref, quote)
	}
}

// faultyCommitments break what is told of commitments and how they end.
func faultyCommitments() map[string]fault {
	return map[string]fault{
		"commitment not told": {"release/not-free", shown(func(r *cloud.Reservation) { r.CommittedUntil = time.Time{} })},
		"committed though free": {"commitment/none", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.OnDemand {
				r.CommittedUntil = r.CreatedAt.Add(time.Hour)
			}
		})},
		"commitment beyond the end": {"commitment/told", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.Block {
				r.CommittedUntil = r.EndsAt.Add(time.Hour)
			}
		})},
		"commitment never over": {"commitment/over", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.Scheduled {
				r.CommittedUntil = r.StartsAt.Add(14 * 24 * time.Hour)
			}
		})},
		"what is still free is kept": {"commitment/free-until", func(b *broken) {
			b.release = func(ctx context.Context, ref cloud.Ref) error {
				if r, err := b.Cloud.Get(ctx, ref); err == nil && !r.CommittedUntil.IsZero() {
					return &cloud.Error{Code: cloud.Unsupported, Op: "Release"}
				}
				return b.Cloud.Release(ctx, ref)
			}
		}},
		"promised without capacity": {"refused/later", shown(func(r *cloud.Reservation) {
			if r.State == cloud.Refused {
				r.State = cloud.Held
			}
		})},
		"begins as nothing known": {"capabilities/backed", func(b *broken) {
			b.capabilities = func(c cloud.Capabilities) cloud.Capabilities {
				term := c.Kinds[cloud.Term]
				term.Base = "no_such_kind"
				c.Kinds[cloud.Term] = term
				return c
			}
		}},
		"any start taken":             {"refused/lead", anyStart},
		"quote of nothing":            {"cancel/quoted", quoted(func(q *cloud.Quote) { q.InstanceHours = 0 })},
		"quote that cancels":          {"cancel/quoted", func(b *broken) { b.quote = quotedAndGone(b) }},
		"charge for what is free":     {"cancel/free", quoted(func(q *cloud.Quote) { q.InstanceHours += 24 })},
		"billing end not as quoted":   {"cancel/at-quote", shown(func(r *cloud.Reservation) { r.BilledUntil = time.Time{} })},
		"stale quote taken":           {"cancel/stale-quote", requoted},
		"cancelled in use":            {"cancel/in-use", func(b *broken) { b.cancel = emptied(b) }},
		"cancel not idempotent":       {"cancel/at-quote", func(b *broken) { b.cancel = cancelledOnce(b) }},
		"cancel not repeatable":       {"cancel/lost", func(b *broken) { b.cancel = cancelledOnce(b) }},
		"cancel of the unknown fails": {"cancel/unknown", func(b *broken) { b.cancel = cancelledOnce(b) }},
		"block given up":              {"cancel/not-this-kind", func(b *broken) { b.cancel = cancelledAny(b) }},
		"quote for a block": {"cancel/not-this-kind", func(b *broken) {
			b.quote = func(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
				q, err := b.Cloud.Quote(ctx, ref)
				return q, reclass(err, func(e *cloud.Error) {
					if e.Code == cloud.Unsupported {
						e.Code = cloud.Conflict
					}
				})
			}
		}},
	}
}

// anyStart moves a start that is too near or too far.
func anyStart(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		r, err := b.Cloud.Create(ctx, req)
		if cloud.CodeOf(err) == cloud.Invalid && req.Spec.Kind == cloud.Scheduled && ctx.Err() == nil {
			now, _ := b.Now(ctx, "", "")
			req.Spec.StartAt = now.Add(30 * 24 * time.Hour)
			return b.Cloud.Create(ctx, req)
		}
		return r, err
	}
}

func quotedAndGone(b *broken) func(context.Context, cloud.Ref) (cloud.Quote, error) {
	return func(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
		q, err := b.Cloud.Quote(ctx, ref)
		if err == nil {
			b.SetState(ref.NativeID, cloud.Gone)
		}
		return q, err
	}
}

func emptied(b *broken) func(context.Context, cloud.Ref, cloud.Quote) error {
	return func(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
		b.SetUsers(ref.NativeID)
		return b.Cloud.Cancel(ctx, ref, quote)
	}
}

func cancelledOnce(b *broken) func(context.Context, cloud.Ref, cloud.Quote) error {
	return func(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
		r, err := b.Cloud.Get(ctx, ref)
		if err == nil && !r.State.Live() {
			err = &cloud.Error{Code: cloud.Conflict, Op: "Cancel", Message: "it is gone"}
		}
		if err != nil {
			return err
		}
		return b.Cloud.Cancel(ctx, ref, quote)
	}
}

func cancelledAny(b *broken) func(context.Context, cloud.Ref, cloud.Quote) error {
	return func(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
		err := b.Cloud.Cancel(ctx, ref, quote)
		if cloud.CodeOf(err) == cloud.Unsupported {
			b.SetState(ref.NativeID, cloud.Gone)
			return nil
		}
		return err
	}
}
