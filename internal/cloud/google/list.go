package google

import (
	"context"
	"fmt"
	"maps"
	"slices"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opList = "compute.reservations.aggregatedList"

// pageSize is the most that a list takes (discovery document, maxResults).
const pageSize = 500

// List implements cloud.Cloud: one listing of each collection over all zones of the
// project. Who is not let see future reservations has none that created another
// one, so that only their own kinds fail without.
func (c *Cloud) List(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
	project, err := c.project(ctx, scope.Account)
	if err != nil {
		return nil, err
	}
	alone, err := c.listReservations(ctx, scope.Account, project)
	if err != nil {
		return nil, cloud.Misnamed(err)
	}
	planned, err := c.listFutures(ctx, scope.Account, project)
	if scope.Kind == cloud.OnDemand && cloud.CodeOf(err) == cloud.PermissionDenied {
		return alone, nil
	}
	if err != nil {
		return nil, cloud.Misnamed(err)
	}
	return merged(alone, planned), nil
}

func (c *Cloud) listReservations(ctx context.Context, account, project string) ([]cloud.Reservation, error) {
	all := []cloud.Reservation{}
	err := pages(opList, func(token string) (string, error) {
		page, err := c.page(ctx, project, pageSize, token)
		if err != nil {
			return "", err
		}
		found, err := pageOf(page)
		if err != nil {
			return "", err
		}
		for _, r := range found {
			if err := identified(opList, r); err != nil {
				return "", err
			}
			decoded, err := c.decode(ctx, account, project, r)
			if err != nil {
				return "", err
			}
			all = append(all, decoded)
		}
		return page.GetNextPageToken(), nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// page is one page of the reservations of a project, over all zones.
func (c *Cloud) page(ctx context.Context, project string, size uint32, token string) (*computepb.ReservationAggregatedList, error) {
	cl, err := c.clients(ctx)
	if err != nil {
		return nil, err
	}
	return call(ctx, c, opList, func(ctx context.Context) (*computepb.ReservationAggregatedList, error) {
		client, err := compute.NewReservationsRESTClient(ctx, cl.options(cl.bound(ctx))...)
		if err != nil {
			return nil, err
		}
		// The iterator hides that a part is missing; its pages do not.
		it := client.AggregatedList(ctx, &computepb.AggregatedListReservationsRequest{
			Project: project, MaxResults: proto.Uint32(size),
		}, once)
		if _, _, err := it.InternalFetch(0, token); err != nil {
			return nil, err
		}
		return response[*computepb.ReservationAggregatedList](opList, it.Response)
	})
}

// response is what an iterator's page was read from.
func response[T any](op string, page any) (T, error) {
	typed, ok := page.(T)
	if !ok {
		return typed, fmt.Errorf("%s: a page is a %T", op, page)
	}
	return typed, nil
}

// pageOf are the reservations on a page, by zone.
func pageOf(page *computepb.ReservationAggregatedList) ([]*computepb.Reservation, error) {
	if page.GetKind() == "" && page.GetId() == "" && page.Items == nil {
		return nil, hollow(opList, "kind")
	}
	if err := incomplete(opList, page.GetUnreachables(), page.GetWarning()); err != nil {
		return nil, err
	}
	var all []*computepb.Reservation
	for _, zone := range slices.Sorted(maps.Keys(page.GetItems())) {
		scoped := page.GetItems()[zone]
		if err := incomplete(opList, nil, scoped.GetWarning()); err != nil {
			return nil, err
		}
		all = append(all, scoped.GetReservations()...)
	}
	return all, nil
}

// noResults is the warning of a zone that has nothing (discovery document,
// ReservationsScopedList.warning).
const noResults = "NO_RESULTS_ON_PAGE"

// incomplete is an error where an answer says that a part is missing: a list
// without it would make the missing look gone.
func incomplete(op string, unreachable []string, warning *computepb.Warning) error {
	if code := warning.GetCode(); code != "" && code != noResults {
		return &cloud.Error{
			Code: cloud.Internal, Op: op, Native: code, HTTPStatus: 200,
			Message: cloud.Clean("the list may not be complete: " + warning.GetMessage()),
		}
	}
	if len(unreachable) == 0 {
		return nil
	}
	return &cloud.Error{
		Code: cloud.Internal, Op: op, HTTPStatus: 200,
		Message: cloud.Clean(fmt.Sprintf("the list is not complete: not reached were %v", slices.Sorted(slices.Values(unreachable)))),
	}
}

// pages walks a listing to its end. A token that comes a second time would go
// round for ever.
func pages(op string, page func(token string) (next string, err error)) error {
	seen := map[string]bool{}
	token := ""
	for {
		next, err := page(token)
		if err != nil || next == "" {
			return err
		}
		if seen[next] {
			return &cloud.Error{Code: cloud.Internal, Op: op, HTTPStatus: 200, Message: "the pages of the answer repeat themselves"}
		}
		seen[next] = true
		token = next
	}
}
