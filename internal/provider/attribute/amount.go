package attribute

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// precision is the one that Terraform parses numbers with, in bits; a number
// made with another one is not equal to the same number from a configuration.
const precision = 512

// decimals is how many decimals of a number are looked at: far more than an
// amount may have, far fewer than precision holds.
const decimals = 40

// micro is how many parts of a currency unit an amount counts.
const micro = 1_000_000

// AmountOf is the amount in US dollars, nil for null and unknown. The value was
// validated by Amount.
func AmountOf(v types.Number) *money.Money {
	if v.IsNull() || v.IsUnknown() {
		return nil
	}
	micros, exact := micros(v.ValueBigFloat())
	if !exact {
		return nil
	}
	return &money.Money{Micros: micros, Currency: "USD"}
}

// AmountValue is an amount as a number, null for nil.
func AmountValue(m *money.Money) types.Number {
	if m == nil {
		return types.NumberNull()
	}
	text := m.Amount()
	f, _, err := big.ParseFloat(text, 10, precision, big.ToNearestEven)
	if err != nil {
		return types.NumberNull()
	}
	return types.NumberValue(f)
}

// micros is the number in millionths, and whether that is a whole count that
// fits.
func micros(f *big.Float) (int64, bool) {
	if f.IsInf() || f.MantExp(nil) > 63 {
		return 0, false
	}
	r, _ := new(big.Rat).SetString(f.Text('f', decimals))
	if r == nil {
		return 0, false
	}
	r.Mul(r, big.NewRat(micro, 1))
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Amount validates a sum of money that is not negative and has at most six
// decimals.
type Amount struct{}

// Description implements validator.Number.
func (Amount) Description(context.Context) string {
	return "an amount of zero or more with at most six decimals"
}

// MarkdownDescription implements validator.Number.
func (v Amount) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateNumber implements validator.Number.
func (Amount) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if m, exact := micros(req.ConfigValue.ValueBigFloat()); !exact || m < 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Not an amount", fmt.Sprintf(
			"%s is not an amount of zero or more with at most six decimals.", req.ConfigValue.ValueBigFloat().Text('g', -1)))
	}
}
