package reservation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// ImportState implements resource.ResourceWithImportState.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.provider.Ready(&resp.Diagnostics) {
		return
	}
	id := req.ID
	if id == "" && req.Identity != nil {
		var i identity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &i)...)
		id = i.Cloud.ValueString() + ":" + i.NativeID.ValueString()
	}
	if id == "" {
		resp.Diagnostics.AddError("Cannot import, no id", "The id is empty. It is <cloud>:<native_id>, or a short form that the cloud has.")
	}
	if resp.Diagnostics.HasError() {
		return
	}
	cloudName, found, err := find(ctx, r.provider, "", id)
	if err != nil {
		report.Failure(&resp.Diagnostics, err)
		return
	}
	m := r.imported(ctx, cloudName, found, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, m.identity())...)
}

// find reads the object that an id names, with the credentials of the account.
// The cloud may be left off where only one cloud has ids of that form.
func find(ctx context.Context, p *configured.Provider, account, id string) (string, cloud.Reservation, error) {
	if name, rest, ok := strings.Cut(id, ":"); ok {
		if why, later := p.Unavailable[name]; later {
			return "", cloud.Reservation{}, &capacity.Failure{Notice: capacity.Notice{Summary: "Cloud not supported yet", Detail: why}}
		}
		if _, err := p.Manager.Cloud(name); err == nil {
			found, err := p.Manager.Import(ctx, name, account, rest)
			return name, found, err
		}
	}
	var refusals []string
	for _, name := range p.Manager.Clouds() {
		found, err := p.Manager.Import(ctx, name, account, id)
		if err == nil || cloud.CodeOf(err) != cloud.Invalid {
			return name, found, err
		}
		refusals = append(refusals, err.Error())
	}
	return "", cloud.Reservation{}, &capacity.Failure{Notice: capacity.Notice{
		Summary: "Cannot import, form of id not known",
		Detail:  fmt.Sprintf("%q is not the id of a reservation on any cloud. %s", id, strings.Join(refusals, " ")),
	}}
}

// imported is the state of an object that this configuration did not make.
func (r *Resource) imported(ctx context.Context, cloudName string, found cloud.Reservation, diags *diag.Diagnostics) model {
	c, err := r.provider.Manager.Cloud(cloudName)
	if err != nil {
		report.Failure(diags, err)
		return model{}
	}
	if _, ok := c.Capabilities().Kinds[found.Kind]; !ok {
		diags.AddError("Cannot import this kind", fmt.Sprintf("%s is of kind %q, which this version cannot manage on %s.",
			found.Ref.NativeID, found.Kind, c.Capabilities().Title))
		return model{}
	}
	m := taken(ctx, cloudName, kindOf(r.provider.Manager, cloudName, found.Kind), found, r.provider.DefaultTags, diags)
	m.leaveOut(r.provider.Defaults[cloudName])
	m.Simulated = types.BoolValue(r.provider.Manager.Simulated())
	m.refreshFacts(ctx, r.provider, diags)
	m.Status = statusValue(importedStatus(found.State))
	return m
}

// taken is a model of an object as it stands, but for status, realm, shape and
// price.
func taken(
	ctx context.Context, cloudName string, kind cloud.KindCapabilities, found cloud.Reservation, defaults map[string]string, diags *diag.Diagnostics,
) model {
	m := model{
		Name: types.StringValue(nameOf(found)), Cloud: types.StringValue(cloudName), Account: attribute.TextValue(found.Ref.Account),
		OnDestroy: types.StringValue(capacity.OnDestroyRelease), OnReleaseInUse: types.StringValue(onReleaseRefuse),
		AllowReplacement: types.BoolValue(false), ShareWith: shareValue(sharedWith(found)),
		Window: types.ObjectNull(windowTypes), Term: termValue(found.Term), Timeouts: noTimeouts(),
	}
	for _, part := range parts() {
		*part.value(&m) = types.ObjectNull(part.optionTypes)
		if part.cloud == cloudName {
			*part.value(&m) = part.imported(found)
		}
	}
	m.importTags(found.Tags, defaults)
	m.Owner, m.ClaimID, m.Zone = attribute.TextValue(found.Mark.Owner), attribute.TextValue(found.Mark.Claim), attribute.TextValue(found.Zone)
	if length := attribute.DurationValue(lengthOf(found)); kind.ByOffer && !length.IsNull() {
		m.Window = window{StartAt: types.StringNull(), EndAt: types.StringNull(), Duration: length}.object(ctx, diags)
	}
	m.observe(ctx, kind, found, diags)
	return m
}

// lengthOf is how long something bought for a fixed time lasts, extensions
// included, which its instants tell; 0 where nobody knows.
func lengthOf(r cloud.Reservation) time.Duration {
	lasts := wholeDays(r.StartsAt, r.EndsAt)
	if r.Length > lasts || lasts-r.Length < day {
		return r.Length
	}
	return lasts
}

const day = 24 * time.Hour

// wholeDays is the time between two instants in whole days, which is how windows
// are sold; clouds round the instants. It is 0 where one of them is not known.
func wholeDays(from, until time.Time) time.Duration {
	if from.IsZero() || until.IsZero() {
		return 0
	}
	return until.Sub(from).Round(day)
}

// importTags takes every tag as ours but those that the provider's default tags
// explain.
func (m *model) importTags(live, defaults map[string]string) {
	own := map[string]string{}
	for key, value := range live {
		if defaults[key] != value {
			own[key] = value
		}
	}
	m.Tags = attribute.MapValue(own, types.MapNull(types.StringType))
	m.TagsAll = attribute.MapValue(live, types.MapValueMust(types.StringType, map[string]attr.Value{}))
}

// nameOf is the mark's name, else the object's own if it is a possible name,
// else its short id.
func nameOf(r cloud.Reservation) string {
	for _, name := range []string{r.Mark.Name, r.NativeName} {
		if validName.MatchString(name) {
			return name
		}
	}
	return r.Ref.NativeID[strings.LastIndex(r.Ref.NativeID, "/")+1:]
}

func importedStatus(s cloud.State) capacity.Status {
	switch s {
	case cloud.Held, cloud.Ended:
		return capacity.Held
	case cloud.Refused:
		return capacity.Refused
	}
	return capacity.Pending
}
