package azuresim_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
)

// viewed reads a reservation with its instance view.
func (s *stage) viewed() armcompute.CapacityReservationsClientGetResponse {
	s.t.Helper()
	got, err := s.clients().NewCapacityReservationsClient().Get(s.t.Context(), "rg", "g1", "r1",
		&armcompute.CapacityReservationsClientGetOptions{Expand: new(armcompute.CapacityReservationInstanceViewTypesInstanceView)})
	s.ok(err)
	return got
}

func TestSDKBlock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	factory, ctx := s.clients(), t.Context()
	of := sdkGroup()
	of.Properties.ReservationType = new(armcompute.ReservationTypeBlock)
	_, err := factory.NewCapacityReservationGroupsClient().CreateOrUpdate(ctx, "rg", "g1", of, nil)
	s.ok(err)
	client := factory.NewCapacityReservationsClient()
	body := sdkReservation(1)
	body.SKU.Name = new(kindH100)
	body.Properties = &armcompute.CapacityReservationProperties{
		ScheduleProfile: &armcompute.ScheduleProfile{Start: new("2027-03-10"), End: new("2027-03-11")},
	}
	put, err := client.BeginCreateOrUpdate(ctx, "rg", "g1", "r1", body, nil)
	well(s, put, err)
	got := s.viewed().Properties
	shown := []any{*got.ScheduleProfile.Start, *got.ScheduleProfile.End, *got.InstanceView.UtilizationInfo.CurrentCapacity}
	if diff := cmp.Diff([]any{"2027-03-10T12:00:00Z", "2027-03-11T11:30:00Z", int32(1)}, shown); diff != "" {
		t.Error(diff)
	}
	if got.ScheduleProfile.MinimumCommitmentDays != nil || got.ScheduleProfile.ModifiableUntil != nil || got.InstanceView.ReservationStateInfo != nil {
		t.Errorf("a block has what future reservations have: %+v", got.ScheduleProfile)
	}
	_, err = client.BeginDelete(ctx, "rg", "g1", "r1", nil)
	s.responseError(err, http.StatusConflict, "OperationNotAllowed")
	s.ok(s.world.Advance(11 * day))
	drop, err := client.BeginDelete(ctx, "rg", "g1", "r1", nil)
	well(s, drop, err)
}

func TestSDKFuture(t *testing.T) {
	t.Parallel()
	s := newStageWith(t, azuresim.Options{Future: azuresim.FutureOptions{Delivered: 1, LockLead: 2 * day, CommitmentDays: 5}})
	factory, ctx := s.clients(), t.Context()
	_, err := factory.NewCapacityReservationGroupsClient().CreateOrUpdate(ctx, "rg", "g1", sdkGroup(), nil)
	s.ok(err)
	client := factory.NewCapacityReservationsClient()
	body := sdkReservation(2)
	body.Properties = &armcompute.CapacityReservationProperties{ScheduleProfile: &armcompute.ScheduleProfile{Start: new(near)}}
	put, err := client.BeginCreateOrUpdate(ctx, "rg", "g1", "r1", body, nil)
	well(s, put, err)
	got := s.viewed().Properties
	shown := []any{
		*got.ScheduleProfile.Start, *got.ScheduleProfile.MinimumCommitmentDays, *got.ScheduleProfile.ModifiableUntil,
		*got.InstanceView.ReservationStateInfo.ReservationState,
	}
	want := []any{near, int32(5), time.Date(2027, 3, 18, 12, 0, 0, 0, time.UTC), armcompute.ReservationStatePending}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
	patch, err := client.BeginUpdate(ctx, "rg", "g1", "r1", armcompute.CapacityReservationUpdate{
		Properties: &armcompute.CapacityReservationProperties{ScheduleProfile: &armcompute.ScheduleProfile{Start: new("2027-03-25T12:00:00Z")}},
	}, nil)
	if got := well(s, patch, err); *got.Tags["team"] != "ml" || *got.Properties.ScheduleProfile.Start != "2027-03-25T12:00:00Z" {
		t.Errorf("got %+v", got)
	}
	s.until("2027-03-25T12:00:00Z")
	got = s.viewed().Properties
	shown = []any{*got.InstanceView.ReservationStateInfo.ReservationState, *got.InstanceView.UtilizationInfo.CurrentCapacity}
	if diff := cmp.Diff([]any{armcompute.ReservationStatePartiallyFulfilled, int32(1)}, shown); diff != "" {
		t.Error(diff)
	}
}

func TestSDKCatalog(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	client, err := armcompute.NewResourceSKUsClient(subscription, &fake.TokenCredential{}, s.clientOptions())
	s.ok(err)
	found := map[string]armcompute.ResourceSKU{}
	pages := client.NewListPager(&armcompute.ResourceSKUsClientListOptions{Filter: new("location eq 'southcentralus'"), IncludeExtendedLocations: new("false")})
	for pages.More() {
		page, err := pages.NextPage(ctx)
		s.ok(err)
		for _, k := range page.Value {
			found[*k.Name] = *k
		}
	}
	a10 := found["Standard_NV36ads_A10_v5"]
	shown := []any{*a10.ResourceType, *a10.Restrictions[0].Type, *a10.Restrictions[0].ReasonCode, *a10.LocationInfo[0].ZoneDetails[0].Name[0]}
	want := []any{"virtualMachines", armcompute.ResourceSKURestrictionsTypeZone, armcompute.ResourceSKURestrictionsReasonCodeNotAvailableForSubscription, "1"}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
	usages := map[string]int64{}
	list := s.clients().NewUsageClient().NewListPager("eastus", nil)
	for list.More() {
		page, err := list.NextPage(ctx)
		s.ok(err)
		for _, u := range page.Value {
			usages[*u.Name.Value] = *u.Limit
		}
	}
	if usages[familyA100] == 0 || usages["cores"] == 0 {
		t.Errorf("got %v", usages)
	}
}
