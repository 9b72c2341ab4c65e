package aws

import (
	"context"
	"math"
	"strconv"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opTypes = "DescribeInstanceTypes"
	// typesPage is the most that DescribeInstanceTypes takes.
	typesPage = 100
	// maxFilterValues is how many values one filter may have (EC2 API Reference,
	// FilterLimitExceeded).
	maxFilterValues = 200
)

// InstanceTypes implements cloud.TypeDescriber. Names go into a filter: as ids,
// one that EC2 does not know would refuse the whole call.
func (c *Cloud) InstanceTypes(ctx context.Context, account, region string, names ...string) ([]cloud.InstanceType, error) {
	p, err := c.place(ctx, account, region)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return p.types(ctx, nil)
	}
	all := []cloud.InstanceType{}
	for _, some := range wellFormed(names) {
		found, err := p.types(ctx, some)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// wellFormed leaves out what cannot be a type, wildcards above all, and cuts the
// rest to what one filter takes.
func wellFormed(names []string) [][]string {
	var groups [][]string
	for _, n := range names {
		if !typeForm.MatchString(n) {
			continue
		}
		if last := len(groups) - 1; last < 0 || len(groups[last]) == maxFilterValues {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], n)
	}
	return groups
}

// types describes the named types, or all with an accelerator.
func (p *place) types(ctx context.Context, names []string) ([]cloud.InstanceType, error) {
	all := []cloud.InstanceType{}
	err := pages(opTypes, func(token *string) (*string, error) {
		out, err := call(ctx, opTypes, func(ctx context.Context) (*ec2.DescribeInstanceTypesOutput, error) {
			return p.ec2.DescribeInstanceTypes(ctx, typesInput(names, token))
		})
		if err != nil {
			return nil, err
		}
		if out.InstanceTypes == nil {
			return nil, hollow(opTypes, "instanceTypeSet")
		}
		for _, info := range out.InstanceTypes {
			if t := describe(info); len(names) > 0 || t.GPUs != "" {
				all = append(all, t)
			}
		}
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func typesInput(names []string, token *string) *ec2.DescribeInstanceTypesInput {
	in := &ec2.DescribeInstanceTypesInput{MaxResults: awssdk.Int32(typesPage), NextToken: token}
	if len(names) > 0 {
		in.Filters = []ec2types.Filter{{Name: awssdk.String("instance-type"), Values: names}}
	}
	return in
}

// describe reads one type. Trainium and Inferentia are in an element of their
// own and count as accelerators too.
func describe(info ec2types.InstanceTypeInfo) cloud.InstanceType {
	t := cloud.InstanceType{Name: string(info.InstanceType)}
	if v := info.VCpuInfo; v != nil {
		t.VCPUs = int(awssdk.ToInt32(v.DefaultVCpus))
	}
	if m := info.MemoryInfo; m != nil {
		t.MemoryMiB = awssdk.ToInt64(m.SizeInMiB)
	}
	if g := info.GpuInfo; g != nil {
		t.GPUMemoryMiB = int64(awssdk.ToInt32(g.TotalGpuMemoryInMiB))
		for _, device := range g.Gpus {
			t.GPUModel = awssdk.ToString(device.Name)
			t.GPUs = gpus(device)
		}
		return t
	}
	if n := info.NeuronInfo; n != nil {
		t.GPUMemoryMiB = int64(awssdk.ToInt32(n.TotalNeuronDeviceMemoryInMiB))
		for _, device := range n.NeuronDevices {
			t.GPUModel = awssdk.ToString(device.Name)
			t.GPUs = strconv.Itoa(int(awssdk.ToInt32(device.Count)))
		}
	}
	return t
}

// gpus is how many GPUs an instance has. A type with a slice of one reports a
// count of 0 and says the truth in logicalGpuCount times gpuPartitionSize.
func gpus(device ec2types.GpuDeviceInfo) string {
	if device.LogicalGpuCount == nil || device.GpuPartitionSize == nil {
		return strconv.Itoa(int(awssdk.ToInt32(device.Count)))
	}
	return fraction(float64(*device.LogicalGpuCount) * *device.GpuPartitionSize)
}

// fraction writes a number of GPUs exactly, with the smallest denominator up to
// 64 that fits; none that exists needs more.
func fraction(x float64) string {
	const slack = 1e-3
	for d := 1; d <= 64; d++ {
		n := math.Round(x * float64(d))
		if math.Abs(x*float64(d)-n) > slack {
			continue
		}
		if d == 1 {
			return strconv.Itoa(int(n))
		}
		return strconv.Itoa(int(n)) + "/" + strconv.Itoa(d)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
