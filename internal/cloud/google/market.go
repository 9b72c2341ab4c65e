package google

import (
	"context"
	"maps"
	"slices"

	"cloud.google.com/go/compute/apiv1/computepb"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Why nothing is known. Compute Engine tells no prices; the Cloud Billing Catalog
// sells GPUs, CPUs and memory apart, told apart by their descriptions alone.
const (
	noPrice = "Google Cloud lists no price of a machine type, only of its parts"
	noScore = "Google Cloud gives zones no score"
)

// Market implements cloud.MarketReader: which zones offer a type. Without that
// there is nothing to tell, so that its failure is the answer.
func (c *Cloud) Market(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
	if len(query.InstanceTypes) == 0 {
		return []cloud.Signal{}, nil
	}
	found, err := c.machines(ctx, query.Account, query.Region, query.InstanceTypes)
	if err != nil {
		return nil, err
	}
	all := []cloud.Signal{}
	for _, machineType := range query.InstanceTypes {
		for _, zone := range zonesOf(query, machineType, found) {
			all = append(all, signal(query.Region, zone, machineType, offers(found[zone], machineType)))
		}
	}
	return all, nil
}

func offers(machines []*computepb.MachineType, machineType string) bool {
	return slices.ContainsFunc(machines, func(m *computepb.MachineType) bool { return m.GetName() == machineType })
}

// zonesOf are the zones to tell of: those of the query, else those that offer the
// type.
func zonesOf(query cloud.MarketQuery, machineType string, found map[string][]*computepb.MachineType) []string {
	zones := slices.Clone(query.Zones)
	if len(zones) == 0 {
		zones = slices.Collect(maps.Keys(found))
		zones = slices.DeleteFunc(zones, func(zone string) bool { return !offers(found[zone], machineType) })
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

func signal(region, zone, machineType string, offered bool) cloud.Signal {
	s := cloud.Signal{Region: region, Zone: zone, InstanceType: machineType, Offered: &offered}
	if !offered {
		none := machineType + " is not offered in " + zone
		s.Unknown = map[cloud.SignalField]string{cloud.SignalOnDemand: none, cloud.SignalSpot: none, cloud.SignalSpotScore: none}
		return s
	}
	s.Unknown = map[cloud.SignalField]string{cloud.SignalOnDemand: noPrice, cloud.SignalSpot: noPrice, cloud.SignalSpotScore: noScore}
	return s
}
