package reservation

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// Resource is the resource type gpu_reservation.
type Resource struct {
	// rules checks wishes without any configuration.
	rules    *capacity.Manager
	provider *configured.Provider
}

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

// NewResource returns the resource type; rules checks wishes before the provider
// is configured.
func NewResource(rules *capacity.Manager) resource.Resource { return &Resource{rules: rules} }

// Metadata implements resource.Resource.
func (*Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName
}

// Configure implements resource.ResourceWithConfigure.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.provider = configured.From(req.ProviderData, &resp.Diagnostics)
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *Resource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() || m.Cloud.IsUnknown() {
		return
	}
	m.applyDefaults()
	m.checkTimeouts(&resp.Diagnostics)
	m.withhold(ctx, &resp.Diagnostics)
	m.checkEnd(ctx, r.kind(m), &resp.Diagnostics)
	for _, other := range m.foreignParts() {
		resp.Diagnostics.AddAttributeError(path.Root(other), "Options of another cloud",
			other+" is for cloud = \""+other+"\" only; this reservation is for \""+m.Cloud.ValueString()+"\".")
	}
	kind := r.kind(m)
	m.checkAccount(&resp.Diagnostics)
	m.refuseTags(r.rules, &resp.Diagnostics)
	_, problems, err := r.rules.Check(m.Cloud.ValueString(), m.wish(ctx, r.rules, nil))
	if err != nil {
		// A cloud that is not built yet is told apart from one that does not
		// exist by the configured provider, at plan.
		return
	}
	report.Problems(&resp.Diagnostics, problems, func(a cloud.Attribute) bool {
		// Which accounts there are, and what else it gives, only the provider block
		// says, at plan, and only there it is known whether a length is still needed.
		return a == cloud.AttrAccount || m.provides(a) || m.maybeRight(ctx, a) || m.unmeasured(ctx, kind, a)
	})
}

// Create implements resource.Resource.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.provider.Ready(&resp.Diagnostics) {
		return
	}
	wish, err := r.wish(ctx, plan, plan.Timeouts.Create)
	if err != nil {
		report.Failure(&resp.Diagnostics, err)
		return
	}
	result, err := r.provider.Manager.Create(ctx, wish)
	report.Notices(&resp.Diagnostics, result.Notices)
	report.Failure(&resp.Diagnostics, err)
	if result.Reservation.Ref.NativeID == "" {
		return
	}
	plan.complete(ctx, result)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Read implements resource.Resource.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.provider.Meet(state.Cloud.ValueString(), state.Name.ValueString())
	// The identity is set before anything else: a state without one cannot be
	// removed.
	if req.Identity == nil || req.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	}
	if r.provider == nil || r.provider.Manager == nil {
		r.provider.WarnUnread(&resp.Diagnostics)
		return
	}
	before := state
	r.locateMoved(ctx, &state)
	reading, err := r.provider.Manager.Read(ctx, state.holder())
	if err != nil {
		report.Failure(&resp.Diagnostics, err)
		return
	}
	report.Notices(&resp.Diagnostics, reading.Notices)
	switch reading.Finding {
	case capacity.Vanished:
		resp.State.RemoveResource(ctx)
		return
	case capacity.Left:
		state.Status = statusValue(reading.Status)
	case capacity.Present:
		r.observe(ctx, &state, before, reading, &resp.Diagnostics)
	}
	if !state.equal(before) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

// observe brings a state to what was read.
func (r *Resource) observe(ctx context.Context, state *model, before model, reading capacity.Reading, diags *diag.Diagnostics) {
	state.observe(ctx, r.kind(*state), reading.Reservation, diags)
	state.observeShares(ctx, r.provider.Manager, reading.Reservation)
	state.Status = statusValue(reading.Status)
	if !state.hasFacts(before) {
		state.refreshFacts(ctx, r.provider, diags)
	}
}

