package googlesim_test

import (
	"path/filepath"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// TestFutureInAFile keeps everything that a life needs in the state file.
func TestFutureInAFile(t *testing.T) {
	t.Parallel()
	world, err := sim.New(sim.Options{StatePath: filepath.Join(t.TempDir(), "world.json"), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	server, err := sim.Serve(sim.ServeOptions{}, googlesim.New(world).Named())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		world.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{t: t, world: world, url: server.URL("google")}
	_, err = world.ChangeClock(sim.ClockChange{Set: new(now()), Freeze: new(true)})
	s.ok(err)
	s.stockOfA3(4)
	s.approved(calendarBody())
	s.changed("timeWindow.duration,description", "timeWindow.duration", fields{"seconds": 172800, "nanos": 5})
	s.says(s.in("APPROVED"), "2027-03-13T12:00:00.000000005Z", "timeWindow", "endTime")
	s.changed("specificSkuProperties.totalCount", countField, 3)
	s.says(s.in("APPROVED"), "2027-03-13T12:00:00.000000005Z", "timeWindow", "endTime")
	s.left(1)
	s.start()
	s.says(s.in("FULFILLED"), "3", "status", "fulfilledCount")
}
