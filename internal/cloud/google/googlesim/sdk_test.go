package googlesim_test

import (
	"errors"
	"net/http"
	"testing"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The real client, by its own models.

func (s *stage) client() *compute.ReservationsClient {
	s.t.Helper()
	client, err := compute.NewReservationsRESTClient(s.t.Context(), option.WithEndpoint(s.url+"/prefix"), option.WithoutAuthentication())
	s.ok(err)
	s.t.Cleanup(func() { s.ok(client.Close()) })
	// A running clock, or no operation would end.
	s.ok(s.world.Freeze(false))
	return client
}

// wait lets an operation of the client end well.
func (s *stage) wait(op *compute.Operation, err error) {
	s.t.Helper()
	s.ok(err)
	s.finish()
	s.ok(op.Wait(s.t.Context()))
	if failure := op.Proto().GetError(); failure != nil {
		s.t.Fatal(failure)
	}
}

// resource is a reservation as the client's types have it.
func resource() *computepb.Reservation {
	return &computepb.Reservation{
		Name: proto.String("r1"), SpecificReservationRequired: proto.Bool(true), Description: proto.String("d"),
		DeleteAfterDuration: &computepb.Duration{Seconds: proto.Int64(86400)},
		ShareSettings: &computepb.ShareSettings{
			ShareType:  proto.String("SPECIFIC_PROJECTS"),
			ProjectMap: map[string]*computepb.ShareSettingsProjectConfig{"team-one": {ProjectId: proto.String("team-one")}},
		},
		SpecificReservation: &computepb.AllocationSpecificSKUReservation{
			Count: proto.Int64(2),
			InstanceProperties: &computepb.AllocationSpecificSKUAllocationReservedInstanceProperties{
				MachineType: proto.String("a3-highgpu-1g"),
			},
		},
	}
}

func TestSDKLifeOfAReservation(t *testing.T) {
	t.Parallel()
	s := newStageWith(t, googlesim.Options{ExpandedTypes: true})
	client, ctx := s.client(), t.Context()
	op, err := client.Insert(ctx, &computepb.InsertReservationRequest{
		Project: "p1", Zone: zone, RequestId: proto.String("11111111-2222-4333-8444-555555555555"), ReservationResource: resource(),
	})
	s.wait(op, err)
	op, err = client.Resize(ctx, &computepb.ResizeReservationRequest{
		Project: "p1", Zone: zone, Reservation: "r1",
		ReservationsResizeRequestResource: &computepb.ReservationsResizeRequest{SpecificSkuCount: proto.Int64(5)},
	})
	s.wait(op, err)
	op, err = client.Update(ctx, &computepb.UpdateReservationRequest{
		Project: "p1", Zone: zone, Reservation: "r1", UpdateMask: proto.String("deleteAtTime,reservationSharingPolicy.serviceShareType"),
		ReservationResource: &computepb.Reservation{
			ReservationSharingPolicy: &computepb.AllocationReservationSharingPolicy{ServiceShareType: proto.String("ALLOW_ALL")},
		},
	})
	s.wait(op, err)
	got, err := client.Get(ctx, &computepb.GetReservationRequest{Project: "p1", Zone: zone, Reservation: "r1"})
	s.ok(err)
	want := resource()
	want.DeleteAfterDuration = nil
	shown := []any{
		got.GetSpecificReservation().GetCount(), got.GetSpecificReservation().GetInstanceProperties().GetGuestAccelerators()[0].GetAcceleratorType(),
		got.GetStatus(), got.GetDescription(), got.DeleteAtTime == nil, got.GetReservationSharingPolicy().GetServiceShareType(),
		len(got.GetShareSettings().GetProjectMap()),
	}
	if diff := cmp.Diff([]any{int64(5), "nvidia-h100-80gb", "READY", want.GetDescription(), true, "ALLOW_ALL", 1}, shown); diff != "" {
		t.Error(diff)
	}
	op, err = client.Delete(ctx, &computepb.DeleteReservationRequest{Project: "p1", Zone: zone, Reservation: "r1"})
	s.wait(op, err)
	_, err = client.Get(ctx, &computepb.GetReservationRequest{Project: "p1", Zone: zone, Reservation: "r1"})
	var refused *googleapi.Error
	if !errors.As(err, &refused) || refused.Code != http.StatusNotFound || refused.Errors[0].Reason != "notFound" {
		t.Errorf("%v", err)
	}
}

func TestSDKLists(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.several()
	client, ctx := s.client(), t.Context()
	var names []string
	list := client.List(ctx, &computepb.ListReservationsRequest{Project: "p1", Zone: zone, MaxResults: proto.Uint32(2)})
	for {
		r, err := list.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		s.ok(err)
		names = append(names, r.GetName())
	}
	warned := 0
	all := client.AggregatedList(ctx, &computepb.AggregatedListReservationsRequest{Project: "p1", MaxResults: proto.Uint32(1)})
	for {
		pair, err := all.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		s.ok(err)
		if pair.Value.GetWarning().GetCode() == "NO_RESULTS_ON_PAGE" {
			warned++
		}
		for _, r := range pair.Value.GetReservations() {
			names = append(names, pair.Key+"/"+r.GetName())
		}
	}
	in := "zones/" + zone + "/"
	if diff := cmp.Diff([]string{"a", "b", "c", in + "a", in + "b", in + "c"}, names); diff != "" || warned < 100 {
		t.Errorf("%d warnings, %s", warned, diff)
	}
}

func TestSDKListsInstances(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.post("specificReservationRequired", true))
	s.use("r1", sim.Use{Number: 3})
	client, err := compute.NewInstancesRESTClient(t.Context(), option.WithEndpoint(s.url), option.WithoutAuthentication())
	s.ok(err)
	found := map[string]string{}
	list := client.List(t.Context(), &computepb.ListInstancesRequest{Project: "p1", Zone: zone, MaxResults: proto.Uint32(2)})
	for {
		vm, err := list.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		s.ok(err)
		found[vm.GetName()] = vm.GetResourceStatus().GetReservationConsumptionInfo().GetConsumedReservation()
	}
	if len(found) != 3 {
		t.Errorf("found %v", found)
	}
	for name, consumed := range found {
		if name == "" || consumed != "projects/"+collection+"/r1" {
			t.Errorf("%q uses %q", name, consumed)
		}
	}
}

