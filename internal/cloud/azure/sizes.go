package azure

import (
	"context"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opSizes = "ResourceSkus_List"

// Capabilities of a size (armcompute v8.4, CapacityReservation.SKU; the others as the
// API shows them, Azure/karpenter-provider-azure, generated SKUs).
const (
	capReservable = "CapacityReservationSupported"
	capTypes      = "SupportedCapacityReservationTypes"
	capVCPUs      = "vCPUs"
	capVCPUsSeen  = "vCPUsAvailable"
	capMemory     = "MemoryGB"
	capGPUs       = "GPUs"
)

// listKey is a location as a subscription sees it.
type listKey struct{ subscription, location string }

// sizeList is the sizes of a location by their names in lower case. What a
// subscription may use changes by a request to Azure, not within one run, and the
// list has megabytes: it is read once.
type sizeList struct {
	// gate holds one token: whoever has it may read, and list.
	gate  chan struct{}
	sizes map[string]size
}

// size is a VM size of a location.
type size struct{ sku *armcompute.ResourceSKU }

func (s size) name() string { return deref(s.sku.Name) }

// family is the name that the limits of its vCPUs have.
func (s size) family() string { return deref(s.sku.Family) }

// capability is one by its name, "" where the size does not show it.
func (s size) capability(name string) string {
	for _, c := range s.sku.Capabilities {
		if strings.EqualFold(deref(deref(c).Name), name) {
			return deref(deref(c).Value)
		}
	}
	return ""
}

// number is a capability that is a whole number, 0 where it is none.
func (s size) number(name string) int {
	n, err := strconv.Atoi(s.capability(name))
	if err != nil {
		return 0
	}
	return n
}

// zones are those of the location that have the size, sorted.
func (s size) zones(location string) []string {
	var zones []string
	for _, info := range s.sku.LocationInfo {
		if locationOf(deref(deref(info).Location)) == location {
			zones = append(zones, values(deref(info).Zones)...)
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// values are those of optional texts.
func values(values []*string) []string {
	all := make([]string, 0, len(values))
	for _, v := range values {
		all = append(all, deref(v))
	}
	return all
}

// sizes are those of a location, from the first list of it that succeeded.
func (cl *clients) sizes(ctx context.Context, location string) (map[string]size, error) {
	list := cl.cloud.sizeList(listKey{cl.subscription, location})
	select {
	case list.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-list.gate }()
	if list.sizes != nil {
		return list.sizes, ctx.Err()
	}
	found, err := cl.listSizes(ctx, location)
	if err != nil {
		return nil, err
	}
	list.sizes = found
	return found, nil
}

func (c *Cloud) sizeList(key listKey) *sizeList {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, ok := c.lists[key]
	if !ok {
		list = &sizeList{gate: make(chan struct{}, 1)}
		c.lists[key] = list
	}
	return list
}

// listSizes reads the sizes of a location. The list has disks and hosts too, and is
// not relied on to keep to the location.
func (cl *clients) listSizes(ctx context.Context, location string) (map[string]size, error) {
	type page = armcompute.ResourceSKUsClientListResponse
	found, err := pages(ctx, cl, listing[page]{
		op: opSizes,
		begin: func() pager[page] {
			return cl.skus.NewListPager(&armcompute.ResourceSKUsClientListOptions{Filter: to.Ptr("location eq '" + location + "'")})
		},
		next:     func(p page) *string { return p.NextLink },
		complete: func(p page) bool { return p.Value != nil },
	})
	if err != nil {
		return nil, err
	}
	sizes := map[string]size{}
	for _, p := range found {
		for _, sku := range p.Value {
			if sku == nil || !strings.EqualFold(deref(sku.ResourceType), "virtualMachines") || !isIn(sku, location) {
				continue
			}
			sizes[strings.ToLower(deref(sku.Name))] = size{sku}
		}
	}
	return sizes, nil
}

func isIn(sku *armcompute.ResourceSKU, location string) bool {
	return slices.ContainsFunc(values(sku.Locations), func(l string) bool { return locationOf(l) == location })
}

// describe is the size as an instance type. What this package knows of its GPUs
// comes first, because the API counts a part of one as one. Of the small sizes of
// RTXPRO6000BSE_v6 the part is published nowhere, so that its count stays.
func (s size) describe() cloud.InstanceType {
	t := cloud.InstanceType{Name: s.name(), VCPUs: s.number(capVCPUsSeen), MemoryMiB: mebibytes(s.capability(capMemory))}
	if t.VCPUs == 0 {
		t.VCPUs = s.number(capVCPUs)
	}
	if of, known := shapes[t.Name]; known {
		t.GPUModel, t.GPUs, t.GPUMemoryMiB = of.model, of.gpus, of.memoryGiB*1024
		return t
	}
	if n := s.number(capGPUs); n > 0 {
		t.GPUs = strconv.Itoa(n)
	}
	return t
}

// mebibytes reads a number of gibibytes, which may have decimals; 0 where it is none.
func mebibytes(gib string) int64 {
	n, ok := new(big.Rat).SetString(gib)
	if !ok {
		return 0
	}
	n.Mul(n, big.NewRat(1024, 1))
	return new(big.Int).Quo(n.Num(), n.Denom()).Int64()
}
