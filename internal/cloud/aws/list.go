package aws

import (
	"context"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// pageSize is the most that DescribeCapacityReservations takes.
const pageSize = 1000

// List implements cloud.Cloud. Reservations that other accounts share with this
// one are among them, with their owner in AccountID.
func (c *Cloud) List(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
	p, err := c.place(ctx, scope.Account, scope.Region)
	if err != nil {
		return nil, err
	}
	all := []cloud.Reservation{}
	for _, of := range resourcesOf(scope.Kind) {
		found, err := c.api(of).list(ctx, scope.Account, p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// resourcesOf are the sorts of object that can be of a kind; "" is every kind.
func resourcesOf(kind cloud.Kind) []resource {
	switch {
	case kind == "":
		return []resource{resourceReservation, resourceHost}
	case hosted(kind):
		return []resource{resourceHost}
	}
	return []resource{resourceReservation}
}

func (reservations) list(ctx context.Context, account string, p *place) ([]cloud.Reservation, error) {
	all := []cloud.Reservation{}
	err := pages(opDescribe, func(token *string) (*string, error) {
		found, next, err := p.page(ctx, token)
		for _, r := range found {
			all = append(all, p.decode(account, r))
		}
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (p *place) page(ctx context.Context, token *string) ([]ec2types.CapacityReservation, *string, error) {
	out, err := call(ctx, opDescribe, func(ctx context.Context) (*ec2.DescribeCapacityReservationsOutput, error) {
		return p.ec2.DescribeCapacityReservations(ctx, &ec2.DescribeCapacityReservationsInput{
			MaxResults: awssdk.Int32(pageSize), NextToken: token,
		})
	})
	if err != nil {
		return nil, nil, err
	}
	if out.CapacityReservations == nil {
		return nil, nil, hollow(opDescribe, "capacityReservationSet")
	}
	return out.CapacityReservations, out.NextToken, nil
}

// pages walks a listing to its end. EC2 ends one with an absent or an empty
// token, and refuses to be sent an empty one; a token that comes a second time
// would go round for ever.
func pages(op string, page func(token *string) (next *string, err error)) error {
	seen := map[string]bool{}
	var token *string
	for {
		next, err := page(token)
		if err != nil {
			return err
		}
		if awssdk.ToString(next) == "" {
			return nil
		}
		if seen[*next] {
			return &cloud.Error{Code: cloud.Internal, Op: op, HTTPStatus: 200, Message: "the pages of the answer repeat themselves"}
		}
		seen[*next] = true
		token = next
	}
}
