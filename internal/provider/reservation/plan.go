package reservation

import (
	"context"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// planning is one plan of one resource.
type planning struct {
	p *configured.Provider
	// rules answer what needs no configuration of the provider.
	rules *capacity.Manager
	prior *model // nil for a create
	plan  model
	spec  cloud.Spec
	diags *diag.Diagnostics
	// replace are the attributes whose change needs a new object.
	replace path.Paths
}

// ModifyPlan implements resource.ResourceWithModifyPlan: whatever can be known
// at plan is computed here, without a write.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.provider == nil {
		return
	}
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, resp)
		return
	}
	if r.settled(ctx, req) {
		return
	}
	pl := planning{p: r.provider, rules: r.rules, diags: &resp.Diagnostics}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &pl.plan)...)
	if !req.State.Raw.IsNull() {
		pl.prior = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, pl.prior)...)
		r.provider.Meet(pl.prior.Cloud.ValueString(), pl.prior.Name.ValueString())
	}
	if resp.Diagnostics.HasError() || pl.plan.Cloud.IsUnknown() || !r.provider.Usable(pl.plan.Cloud.ValueString(), &resp.Diagnostics) {
		return
	}
	pl.run(ctx)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.RequiresReplace = append(resp.RequiresReplace, pl.replace...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &pl.plan)...)
}

// settled tells that there is nothing to plan: the configuration is what the
// state has, nothing is unfinished, and the default tags are those written. It
// looks at little, because most objects of most plans are settled.
func (r *Resource) settled(ctx context.Context, req resource.ModifyPlanRequest) bool {
	if req.State.Raw.IsNull() || !req.Plan.Raw.Equal(req.State.Raw) {
		return false
	}
	var status types.String
	var tags, all types.Map
	diags := req.State.GetAttribute(ctx, path.Root("status"), &status)
	diags.Append(req.State.GetAttribute(ctx, path.Root("tags"), &tags)...)
	diags.Append(req.State.GetAttribute(ctx, path.Root("tags_all"), &all)...)
	want := attribute.StringMap(tags)
	for key, value := range r.defaultTags(ctx, req, &diags) {
		if _, own := want[key]; !own {
			want[key] = value
		}
	}
	return !diags.HasError() && status.ValueString() == string(capacity.Held) && maps.Equal(want, attribute.StringMap(all))
}

// defaultTags are the provider's, none for what carries no tags.
func (r *Resource) defaultTags(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) map[string]string {
	if len(r.provider.DefaultTags) == 0 {
		return nil
	}
	var cloudName, kind types.String
	diags.Append(req.State.GetAttribute(ctx, path.Root("cloud"), &cloudName)...)
	diags.Append(req.State.GetAttribute(ctx, path.Root("kind"), &kind)...)
	if !carriesTags(r.rules, cloudName.ValueString(), cloud.Kind(kind.ValueString())) {
		return nil
	}
	return r.provider.DefaultTags
}

func (pl *planning) run(ctx context.Context) {
	pl.keepText(ctx)
	pl.keepOptions()
	pl.keepBought(ctx)
	if pl.p.Manager == nil {
		pl.guess(ctx)
		return
	}
	pl.keepShares(ctx)
	if !pl.check(ctx) {
		return
	}
	if pl.prior == nil {
		pl.create(ctx)
		return
	}
	pl.update(ctx)
}

// guess plans without clouds, as long as a part of the provider block is not
// known. What apply will plan then must not contradict it: what was bought stays,
// and what needs a new object gets one, if that is allowed.
func (pl *planning) guess(ctx context.Context) {
	if pl.prior == nil {
		return
	}
	same := pl.plan
	same.results = pl.prior.results
	if same.equal(*pl.prior) {
		pl.plan.results = pl.prior.results
		return
	}
	pl.spec, _, _ = pl.rules.Check(pl.plan.Cloud.ValueString(), pl.wish(ctx))
	if fixed, open := pl.fixed(ctx); pl.plan.AllowReplacement.ValueBool() && len(fixed)+len(open) > 0 {
		maps.Copy(fixed, open)
		pl.replaceBy(paths(fixed)...)
	}
}

// wish is the planned one, of what is there where the cloud stays.
func (pl *planning) wish(ctx context.Context) cloud.Spec {
	wish := pl.plan.wish(ctx, pl.rules, pl.p.DefaultTags)
	if pl.prior == nil || !pl.plan.Cloud.Equal(pl.prior.Cloud) {
		return wish
	}
	return pl.plan.wishAt(pl.prior.NativeID, wish)
}

// check completes the wish and reports what is wrong with it.
func (pl *planning) check(ctx context.Context) bool {
	spec, problems, err := pl.p.Manager.Check(pl.plan.Cloud.ValueString(), pl.wish(ctx))
	if err != nil {
		report.Failure(pl.diags, err)
		return false
	}
	report.Problems(pl.diags, pl.plan.located(problems), func(a cloud.Attribute) bool {
		return pl.plan.maybeRight(ctx, a) || pl.prior != nil && pl.plan.unmeasured(ctx, pl.kind(), a)
	})
	pl.plan.checkAccount(pl.diags)
	pl.plan.refuseTags(pl.rules, pl.diags)
	pl.spec = spec
	if spec.Region != "" && !pl.plan.Zone.IsUnknown() {
		pl.plan.Region = types.StringValue(spec.Region)
	}
	return !pl.diags.HasError()
}

