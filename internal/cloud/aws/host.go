package aws

import (
	"context"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opHosts = "DescribeHosts"
	// hostPage is the most that the listings of hosts and of what is bought for
	// them take.
	hostPage = 500
)

// Native options of a dedicated host, by attribute name; both are "on" or "off".
const (
	optRecovery    = "host_recovery"
	optMaintenance = "host_maintenance"
)

// attrOption is the attribute of a native option.
func attrOption(option string) cloud.Attribute { return cloud.Attribute("aws." + option) }

// hosted tells the kinds that are a dedicated host.
func hosted(kind cloud.Kind) bool { return kind == cloud.DedicatedHost || kind == cloud.Term }

// hostKind is what can be done with a host. What it is made for is fixed; what
// is bought for it keeps it from being given back.
func hostKind(kind cloud.Kind) cloud.KindCapabilities {
	can := cloud.KindCapabilities{
		Idempotent: true,
		InPlace: []cloud.Attribute{
			cloud.AttrMatch, cloud.AttrTags, cloud.AttrName, attrOption(optRecovery), attrOption(optMaintenance),
		},
		ReleasedFree: true,
	}
	if kind == cloud.Term {
		can.ReleasedFree, can.Base = false, cloud.DedicatedHost
	}
	return can
}

// hosts is the api of dedicated hosts.
type hosts struct{ c *Cloud }

func (hosts) list(ctx context.Context, account string, p *place) ([]cloud.Reservation, error) {
	found := []ec2types.Host{}
	err := pages(opHosts, func(token *string) (*string, error) {
		some, next, err := p.hosts(ctx, &ec2.DescribeHostsInput{MaxResults: awssdk.Int32(hostPage), NextToken: token})
		found = append(found, some...)
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return p.decodeHosts(ctx, account, found)
}

func (hosts) look(ctx context.Context, t target) (r cloud.Reservation, empty bool, err error) {
	h, empty, err := t.host(ctx)
	if err != nil {
		return cloud.Reservation{}, empty, err
	}
	all, err := t.place.decodeHosts(ctx, t.ref.Account, []ec2types.Host{h})
	if err != nil {
		return cloud.Reservation{}, false, err
	}
	return all[0], false, nil
}

// users of a host are on the host itself; those of accounts that it is shared
// with are among them.
func (hosts) users(ctx context.Context, t target) ([]string, error) {
	h, _, err := t.host(ctx)
	if err != nil {
		return nil, err
	}
	return usersOf(h), nil
}

func usersOf(h ec2types.Host) []string {
	ids := make([]string, 0, len(h.Instances))
	for _, instance := range h.Instances {
		ids = append(ids, awssdk.ToString(instance.InstanceId))
	}
	slices.Sort(ids)
	return ids
}

// host asks for one host once; empty as in api.look.
func (t target) host(ctx context.Context) (h ec2types.Host, empty bool, err error) {
	found, _, err := t.place.hosts(ctx, &ec2.DescribeHostsInput{HostIds: []string{t.name.id}})
	switch {
	case err != nil:
		return ec2types.Host{}, false, err
	case len(found) == 0:
		return ec2types.Host{}, true, absent(opHosts, t.name.id)
	case len(found) > 1 || awssdk.ToString(found[0].HostId) != t.name.id:
		return ec2types.Host{}, false, elsewhere(opHosts, t.name.id)
	}
	return found[0], false, nil
}

// hosts reads one page.
func (p *place) hosts(ctx context.Context, in *ec2.DescribeHostsInput) ([]ec2types.Host, *string, error) {
	out, err := call(ctx, opHosts, func(ctx context.Context) (*ec2.DescribeHostsOutput, error) {
		return p.ec2.DescribeHosts(ctx, in)
	})
	if err != nil {
		return nil, nil, err
	}
	if out.Hosts == nil {
		return nil, nil, hollow(opHosts, "hostSet")
	}
	return out.Hosts, out.NextToken, nil
}

// decodeHosts reads native hosts. What is bought for them is asked for only if
// one of them is live: it covers no others.
func (p *place) decodeHosts(ctx context.Context, account string, found []ec2types.Host) ([]cloud.Reservation, error) {
	all := make([]cloud.Reservation, 0, len(found))
	live := false
	for _, h := range found {
		r := decodeHost(account, p.region, h)
		live = live || r.State.Live()
		all = append(all, r)
	}
	if !live {
		return all, nil
	}
	bought, err := p.hostReservations(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		cover(&all[i], found[i], bought)
	}
	return all, nil
}

// decodeHost reads a native host by itself. A host for a whole family shows no
// type, and is of no kind here: a wish names a type. Its family stands for it.
func decodeHost(account, region string, h ec2types.Host) cloud.Reservation {
	tags := tagsOf(h.Tags)
	owner := awssdk.ToString(h.OwnerId)
	n := name{partition: partitionOf(region), region: region, account: owner, id: awssdk.ToString(h.HostId)}
	r := cloud.Reservation{
		Ref:         cloud.Ref{Account: account, NativeID: n.String()},
		AccountID:   owner,
		Region:      region,
		Zone:        awssdk.ToString(h.AvailabilityZone),
		Kind:        cloud.DedicatedHost,
		Count:       1,
		InUse:       len(h.Instances),
		Match:       matchOf(h.AutoPlacement),
		State:       hostState(h.State),
		NativeState: string(h.State),
		CreatedAt:   instant(h.AllocationTime),
		StartsAt:    instant(h.AllocationTime),
		Mark:        cloud.MarkFromTags(tags),
		NativeName:  tags["Name"],
		Tags:        userTags(tags),
		Native:      map[string]string{},
	}
	if made := h.HostProperties; made != nil {
		r.InstanceType = awssdk.ToString(made.InstanceType)
		if r.InstanceType == "" {
			r.InstanceType, r.Kind = awssdk.ToString(made.InstanceFamily), ""
		}
	}
	for option, value := range map[string]string{optRecovery: string(h.HostRecovery), optMaintenance: string(h.HostMaintenance)} {
		if value != "" {
			r.Native[option] = value
		}
	}
	return r
}

// hostState maps a native state (EC2 API, Host.state). The SDK passes words
// through that it does not know.
func hostState(native ec2types.AllocationState) cloud.State {
	switch native {
	case ec2types.AllocationStateAvailable,
		// EC2 looks into a failure; what runs on it may go on.
		ec2types.AllocationStateUnderAssessment:
		return cloud.Held
	case ec2types.AllocationStatePending, ec2types.AllocationStateConfiguring:
		return cloud.Pending
	case ec2types.AllocationStateReleased,
		ec2types.AllocationStateReleasedPermanentFailure,
		ec2types.AllocationStatePermanentFailure:
		return cloud.Gone
	default:
		return cloud.Unrecognized
	}
}

// matchOf reads auto-placement: on lets any launch with host tenancy in, off
// only those that name the host.
func matchOf(placement ec2types.AutoPlacement) cloud.MatchCriteria {
	if placement == ec2types.AutoPlacementOn {
		return cloud.Open
	}
	return cloud.Targeted
}

func placementOf(match cloud.MatchCriteria) ec2types.AutoPlacement {
	if match == cloud.Open {
		return ec2types.AutoPlacementOn
	}
	return ec2types.AutoPlacementOff
}
