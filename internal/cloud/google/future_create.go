package google

import (
	"context"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opFutureInsert = "compute.futureReservations.insert"

// prepareFuture is what starts at a date. It is submitted at once: a draft
// promises nothing. What it creates has its name, and is deleted at its end.
func (c *Cloud) prepareFuture(_ context.Context, w *wish) error {
	spec, t := w.req.Spec, w.target
	body := futureBody(t.name, spec)
	body.Description = proto.String(describe(w.req.Mark))
	body.PlanningStatus = proto.String(planned)
	body.ReservationMode = proto.String(modeDefault)
	if spec.Kind == cloud.Block {
		body.ReservationMode = proto.String(modeCalendar)
	}
	if spec.Native[optDeployment] == deploymentDense {
		body.DeploymentType = proto.String(dense)
	}
	w.op, w.body = opFutureInsert, body
	w.insert = func(ctx context.Context, id *string) (*compute.Operation, error) {
		return t.clients.futures.Insert(ctx, &computepb.InsertFutureReservationRequest{
			Project: t.name.project, Zone: t.name.zone, RequestId: id, FutureReservationResource: body,
		}, once)
	}
	return nil
}

// futureBody is what a create and an update send alike: an update repeats what
// the resource requires, whatever its mask names (recorded traffic of a public
// client's tests). A duration is sent as the end that it leads to, because an
// update of one fails (terraform-provider-google, issue 25033).
func futureBody(n name, spec cloud.Spec) *computepb.FutureReservation {
	return &computepb.FutureReservation{
		Name:                              proto.String(n.id),
		ReservationName:                   proto.String(n.id),
		AutoDeleteAutoCreatedReservations: proto.Bool(true),
		SpecificReservationRequired:       proto.Bool(spec.Match == cloud.Targeted),
		SpecificSkuProperties: &computepb.FutureReservationSpecificSKUProperties{
			TotalCount: proto.Int64(int64(spec.Count)), InstanceProperties: propertiesOf(spec),
		},
		TimeWindow: &computepb.FutureReservationTimeWindow{
			StartTime: proto.String(instant(spec.StartAt)), EndTime: proto.String(instant(spec.EndAt)),
		},
		ShareSettings: shareSettings(spec.ShareWith),
	}
}