// keepText keeps the text of an instant that is only written another way.
func (pl *planning) keepText(ctx context.Context) {
	if pl.prior == nil || pl.plan.Window.IsNull() || pl.plan.Window.IsUnknown() {
		return
	}
	is, was := pl.plan.window(ctx), pl.prior.window(ctx)
	if t := attribute.TimeOf(is.EndAt); !t.IsZero() {
		is.EndAt = keep(was.EndAt, is.EndAt)
	}
	if t := attribute.TimeOf(is.StartAt); !t.IsZero() {
		is.StartAt = keep(was.StartAt, is.StartAt)
	}
	pl.plan.Window = is.object(ctx, pl.diags)
}

// keep is the text before, if it means the same instant.
func keep(was, is types.String) types.String {
	if attribute.KeepText(was, attribute.TimeOf(is)) == was {
		return was
	}
	return is
}

// create plans a new object: what the cloud decides is unknown, the rest known.
func (pl *planning) create(ctx context.Context) {
	if pl.p.Owner == "" {
		pl.diags.AddError("No owner", "The provider needs an owner, unique per state, before it can create a reservation: it marks "+
			"what belongs to this state. Set owner in the provider block, or GPU_OWNER in the environment; on HCP Terraform "+
			"TFC_WORKSPACE_SLUG is used.")
		return
	}
	m := &pl.plan
	m.results = unknownResults()
	m.Owner = types.StringValue(pl.p.Owner)
	m.Simulated = types.BoolValue(pl.p.Manager.Simulated())
	if !capabilitiesOf(pl.rules, m.Cloud.ValueString()).Claims {
		m.ClaimID = types.StringNull()
	}
	if account := m.account(); !account.IsUnknown() {
		id, err := pl.p.Manager.AccountID(ctx, m.Cloud.ValueString(), account.ValueString())
		if err != nil {
			report.Failure(pl.diags, err)
			return
		}
		m.AccountID = types.StringValue(id)
	}
	pl.checkShares(ctx)
	pl.planTags()
	if m.Kind.IsUnknown() { // all else follows from it
		return
	}
	if !pl.buys() {
		m.PaidUpfront, m.Currency = types.NumberNull(), types.StringNull()
	}
	pl.planWindow(ctx)
	pl.planFacts(ctx)
	m.Binding = pl.planBinding(ctx)
	warnOffer(pl.p, m.Cloud.ValueString(), pl.spec, pl.diags)
	pl.preflight(ctx)
}

func unknownResults() results {
	text := types.StringUnknown()
	return results{
		ID: text, NativeID: text, AccountID: text, Simulated: types.BoolUnknown(), Owner: text, ClaimID: text, Status: text,
		StartsAt: text, EndsAt: text, UsableUntil: text, PaidUpfront: types.NumberUnknown(), Currency: text,
		TagsAll: types.MapUnknown(types.StringType), GPUModel: text, GPUsPerInstance: text, GPUCount: text,
		EstimatedUSDPerHour: types.NumberUnknown(), Binding: types.ObjectUnknown(bindingTypes()),
	}
}

func (pl *planning) planTags() {
	if !attribute.Known(pl.plan.Tags) && pl.plan.carriesTags(pl.rules) {
		pl.plan.TagsAll = types.MapUnknown(types.StringType)
		return
	}
	pl.plan.TagsAll = attribute.MapValue(pl.spec.Tags, types.MapValueMust(types.StringType, map[string]attr.Value{}))
}

// planFacts computes shape and price, and holds the price of what is new to the
// ceiling.
func (pl *planning) planFacts(ctx context.Context) {
	m := &pl.plan
	if m.InstanceCount.IsUnknown() {
		m.GPUCount, m.EstimatedUSDPerHour = types.StringUnknown(), types.NumberUnknown()
	}
	if m.InstanceType.IsUnknown() || m.Region.IsUnknown() || m.InstanceCount.IsUnknown() {
		return
	}
	if m.attachedUnknown() {
		m.forgetFacts()
		return
	}
	f := learn(ctx, pl.p, m.Cloud.ValueString(), pl.spec, pl.diags)
	m.setFacts(f, m.InstanceCount.ValueInt64())
	if m.optionsUnknown() { // the price depends on them
		m.EstimatedUSDPerHour = types.NumberUnknown()
		return
	}
	if pl.buys() {
		pl.planOffer(ctx)
		return
	}
	if pl.grows() && !m.MaxUSDPerHour.IsUnknown() && !pl.diags.HasError() {
		report.Failure(pl.diags, capacity.CheckCeiling("max_usd_per_hour", attribute.AmountOf(m.MaxUSDPerHour), f.perHour))
	}
}

// grows tells whether the plan asks for more than there is.
func (pl *planning) grows() bool {
	return pl.prior == nil || pl.plan.InstanceCount.ValueInt64() > pl.prior.InstanceCount.ValueInt64()
}

// planDestroy refuses a destroy that is not allowed; it works from the state, so
// also when the block is gone from the configuration.
func (r *Resource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var prior model
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	if resp.Diagnostics.HasError() || r.provider.Manager == nil {
		return
	}
	notices, err := r.provider.Manager.MayRelease(ctx, prior.holder(), prior.release())
	report.Notices(&resp.Diagnostics, notices)
	report.Failure(&resp.Diagnostics, err)
}

// names joins paths for a sentence.
func names(paths path.Paths) string {
	texts := make([]string, len(paths))
	for i, p := range paths {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}
