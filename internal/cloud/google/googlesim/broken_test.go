package googlesim_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// broken cuts, doubles and overwrites parts of a body.
func broken(random *rand.Rand, body []byte) string {
	for range 1 + random.IntN(4) {
		from := random.IntN(len(body))
		to := from + random.IntN(len(body)-from)
		switch random.IntN(4) {
		case 0:
			body = slices.Delete(body, from, to)
		case 1:
			body = slices.Insert(body, from, slices.Clone(body[from:to])...)
		case 2:
			body[from] = byte(random.IntN(256))
		case 3:
			body[from] = `{}[]",:0919a_-`[random.IntN(14)]
		}
		body = append(body, ' ')
	}
	return string(body)
}

// TestBrokenBodies is the fuzz test's small sister, the same in every
// run.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	world, err := sim.New(sim.Options{Seed: 1, MaxCalls: 10})
	if err != nil {
		t.Fatal(err)
	}
	handler := googlesim.New(world)
	if err := world.SetRate(sim.Rate{Cloud: "google", PerSecond: 1e9, Burst: 1e9}); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		body := broken(random, []byte(seeds()[random.IntN(len(seeds()))]))
		got := direct(t, handler, http.MethodPost, "/compute/v1/projects/"+collection, body)
		if got.status != http.StatusOK && (got.status < 400 || got.status >= 500 || got.reason() == "") {
			t.Errorf("%q: %d %s", body, got.status, got.body)
		}
	}
}
