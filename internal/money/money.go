// Package money holds amounts exactly: an integer number of millionths with its
// currency. It knows no prices and no exchange rates, so two currencies never
// mix: adding or comparing them is an error.
package money

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

var (
	// ErrAmount is wrapped by every error about a text that is no exact amount.
	ErrAmount = errors.New("not an exact amount of money")
	// ErrCurrency is wrapped when two currencies meet, or a code is not three
	// capital letters.
	ErrCurrency = errors.New("currencies do not match")
	// ErrOverflow is wrapped when a result does not fit.
	ErrOverflow = errors.New("amount too large")
)

const (
	// PerUnit is the number of micros in one unit of a currency.
	PerUnit = 1_000_000
	// decimals is how many digits after the point PerUnit can hold.
	decimals = 6
	// shown is how many of them are always printed.
	shown = 2
)

// Money is an amount in millionths of a unit of its ISO 4217 currency. Cloud
// prices have up to six significant decimals (21.957642 USD an hour). Equal
// amounts of one currency are equal under ==.
type Money struct {
	// Micros is the amount in millionths: 1.50 USD is 1,500,000.
	Micros int64
	// Currency is the ISO 4217 code.
	Currency string
}

// Parse reads a decimal such as "1234.50" in the given currency. Digits past the
// sixth decimal must be zero, because nothing is ever rounded; signs, exponents,
// spaces and separators are refused.
func Parse(amount, currency string) (Money, error) {
	if !IsCurrency(currency) {
		return Money{}, fmt.Errorf("%q: %w: not a three-letter code", currency, ErrCurrency)
	}
	whole, part, dotted := strings.Cut(amount, ".")
	if !isDigits(whole) || dotted && !isDigits(part) {
		return Money{}, fmt.Errorf("%q: %w: write a decimal such as 1234.50", amount, ErrAmount)
	}
	part = strings.TrimRight(part, "0")
	if len(part) > decimals {
		return Money{}, fmt.Errorf("%q: %w: more than %d decimals", amount, ErrAmount, decimals)
	}
	micros, err := strconv.ParseInt(whole+part+strings.Repeat("0", decimals-len(part)), 10, 64)
	if err != nil {
		return Money{}, fmt.Errorf("%q: %w", amount, ErrOverflow)
	}
	return Money{Micros: micros, Currency: currency}, nil
}

// IsCurrency reports whether code has the form of an ISO 4217 code.
func IsCurrency(code string) bool {
	return len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// Amount is the exact decimal without the currency, with at least two decimals:
// "98.32", "21.957642", "-0.50".
func (m Money) Amount() string {
	abs := new(big.Int).Abs(big.NewInt(m.Micros)).String()
	if missing := decimals + 1 - len(abs); missing > 0 {
		abs = strings.Repeat("0", missing) + abs
	}
	whole, part := abs[:len(abs)-decimals], abs[len(abs)-decimals:]
	part = part[:shown] + strings.TrimRight(part[shown:], "0")
	if m.Micros < 0 {
		whole = "-" + whole
	}
	return whole + "." + part
}

// String is the amount with its currency: "98.32 USD".
func (m Money) String() string {
	return strings.TrimSuffix(m.Amount()+" "+m.Currency, " ")
}

// IsZero reports whether the amount is nothing, in whatever currency.
func (m Money) IsZero() bool { return m.Micros == 0 }

// Mul is n times the amount.
func (m Money) Mul(n int64) (Money, error) {
	p := new(big.Int).Mul(big.NewInt(m.Micros), big.NewInt(n))
	if !p.IsInt64() {
		return Money{}, fmt.Errorf("%s times %d: %w", m, n, ErrOverflow)
	}
	return Money{Micros: p.Int64(), Currency: m.Currency}, nil
}

// Add is the sum of two amounts of one currency.
func (m Money) Add(n Money) (Money, error) {
	if m.Currency != n.Currency {
		return Money{}, fmt.Errorf("%s plus %s: %w", m, n, ErrCurrency)
	}
	s := new(big.Int).Add(big.NewInt(m.Micros), big.NewInt(n.Micros))
	if !s.IsInt64() {
		return Money{}, fmt.Errorf("%s plus %s: %w", m, n, ErrOverflow)
	}
	return Money{Micros: s.Int64(), Currency: m.Currency}, nil
}

// Cmp is -1, 0 or +1 as the amount is below, equal to or above n. Amounts of two
// currencies cannot be compared, not even when they are zero.
func (m Money) Cmp(n Money) (int, error) {
	if m.Currency != n.Currency {
		return 0, fmt.Errorf("%s against %s: %w", m, n, ErrCurrency)
	}
	return cmp.Compare(m.Micros, n.Micros), nil
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
