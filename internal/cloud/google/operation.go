package google

import (
	"context"
	"errors"
	"strings"
	"time"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opPoll  = "compute.zoneOperations.get"
	opQueue = "compute.zoneOperations.list"
)

// pollEvery is the pause between two looks at an operation. The first two are
// shorter, because most operations on a reservation take a few seconds.
const pollEvery = 5 * time.Second

func pollPause(polls int) time.Duration {
	return min(time.Second<<min(polls, 3), pollEvery)
}

// starter sends a write under a request id.
type starter func(ctx context.Context, requestID *string) (*compute.Operation, error)

// start sends a write and returns the operation that it began.
func (c *Cloud) start(ctx context.Context, op, requestID string, send starter) (*computepb.Operation, error) {
	return call(ctx, c, op, func(ctx context.Context) (*computepb.Operation, error) {
		handle, err := send(ctx, proto.String(requestID))
		if err != nil {
			return nil, err
		}
		if o := handle.Proto(); o.GetName() != "" {
			return o, nil
		}
		return nil, hollow(op, "name")
	})
}

// write begins an operation and waits for its end. The request id is one for all
// tries of this call.
func (c *Cloud) write(ctx context.Context, t target, op string, send starter) error {
	o, err := c.start(ctx, op, freshID(), send)
	if err != nil {
		return err
	}
	return c.await(ctx, t, op, o)
}

// await looks at an operation until it is done and returns what it failed with.
// The client library's own wait does not see a failure without an HTTP status.
// Not seeing the operation for a while is not its end.
func (c *Cloud) await(ctx context.Context, t target, op string, o *computepb.Operation) error {
	misses := 0
	wait := pollPause(0)
	for polls := 1; o.GetStatus() != computepb.Operation_DONE; polls++ {
		if err := clock.Pause(ctx, c.clock, wait); errors.Is(err, clock.ErrNoTime) {
			return unfinished(op, o)
		} else if err != nil {
			return cutShort(ctx, op, nil)
		}
		next, err := c.poll(ctx, t, o)
		var missed *cloud.Error
		switch {
		case err == nil:
			o, misses, wait = next, 0, pollPause(polls)
		case !errors.As(err, &missed):
			return err
		default:
			if misses++; misses >= maxTries || !passes(missed) {
				return unseen(op, o, missed)
			}
			wait = max(pollEvery, missed.RetryAfter)
		}
	}
	if failed := failure(op, o); failed != nil {
		return failed
	}
	return nil
}

func (c *Cloud) poll(ctx context.Context, t target, o *computepb.Operation) (*computepb.Operation, error) {
	return call(ctx, c, opPoll, func(ctx context.Context) (*computepb.Operation, error) {
		next, err := t.clients.operations.Get(ctx, &computepb.GetZoneOperationRequest{
			Project: t.name.project, Zone: t.name.zone, Operation: o.GetName(),
		}, once)
		if err == nil && next.GetName() != o.GetName() {
			return nil, hollow(opPoll, "name")
		}
		return next, err
	})
}

// passes tells whether looking again may help.
func passes(e *cloud.Error) bool {
	return e.Code == cloud.Throttled || e.Code == cloud.Internal
}

// unfinished is the error of a wait that the deadline ended.
func unfinished(op string, o *computepb.Operation) *cloud.Error {
	return &cloud.Error{
		Code: cloud.Internal, Op: op, Accepted: true,
		Message: "operation " + o.GetName() + " was still " + strings.ToLower(o.GetStatus().String()) + " at the deadline",
	}
}

// unseen is the error of a wait that lost sight of the operation. What a look is
// answered is not said of the reservation.
func unseen(op string, o *computepb.Operation, missed *cloud.Error) *cloud.Error {
	lost := *missed
	lost.Op, lost.Accepted, lost.Quota = op, true, nil
	lost.Message = cloud.Clean("the end of operation " + o.GetName() + " could not be seen: " + missed.Error())
	if lost.Code != cloud.Throttled && lost.Code != cloud.PermissionDenied {
		lost.Code = cloud.Internal
	}
	return &lost
}

// join waits for what already runs on an object, whoever began it, and tells
// whether anything did. How it ended is for the caller's own request to find out.
func (c *Cloud) join(ctx context.Context, t target) (bool, error) {
	running, err := c.running(ctx, t)
	if err != nil {
		return false, err
	}
	for _, o := range running {
		err := c.await(ctx, t, opPoll, o)
		if err != nil && cloud.MaybeAccepted(err) {
			return true, err
		}
	}
	return len(running) > 0, nil
}

// running are the operations on an object that are not done.
func (c *Cloud) running(ctx context.Context, t target) ([]*computepb.Operation, error) {
	var all []*computepb.Operation
	err := pages(opQueue, func(token string) (string, error) {
		page, err := c.queue(ctx, t, token)
		for _, o := range page.GetItems() {
			if o.GetStatus() != computepb.Operation_DONE && t.name.linked(o.GetTargetLink()) {
				all = append(all, o)
			}
		}
		return page.GetNextPageToken(), err
	})
	return all, err
}

func (c *Cloud) queue(ctx context.Context, t target, token string) (*computepb.OperationList, error) {
	return call(ctx, c, opQueue, func(ctx context.Context) (*computepb.OperationList, error) {
		client, err := compute.NewZoneOperationsRESTClient(ctx, t.clients.options(t.clients.bound(ctx))...)
		if err != nil {
			return nil, err
		}
		it := client.List(ctx, &computepb.ListZoneOperationsRequest{
			Project: t.name.project, Zone: t.name.zone, MaxResults: proto.Uint32(pageSize),
			Filter: proto.String("status != DONE"),
		}, once)
		if _, _, err := it.InternalFetch(0, token); err != nil {
			return nil, err
		}
		return response[*computepb.OperationList](opQueue, it.Response)
	})
}

// linked tells whether a link is to this object, by id or number of its project.
func (n name) linked(link string) bool {
	return strings.HasSuffix(link, "/zones/"+n.zone+"/"+string(n.collection)+"/"+n.id)
}
