package capacity

import (
	"context"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Market tells what places charge and how likely they have capacity.
func (m *Manager) Market(ctx context.Context, cloudName string, query cloud.MarketQuery) ([]cloud.Signal, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return nil, err
	}
	reader, ok := cloud.As[cloud.MarketReader](c)
	if !ok {
		return nil, refuse("cloud", "No market to read", "%s tells nothing of prices and chances.", c.Capabilities().Title)
	}
	signals, err := reader.Market(ctx, query)
	if err != nil {
		return nil, failed(err, "Cannot read the market", "%s: %s", c.Capabilities().Title, describe(c, err))
	}
	return signals, nil
}

// Quotas are the limits that a wish draws on.
func (m *Manager) Quotas(ctx context.Context, cloudName string, spec cloud.Spec) ([]cloud.Quota, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return nil, err
	}
	reader, ok := cloud.As[cloud.QuotaReader](c)
	if !ok {
		return nil, refuse("cloud", "No quotas to read", "%s tells no quotas.", c.Capabilities().Title)
	}
	quotas, err := reader.Quotas(ctx, spec)
	if err != nil {
		return nil, failed(err, "Cannot read the quotas", "%s: %s", c.Capabilities().Title, describe(c, err))
	}
	return quotas, nil
}

// Sold refuses a kind of which the cloud sells no offers, with how it is asked for
// instead.
func (m *Manager) Sold(cloudName string, kind cloud.Kind) error {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return err
	}
	caps := c.Capabilities()
	if caps.Kinds[kind].ByOffer {
		return nil
	}
	exact := slices.DeleteFunc(caps.KindNames(), func(name string) bool { return !caps.Kinds[cloud.Kind(name)].Bounded })
	if !slices.Contains(exact, string(kind)) {
		return refuse(cloud.AttrKind, "No offers", "%s sells no offers of kind %s", caps.Title, kind)
	}
	return refuse(cloud.AttrKind, "No offers", "%s sells no offers of kind %s; reservations of kind %s are asked for with the exact window",
		caps.Title, kind, strings.Join(exact, " and "))
}
