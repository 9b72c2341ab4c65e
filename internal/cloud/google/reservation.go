package google

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/compute/apiv1/computepb"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Native options, by attribute name.
const (
	optAcceleratorType  = "accelerator_type"
	optAcceleratorCount = "accelerator_count"
	optCPUPlatform      = "min_cpu_platform"
	optSSDCount         = "local_ssd_count"
	optSSDInterface     = "local_ssd_interface"
	optPlacement        = "placement_policy"
	optVertex           = "vertex_sharing"
	optDeployment       = "deployment_type"
)

// attrVertex is the one option that changes in place.
const attrVertex cloud.Attribute = "google." + optVertex

// decode reads a reservation.
func (c *Cloud) decode(ctx context.Context, account, project string, r *computepb.Reservation) (cloud.Reservation, error) {
	zone := last(r.GetZone())
	n := name{project: project, zone: zone, collection: reservations, id: r.GetName()}
	sku := r.GetSpecificReservation()
	properties := sku.GetInstanceProperties()
	out := cloud.Reservation{
		Ref:          cloud.Ref{Account: account, NativeID: n.String()},
		AccountID:    project,
		Region:       n.region(),
		Zone:         zone,
		Kind:         cloud.OnDemand,
		InstanceType: last(properties.GetMachineType()),
		Count:        int(sku.GetCount()),
		InUse:        int(sku.GetInUseCount()),
		Match:        cloud.Open,
		NativeState:  r.GetStatus(),
		CreatedAt:    parseTime(r.GetCreationTimestamp()),
		EndsAt:       parseTime(r.GetDeleteAtTime()),
		Mark:         readMark(r.GetDescription()),
		NativeName:   r.GetName(),
		Native:       nativeOf(properties),
	}
	if r.GetSpecificReservationRequired() {
		out.Match = cloud.Targeted
	}
	out.StartsAt, out.UsableUntil = out.CreatedAt, out.EndsAt
	out.State = stateOf(r.GetStatus())
	if c.over(out.EndsAt) {
		// Its own deletion may be late, and is its end.
		out.State = cloud.Ended
	}
	out.Native[optVertex] = vertexOf(r.GetReservationSharingPolicy())
	out.Native[optPlacement] = placementOf(r.GetResourcePolicies())
	var err error
	out.ShareWith, out.Unresolved, err = c.sharedWith(ctx, r.GetShareSettings())
	return out, err
}

// stateDeleting is the native state of what is on its way out.
const stateDeleting = "DELETING"

// over tells whether an end has come, by the cloud's time.
func (c *Cloud) over(end time.Time) bool {
	now, ok := c.dates.Now()
	return ok && !end.IsZero() && !now.Before(end)
}

// stateOf is what a state of a reservation means (discovery document,
// Reservation.status).
func stateOf(native string) cloud.State {
	switch native {
	case "READY", "UPDATING":
		return cloud.Held
	case "CREATING":
		return cloud.Pending
	case stateDeleting:
		return cloud.Leaving
	}
	return cloud.Unrecognized
}

func vertexOf(policy *computepb.AllocationReservationSharingPolicy) string {
	if policy.GetServiceShareType() == shareAll {
		return vertexAllow
	}
	return vertexDisallow
}

// placementOf is the name of the placement policy: it is of the reservation's own
// project and region. Of several, which others may have given, it is the one of the
// first key.
func placementOf(policies map[string]string) string {
	for _, key := range slices.Sorted(maps.Keys(policies)) {
		return last(policies[key])
	}
	return ""
}

// nativeOf are the options that the properties of an instance show. The GPUs and
// disks that a machine type brings along come back as if they had been asked for
// (Compute Engine, "View reservations", samples): they are not options.
func nativeOf(p *computepb.AllocationSpecificSKUAllocationReservedInstanceProperties) map[string]string {
	machine := last(p.GetMachineType())
	native := map[string]string{optCPUPlatform: p.GetMinCpuPlatform()}
	if familyOf(machine) == familyN1 {
		native[optAcceleratorType], native[optAcceleratorCount] = "", ""
		if gpus := p.GetGuestAccelerators(); len(gpus) > 0 {
			native[optAcceleratorType] = last(gpus[0].GetAcceleratorType())
			native[optAcceleratorCount] = strconv.Itoa(int(gpus[0].GetAcceleratorCount()))
		}
	}
	if attachesDisks(machine) {
		native[optSSDCount], native[optSSDInterface] = "", ""
		if disks := p.GetLocalSsds(); len(disks) > 0 {
			native[optSSDCount] = strconv.Itoa(len(disks))
			native[optSSDInterface] = strings.ToLower(disks[0].GetInterface())
		}
	}
	return native
}

// attachesDisks tells whether local disks are an option of a machine type, and do
// not come with it (Compute Engine, "About Local SSD disks").
func attachesDisks(machineType string) bool {
	switch familyOf(machineType) {
	case familyN1, "g2":
		return true
	case "a2":
		return !strings.HasPrefix(machineType, "a2-ultragpu-")
	}
	return false
}

// last is the name at the end of a full or partial link.
func last(link string) string { return link[strings.LastIndex(link, "/")+1:] }

// parseTime reads a time, zero where there is none.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
