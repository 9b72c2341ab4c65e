package mem

import (
	"context"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Release implements cloud.Cloud. What is committed cannot be given back.
func (c *Cloud) Release(ctx context.Context, ref cloud.Ref) error {
	call := cloud.Call{Method: "Release", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true, Writes: true}
	_, err := do(ctx, c, call, func() (struct{}, error) { return struct{}{}, c.release(ref) })
	return err
}

func (c *Cloud) release(ref cloud.Ref) error {
	o, err := c.reach("Release", ref)
	if cloud.CodeOf(err) == cloud.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	until, free := c.commitment(o)
	switch {
	case o.r.State == cloud.Gone, !o.r.State.Live() && !c.named():
		c.drop(o)
		return nil
	case !o.r.State.Live():
		return c.giveUp(o)
	case c.clock.Now().Before(until) && !c.clock.Now().Before(free):
		return unsupported("Release", fmt.Sprintf("%s is committed until %s", ref.NativeID, until.Format(time.RFC3339)))
	case len(o.users) > 0 && !c.kinds()[o.r.Kind].GoesInUse(o.r.Match):
		return o.inUse("Release")
	}
	return c.giveUp(o)
}

// giveUp removes the object, and the group that was made with it.
func (c *Cloud) giveUp(o *object) error {
	c.end(o, cloud.Gone)
	if err := c.partly(o); err != nil {
		return err
	}
	c.drop(o)
	return nil
}
