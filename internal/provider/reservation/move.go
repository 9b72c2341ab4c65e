package reservation

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

var _ resource.ResourceWithMoveState = (*Resource)(nil)

// source is a resource type of another provider that holds one reservation.
type source struct {
	// provider is the end of the provider's address, NAMESPACE/TYPE: the host is
	// that of whichever registry the command line asks.
	provider string
	typeName string
	// version is the schema version of the states that read understands.
	version int64
	read    func(state []byte) (moved, error)
}

// moved is what such a state tells of the reservation.
type moved struct {
	// reservation has every tag that the other provider wrote.
	reservation cloud.Reservation
	// ownTags are those of them that the resource itself set.
	ownTags map[string]string
	offerID string
}

// MoveState implements resource.ResourceWithMoveState. It runs without a
// configured provider, so a moved state is completed by its first read.
func (r *Resource) MoveState(context.Context) []resource.StateMover {
	var movers []resource.StateMover
	for _, p := range parts() {
		for _, s := range p.sources() {
			movers = append(movers, resource.StateMover{
				StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
					s.move(ctx, r.rules, p.cloud, req, resp)
				},
			})
		}
	}
	return movers
}

// move answers a request for this source and leaves any other one unanswered,
// which has the framework go on to the next source.
func (s source) move(
	ctx context.Context, rules *capacity.Manager, cloudName string, req resource.MoveStateRequest, resp *resource.MoveStateResponse,
) {
	if req.SourceTypeName != s.typeName || !strings.HasSuffix(req.SourceProviderAddress, "/"+s.provider) {
		return
	}
	if req.SourceSchemaVersion != s.version {
		resp.Diagnostics.AddError("Cannot move, version of the state not known", fmt.Sprintf(
			"The state of %s from %s has schema version %d, and this provider reads version %d. Apply once with the other "+
				"provider's latest version and move then, or remove the resource from the state (a removed block with destroy = false) "+
				"and import it here.", s.typeName, req.SourceProviderAddress, req.SourceSchemaVersion, s.version))
		return
	}
	found, err := s.read(req.SourceRawState.JSON)
	if err != nil {
		resp.Diagnostics.AddError("Cannot move, state not understood", fmt.Sprintf(
			"The state of %s from %s: %s. Remove the resource from the state (a removed block with destroy = false) and import it here.",
			s.typeName, req.SourceProviderAddress, err))
		return
	}
	m := found.model(ctx, rules, cloudName, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.TargetState.Set(ctx, &m)...)
	resp.Diagnostics.Append(resp.TargetIdentity.Set(ctx, m.identity())...)
}

// model is the state that a move leaves. It has no binding: see isMoved.
func (f moved) model(ctx context.Context, rules *capacity.Manager, cloudName string, diags *diag.Diagnostics) model {
	inherited := map[string]string{}
	for key, value := range f.reservation.Tags {
		if _, own := f.ownTags[key]; !own {
			inherited[key] = value
		}
	}
	m := taken(ctx, cloudName, kindOf(rules, cloudName, f.reservation.Kind), f.reservation, inherited, diags)
	m.OfferID = attribute.TextValue(f.offerID)
	m.Simulated = types.BoolValue(false)
	m.Status = statusValue(capacity.Held)
	m.Binding = types.ObjectNull(bindingTypes())
	return m
}

// isMoved tells that a state was moved here and not read since.
func (m model) isMoved() bool { return m.Binding.IsNull() }

// hasFacts tells whether shape and price are still those of a state before it was
// read.
func (m model) hasFacts(before model) bool {
	return !before.isMoved() && m.InstanceCount.Equal(before.InstanceCount)
}

// locateMoved finds the configured account and the mark of what was moved here, of
// which the other provider's state knows nothing. What cannot be found now is the
// read's to tell.
func (r *Resource) locateMoved(ctx context.Context, m *model) {
	if !m.isMoved() {
		return
	}
	_, found, err := find(ctx, r.provider, m.account().ValueString(), m.ID.ValueString())
	if err != nil {
		return
	}
	m.Account = attribute.TextValue(found.Ref.Account)
	if p, ok := partOf(m.Cloud.ValueString()); ok && p.value(m).IsNull() {
		*p.value(m) = p.imported(found)
		m.leaveOut(r.provider.Defaults[p.cloud])
	}
	m.Owner, m.ClaimID = attribute.TextValue(found.Mark.Owner), attribute.TextValue(found.Mark.Claim)
}
