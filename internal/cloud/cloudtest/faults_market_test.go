package cloudtest_test

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// faultyMarkets break Market.
func faultyMarkets() map[string]fault {
	told := func(change func([]cloud.Signal) []cloud.Signal) func(*broken) {
		return func(b *broken) {
			b.market = func(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
				all, err := b.Cloud.Market(ctx, query)
				return change(all), err
			}
		}
	}
	return map[string]fault{
		"no signals":   {"market/one-each", told(func([]cloud.Signal) []cloud.Signal { return nil })},
		"signal twice": {"market/one-each", told(func(all []cloud.Signal) []cloud.Signal { return append(all, all...) })},
		"signals in another order": {"market/order", told(func(all []cloud.Signal) []cloud.Signal {
			slices.SortFunc(all, func(x, y cloud.Signal) int { return strings.Compare(x.Zone, y.Zone) })
			return all
		})},
		"zones ignored": {"market/these-zones", func(b *broken) {
			b.market = func(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
				query.Zones = nil
				return b.Cloud.Market(ctx, query)
			}
		}},
		"one unknown type fails all": {"market/unknown-type", func(b *broken) {
			b.market = func(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
				if slices.Contains(query.InstanceTypes, "x9.nosuchtype") {
					return nil, errors.New("no such type")
				}
				return b.Cloud.Market(ctx, query)
			}
		}},
		"nothing known, no reason": {"market/reasons", told(func(all []cloud.Signal) []cloud.Signal {
			for i := range all {
				all[i].Unknown = nil
			}
			return all
		})},
		"a score that is none": {"market/reasons", told(func(all []cloud.Signal) []cloud.Signal {
			for i := range all {
				if all[i].SpotScore != nil {
					*all[i].SpotScore = 11
				}
			}
			return all
		})},
	}
}
