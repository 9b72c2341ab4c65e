package reservation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation"
)

func resourceAttributes(t *testing.T) map[string]schema.Attribute {
	t.Helper()
	var resp resource.SchemaResponse
	reservation.NewResource(nil).Schema(t.Context(), resource.SchemaRequest{}, &resp)
	return resp.Schema.Attributes
}

// onAWS is a held reservation as the AWS driver returns it.
func onAWS() cloud.Reservation {
	start := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	return cloud.Reservation{
		Ref:       cloud.Ref{NativeID: "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0123456789abcdef0"},
		AccountID: "111122223333", Region: "us-east-1", Zone: "us-east-1a", Kind: cloud.OnDemand, InstanceType: "p5.48xlarge",
		Count: 2, Match: cloud.Targeted, State: cloud.Held, NativeState: "active", StartsAt: start,
		Native: map[string]string{"platform": "Linux/UNIX", "tenancy": "default"},
	}
}

// launch is the AWS part of a binding.
type launch struct {
	ID         *string `tfsdk:"capacity_reservation_id"`
	ARN        *string `tfsdk:"capacity_reservation_arn"`
	Host       *string `tfsdk:"host_id"`
	Preference *string `tfsdk:"capacity_reservation_preference"`
	Market     *string `tfsdk:"market_type"`
	Tenancy    *string `tfsdk:"tenancy"`
	Zone       *string `tfsdk:"availability_zone"`
	Type       *string `tfsdk:"instance_type"`
	EKS        *string `tfsdk:"eks_capacity_type"`
	// Karpenter is nil where it is null.
	Karpenter *karpenter `tfsdk:"karpenter"`
}

type karpenter struct {
	ID   *string `tfsdk:"capacity_reservation_id"`
	Type *string `tfsdk:"capacity_type"`
}

// usual is the binding of onAWS.
func usual() launch {
	id, arn := "cr-0123456789abcdef0", "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0123456789abcdef0"
	return launch{
		ID: &id, ARN: &arn, Tenancy: new("default"), Zone: new("us-east-1a"), Type: new("p5.48xlarge"), EKS: new("ON_DEMAND"),
		Karpenter: &karpenter{&id, new("reserved")},
	}
}

// hosted is the binding of onAWS as a host.
func hosted(l *launch) {
	*l = launch{Host: new("h-0123456789abcdef0"), Tenancy: new("host"), Zone: l.Zone, Type: l.Type}
}

// asHost makes a reservation a host, which shows neither platform nor tenancy.
func asHost(kind cloud.Kind) func(*cloud.Reservation) {
	return func(r *cloud.Reservation) {
		r.Kind, r.Native = kind, map[string]string{"host_recovery": "off", "host_maintenance": "on"}
		r.Ref.NativeID = "arn:aws:ec2:us-east-1:111122223333:dedicated-host/h-0123456789abcdef0"
	}
}

func TestView_aws(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edit     func(*cloud.Reservation)
		binding  func(*launch)
		platform string
		priced   bool
	}{
		"targeted": {func(*cloud.Reservation) {}, func(*launch) {}, "Linux/UNIX", true},
		"open": {
			func(r *cloud.Reservation) { r.Match = cloud.Open }, func(l *launch) { l.Preference = new("open") }, "Linux/UNIX", true,
		},
		"dedicated, Windows": {
			func(r *cloud.Reservation) {
				r.Native = map[string]string{"platform": "Windows", "tenancy": "dedicated"}
			},
			func(l *launch) { l.Tenancy = new("dedicated") }, "Windows", false,
		},
		"block": {
			func(r *cloud.Reservation) { r.Kind = cloud.Block },
			func(l *launch) { l.Market, l.EKS = new("capacity-block"), new("CAPACITY_BLOCK") }, "Linux/UNIX", false,
		},
		"scheduled":      {func(r *cloud.Reservation) { r.Kind = cloud.Scheduled }, func(*launch) {}, "Linux/UNIX", true},
		"dedicated host": {asHost(cloud.DedicatedHost), hosted, "", false},
		"term":           {asHost(cloud.Term), hosted, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, want := onAWS(), usual()
			tc.edit(&r)
			tc.binding(&want)
			view := viewOf(t, r)
			var binding launch
			all := view.Binding.Attributes()
			on, ok := all["aws"].(types.Object)
			if d := on.As(t.Context(), &binding, basetypes.ObjectAsOptions{}); !ok || d.HasError() {
				t.Fatal(d)
			}
			place := []attr.Value{types.StringValue("aws"), types.StringValue("us-east-1")}
			if diff := cmp.Diff(want, binding); diff != "" || !place[0].Equal(all["cloud"]) || !place[1].Equal(all["region"]) {
				t.Errorf("binding = %s (-want +got):\n%s", view.Binding, diff)
			}
			if platform, ok := view.AWS.Attributes()["platform"].(types.String); !ok || platform.ValueString() != tc.platform {
				t.Errorf("platform = %s, want %q", platform, tc.platform)
			}
			if view.EstimatedUSDPerHour.IsNull() == tc.priced {
				t.Errorf("estimated_usd_per_hour = %s, priced %v", view.EstimatedUSDPerHour, tc.priced)
			}
		})
	}
}

func viewOf(t *testing.T, r cloud.Reservation) reservation.View {
	t.Helper()
	return viewOn(t, "aws", r)
}

func viewOn(t *testing.T, cloudName string, r cloud.Reservation) reservation.View {
	t.Helper()
	var diags diag.Diagnostics
	view := reservation.NewViewer(providertest.NewMem(t).Provider, cloudName).View(t.Context(), r, &diags)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return view
}

// What AWS leaves out is null, what was paid is exact, and the catalog tells the
// shape.
func TestView_values(t *testing.T) {
	t.Parallel()
	r := onAWS()
	r.Term = &cloud.TermPlan{Months: 36, Payment: "partial_upfront"}
	r.PaidUpfront = &money.Money{Micros: 12_345_600_000, Currency: "USD"}
	view := viewOf(t, r)
	for want, is := range map[string]string{
		"12345.6":  view.PaidUpfront.ValueBigFloat().Text('f', -1),
		`"USD"`:    view.Currency.String(),
		"<null>":   view.AWS.Attributes()["placement_group_arn"].String(),
		`"16"`:     view.GPUCount.String(),
		`"8"`:      view.GPUsPerInstance.String(),
		`"active"`: view.NativeStatus.String(),
		`{"months":36,"payment_option":"partial_upfront"}`: view.Term.String(),
	} {
		if is != want {
			t.Errorf("%s, want %s", is, want)
		}
	}
	if view.GPUModel.ValueString() == "" || !view.Name.IsNull() || !view.EndsAt.IsNull() {
		t.Errorf("gpu_model %s, name %s, ends_at %s", view.GPUModel, view.Name, view.EndsAt)
	}
}

// Each view has the price of its own count, though the shape is asked for once.
func TestView_priceFollowsCount(t *testing.T) {
	t.Parallel()
	viewer := reservation.NewViewer(providertest.NewMem(t).Provider, "aws")
	var diags diag.Diagnostics
	one, two := onAWS(), onAWS()
	one.Count = 1
	first := viewer.View(t.Context(), one, &diags).EstimatedUSDPerHour.ValueBigFloat()
	second := viewer.View(t.Context(), two, &diags).EstimatedUSDPerHour.ValueBigFloat()
	if first.Sign() <= 0 || first.Add(first, first).Cmp(second) != 0 {
		t.Errorf("twice the price of one is %s, the price of two %s", first, second)
	}
}
