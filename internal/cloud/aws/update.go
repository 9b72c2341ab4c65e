package aws

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opModify = "ModifyCapacityReservation"

// Update implements cloud.Updater. Tags and mark go first, so that a claim
// fences off others before anything else changes; what already is as wished is
// not sent, because EC2 refuses some changes even to the same value.
func (c *Cloud) Update(ctx context.Context, ref cloud.Ref, change cloud.Change) (cloud.Reservation, error) {
	if err := allowed(change); err != nil {
		return cloud.Reservation{}, err
	}
	t, err := c.target(ctx, ref)
	if err != nil {
		return cloud.Reservation{}, err
	}
	before, err := c.read(ctx, t)
	if err != nil {
		return cloud.Reservation{}, err
	}
	if !before.State.Live() {
		return cloud.Reservation{}, &cloud.Error{
			Code: cloud.Conflict, Message: t.name.id + " is " + before.NativeState + " and cannot change any more",
		}
	}
	if err := inPlace(before.Kind, change); err != nil {
		return cloud.Reservation{}, err
	}
	if err := c.retag(ctx, t, before, change); err != nil {
		return cloud.Reservation{}, err
	}
	if err := t.api.modify(ctx, t, before, change); err != nil {
		return cloud.Reservation{}, err
	}
	return c.after(ctx, t, change)
}

// allowed refuses what Check would refuse in a wish.
func allowed(change cloud.Change) error {
	var p problems
	checkTags(change.SetTags, maxTags-markTags, &p)
	for _, key := range change.RemoveTags {
		if reserved(key) {
			p.add(cloud.AttrTags, "%q is not the user's to remove", key)
		}
	}
	if n := change.Count; n != nil && (*n < 1 || *n > maxCount) {
		p.add(cloud.AttrCount, "%d instances: EC2 takes 1 to %d in one reservation", *n, maxCount)
	}
	if len(p) > 0 {
		return refuse(opModify, p)
	}
	return nil
}

// modify changes count, end and match in one call, if any of them differs.
func (a reservations) modify(ctx context.Context, t target, before cloud.Reservation, change cloud.Change) error {
	in := modifyInput(t.name.id, before, change)
	if in == nil {
		return nil
	}
	out, err := call(ctx, opModify, func(ctx context.Context) (*ec2.ModifyCapacityReservationOutput, error) {
		return t.place.ec2.ModifyCapacityReservation(ctx, in)
	})
	if err != nil {
		return a.refusedChange(ctx, t, before, change, err)
	}
	if !awssdk.ToBool(out.Return) {
		return hollow(opModify, "return")
	}
	return nil
}

func (reservations) differs(now cloud.Reservation, change cloud.Change) bool {
	return modifyInput("", now, change) != nil
}

// modifyInput is nil if nothing differs. An end needs the type limited and the
// other way round.
func modifyInput(id string, before cloud.Reservation, change cloud.Change) *ec2.ModifyCapacityReservationInput {
	in := &ec2.ModifyCapacityReservationInput{CapacityReservationId: awssdk.String(id)}
	differs := false
	if n := change.Count; n != nil && *n != before.Count {
		in.InstanceCount, differs = awssdk.Int32(int32(*n)), true // allowed holds it to 1..1000.
	}
	if m := change.Match; m != nil && *m != before.Match {
		in.InstanceMatchCriteria, differs = ec2types.InstanceMatchCriteria(*m), true
	}
	if end := change.EndAt; end != nil && !sendable(*end).Equal(before.EndsAt) {
		differs = true
		if end.IsZero() {
			in.EndDateType = ec2types.EndDateTypeUnlimited
		} else {
			in.EndDateType, in.EndDate = ec2types.EndDateTypeLimited, awssdk.Time(sendable(*end))
		}
	}
	if !differs {
		return nil
	}
	return in
}

