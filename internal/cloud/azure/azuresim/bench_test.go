package azuresim_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// many is a world with so many groups of one reservation each.
func many(b *testing.B, n int) (*sim.World, http.Handler) {
	b.Helper()
	world, handler := held(b)
	for i := range n {
		path := groupsPath(fmt.Sprintf("own-%d", i))
		direct(b, handler, http.MethodPut, path+"?api-version=2026-04-01", groupBody())
		direct(b, handler, http.MethodPut, path+"/capacityReservations/r?api-version=2026-04-01", reservationBody())
	}
	if err := world.Advance(time.Minute); err != nil {
		b.Fatal(err)
	}
	return world, handler
}

// BenchmarkListOfThousand reads the pages that a thousand groups take.
func BenchmarkListOfThousand(b *testing.B) {
	_, handler := many(b, 1000)
	for b.Loop() {
		next := "http://example.com" + everywhere + "?api-version=2026-04-01"
		for next != "" {
			next, _ = direct(b, handler, http.MethodGet, next, "").at("nextLink").(string)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	_, handler := many(b, 1000)
	for b.Loop() {
		direct(b, handler, http.MethodGet, groupsPath("own-500")+"/capacityReservations/r?api-version=2026-04-01&$expand=instanceView", "")
	}
}
