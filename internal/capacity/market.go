package capacity

import (
	"context"

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