// refusedChange completes a refusal with whose limit it was, or with who is in
// the way.
func (a reservations) refusedChange(ctx context.Context, t target, before cloud.Reservation, change cloud.Change, err error) error {
	var e *cloud.Error
	if !errors.As(err, &e) || e.Accepted {
		return err
	}
	switch e.Code {
	case cloud.QuotaExceeded:
		scope := a.c.scope(ctx, t.ref.Account, t.place.region, before.InstanceType)
		e.Quota = &scope
	case cloud.Invalid, cloud.Conflict, cloud.Unsupported:
		a.explainRefusal(ctx, t, change, e)
	}
	return err
}

// explainRefusal looks at the object for why a change was refused: AWS publishes
// no code for what the state does not let change, nor for what is in the way.
func (a reservations) explainRefusal(ctx context.Context, t target, change cloud.Change, e *cloud.Error) {
	now, _, err := a.look(ctx, t)
	if err != nil {
		return
	}
	if obstructed(now, change) {
		e.Code = cloud.InUse
		if ids, err := a.users(ctx, t); err == nil {
			e.Users = ids
		}
		return
	}
	if why := immovable(now, change); why != "" {
		e.Code, e.Message = cloud.Conflict, cloud.Clean(joined(why, e.Message))
	}
}

// obstructed tells whether what is in use stands against a change: shrinking
// below use, or other criteria while in use.
func obstructed(now cloud.Reservation, change cloud.Change) bool {
	shrinks := change.Count != nil && *change.Count < now.InUse
	rematches := change.Match != nil && *change.Match != now.Match && now.InUse > 0
	return shrinks || rematches
}

// retag brings the tags and the mark to what the change says.
func (c *Cloud) retag(ctx context.Context, t target, before cloud.Reservation, change cloud.Change) error {
	set, remove := tagChange(before, change)
	if len(set) > 0 {
		_, err := call(ctx, "CreateTags", func(ctx context.Context) (*ec2.CreateTagsOutput, error) {
			return t.place.ec2.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{t.name.id}, Tags: tagList(set)})
		})
		if err != nil {
			return err
		}
	}
	if len(remove) == 0 {
		return nil
	}
	// Without a value EC2 removes a tag whatever its value is.
	keys := make([]ec2types.Tag, 0, len(remove))
	for _, key := range remove {
		keys = append(keys, ec2types.Tag{Key: awssdk.String(key)})
	}
	_, err := call(ctx, "DeleteTags", func(ctx context.Context) (*ec2.DeleteTagsOutput, error) {
		return t.place.ec2.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{t.name.id}, Tags: keys})
	})
	return err
}

// tagChange is what differs: tags to write and keys to remove, sorted.
func tagChange(before cloud.Reservation, change cloud.Change) (set map[string]string, remove []string) {
	have := before.Mark.Tags()
	maps.Copy(have, before.Tags)
	want := maps.Clone(have)
	if change.Mark != nil {
		maps.DeleteFunc(want, func(key, _ string) bool { return before.Mark.Tags()[key] != "" })
		maps.Copy(want, change.Mark.Tags())
	}
	for _, key := range change.RemoveTags {
		delete(want, key)
	}
	maps.Copy(want, change.SetTags)
	set = map[string]string{}
	for key, value := range want {
		if old, ok := have[key]; !ok || old != value {
			set[key] = value
		}
	}
	for key := range have {
		if _, ok := want[key]; !ok {
			remove = append(remove, key)
		}
	}
	slices.Sort(remove)
	return set, remove
}

// after reads the object until it shows the change: EC2 confirms a write before
// each of its readers knows it, and an empty 200 of a proxy confirms nothing.
func (c *Cloud) after(ctx context.Context, t target, change cloud.Change) (cloud.Reservation, error) {
	var now cloud.Reservation
	err := c.settle(ctx, []time.Duration{shortPause, longPause, longPause, longPause}, func() error {
		var err error
		if now, err = c.read(ctx, t); err != nil {
			return err
		}
		set, remove := tagChange(now, change)
		if t.api.differs(now, change) || len(set)+len(remove) > 0 {
			return errPending
		}
		return nil
	})
	if errors.Is(err, errPending) {
		return cloud.Reservation{}, &cloud.Error{
			Code: cloud.Internal, Accepted: true, Message: t.name.id + " does not show the change that was accepted",
		}
	}
	return now, err
}
