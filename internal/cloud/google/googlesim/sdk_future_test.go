package googlesim_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"github.com/google/go-cmp/cmp"
	cloudresourcemanager "google.golang.org/api/cloudresourcemanager/v3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
)

func (s *stage) sdk() []option.ClientOption {
	return []option.ClientOption{option.WithEndpoint(s.url), option.WithoutAuthentication()}
}

// client makes a client that is closed with the test.
func client[T interface{ Close() error }](s *stage, dial func(context.Context, ...option.ClientOption) (T, error)) T {
	s.t.Helper()
	c, err := dial(s.t.Context(), s.sdk()...)
	s.ok(err)
	s.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return c
}

// TestAnswersHaveNoUnknownFields parses answers by the SDK's own messages, but
// more strictly than the SDK does.
func TestAnswersHaveNoUnknownFields(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stockOfA3(9)
	s.done(s.ask(calendarBody("shareSettings", fields{"shareType": "SPECIFIC_PROJECTS", "projectMap": manyProjects(2)},
		"deploymentType", nil, "schedulingType", "GROUPED", "enableEmergentMaintenance", true)))
	s.finish()
	s.done(s.amend("specificSkuProperties.totalCount", countField, 3))
	amending := s.future()
	s.finish()
	advice := s.advise()
	s.start()
	for name, test := range map[string]struct {
		answer reply
		into   proto.Message
	}{
		"amending":     {amending, &computepb.FutureReservation{}},
		"fulfilled":    {s.future(), &computepb.FutureReservation{}},
		"list":         {s.send(http.MethodGet, futures, ""), &computepb.FutureReservationsListResponse{}},
		"aggregated":   {s.send(http.MethodGet, "p1/aggregated/futureReservations", ""), &computepb.FutureReservationsAggregatedListResponse{}},
		"reservation":  {s.send(http.MethodGet, delivered, ""), &computepb.Reservation{}},
		"region":       {s.send(http.MethodGet, "p1/regions/us-central1", ""), &computepb.Region{}},
		"regions":      {s.send(http.MethodGet, "p1/regions", ""), &computepb.RegionList{}},
		"zone":         {s.send(http.MethodGet, "p1/zones/us-central1-a", ""), &computepb.Zone{}},
		"zones":        {s.send(http.MethodGet, "p1/zones", ""), &computepb.ZoneList{}},
		"project":      {s.send(http.MethodGet, "p1", ""), &computepb.Project{}},
		"machine type": {s.send(http.MethodGet, "p1/zones/us-central1-a/machineTypes/a3-highgpu-8g", ""), &computepb.MachineType{}},
		"types":        {s.send(http.MethodGet, "p1/aggregated/machineTypes", ""), &computepb.MachineTypeAggregatedList{}},
		"accelerator":  {s.send(http.MethodGet, "p1/zones/us-central1-a/acceleratorTypes/nvidia-l4", ""), &computepb.AcceleratorType{}},
		"accelerators": {s.send(http.MethodGet, "p1/zones/us-central1-a/acceleratorTypes", ""), &computepb.AcceleratorTypeList{}},
		"advice":       {advice, &computepb.CalendarModeAdviceResponse{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := protojson.Unmarshal([]byte(test.answer.body), test.into); err != nil {
				t.Errorf("%v: %s", err, test.answer.body)
			}
			if proto.Size(test.into) == 0 {
				t.Error("nothing was read")
			}
		})
	}
}

func TestSDKFutureReservation(t *testing.T) {
	t.Parallel()
	s := newStageWith(t, googlesim.Options{ExpandedTypes: true})
	ctx := t.Context()
	c := client(s, compute.NewFutureReservationsRESTClient)
	inserted, err := c.Insert(ctx, &computepb.InsertFutureReservationRequest{
		Project: "p1", Zone: zone, RequestId: new("9f1c7f1e-8a52-4d2e-9d5c-2f1f2f6d9a01"),
		FutureReservationResource: &computepb.FutureReservation{
			Name: new("f1"), PlanningStatus: new("SUBMITTED"), ReservationName: new("r-of-f1"), Description: new("text"),
			SpecificReservationRequired: new(true), AutoDeleteAutoCreatedReservations: new(true),
			SpecificSkuProperties: &computepb.FutureReservationSpecificSKUProperties{
				TotalCount:         new(int64(2)),
				InstanceProperties: &computepb.AllocationSpecificSKUAllocationReservedInstanceProperties{MachineType: new("a3-highgpu-8g")},
			},
			TimeWindow: &computepb.FutureReservationTimeWindow{
				StartTime: new(rfc(opens())), Duration: &computepb.Duration{Seconds: new(int64(172800))},
			},
		},
	})
	s.wait(inserted, err)
	s.finish()
	updated, err := c.Update(ctx, &computepb.UpdateFutureReservationRequest{
		Project: "p1", Zone: zone, FutureReservation: "f1", UpdateMask: new("specificSkuProperties.totalCount,description"),
		FutureReservationResource: &computepb.FutureReservation{
			Description:           new("new"),
			SpecificSkuProperties: &computepb.FutureReservationSpecificSKUProperties{TotalCount: new(int64(3))},
		},
	})
	s.wait(updated, err)
	s.finish()
	got, err := c.Get(ctx, &computepb.GetFutureReservationRequest{Project: "p1", Zone: zone, FutureReservation: "f1"})
	s.ok(err)
	have := []any{
		got.GetStatus().GetProcurementStatus(), got.GetDescription(), got.GetSpecificSkuProperties().GetTotalCount(),
		got.GetTimeWindow().GetEndTime(), got.GetAutoCreatedReservationsDeleteTime(), got.GetKind(),
		got.GetSpecificSkuProperties().GetInstanceProperties().GetGuestAccelerators()[0].GetAcceleratorCount(),
	}
	want := []any{"APPROVED", "new", int64(3), rfc(closes()), rfc(closes()), "compute#futureReservation", int32(8)}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	canceled, err := c.Cancel(ctx, &computepb.CancelFutureReservationRequest{Project: "p1", Zone: zone, FutureReservation: "f1"})
	s.wait(canceled, err)
	deleted, err := c.Delete(ctx, &computepb.DeleteFutureReservationRequest{Project: "p1", Zone: zone, FutureReservation: "f1"})
	s.wait(deleted, err)
	_, err = c.Get(ctx, &computepb.GetFutureReservationRequest{Project: "p1", Zone: zone, FutureReservation: "f1"})
	sdkReason(t, err, http.StatusNotFound, "notFound")
	if _, err := c.List(ctx, &computepb.ListFutureReservationsRequest{Project: "p1", Zone: zone}).Next(); !errors.Is(err, iterator.Done) {
		t.Errorf("listed %v", err)
	}
}