// Update implements resource.Resource.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.provider.Ready(&resp.Diagnostics) {
		return
	}
	if plan.Status.IsUnknown() {
		if !r.change(ctx, &plan, state, &resp.Diagnostics) {
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// change brings the object to the plan; a plan whose status is known needs no
// call.
func (r *Resource) change(ctx context.Context, plan *model, state model, diags *diag.Diagnostics) bool {
	wish, err := r.wish(ctx, *plan, plan.Timeouts.Update)
	if err != nil {
		report.Failure(diags, err)
		return false
	}
	if !plan.EndsAt.IsUnknown() && !r.kind(state).ByOffer {
		wish.Spec.EndAt, wish.Spec.Duration = attribute.TimeOf(plan.EndsAt), 0
	}
	if r.kind(state).ByOffer && plan.window(ctx).Duration.IsNull() {
		wish.Spec.Duration = 0 // bounds of a search are no length to prolong to
	}
	wish.Buy = state.Status.ValueString() != string(capacity.Held) || lengthens(ctx, state, *plan) ||
		!plan.Kind.Equal(state.Kind) || !plan.Term.Equal(state.Term)
	wish.ReleaseInUse = plan.OnReleaseInUse.ValueString() == onReleaseRelease
	result, err := r.provider.Manager.Update(ctx, state.holder(), wish, attribute.StringMap(state.TagsAll))
	report.Notices(diags, result.Notices)
	if err != nil {
		report.Failure(diags, err)
		return false
	}
	plan.complete(ctx, result)
	return true
}

// kind is what can be done with a state's kind.
func (r *Resource) kind(state model) cloud.KindCapabilities {
	return kindOf(r.rules, state.Cloud.ValueString(), cloud.Kind(state.Kind.ValueString()))
}

func kindOf(m *capacity.Manager, cloudName string, kind cloud.Kind) cloud.KindCapabilities {
	return capabilitiesOf(m, cloudName).Kinds[kind]
}

// capabilitiesOf is what a cloud can do, nothing for one that there is not.
func capabilitiesOf(m *capacity.Manager, cloudName string) cloud.Capabilities {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return cloud.Capabilities{}
	}
	return c.Capabilities()
}

// Delete implements resource.Resource.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.provider.Ready(&resp.Diagnostics) {
		return
	}
	timeout, d := state.Timeouts.Delete(ctx, defaultTimeout)
	resp.Diagnostics.Append(d...)
	if resp.Diagnostics.HasError() {
		return
	}
	how := state.release()
	how.Timeout = timeout
	notices, err := r.provider.Manager.Delete(ctx, state.holder(), how)
	report.Notices(&resp.Diagnostics, notices)
	report.Failure(&resp.Diagnostics, err)
}

// wish is the plan as package capacity takes it.
func (r *Resource) wish(
	ctx context.Context, m model, timeout func(context.Context, time.Duration) (time.Duration, diag.Diagnostics),
) (capacity.Wish, error) {
	limit, diags := timeout(ctx, defaultTimeout+m.patience())
	if diags.HasError() {
		return capacity.Wish{}, &capacity.Failure{Notice: capacity.Notice{
			Attribute: "timeouts", Summary: "Not a timeout", Detail: diags.Errors()[0].Detail(),
		}}
	}
	spec, _, err := r.provider.Manager.Check(m.Cloud.ValueString(), m.wishAt(m.NativeID, m.wish(ctx, r.rules, r.provider.DefaultTags)))
	if err != nil {
		return capacity.Wish{}, err
	}
	return capacity.Wish{
		Cloud: m.Cloud.ValueString(), Mark: m.mark(), Spec: spec,
		WaitForCapacity: m.patience(), Timeout: limit,
		MaxPerHour: attribute.AmountOf(m.MaxUSDPerHour), MaxUpfront: attribute.AmountOf(m.MaxUpfrontUSD),
		Price: capacity.Price{PerHour: attribute.AmountOf(m.EstimatedUSDPerHour)},
	}, nil
}

// identity is the resource's identity: the native object.
func (m model) identity() *identity { return &identity{m.Cloud, m.NativeID} }
