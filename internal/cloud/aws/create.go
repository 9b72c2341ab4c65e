package aws

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// maxToken is the longest client token (EC2 Developer Guide, "Ensuring
// idempotency"): 64 ASCII characters.
const maxToken = 64

// Create implements cloud.Cloud.
func (c *Cloud) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	const op = "CreateCapacityReservation"
	spec, wrong := c.Check(req.Spec)
	if spec.Duration > 0 && spec.EndAt.IsZero() {
		// EC2 takes an instant, and a second try must send the same one.
		wrong = append(wrong, cloud.Problem{Attribute: attrDuration, Detail: "must come with the instant it leads to"})
	}
	if len(wrong) > 0 {
		return cloud.Reservation{}, refuse(op, wrong)
	}
	p, err := c.place(ctx, spec.Account, spec.Region)
	if err != nil {
		return cloud.Reservation{}, err
	}
	out, err := call(ctx, op, func(ctx context.Context) (*ec2.CreateCapacityReservationOutput, error) {
		return p.ec2.CreateCapacityReservation(ctx, createInput(spec, req))
	})
	if err != nil {
		return cloud.Reservation{}, c.explain(ctx, err, spec)
	}
	made := out.CapacityReservation
	if made == nil || awssdk.ToString(made.CapacityReservationId) == "" {
		return cloud.Reservation{}, hollow(op, "capacityReservationId")
	}
	c.remember(*made.CapacityReservationId)
	return decode(spec.Account, p.region, *made), nil
}

// refuse turns what Check found into the error of a create that was not sent.
func refuse(op string, wrong []cloud.Problem) error {
	e := &cloud.Error{Code: cloud.Invalid, Op: op}
	parts := make([]string, 0, len(wrong))
	for _, w := range wrong {
		if w.Attribute == cloud.AttrKind {
			e.Code = cloud.Unsupported
		}
		parts = append(parts, string(w.Attribute)+": "+w.Detail)
	}
	e.Message = cloud.Clean(strings.Join(parts, "; "))
	return e
}

func createInput(spec cloud.Spec, req cloud.CreateRequest) *ec2.CreateCapacityReservationInput {
	in := &ec2.CreateCapacityReservationInput{
		ClientToken:           awssdk.String(clientToken(req.Token)),
		InstanceType:          awssdk.String(spec.InstanceType),
		InstancePlatform:      ec2types.CapacityReservationInstancePlatform(spec.Native[optPlatform]),
		InstanceCount:         awssdk.Int32(int32(spec.Count)), // Check holds it to 1..1000.
		AvailabilityZone:      awssdk.String(spec.Zone),
		Tenancy:               ec2types.CapacityReservationTenancy(spec.Native[optTenancy]),
		InstanceMatchCriteria: ec2types.InstanceMatchCriteria(spec.Match),
		EndDateType:           ec2types.EndDateTypeUnlimited,
	}
	if arn := spec.Native[optPlacement]; arn != "" {
		in.PlacementGroupArn = awssdk.String(arn)
	}
	if !spec.EndAt.IsZero() {
		in.EndDateType, in.EndDate = ec2types.EndDateTypeLimited, awssdk.Time(spec.EndAt)
	}
	if tags := createTags(spec.Tags, req.Mark); len(tags) > 0 {
		in.TagSpecifications = []ec2types.TagSpecification{{
			ResourceType: ec2types.ResourceTypeCapacityReservation,
			Tags:         tags,
		}}
	}
	return in
}

// clientToken is always sent: without one a repeated request would make a
// second reservation.
func clientToken(token string) string {
	if token == "" {
		return rand.Text()
	}
	return token[:min(len(token), maxToken)]
}

// explain adds to a refusal what only the wish tells: whose limit it was, and
// which zones other than the one asked for were named.
func (c *Cloud) explain(ctx context.Context, err error, spec cloud.Spec) error {
	var e *cloud.Error
	if !errors.As(err, &e) {
		return err
	}
	e.ZoneHints = without(e.ZoneHints, spec.Zone)
	if e.Code == cloud.QuotaExceeded {
		scope := c.scope(ctx, spec.Account, spec.Region, spec.InstanceType)
		e.Quota = &scope
	}
	return err
}

// freshFor is how long after its creation EC2 may still deny that an id exists.
const freshFor = 5 * time.Minute

func (c *Cloud) remember(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	for known, made := range c.fresh {
		if now.Sub(made) > freshFor {
			delete(c.fresh, known)
		}
	}
	c.fresh[id] = now
}

func (c *Cloud) isFresh(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	made, ok := c.fresh[id]
	return ok && c.clock.Now().Sub(made) <= freshFor
}
