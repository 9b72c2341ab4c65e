package google

import (
	"context"
	"maps"
	"slices"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opFutureList = "compute.futureReservations.aggregatedList"

// plannedReservation is a future reservation with what it created.
type plannedReservation struct {
	reservation cloud.Reservation
	delivered   []name
}

// listFutures are all of a project, without the use that is made of them.
func (c *Cloud) listFutures(ctx context.Context, account, project string) ([]plannedReservation, error) {
	all := []plannedReservation{}
	err := pages(opFutureList, func(token string) (string, error) {
		page, err := c.futurePage(ctx, project, token)
		if err != nil {
			return "", err
		}
		found, err := futuresOn(page)
		if err != nil {
			return "", err
		}
		for _, f := range found {
			if err := identified(opFutureList, f); err != nil {
				return "", err
			}
			r, err := c.decodeFuture(ctx, account, project, f)
			if err != nil {
				return "", err
			}
			all = append(all, plannedReservation{reservation: r, delivered: deliveredBy(project, f)})
		}
		return page.GetNextPageToken(), nil
	})
	return all, err
}

func (c *Cloud) futurePage(ctx context.Context, project, token string) (*computepb.FutureReservationsAggregatedListResponse, error) {
	cl, err := c.clients(ctx)
	if err != nil {
		return nil, err
	}
	return call(ctx, c, opFutureList, func(ctx context.Context) (*computepb.FutureReservationsAggregatedListResponse, error) {
		client, err := compute.NewFutureReservationsRESTClient(ctx, cl.options(cl.bound(ctx))...)
		if err != nil {
			return nil, err
		}
		it := client.AggregatedList(ctx, &computepb.AggregatedListFutureReservationsRequest{
			Project: project, MaxResults: proto.Uint32(pageSize),
		}, once)
		if _, _, err := it.InternalFetch(0, token); err != nil {
			return nil, err
		}
		return response[*computepb.FutureReservationsAggregatedListResponse](opFutureList, it.Response)
	})
}

// futuresOn are the future reservations on a page, by zone.
func futuresOn(page *computepb.FutureReservationsAggregatedListResponse) ([]*computepb.FutureReservation, error) {
	if page.GetKind() == "" && page.GetId() == "" && page.Items == nil {
		return nil, hollow(opFutureList, "kind")
	}
	if err := incomplete(opFutureList, page.GetUnreachables(), page.GetWarning()); err != nil {
		return nil, err
	}
	var all []*computepb.FutureReservation
	for _, zone := range slices.Sorted(maps.Keys(page.GetItems())) {
		scoped := page.GetItems()[zone]
		if err := incomplete(opFutureList, nil, scoped.GetWarning()); err != nil {
			return nil, err
		}
		all = append(all, scoped.GetFutureReservations()...)
	}
	return all, nil
}

// merged puts each reservation that a future one created into it; the rest are
// reservations of their own.
func merged(alone []cloud.Reservation, planned []plannedReservation) []cloud.Reservation {
	inUse, delivered := map[string]int{}, map[string]bool{}
	for _, r := range alone {
		inUse[r.Ref.NativeID] = r.InUse
	}
	all := []cloud.Reservation{}
	for _, f := range planned {
		for _, n := range f.delivered {
			f.reservation.InUse += inUse[n.String()]
			delivered[n.String()] = true
		}
		all = append(all, f.reservation)
	}
	for _, r := range alone {
		if !delivered[r.Ref.NativeID] {
			all = append(all, r)
		}
	}
	return all
}
