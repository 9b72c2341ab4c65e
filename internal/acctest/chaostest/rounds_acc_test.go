package chaostest_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/acctest/chaostest"
)

// The environment of make chaos. A failure prints the values that play the same
// round again.
const (
	envKind   = "GPU_CHAOS_KIND"
	envRounds = "GPU_CHAOS_ROUNDS"
	envSeed   = "GPU_CHAOS_SEED"
	envStart  = "GPU_CHAOS_START"
)

// usual is how many rounds of a kind are played where the environment does not
// say, and every how manyth of them with the real command line.
const (
	usual   = 20
	everyTh = 20
)

// TestAccChaos_rounds plays seeded rounds of every kind of every cloud, or of those
// that are asked for. Every twentieth of kind on_demand goes through the real command line
// and the built provider, with real signals; the others call the provider in
// process, where a kill means that the state is lost and the provider cut off.
// The other kinds wait for minutes of wall time there, between two looks or for a
// payment; the real command line plays rows of the table of them.
func TestAccChaos_rounds(t *testing.T) {
	t.Parallel()
	acctest.Require(t)
	rounds, seed, start := number(t, envRounds, usual), number(t, envSeed, 1), number(t, envStart, 1)
	// As many batches at a time as tests may run in parallel.
	const batch = 10
	for _, life := range lives(t) {
		for first := start; first < start+rounds; first += batch {
			end := min(first+batch, start+rounds)
			t.Run(fmt.Sprintf("%s %s %d-%d", life.cloud, life.kind, first, end-1), func(t *testing.T) {
				t.Parallel()
				began := time.Now()
				for n := first; n < end; n++ {
					if err := play(t, life, uint64(seed), n); err != nil {
						t.Errorf("%s, seed %d, round %d (again: make chaos CLOUD=%s KIND=%s SEED=%d START=%d ROUNDS=1): %v",
							life.kind, seed, n, life.cloud, life.kind, seed, n, err)
					}
				}
				t.Logf("%s of %s, seed %d: rounds %d to %d took %s", life.kind, life.cloud, seed, first, end-1, time.Since(began).Round(time.Millisecond))
			})
		}
	}
}

// life is a kind of a cloud.
type life struct{ cloud, kind string }

// lives are every kind of every cloud, or what is asked for.
func lives(t *testing.T) []life {
	t.Helper()
	asked := os.Getenv(envKind)
	var all []life
	for _, cloud := range clouds() {
		for _, kind := range chaostest.Kinds(cloud) {
			if asked == "" || asked == kind {
				all = append(all, life{cloud, kind})
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("no rounds are known for cloud %q and kind %q", os.Getenv(envCloud), asked)
	}
	return all
}

func play(t *testing.T, l life, seed uint64, round int) error {
	t.Helper()
	if l.kind == chaostest.OnDemand && round%everyTh == 0 {
		return chaostest.NewCommand(t, l.cloud).Play(l.kind, seed, round)
	}
	return chaostest.PlayInline(l.cloud, l.kind, seed, round)
}

// number is a positive number of the environment.
func number(t *testing.T, name string, fallback int) int {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		return fallback
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, not a positive number", name, value)
	}
	return n
}
