package gpu_test

import (
	"cmp"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
)

func parse(t *testing.T, s string) gpu.Fraction {
	t.Helper()
	f, err := gpu.ParseFraction(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParseFraction(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0": "0", "0.0": "0", "0/7": "0", "000": "0",
		"3": "3", "8": "8", "08": "8", "8.0": "8", "8/1": "8", "16/2": "8",
		"1/8": "1/8", "0.125": "1/8", "2/16": "1/8",
		"0.25": "1/4", "0.5": "1/2", "1.5": "3/2", "7/8": "7/8",
		"0.33": "33/100", "1/3": "1/3",
		"9223372036854775807":   "9223372036854775807",
		"1/9223372036854775807": "1/9223372036854775807",
	} {
		if got := parse(t, in).String(); got != want {
			t.Errorf("ParseFraction(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestParseFractionRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", " ", " 1", "1 ", "-1", "+1", "-1/8", "1/-8", "1/0", "0/0", "1/8/2", "1.2/3", "1/2.5", "1..5",
		".5", "5.", "/8", "1/", "1e3", "0.1e1", "0x10", "1_000", "1,5", "Inf", "NaN", "½", "١",
		"9223372036854775808", "1/9223372036854775808", "0.00000000000000000001", strings.Repeat("1", 5000),
	} {
		if got, err := gpu.ParseFraction(in); !errors.Is(err, gpu.ErrFraction) || got != (gpu.Fraction{}) {
			t.Errorf("ParseFraction(%q) = %s, %v, want zero and ErrFraction", in, got, err)
		}
	}
}

func TestNewFraction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		num, den int64
		want     string
	}{
		{0, 5, "0"},
		{4, 1, "4"},
		{2, 8, "1/4"},
		{math.MaxInt64, math.MaxInt64, "1"},
	} {
		f, err := gpu.NewFraction(c.num, c.den)
		if err != nil || f.String() != c.want {
			t.Errorf("NewFraction(%d, %d) = %s, %v, want %s", c.num, c.den, f, err, c.want)
		}
	}
	for _, c := range [][2]int64{{1, 0}, {-1, 2}, {1, -2}, {-1, -2}, {0, 0}} {
		if f, err := gpu.NewFraction(c[0], c[1]); !errors.Is(err, gpu.ErrFraction) {
			t.Errorf("NewFraction(%d, %d) = %s, %v, want ErrFraction", c[0], c[1], f, err)
		}
	}
}

func TestFractionZeroValue(t *testing.T) {
	t.Parallel()
	var zero gpu.Fraction
	if zero.String() != "0" || !zero.IsZero() || zero != parse(t, "0/9") {
		t.Errorf("the zero value is %s", zero)
	}
	if parse(t, "1/8").IsZero() {
		t.Error("1/8 counts as zero")
	}
	if got, err := zero.Add(parse(t, "1/8")); err != nil || got != parse(t, "0.125") {
		t.Errorf("0 + 1/8 = %s, %v", got, err)
	}
}

func TestFractionMul(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    string
		n    int64
		want string
	}{
		{"1/8", 8, "1"},
		{"1/8", 3, "3/8"},
		{"1/8", 12, "3/2"},
		{"8", 1000, "8000"},
		{"1/2", 0, "0"},
		{"1/9223372036854775807", math.MaxInt64, "1"},
	} {
		if got, err := parse(t, c.f).Mul(c.n); err != nil || got.String() != c.want {
			t.Errorf("%s * %d = %s, %v, want %s", c.f, c.n, got, err, c.want)
		}
	}
	for _, n := range []int64{-1, math.MinInt64, math.MaxInt64} {
		if got, err := parse(t, "8").Mul(n); !errors.Is(err, gpu.ErrFraction) {
			t.Errorf("8 * %d = %s, %v, want ErrFraction", n, got, err)
		}
	}
}

func TestFractionAdd(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"1/8", "1/8", "1/4"},
		{"1/2", "1/3", "5/6"},
		{"7/8", "1/8", "1"},
		{"8", "0", "8"},
	} {
		if got, err := parse(t, c[0]).Add(parse(t, c[1])); err != nil || got.String() != c[2] {
			t.Errorf("%s + %s = %s, %v, want %s", c[0], c[1], got, err, c[2])
		}
	}
	if got, err := parse(t, "9223372036854775807").Add(parse(t, "1")); !errors.Is(err, gpu.ErrFraction) {
		t.Errorf("overflow gave %s, %v", got, err)
	}
	if got, err := parse(t, "1/9223372036854775807").Add(parse(t, "1/2")); !errors.Is(err, gpu.ErrFraction) {
		t.Errorf("a denominator past 63 bits gave %s, %v", got, err)
	}
}

func TestFractionCmp(t *testing.T) {
	t.Parallel()
	ascending := []string{
		"0", "1/9223372036854775807", "1/8", "1/4", "1/3", "1/2", "7/8", "1", "3/2",
		"9223372036854775806", "9223372036854775807",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, want := parse(t, a).Cmp(parse(t, b)), cmp.Compare(i, j); got != want {
				t.Errorf("%s.Cmp(%s) = %d, want %d", a, b, got, want)
			}
		}
	}
}

// FuzzParseFraction holds the parser to big.Rat and to its own text.
func FuzzParseFraction(f *testing.F) {
	for _, s := range []string{"1/8", "3", "0.125", "1/0", "00/1", "9223372036854775808", "1.", "-1", "1e2", "½"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := gpu.ParseFraction(s)
		if err != nil {
			if !errors.Is(err, gpu.ErrFraction) || got != (gpu.Fraction{}) {
				t.Fatalf("ParseFraction(%q) = %s, %v", s, got, err)
			}
			return
		}
		want, ok := new(big.Rat).SetString(s)
		if !ok || want.Sign() < 0 {
			t.Fatalf("ParseFraction(%q) = %s, which big.Rat does not read", s, got)
		}
		if got.String() != want.RatString() {
			t.Fatalf("ParseFraction(%q) = %s, want %s", s, got, want.RatString())
		}
		if again := parse(t, got.String()); again != got || again.Cmp(got) != 0 {
			t.Fatalf("%q: %s reads back as %s", s, got, again)
		}
	})
}
