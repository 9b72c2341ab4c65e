package acctest

import (
	"math"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

func TestNewLive(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env     map[string]string
		ceiling int64 // -1: no permission
		err     string
	}{
		"no permission":       {ceiling: -1},
		"other cloud only":    {env: map[string]string{"GPU_ACC_GOOGLE": "1"}, ceiling: -1},
		"default ceiling":     {env: map[string]string{"GPU_ACC_AWS": "1"}, ceiling: 5_000_000},
		"own ceiling":         {env: map[string]string{"GPU_ACC_AWS": "1", "GPU_ACC_MAX_USD": "0.25"}, ceiling: 250_000},
		"nothing may be paid": {env: map[string]string{"GPU_ACC_AWS": "1", "GPU_ACC_MAX_USD": "0"}, ceiling: 0},
		"permission unclear":  {env: map[string]string{"GPU_ACC_AWS": "true"}, err: "GPU_ACC_AWS"},
		"negative":            {env: map[string]string{"GPU_ACC_AWS": "1", "GPU_ACC_MAX_USD": "-1"}, err: "GPU_ACC_MAX_USD"},
		"fraction":            {env: map[string]string{"GPU_ACC_AWS": "1", "GPU_ACC_MAX_USD": "1/2"}, err: "GPU_ACC_MAX_USD"},
		"not a number":        {env: map[string]string{"GPU_ACC_AWS": "1", "GPU_ACC_MAX_USD": "five"}, err: "GPU_ACC_MAX_USD"},
		"too fine":            {env: map[string]string{"GPU_ACC_AWS": "1", "GPU_ACC_MAX_USD": "0.0000001"}, err: "finer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live, err := NewLive(func(key string) string { return tc.env[key] }, "aws")
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("error = %v, want one that names %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tc.ceiling < 0 && live != nil:
				t.Errorf("permission granted: %+v", live)
			case tc.ceiling >= 0 && (live == nil || live.ceiling.Micros != tc.ceiling):
				t.Errorf("got %+v, want ceiling %d", live, tc.ceiling)
			}
		})
	}
}

func TestLiveCommit(t *testing.T) {
	t.Parallel()
	live := newLive("aws", 5_000_000)
	for _, step := range []struct {
		micros   int64
		currency string
		ok       bool
	}{
		{3_000_000, "USD", true},
		{2_000_001, "USD", false},
		{math.MaxInt64, "USD", false},
		{-1, "USD", false},
		{1, "CNY", false},
		{2_000_000, "USD", true},
		{1, "USD", false},
		{0, "USD", true},
	} {
		err := live.Commit(money.Money{Micros: step.micros, Currency: step.currency})
		if (err == nil) != step.ok {
			t.Errorf("Commit(%d %s) = %v, want ok %v", step.micros, step.currency, err, step.ok)
		}
	}
	asked := money.Money{Micros: 1_500_000, Currency: "USD"}
	err := live.Commit(asked)
	if sums := asked.String() + "; " + live.ceiling.String() + " of " + live.ceiling.String(); err == nil || !strings.Contains(err.Error(), sums) {
		t.Errorf("error does not show the sums: %v", err)
	}
}
