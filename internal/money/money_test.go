package money_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

func usd(micros int64) money.Money { return money.Money{Micros: micros, Currency: "USD"} }

func TestParse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		"0":                            0,
		"0.00":                         0,
		"1234.50":                      1_234_500_000,
		"98.32":                        98_320_000,
		"98.3200000000":                98_320_000,
		"21.957642":                    21_957_642,
		"0.000001":                     1,
		"007":                          7_000_000,
		"9223372036854.775807":         math.MaxInt64,
		"9223372036854.77580700000000": math.MaxInt64,
	} {
		if got, err := money.Parse(in, "USD"); err != nil || got != usd(want) {
			t.Errorf("Parse(%q) = %s, %v, want %d micros", in, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount, currency string
		want             error
	}{
		{"", "USD", money.ErrAmount},
		{".", "USD", money.ErrAmount},
		{"1.", "USD", money.ErrAmount},
		{".5", "USD", money.ErrAmount},
		{"-1", "USD", money.ErrAmount},
		{"+1", "USD", money.ErrAmount},
		{" 1", "USD", money.ErrAmount},
		{"1,234.50", "USD", money.ErrAmount},
		{"1.2.3", "USD", money.ErrAmount},
		{"1.-2", "USD", money.ErrAmount},
		{"1e3", "USD", money.ErrAmount},
		{"$5", "USD", money.ErrAmount},
		{"0.0000001", "USD", money.ErrAmount},
		{"9223372036854.775808", "USD", money.ErrOverflow},
		{strings.Repeat("9", 400), "USD", money.ErrOverflow},
		{"1", "", money.ErrCurrency},
		{"1", "usd", money.ErrCurrency},
		{"1", "US", money.ErrCurrency},
		{"1", "USDT", money.ErrCurrency},
	} {
		if got, err := money.Parse(c.amount, c.currency); !errors.Is(err, c.want) || got != (money.Money{}) {
			t.Errorf("Parse(%q, %q) = %s, %v, want %v", c.amount, c.currency, got, err, c.want)
		}
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		money money.Money
		want  string
	}{
		{usd(98_320_000), "98.32 USD"},
		{usd(55_040_000), "55.04 USD"},
		{usd(3_000_000), "3.00 USD"},
		{usd(21_957_642), "21.957642 USD"},
		{usd(237_500), "0.2375 USD"},
		{usd(1), "0.000001 USD"},
		{usd(0), "0.00 USD"},
		{usd(-500_000), "-0.50 USD"},
		{usd(math.MinInt64), "-9223372036854.775808 USD"},
		{money.Money{Micros: 7_100_000, Currency: "CNY"}, "7.10 CNY"},
		{money.Money{}, "0.00"},
	} {
		if got := c.money.String(); got != c.want {
			t.Errorf("String of %d micros = %q, want %q", c.money.Micros, got, c.want)
		}
	}
}

func TestMul(t *testing.T) {
	t.Parallel()
	if got, err := usd(55_040_000).Mul(4); err != nil || got != usd(220_160_000) {
		t.Errorf("4 * 55.04 = %s, %v", got, err)
	}
	if got, err := usd(55_040_000).Mul(0); err != nil || got != usd(0) || !got.IsZero() {
		t.Errorf("0 * 55.04 = %s, %v", got, err)
	}
	for _, c := range [][2]int64{{math.MaxInt64, 2}, {math.MinInt64, -1}, {1 << 40, 1 << 40}} {
		if got, err := usd(c[0]).Mul(c[1]); !errors.Is(err, money.ErrOverflow) {
			t.Errorf("%d * %d = %s, %v, want ErrOverflow", c[0], c[1], got, err)
		}
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	if got, err := usd(98_320_000).Add(usd(1_680_000)); err != nil || got != usd(100_000_000) || got.IsZero() {
		t.Errorf("98.32 + 1.68 = %s, %v", got, err)
	}
	if got, err := usd(math.MaxInt64).Add(usd(1)); !errors.Is(err, money.ErrOverflow) {
		t.Errorf("overflow gave %s, %v", got, err)
	}
	for _, other := range []money.Money{{Micros: 1, Currency: "CNY"}, {}} {
		if got, err := usd(1).Add(other); !errors.Is(err, money.ErrCurrency) {
			t.Errorf("USD + %q = %s, %v, want ErrCurrency", other.Currency, got, err)
		}
	}
}

func TestCmp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b int64
		want int
	}{{1, 2, -1}, {2, 2, 0}, {3, 2, 1}, {math.MinInt64, math.MaxInt64, -1}} {
		if got, err := usd(c.a).Cmp(usd(c.b)); err != nil || got != c.want {
			t.Errorf("Cmp(%d, %d) = %d, %v, want %d", c.a, c.b, got, err, c.want)
		}
	}
	if got, err := usd(0).Cmp(money.Money{Currency: "CNY"}); !errors.Is(err, money.ErrCurrency) {
		t.Errorf("USD against CNY = %d, %v, want ErrCurrency", got, err)
	}
}

// FuzzParse holds the parser to its own text: what it reads, it writes back
// without loss.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"1234.50", "0", "0.0000010", "9223372036854.775808", "1.", "-1", "1e3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := money.Parse(s, "USD")
		if err != nil {
			if !errors.Is(err, money.ErrAmount) && !errors.Is(err, money.ErrOverflow) {
				t.Fatalf("Parse(%q): %v", s, err)
			}
			return
		}
		again, err := money.Parse(m.Amount(), "USD")
		if err != nil || again != m || m.Micros < 0 {
			t.Fatalf("Parse(%q) = %s, which reads back as %s, %v", s, m, again, err)
		}
	})
}
