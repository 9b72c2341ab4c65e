package azuresim_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// seeds are bodies to start from.
func seeds() []string {
	return []string{
		reservationBody(), reservationBody("tags", fields{"a": "b"}, "properties.scheduleProfile", fields{"start": "2027-04-01"}),
		groupBody("properties.reservationType", "Open", "properties.sharingProfile", shared(other)),
		`{"location":"eastus","location":"eastus"}`, `{"sku":{"capacity":9223372036854775808}}`, strings.Repeat(`{"a":`, 2000),
		`{"location":"eastus","sku":null,"zones":[null]}`,
	}
}

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

// held is a world with a group and no rate, served without a connection.
func held(tb testing.TB) (*sim.World, http.Handler) {
	tb.Helper()
	world, err := sim.New(sim.Options{Seed: 1, MaxCalls: 10})
	if err != nil {
		tb.Fatal(err)
	}
	handler := azuresim.New(world)
	if err := world.SetRate(sim.Rate{Cloud: "azure", PerSecond: 1e9, Burst: 1e9}); err != nil {
		tb.Fatal(err)
	}
	direct(tb, handler, http.MethodPut, own+"?api-version=2026-04-01", groupBody())
	return world, handler
}

// sane demands an answer of Azure's form.
func sane(tb testing.TB, body string, got reply) {
	tb.Helper()
	if (got.status < 200 || got.status > 202) && (got.status < 400 || got.status >= 500 || got.code() == "") {
		tb.Errorf("%q: %d %s", body, got.status, got.body)
	}
}

// TestBrokenBodies is the fuzz test's small sister, the same in every run.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	_, handler := held(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		body := broken(random, []byte(seeds()[random.IntN(len(seeds()))]))
		for _, path := range []string{one, own} {
			for _, verb := range []string{http.MethodPut, http.MethodPatch} {
				sane(t, body, direct(t, handler, verb, path+"?api-version=2026-04-01", body))
			}
		}
	}
}

func FuzzReservationBodies(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	world, handler := held(f)
	f.Fuzz(func(t *testing.T, body string) {
		sane(t, body, direct(t, handler, http.MethodPut, one+"?api-version=2026-04-01", body))
		if err := world.Advance(1e9); err != nil {
			t.Error(err)
		}
		sane(t, body, direct(t, handler, http.MethodPatch, one+"?api-version=2026-04-01", body))
	})
}
