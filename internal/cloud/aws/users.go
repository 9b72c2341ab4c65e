package aws

import (
	"context"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Users implements cloud.UserLister. Instances of an account that the
// reservation is shared with are counted by EC2 but not named to its owner.
func (c *Cloud) Users(ctx context.Context, ref cloud.Ref) ([]string, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return nil, err
	}
	if _, err := c.read(ctx, t); err != nil {
		return nil, err
	}
	return t.api.users(ctx, t)
}

func (reservations) users(ctx context.Context, t target) ([]string, error) {
	const op = "DescribeInstances"
	ids := []string{}
	err := pages(op, func(token *string) (*string, error) {
		out, err := call(ctx, op, func(ctx context.Context) (*ec2.DescribeInstancesOutput, error) {
			return t.place.ec2.DescribeInstances(ctx, t.usersInput(token))
		})
		if err != nil {
			return nil, err
		}
		if out.Reservations == nil {
			return nil, hollow(op, "reservationSet")
		}
		for _, launch := range out.Reservations {
			for _, instance := range launch.Instances {
				ids = append(ids, awssdk.ToString(instance.InstanceId))
			}
		}
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return ids, nil
}

// usersInput asks for what occupies a slot: a stopped instance does not.
func (t target) usersInput(token *string) *ec2.DescribeInstancesInput {
	return &ec2.DescribeInstancesInput{
		Filters: []ec2types.Filter{
			{Name: awssdk.String("capacity-reservation-id"), Values: []string{t.name.id}},
			{Name: awssdk.String("instance-state-name"), Values: []string{"pending", "running"}},
		},
		MaxResults: awssdk.Int32(pageSize),
		NextToken:  token,
	}
}
