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

const opCreate = "CreateCapacityReservation"

// maker makes one kind of reservation of a wish that Check completed and found
// nothing wrong with.
type maker func(*Cloud, context.Context, *place, cloud.CreateRequest) (cloud.Reservation, error)

func makers() map[cloud.Kind]maker {
	return map[cloud.Kind]maker{
		cloud.OnDemand:      (*Cloud).reserve,
		cloud.Scheduled:     (*Cloud).reserve,
		cloud.Block:         (*Cloud).buyBlock,
		cloud.DedicatedHost: (*Cloud).allocate,
		cloud.Term:          (*Cloud).allocate,
	}
}

// Create implements cloud.Cloud.
func (c *Cloud) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	spec, wrong := c.Check(req.Spec)
	if spec.Kind == cloud.OnDemand && spec.Duration > 0 && spec.EndAt.IsZero() {
		// EC2 takes an instant, and a second try must send the same one.
		wrong = append(wrong, cloud.Problem{Attribute: attrDuration, Detail: "must come with the instant it leads to"})
	}
	if len(wrong) > 0 {
		return cloud.Reservation{}, refuse(opCreate, wrong)
	}
	p, err := c.place(ctx, spec.Account, spec.Region)
	if err != nil {
		return cloud.Reservation{}, err
	}
	req.Spec = spec
	return makers()[spec.Kind](c, ctx, p, req)
}

// reserve makes what starts at once, or at a date of its own.
func (c *Cloud) reserve(ctx context.Context, p *place, req cloud.CreateRequest) (cloud.Reservation, error) {
	out, err := call(ctx, opCreate, func(ctx context.Context) (*ec2.CreateCapacityReservationOutput, error) {
		return p.ec2.CreateCapacityReservation(ctx, createInput(req))
	})
	if err != nil {
		return cloud.Reservation{}, c.explain(ctx, p, err, req.Spec)
	}
	made := out.CapacityReservation
	if made == nil || awssdk.ToString(made.CapacityReservationId) == "" {
		return cloud.Reservation{}, hollow(opCreate, "capacityReservationId")
	}
	c.remember(*made.CapacityReservationId)
	return p.decode(req.Spec.Account, *made), nil
}

// refuse turns what Check found into the error of what was not sent.
func refuse(op string, wrong []cloud.Problem) *cloud.Error {
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

func createInput(req cloud.CreateRequest) *ec2.CreateCapacityReservationInput {
	spec := req.Spec
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
	scheduleInput(in, spec)
	in.TagSpecifications = tagSpecification(ec2types.ResourceTypeCapacityReservation, createTags(spec.Tags, req.Mark))
	return in
}

// tagSpecification is nil without tags: EC2 refuses one that is empty.
func tagSpecification(of ec2types.ResourceType, tags []ec2types.Tag) []ec2types.TagSpecification {
	if len(tags) == 0 {
		return nil
	}
	return []ec2types.TagSpecification{{ResourceType: of, Tags: tags}}
}

// clientToken is always sent: without one a repeated request would make a
// second reservation.
func clientToken(token string) string {
	if token == "" {
		return rand.Text()
	}
	return token[:min(len(token), maxToken)]
}

// explain adds to a refusal what only the wish tells: whose limit it was, which
// zones other than the one asked for were named, and whether the start was out
// of bounds. The bounds are held against the wish only now: a second try with
// the same token may come when the start is too near for a first one.
func (c *Cloud) explain(ctx context.Context, p *place, err error, spec cloud.Spec) error {
	var e *cloud.Error
	if !errors.As(err, &e) {
		return err
	}
	e.ZoneHints = without(e.ZoneHints, spec.Zone)
	switch e.Code {
	case cloud.QuotaExceeded:
		scope := c.scope(ctx, spec.Account, spec.Region, spec.InstanceType)
		e.Quota = &scope
	case cloud.Invalid:
		if now, ok := p.dates.Now(); ok {
			e.Message = cloud.Clean(joined(outOfLead(spec, now), e.Message))
		}
	}
	return err
}

// joined puts a reason of ours before what the cloud said.
func joined(reason, message string) string {
	if reason == "" {
		return message
	}
	return reason + ": " + message
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
