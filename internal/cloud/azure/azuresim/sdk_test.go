package azuresim_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/resources/armresources"
	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The real client, by its own models.

func (s *stage) clientOptions() *arm.ClientOptions {
	return &arm.ClientOptions{
		ClientOptions: policy.ClientOptions{
			Cloud: cloud.Configuration{
				ActiveDirectoryAuthorityHost: s.url,
				Services:                     map[cloud.ServiceName]cloud.ServiceConfiguration{cloud.ResourceManager: {Endpoint: s.url, Audience: s.url}},
			},
			InsecureAllowCredentialWithHTTP: true, Retry: policy.RetryOptions{MaxRetries: -1},
		},
		DisableRPRegistration: true,
	}
}

func (s *stage) clients() *armcompute.ClientFactory {
	s.t.Helper()
	factory, err := armcompute.NewClientFactory(subscription, &fake.TokenCredential{}, s.clientOptions())
	s.ok(err)
	return factory
}

// ended polls until an operation of the client has ended.
func ended[T any](s *stage, poller *runtime.Poller[T], err error) (T, error) {
	s.t.Helper()
	if err != nil {
		var none T
		return none, err
	}
	s.finish()
	return poller.PollUntilDone(s.t.Context(), &runtime.PollUntilDoneOptions{Frequency: time.Millisecond})
}

// well demands that it ended well.
func well[T any](s *stage, poller *runtime.Poller[T], err error) T {
	s.t.Helper()
	got, err := ended(s, poller, err)
	s.ok(err)
	return got
}

// responseError reads an error of the client.
func (s *stage) responseError(err error, status int, code string) {
	s.t.Helper()
	var got *azcore.ResponseError
	if !errors.As(err, &got) || got.StatusCode != status || got.ErrorCode != code {
		s.t.Errorf("got %v, want %d %s", err, status, code)
	}
}

func sdkReservation(count int64) armcompute.CapacityReservation {
	return armcompute.CapacityReservation{
		Location: new("eastus"), Tags: map[string]*string{"team": new("ml")}, Zones: []*string{new("1")},
		SKU: &armcompute.SKU{Name: new(kindA100), Capacity: &count},
	}
}

func sdkGroup() armcompute.CapacityReservationGroup {
	return armcompute.CapacityReservationGroup{
		Location: new("East US"), Zones: []*string{new("1"), new("2")},
		Properties: &armcompute.CapacityReservationGroupProperties{ReservationType: new(armcompute.ReservationTypeTargeted)},
	}
}

func TestSDKLifeOfAReservation(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]azuresim.Options{
		"as recorded": {}, "by Location": {Style: azuresim.StyleLocation}, "by the body": {Style: azuresim.StyleBody},
		"accepted": {PatchAccepted: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStageWith(t, options)
			s.stock(4)
			groups, client, ctx := s.clients().NewCapacityReservationGroupsClient(), s.clients().NewCapacityReservationsClient(), t.Context()
			_, err := groups.CreateOrUpdate(ctx, "rg", "g1", sdkGroup(), nil)
			s.ok(err)
			put, err := client.BeginCreateOrUpdate(ctx, "rg", "g1", "r1", sdkReservation(2), nil)
			made := well(s, put, err)
			if *made.Properties.ProvisioningState != "Succeeded" || made.Properties.ProvisioningTime == nil || *made.SKU.Capacity != 2 {
				t.Errorf("made %+v", made.Properties)
			}
			patch, err := client.BeginUpdate(ctx, "rg", "g1", "r1", armcompute.CapacityReservationUpdate{SKU: &armcompute.SKU{Capacity: new(int64(4))}}, nil)
			if got := well(s, patch, err); *got.SKU.Capacity != 4 || *got.Tags["team"] != "ml" {
				t.Errorf("updated %+v", got)
			}
			drop, err := client.BeginDelete(ctx, "rg", "g1", "r1", nil)
			well(s, drop, err)
			_, err = client.Get(ctx, "rg", "g1", "r1", nil)
			s.responseError(err, http.StatusNotFound, "ResourceNotFound")
		})
	}
}

