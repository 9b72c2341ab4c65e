package azure

import (
	"context"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// making is how an object is made that was not found. A PUT onto one that is there
// would change it, whosever it is: it is sent only after a look that found nothing.
type making[T any] struct {
	op string
	// put sends the PUT once and waits for what it began.
	put func(context.Context) error
	// look reads the object, once nothing is done to it any more.
	look func(context.Context) (T, error)
}

// made makes the object and returns what there is then: whoever made it, which is for
// the caller to judge by its mark. ours tells that the PUT was answered as done.
func (m making[T]) made(ctx context.Context, cl *clients) (found T, ours bool, err error) {
	again := cl.retries(m.op)
	for {
		err := m.put(ctx)
		switch {
		case obstructed(err):
			if stop := again.after(ctx, err); stop != nil {
				return found, false, stop
			}
		case err != nil && !lost(err):
			return found, false, err
		}
		found, lookErr := m.seen(ctx, cl, err)
		switch {
		case lookErr == nil:
			return found, err == nil, nil
		case !notFound(lookErr):
			return found, false, cloud.AfterWrite(lookErr)
		case err == nil:
			return found, false, &cloud.Error{
				Code: cloud.Internal, Op: m.op, Accepted: true, Message: "it was accepted, and what it makes is not to be seen",
			}
		case lost(err) && again.spent():
			return found, false, err
		}
	}
}

// seen looks for the object after a PUT. Where that may have made it, one empty
// answer is no proof that it did not.
func (m making[T]) seen(ctx context.Context, cl *clients, put error) (T, error) {
	for polls := 0; ; polls++ {
		found, err := m.look(ctx)
		if !notFound(err) || obstructed(put) || polls >= maxTries-1 {
			return found, err
		}
		if err := cl.pause(ctx, m.op, pollPause(polls)); err != nil {
			return found, err
		}
	}
}
