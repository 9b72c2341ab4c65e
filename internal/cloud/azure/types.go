package azure

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// InstanceTypes implements cloud.TypeDescriber.
func (c *Cloud) InstanceTypes(ctx context.Context, account, region string, names ...string) ([]cloud.InstanceType, error) {
	sizes, err := c.sizesOf(ctx, account, region)
	if err != nil {
		return nil, err
	}
	all := []cloud.InstanceType{}
	for _, key := range slices.Sorted(maps.Keys(sizes)) {
		t := sizes[key].describe()
		if slices.Contains(names, t.Name) || len(names) == 0 && t.GPUs != "" {
			all = append(all, t)
		}
	}
	return all, nil
}

// sizesOf are the sizes of a location by their names in lower case.
func (c *Cloud) sizesOf(ctx context.Context, account, region string) (map[string]size, error) {
	if !locationForm.MatchString(region) {
		return nil, notLocation(opSizes, region)
	}
	cl, err := c.inAccount(ctx, account)
	if err != nil {
		return nil, err
	}
	return cl.sizes(ctx, region)
}

// inAccount is the services of an account.
func (c *Cloud) inAccount(ctx context.Context, account string) (*clients, error) {
	subscription, err := c.subscription(account)
	if err != nil {
		return nil, err
	}
	return c.clients(ctx, subscription)
}

func notLocation(op, region string) *cloud.Error {
	return &cloud.Error{Code: cloud.Invalid, Op: op, Message: "\"" + cloud.Clean(region) + "\" is not a location such as eastus"}
}

// sized is a size of a list by its name in any casing.
func sized(sizes map[string]size, name string) (size, bool) {
	s, ok := sizes[strings.ToLower(name)]
	return s, ok
}