// TestSDKTakesAnAcceptedGroupDeleteForAnError: the client knows 200 and 204 only.
func TestSDKTakesAnAcceptedGroupDeleteForAnError(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	client := s.clients().NewCapacityReservationGroupsClient()
	_, err := client.CreateOrUpdate(t.Context(), "rg", "g1", sdkGroup(), nil)
	s.ok(err)
	s.finish()
	_, err = client.Delete(t.Context(), "rg", "g1", nil)
	s.responseError(err, http.StatusAccepted, "")
	s.finish()
	_, err = client.Get(t.Context(), "rg", "g1", nil)
	s.responseError(err, http.StatusNotFound, "ResourceNotFound")
	_, err = client.Delete(t.Context(), "rg", "g1", nil)
	s.ok(err)
}

func TestSDKFailedGrowth(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(2)
	s.create()
	client, ctx := s.clients().NewCapacityReservationsClient(), t.Context()
	patch, err := client.BeginUpdate(ctx, "rg", "g1", "r1", armcompute.CapacityReservationUpdate{SKU: &armcompute.SKU{Capacity: new(int64(3))}}, nil)
	_, err = ended(s, patch, err)
	s.responseError(err, http.StatusOK, "ZonalAllocationFailed")
	got, err := client.Get(ctx, "rg", "g1", "r1", &armcompute.CapacityReservationsClientGetOptions{
		Expand: new(armcompute.CapacityReservationInstanceViewTypesInstanceView),
	})
	s.ok(err)
	view := got.Properties.InstanceView
	shown := []any{*got.Properties.ProvisioningState, *got.SKU.Capacity, *view.UtilizationInfo.CurrentCapacity, *view.Statuses[0].Level}
	if diff := cmp.Diff([]any{"Failed", int64(3), int32(2), armcompute.StatusLevelTypesError}, shown); diff != "" {
		t.Error(diff)
	}
	patch, err = client.BeginUpdate(ctx, "rg", "g1", "r1", armcompute.CapacityReservationUpdate{SKU: &armcompute.SKU{Name: new(kindA100), Capacity: new(int64(2))}}, nil)
	if got := well(s, patch, err); *got.Properties.ProvisioningState != "Succeeded" {
		t.Errorf("set back: %s", *got.Properties.ProvisioningState)
	}
}

func TestSDKLists(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.create()
	s.done(s.send(http.MethodPut, reservations+"/r2", reservationBody("zones", []string{"2"})))
	s.done(s.send(http.MethodPut, groupsPath("g2"), groupBody()))
	s.done(s.send(http.MethodPut, groupsPath("g3"), groupBody()))
	s.ok(s.world.SetPaging(sim.Paging{Cloud: "azure", Max: 1}))
	ctx := t.Context()
	var got []string
	of := s.clients().NewCapacityReservationGroupsClient().NewListByResourceGroupPager("rg", nil)
	for of.More() {
		page, err := of.NextPage(ctx)
		s.ok(err)
		for _, g := range page.Value {
			got = append(got, *g.Name)
		}
	}
	all := s.clients().NewCapacityReservationsClient().NewListByCapacityReservationGroupPager("rg", "g1", nil)
	for all.More() {
		page, err := all.NextPage(ctx)
		s.ok(err)
		for _, r := range page.Value {
			got = append(got, *r.Name)
		}
	}
	if diff := cmp.Diff([]string{"g1", "g2", "g3", "r1", "r2"}, got); diff != "" {
		t.Error(diff)
	}
}

func groupsPath(name string) string { return groups + "/" + name }

func TestSDKResourceGroups(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.world.Freeze(false))
	client, err := armresources.NewResourceGroupsClient(subscription, &fake.TokenCredential{}, s.clientOptions())
	s.ok(err)
	ctx := context.WithoutCancel(t.Context())
	there, err := client.CheckExistence(ctx, "gpu", nil)
	s.ok(err)
	missing, err := client.CheckExistence(ctx, "none", nil)
	s.ok(err)
	made, err := client.CreateOrUpdate(ctx, "team", armresources.ResourceGroup{Location: new("westus3")}, nil)
	s.ok(err)
	if !there.Success || missing.Success || *made.Properties.ProvisioningState != "Succeeded" {
		t.Errorf("%v %v %v", there, missing, made)
	}
	drop, err := client.BeginDelete(ctx, "team", nil)
	well(s, drop, err)
	_, err = client.Get(ctx, "team", nil)
	s.responseError(err, http.StatusNotFound, "ResourceGroupNotFound")
}