// TestAnswersFitTheModels reads raw answers by the client's models, in which
// every field must be known.
func TestAnswersFitTheModels(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.world.Load([]byte(`{"capacity":{"cloud":"google","region":"us-central1","zone":"us-central1-a","instance_type":"g2-standard-4","available":0}}`)))
	s.done(s.post("deploymentType", "DENSE", properties+"machineType", "a3-megagpu-8g", "schedulingType", "GROUPED", "protectionTier", "STANDARD",
		"shareSettings.shareType", "SPECIFIC_PROJECTS", "shareSettings.projectMap", fields{"team-one": fields{}},
		"resourcePolicies", fields{"p": "projects/p1/regions/us-central1/resourcePolicies/pp"}, "deleteAtTime", "2027-04-01T00:00:00Z",
		"advancedDeploymentControl.reservationOperationalMode", "ALL_CAPACITY", "earlyAccessMaintenance", "WAVE1"))
	failed := s.failed(s.post("name", "r2", properties+"machineType", "g2-standard-4"), "ZONE_RESOURCE_POOL_EXHAUSTED")
	name, _ := failed.at("name").(string)
	s.use("r1", sim.Use{Number: 1})
	for path, message := range map[string]proto.Message{
		instances:                            &computepb.InstanceList{},
		collection + "/r1":                   &computepb.Reservation{},
		collection:                           &computepb.ReservationList{},
		"p1/aggregated/reservations":         &computepb.ReservationAggregatedList{},
		collection + "/r1/reservationBlocks": &computepb.ReservationBlocksListResponse{},
		collection + "/r1/getIamPolicy":      &computepb.Policy{},
		operations:                           &computepb.OperationList{},
		operations + "/" + name:              &computepb.Operation{},
		collection + "/r1/reservationBlocks/" + "r1-block-0001": &computepb.ReservationBlocksGetResponse{},
	} {
		got := s.accepted(s.send(http.MethodGet, path, ""))
		if err := protojson.Unmarshal([]byte(got.body), message); err != nil {
			t.Errorf("%s: %v\n%s", path, err, got.body)
		}
	}
}