func sdkReason(t *testing.T, err error, status int, reason string) {
	t.Helper()
	var api *googleapi.Error
	if !errors.As(err, &api) || api.Code != status || len(api.Errors) == 0 || api.Errors[0].Reason != reason {
		t.Errorf("got %v, want %d %s", err, status, reason)
	}
}

// TestSDKPages has the clients' iterators walk over all pages of things that
// Google provides.
func TestSDKPages(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	machines := client(s, compute.NewMachineTypesRESTClient)
	names := map[string]int{}
	pages := machines.List(ctx, &computepb.ListMachineTypesRequest{Project: "p1", Zone: zone, MaxResults: new(uint32(7))})
	for {
		m, err := pages.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		s.ok(err)
		names[m.GetName()]++
	}
	if names["a3-highgpu-8g"] != 1 || names["g4-standard-6"] != 0 || len(names) < 30 {
		t.Errorf("listed %v", names)
	}
	accelerators := client(s, compute.NewAcceleratorTypesRESTClient)
	all := accelerators.AggregatedList(ctx, &computepb.AggregatedListAcceleratorTypesRequest{Project: "p1", MaxResults: new(uint32(50))})
	seen := 0
	for {
		pair, err := all.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		s.ok(err)
		seen += len(pair.Value.GetAcceleratorTypes())
	}
	if seen < 100 {
		t.Errorf("%d accelerators in all zones", seen)
	}
}

func TestSDKPlaces(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	region, err := client(s, compute.NewRegionsRESTClient).Get(ctx, &computepb.GetRegionRequest{Project: "p1", Region: "us-central1"})
	s.ok(err)
	if len(region.GetZones()) != 4 || len(region.GetQuotas()) < 20 || region.GetStatus() != "UP" {
		t.Errorf("region %v", region)
	}
	project, err := client(s, compute.NewProjectsRESTClient).Get(ctx, &computepb.GetProjectRequest{Project: "p1"})
	s.ok(err)
	if project.GetQuotas()[0].GetMetric() != "GPUS_ALL_REGIONS" {
		t.Errorf("project %v", project)
	}
	manager, err := cloudresourcemanager.NewService(ctx, s.sdk()...)
	s.ok(err)
	byID, err := manager.Projects.Get("projects/my-project").Do()
	s.ok(err)
	byNumber, err := manager.Projects.Get(byID.Name).Do()
	s.ok(err)
	if byNumber.ProjectId != "my-project" || byNumber.State != "ACTIVE" {
		t.Errorf("project %v", byNumber)
	}
	_, err = manager.Projects.Get("projects/1").Do()
	var api *googleapi.Error
	if !errors.As(err, &api) || api.Code != http.StatusForbidden || api.Message != "The caller does not have permission" {
		t.Errorf("unknown project: %v", err)
	}
}

func TestSDKAdvice(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	got, err := client(s, compute.NewAdviceRESTClient).CalendarMode(t.Context(), &computepb.CalendarModeAdviceRpcRequest{
		Project: "p1", Region: "us-central1", CalendarModeAdviceRequestResource: &computepb.CalendarModeAdviceRequest{
			FutureResourcesSpecs: map[string]*computepb.FutureResourcesSpec{"spec": {
				TargetResources: &computepb.FutureResourcesSpecTargetResources{
					SpecificSkuResources: &computepb.FutureResourcesSpecSpecificSKUResources{
						InstanceCount: new(int64(1)), MachineType: new("a3-highgpu-8g"),
					},
				},
				TimeRangeSpec: &computepb.FlexibleTimeRange{MinDuration: new("86400s"), MaxDuration: new("86400s")},
			}},
		},
	})
	s.ok(err)
	if location := got.GetRecommendations()[0].GetRecommendationsPerSpec()["spec"].GetLocation(); location != "zones/us-central1-a" {
		t.Errorf("advised %s", location)
	}
}
