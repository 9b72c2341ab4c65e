package capacity

import (
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// Spending is what one run may newly commit; nil means no limit.
type Spending struct {
	MaxPerHour *money.Money
	MaxUpfront *money.Money
}

// Price is what a wish costs as far as is known before it is made.
type Price struct {
	// PerHour is for all instances, nil where it is not known.
	PerHour *money.Money
	// Upfront is paid at purchase, nil where nothing is.
	Upfront *money.Money
}

// CheckCeiling refuses a price above a ceiling, one that is not known, and one
// in another currency. A nil ceiling allows everything.
func CheckCeiling(attribute string, ceiling, price *money.Money) error {
	return checkCeiling(attribute, ceiling, price, 0)
}

// checkCeiling holds a price to what is left of a ceiling after spent micros.
func checkCeiling(attribute string, ceiling, price *money.Money, spent int64) error {
	switch {
	case ceiling == nil:
		return nil
	case price == nil:
		return refuse(cloud.Attribute(attribute), "Price not known",
			"%s is %s, and the price is not known, so it cannot be held to. Remove the ceiling, or choose a place "+
				"whose price the catalog has.", attribute, ceiling)
	case price.Currency != ceiling.Currency:
		return refuse(cloud.Attribute(attribute), "Price in another currency",
			"%s is %s, and the price is %s: these cannot be compared.", attribute, ceiling, price)
	case price.Micros > ceiling.Micros-spent:
		already := ""
		if spent != 0 {
			already = " on top of the " + money.Money{Micros: spent, Currency: ceiling.Currency}.String() +
				" that this run has committed already"
		}
		return refuse(cloud.Attribute(attribute), "Price above the ceiling",
			"%s is %s, and this costs %s%s. Nothing was done.", attribute, ceiling, price, already)
	}
	return nil
}

// budget counts what this run has committed.
type budget struct {
	limit            Spending
	mu               sync.Mutex
	perHour, upfront int64
}

// reserve sets the price aside before it is spent; give it back if surely
// nothing was bought. A purchase needs to know what is paid upfront, and not what
// is paid by the hour.
func (b *budget) reserve(p Price, prepaid bool) (giveBack func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.PerHour != nil || !prepaid {
		if err := checkCeiling("spending.max_usd_per_hour", b.limit.MaxPerHour, p.PerHour, b.perHour); err != nil {
			return nil, err
		}
	}
	if p.Upfront != nil || prepaid {
		if err := checkCeiling("spending.max_upfront_usd", b.limit.MaxUpfront, p.Upfront, b.upfront); err != nil {
			return nil, err
		}
	}
	hour, once := micros(p.PerHour), micros(p.Upfront)
	b.perHour += hour
	b.upfront += once
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.perHour -= hour
		b.upfront -= once
	}, nil
}

func micros(p *money.Money) int64 {
	if p == nil {
		return 0
	}
	return p.Micros
}
