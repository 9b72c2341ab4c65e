package aws

import (
	"context"
	"errors"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opModifyHosts  = "ModifyHosts"
	opReleaseHosts = "ReleaseHosts"
)

func (hosts) differs(now cloud.Reservation, change cloud.Change) bool {
	return hostInput("", now, change) != nil || change.Term != nil && now.Term == nil
}

// modify changes the host in one call, if anything differs, and then buys the
// term: what cannot be undone comes last.
func (a hosts) modify(ctx context.Context, t target, before cloud.Reservation, change cloud.Change) error {
	if in := hostInput(t.name.id, before, change); in != nil {
		out, err := call(ctx, opModifyHosts, func(ctx context.Context) (*ec2.ModifyHostsOutput, error) {
			return t.place.ec2.ModifyHosts(ctx, in)
		})
		if err != nil {
			return err
		}
		if err := outcome(opModifyHosts, t.name.id, out.Successful, out.Unsuccessful); err != nil {
			return err
		}
	}
	if change.Term == nil {
		return nil
	}
	return a.commit(ctx, t, before, *change.Term)
}

// hostInput is nil if nothing differs.
func hostInput(id string, before cloud.Reservation, change cloud.Change) *ec2.ModifyHostsInput {
	in := &ec2.ModifyHostsInput{HostIds: []string{id}}
	differs := false
	if m := change.Match; m != nil && *m != before.Match {
		in.AutoPlacement, differs = placementOf(*m), true
	}
	if v := change.Native[optRecovery]; v != "" && v != before.Native[optRecovery] {
		in.HostRecovery, differs = ec2types.HostRecovery(v), true
	}
	if v := change.Native[optMaintenance]; v != "" && v != before.Native[optMaintenance] {
		in.HostMaintenance, differs = ec2types.HostMaintenance(v), true
	}
	if !differs {
		return nil
	}
	return in
}

// outcome reads what became of one host in a call that may succeed in part.
func outcome(op, id string, done []string, refused []ec2types.UnsuccessfulItem) error {
	for _, item := range refused {
		if awssdk.ToString(item.ResourceId) == id && item.Error != nil {
			return refusedItem(op, *item.Error)
		}
	}
	if !slices.Contains(done, id) {
		return hollow(op, "word on "+id)
	}
	return nil
}

// refusedItem is the error of one object in an answer with status 200. Its code
// carries the fault before it; one in no table is the caller's fault, unless it
// says otherwise.
func refusedItem(op string, item ec2types.UnsuccessfulItemError) *cloud.Error {
	native := awssdk.ToString(item.Code)
	code, known := lookUp(native)
	switch {
	case known:
	case strings.HasPrefix(native, "Server."):
		code = cloud.Internal
	default:
		code = cloud.Invalid
	}
	return &cloud.Error{
		Code: code, Op: op, Native: cloud.Clean(native), Message: cloud.Clean(awssdk.ToString(item.Message)), HTTPStatus: 200,
		Accepted: code == cloud.Internal,
	}
}

// giveUp releases a host. It is read before, because EC2 publishes nothing on
// what it does with a host that a reservation pays for (User Guide, "Release a
// Dedicated Host": only for On-Demand ones).
func (a hosts) giveUp(ctx context.Context, t target) (string, error) {
	now, err := a.c.read(ctx, t)
	switch {
	case cloud.CodeOf(err) == cloud.NotFound:
		return "", nil
	case err != nil:
		return "", err
	case !now.State.Live():
		return "", nil
	case now.Term != nil:
		return "", paidFor(t.name.id, now)
	}
	out, err := call(ctx, opReleaseHosts, func(ctx context.Context) (*ec2.ReleaseHostsOutput, error) {
		return t.place.ec2.ReleaseHosts(ctx, &ec2.ReleaseHostsInput{HostIds: []string{t.name.id}})
	})
	if err == nil {
		err = outcome(opReleaseHosts, t.name.id, out.Successful, out.Unsuccessful)
	}
	if err == nil {
		return "", a.c.confirm(ctx, opReleaseHosts, t)
	}
	still, err := a.c.unreleased(ctx, t, err)
	if err == nil || still == nil {
		return "", err
	}
	return still.NativeState, a.occupied(ctx, t, stillHeld(*still, t.name.id, err))
}

// paidFor is the refusal to release a host with a term.
func paidFor(id string, now cloud.Reservation) error {
	message := id + " is paid for by a host reservation"
	if !now.CommittedUntil.IsZero() {
		message += " until " + now.CommittedUntil.Format("2006-01-02 15:04 MST")
	}
	return &cloud.Error{Code: cloud.Unsupported, Op: opReleaseHosts, Message: message + "; AWS has no way to give one up"}
}

// occupied completes a refusal with who is in the way.
func (a hosts) occupied(ctx context.Context, t target, refusal error) error {
	var e *cloud.Error
	if errors.As(refusal, &e) && e.Code == cloud.InUse {
		if ids, err := a.users(ctx, t); err == nil {
			e.Users = ids
		}
	}
	return refusal
}
