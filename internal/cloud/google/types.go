package google

import (
	"context"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opTypes = "compute.machineTypes.aggregatedList"
	// maxNames keeps a filter to a few kilobytes of a request's address.
	maxNames = 50
)

// InstanceTypes implements cloud.TypeDescriber. A type is described once, by the
// first zone of the region that has it.
func (c *Cloud) InstanceTypes(ctx context.Context, account, region string, names ...string) ([]cloud.InstanceType, error) {
	found, err := c.machines(ctx, account, region, names)
	if err != nil {
		return nil, err
	}
	described := map[string]cloud.InstanceType{}
	for _, zone := range slices.Sorted(maps.Keys(found)) {
		for _, m := range found[zone] {
			if _, ok := described[m.GetName()]; ok {
				continue
			}
			if t := describeType(m); len(names) > 0 || t.GPUs != "" {
				described[t.Name] = t
			}
		}
	}
	all := make([]cloud.InstanceType, 0, len(described))
	for _, name := range slices.Sorted(maps.Keys(described)) {
		all = append(all, described[name])
	}
	return all, nil
}

// machines are the machine types of a region's zones: those of the names, or all.
func (c *Cloud) machines(ctx context.Context, account, region string, names []string) (map[string][]*computepb.MachineType, error) {
	if !regionForm.MatchString(region) {
		return nil, &cloud.Error{Code: cloud.Invalid, Op: opTypes, Message: "\"" + cloud.Clean(region) + "\" is not a region such as us-central1"}
	}
	project, err := c.project(ctx, account)
	if err != nil {
		return nil, err
	}
	found := map[string][]*computepb.MachineType{}
	for _, filter := range typeFilters(region, names) {
		err := pages(opTypes, func(token string) (string, error) {
			page, err := c.machinePage(ctx, project, filter, token)
			if err != nil {
				return "", err
			}
			return page.GetNextPageToken(), inRegion(page, region, found)
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// typeFilters ask for the names, wherever they are, or for all that the region
// has; a regular expression takes no second field (discovery document, filter).
// What cannot be a type is left out: it would refuse the whole call.
func typeFilters(region string, names []string) []string {
	if len(names) == 0 {
		return []string{`zone eq "` + region + `-.*"`}
	}
	var terms []string
	for _, name := range names {
		if typeForm.MatchString(name) {
			terms = append(terms, `(name = "`+name+`")`)
		}
	}
	var filters []string
	for some := range slices.Chunk(terms, maxNames) {
		filters = append(filters, strings.Join(some, " OR "))
	}
	return filters
}

func (c *Cloud) machinePage(ctx context.Context, project, filter, token string) (*computepb.MachineTypeAggregatedList, error) {
	cl, err := c.clients(ctx)
	if err != nil {
		return nil, err
	}
	return call(ctx, c, opTypes, func(ctx context.Context) (*computepb.MachineTypeAggregatedList, error) {
		client, err := compute.NewMachineTypesRESTClient(ctx, cl.options(cl.bound(ctx))...)
		if err != nil {
			return nil, err
		}
		it := client.AggregatedList(ctx, &computepb.AggregatedListMachineTypesRequest{
			Project: project, Filter: proto.String(filter), MaxResults: proto.Uint32(pageSize),
		}, once)
		if _, _, err := it.InternalFetch(0, token); err != nil {
			return nil, err
		}
		return response[*computepb.MachineTypeAggregatedList](opTypes, it.Response)
	})
}

// inRegion takes what a page has of a region. What was not reached elsewhere is
// nobody's loss.
func inRegion(page *computepb.MachineTypeAggregatedList, region string, into map[string][]*computepb.MachineType) error {
	if page.GetKind() == "" && page.GetId() == "" && page.Items == nil {
		return hollow(opTypes, "kind")
	}
	elsewhere := func(scope string) bool { of := regionOf(last(scope)); return of != "" && of != region }
	missed := slices.DeleteFunc(slices.Clone(page.GetUnreachables()), elsewhere)
	if err := incomplete(opTypes, missed, page.GetWarning()); err != nil {
		return err
	}
	for scope, scoped := range page.GetItems() {
		zone := last(scope)
		if regionOf(zone) != region {
			continue
		}
		if err := incomplete(opTypes, nil, scoped.GetWarning()); err != nil {
			return err
		}
		if machines := scoped.GetMachineTypes(); len(machines) > 0 {
			into[zone] = append(into[zone], machines...)
		}
	}
	return nil
}

// partOfGPU finds the part of a GPU in a description: "Graphics Optimized: 1/8
// NVIDIA RTX PRO 6000 GPU, …" (seen by a public crawler of the API).
var partOfGPU = regexp.MustCompile(`\b1/(?:2|4|8|16)\b`)

// describeType reads one machine type. What this package knows of its GPUs comes
// first, because the API counts a part of one as one.
func describeType(m *computepb.MachineType) cloud.InstanceType {
	t := cloud.InstanceType{Name: m.GetName(), VCPUs: int(m.GetGuestCpus()), MemoryMiB: int64(m.GetMemoryMb())}
	of, known := gpusOf(t.Name, "", "")
	if !known {
		if len(m.GetAccelerators()) == 0 {
			return t
		}
		shown := m.GetAccelerators()[0]
		of = shape{last(shown.GetGuestAcceleratorType()), strconv.Itoa(int(shown.GetGuestAcceleratorCount()))}
		if part := partOfGPU.FindString(m.GetDescription()); part != "" && of.gpus == "1" {
			of.gpus = part
		}
	}
	t.GPUModel, t.GPUs, t.GPUMemoryMiB = modelOf(of.accelerator), of.gpus, memoryOf(of)
	return t
}

// modelOf is the word for an accelerator type, its name where there is none.
func modelOf(name string) string {
	if known, ok := accelerators[name]; ok {
		return known.model
	}
	return name
}

// memoryOf is that of all GPUs of an instance, 0 where it is not known.
func memoryOf(of shape) int64 {
	gpus, ok := new(big.Rat).SetString(of.gpus)
	if !ok {
		return 0
	}
	total := gpus.Mul(gpus, new(big.Rat).SetInt64(accelerators[of.accelerator].memoryMiB))
	return new(big.Int).Quo(total.Num(), total.Denom()).Int64()
}
