package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// ErrFraction is wrapped by every error about a text or number that is no
// fraction of GPUs.
var ErrFraction = errors.New("not a number of GPUs")

// maxFractionText bounds what ParseFraction reads; two 64-bit numbers and a
// slash fit.
const maxFractionText = 48

// Fraction is an exact, non-negative number of GPUs: 1/8 of one, or 8. The zero
// value is zero. Equal numbers are equal under ==, because a Fraction is always
// in lowest terms.
type Fraction struct {
	num uint64
	// less is the denominator minus one, so that the zero value is 0/1.
	less uint64
}

// NewFraction is num/den in lowest terms.
func NewFraction(num, den int64) (Fraction, error) {
	if num < 0 || den <= 0 {
		return Fraction{}, fmt.Errorf("%d/%d: %w", num, den, ErrFraction)
	}
	return fromRat(big.NewRat(num, den))
}

// ParseFraction reads "3", "1/8" or "0.125". A decimal is taken to the letter,
// so "0.33" is 33/100. Signs, exponents, spaces and digit separators are
// refused. A cloud's decimal that arrives as a float64 is read exactly after
// strconv.FormatFloat(f, 'f', -1, 64).
func ParseFraction(s string) (Fraction, error) {
	if !isFractionText(s) {
		return Fraction{}, fmt.Errorf("%q: %w: write a whole number, a fraction such as 1/8 or a decimal such as 0.125", s, ErrFraction)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return Fraction{}, fmt.Errorf("%q: %w: the denominator is zero", s, ErrFraction)
	}
	f, err := fromRat(r)
	if err != nil {
		return Fraction{}, fmt.Errorf("%q: %w", s, err)
	}
	return f, nil
}

// String is the exact text of the number: "0", "8" or "1/8".
func (f Fraction) String() string {
	num := strconv.FormatUint(f.num, 10)
	if f.less == 0 {
		return num
	}
	return num + "/" + strconv.FormatUint(f.less+1, 10)
}

// IsZero reports whether there is no GPU at all.
func (f Fraction) IsZero() bool { return f.num == 0 }

// Mul is n times the number, as for n instances. A negative n and a result that
// does not fit 63 bits are errors.
func (f Fraction) Mul(n int64) (Fraction, error) {
	p, err := fromRat(new(big.Rat).Mul(f.rat(), new(big.Rat).SetInt64(n)))
	if err != nil {
		return Fraction{}, fmt.Errorf("%s times %d: %w", f, n, err)
	}
	return p, nil
}

// Add is the sum of two numbers; one that does not fit 63 bits is an error.
func (f Fraction) Add(g Fraction) (Fraction, error) {
	s, err := fromRat(new(big.Rat).Add(f.rat(), g.rat()))
	if err != nil {
		return Fraction{}, fmt.Errorf("%s plus %s: %w", f, g, err)
	}
	return s, nil
}

// Cmp is -1, 0 or +1 as the number is below, equal to or above g.
func (f Fraction) Cmp(g Fraction) int {
	fh, fl := bits.Mul64(f.num, g.less+1)
	gh, gl := bits.Mul64(g.num, f.less+1)
	return cmp.Or(cmp.Compare(fh, gh), cmp.Compare(fl, gl))
}

func (f Fraction) rat() *big.Rat {
	num := new(big.Int).SetUint64(f.num)
	den := new(big.Int).SetUint64(f.less + 1)
	return new(big.Rat).SetFrac(num, den)
}

// fromRat keeps both parts within 63 bits, so that less+1 never wraps and every
// part is also an int64.
func fromRat(r *big.Rat) (Fraction, error) {
	if r.Sign() < 0 {
		return Fraction{}, fmt.Errorf("%w: below zero", ErrFraction)
	}
	if !r.Num().IsInt64() || !r.Denom().IsInt64() {
		return Fraction{}, fmt.Errorf("%w: too large or too fine", ErrFraction)
	}
	return Fraction{num: r.Num().Uint64(), less: r.Denom().Uint64() - 1}, nil
}

// isFractionText reports whether s is digits, optionally followed by one '/' or
// '.' and more digits: a part of what big.Rat reads.
func isFractionText(s string) bool {
	if len(s) > maxFractionText {
		return false
	}
	i := strings.IndexAny(s, "/.")
	if i < 0 {
		return isDigits(s)
	}
	return isDigits(s[:i]) && isDigits(s[i+1:])
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
