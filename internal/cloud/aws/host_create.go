package aws

import (
	"context"
	"errors"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opAllocate = "AllocateHosts"

// allocate makes a host; its term is bought once it is held.
func (c *Cloud) allocate(ctx context.Context, p *place, req cloud.CreateRequest) (cloud.Reservation, error) {
	spec := req.Spec
	out, err := call(ctx, opAllocate, func(ctx context.Context) (*ec2.AllocateHostsOutput, error) {
		return p.ec2.AllocateHosts(ctx, allocateInput(req))
	})
	if err != nil {
		return cloud.Reservation{}, hostQuota(c.explain(ctx, p, err, spec), spec.InstanceType)
	}
	if len(out.HostIds) != 1 || resourceOf(out.HostIds[0]) != resourceHost {
		return cloud.Reservation{}, hollow(opAllocate, "single host id")
	}
	id := out.HostIds[0]
	c.remember(id)
	r, err := c.read(ctx, target{
		ref: cloud.Ref{Account: spec.Account}, name: name{region: p.region, id: id}, place: p, api: hosts{c},
	})
	if err == nil {
		return r, nil
	}
	owner, unknown := c.AccountID(ctx, spec.Account)
	if unknown != nil {
		return cloud.Reservation{}, unread(id, err)
	}
	return decodeHost(spec.Account, p.region, asked(id, owner, req)), nil
}

// asked is a host that is allocated and could not be read, as it was asked for:
// it exists and costs money, so that its id must not be lost with the error. What
// became of it, later reads tell.
func asked(id, owner string, req cloud.CreateRequest) ec2types.Host {
	in := allocateInput(req)
	return ec2types.Host{
		HostId: awssdk.String(id), OwnerId: awssdk.String(owner), AvailabilityZone: in.AvailabilityZone,
		HostProperties: &ec2types.HostProperties{InstanceType: in.InstanceType}, State: ec2types.AllocationStatePending,
		AutoPlacement: in.AutoPlacement, HostRecovery: in.HostRecovery, HostMaintenance: in.HostMaintenance,
		Tags: createTags(req.Spec.Tags, req.Mark),
	}
}

// unread is the error of a host that is allocated and has no id here: neither it
// nor the account could be read. That it is not found is a reader that is late.
func unread(id string, err error) error {
	var e *cloud.Error
	if !errors.As(err, &e) {
		return err
	}
	late := *e
	late.Accepted = true
	if late.Code != cloud.Throttled {
		late.Code = cloud.Internal
	}
	late.Message = cloud.Clean("host " + id + " is allocated, but could not be read: " + e.Message)
	return &late
}

func allocateInput(req cloud.CreateRequest) *ec2.AllocateHostsInput {
	spec := req.Spec
	return &ec2.AllocateHostsInput{
		ClientToken:       awssdk.String(clientToken(req.Token)),
		InstanceType:      awssdk.String(spec.InstanceType),
		Quantity:          awssdk.Int32(1),
		AvailabilityZone:  awssdk.String(spec.Zone),
		AutoPlacement:     placementOf(spec.Match),
		HostRecovery:      ec2types.HostRecovery(spec.Native[optRecovery]),
		HostMaintenance:   ec2types.HostMaintenance(spec.Native[optMaintenance]),
		TagSpecifications: tagSpecification(ec2types.ResourceTypeDedicatedHost, createTags(spec.Tags, req.Mark)),
	}
}

// hostQuota names the limit that refused a host: the number of hosts of the
// family, which Service Quotas lists under this name.
func hostQuota(err error, instanceType string) error {
	var e *cloud.Error
	if errors.As(err, &e) && e.Quota != nil {
		e.Quota.Quota = "Running Dedicated " + hostFamily(instanceType) + " Hosts"
	}
	return err
}

// hostFamily is the part of a type before its size.
func hostFamily(instanceType string) string {
	family, _, _ := strings.Cut(instanceType, ".")
	return family
}
