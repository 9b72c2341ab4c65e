package googlesim

import (
	"net/http"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	// longestWait is how long wait holds a request at most (zoneOperations.wait
	// in the discovery document: about two minutes).
	longestWait = 2 * time.Minute
	// waitStep is how often a held request looks whether the clock was moved.
	waitStep = 20 * time.Millisecond
)

// hold keeps a request of zoneOperations.wait back until its operation is done,
// in wall time and outside any transaction. It does not hold on a clock that
// stands still: nothing would happen, and the method may return early.
func (s *Simulator) hold(r *http.Request) {
	at, known := s.route(r)
	if !known || at.method.id != "compute.zoneOperations.wait" {
		return
	}
	timeout := time.NewTimer(longestWait)
	defer timeout.Stop()
	for s.worthHolding(at) {
		step := time.NewTimer(waitStep)
		select {
		case <-step.C:
		case <-timeout.C:
			step.Stop()
			return
		case <-r.Context().Done():
			step.Stop()
			return
		}
	}
}

func (s *Simulator) worthHolding(at found) bool {
	clock, err := s.world.Clock()
	if err != nil || clock.Frozen {
		return false
	}
	running := false
	err = s.world.Do(func(tx *sim.Tx) error {
		project, ok := projectID(tx, at.vars["project"])
		if !ok {
			return nil
		}
		obj, ok := tx.Object(cloudName, zonePath(project, at.vars["zone"], operationType, at.vars["operation"]))
		running = ok && obj.Type == operationType && obj.Status == statusRunning
		return nil
	})
	return err == nil && running
}
