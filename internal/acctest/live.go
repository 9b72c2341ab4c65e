package acctest

import (
	"fmt"
	"math/big"
	"strings"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// envMaxUSD holds the most that one run against real accounts may commit.
const envMaxUSD = "GPU_ACC_MAX_USD"

// defaultMaxUSD is the ceiling when the variable is not set.
const defaultMaxUSD = "5"

// Live is the permission to run against one cloud's real account. It is safe
// for concurrent use.
type Live struct {
	// Cloud is the cloud's name, such as "aws".
	Cloud string

	mu        sync.Mutex
	ceiling   money.Money
	committed money.Money
}

// NewLive reads the permission for a cloud: GPU_ACC_<CLOUD>=1 grants it, and
// GPU_ACC_MAX_USD (default 5) bounds what the run may commit in all. Without
// permission the result is nil, and tests use the simulator.
func NewLive(getenv func(string) string, cloud string) (*Live, error) {
	switch key := "GPU_ACC_" + strings.ToUpper(cloud); getenv(key) {
	case "":
		return nil, nil
	case "1":
	default:
		return nil, fmt.Errorf("%s is %q: set it to 1, or not at all", key, getenv(key))
	}
	text := getenv(envMaxUSD)
	if text == "" {
		text = defaultMaxUSD
	}
	ceiling, err := parseUSD(text)
	if err != nil {
		return nil, err
	}
	return newLive(cloud, ceiling), nil
}

func newLive(cloud string, micros int64) *Live {
	return &Live{Cloud: cloud, ceiling: money.Money{Micros: micros, Currency: "USD"}, committed: money.Money{Currency: "USD"}}
}

// parseUSD reads a plain decimal number of dollars as millionths.
func parseUSD(text string) (int64, error) {
	amount, ok := new(big.Rat).SetString(text)
	if !ok || amount.Sign() < 0 || strings.ContainsAny(text, "/eEpPxX_") {
		return 0, fmt.Errorf("%s is %q: want a number of US dollars, such as 5 or 0.5", envMaxUSD, text)
	}
	amount.Mul(amount, big.NewRat(1_000_000, 1))
	if !amount.IsInt() || !amount.Num().IsInt64() {
		return 0, fmt.Errorf("%s is %q: too large or finer than a millionth of a dollar", envMaxUSD, text)
	}
	return amount.Num().Int64(), nil
}

// Commit takes an amount from what the run may still spend. It is asked before
// the test that spends it, and refuses, taking nothing, when the ceiling would
// be passed or the currency cannot be compared with it.
func (l *Live) Commit(amount money.Money) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := l.ceiling.Micros - l.committed.Micros
	if amount.Currency != l.ceiling.Currency || amount.Micros < 0 || amount.Micros > left {
		return fmt.Errorf("this test may cost %s; %s of %s (%s) are already committed", amount, l.committed, l.ceiling, envMaxUSD)
	}
	l.committed.Micros += amount.Micros
	return nil
}
