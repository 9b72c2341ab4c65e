package googlesim_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// BenchmarkListOfThousand reads the two pages that a thousand reservations of
// one zone take.
func BenchmarkListOfThousand(b *testing.B) {
	world, err := sim.New(sim.Options{Seed: 1, MaxCalls: 100})
	if err != nil {
		b.Fatal(err)
	}
	handler := googlesim.New(world)
	if err := world.SetRate(sim.Rate{Cloud: "google", PerSecond: 1e9, Burst: 1e9}); err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		direct(b, handler, http.MethodPost, "/compute/v1/projects/"+collection, insertBody("name", fmt.Sprintf("r-%d", i)))
	}
	if err := world.Advance(5e9); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		got := direct(b, handler, http.MethodGet, "/compute/v1/projects/"+collection, "")
		token, _ := got.at("nextPageToken").(string)
		direct(b, handler, http.MethodGet, "/compute/v1/projects/"+collection+"?pageToken="+token, "")
	}
}

func BenchmarkGet(b *testing.B) {
	world, err := sim.New(sim.Options{Seed: 1, MaxCalls: 100})
	if err != nil {
		b.Fatal(err)
	}
	handler := googlesim.New(world)
	if err := world.SetRate(sim.Rate{Cloud: "google", PerSecond: 1e9, Burst: 1e9}); err != nil {
		b.Fatal(err)
	}
	direct(b, handler, http.MethodPost, "/compute/v1/projects/"+collection, insertBody())
	if err := world.Advance(5e9); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		direct(b, handler, http.MethodGet, "/compute/v1/projects/"+collection+"/r1", "")
	}
}
