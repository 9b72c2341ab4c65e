package azuresim_test

import (
	"maps"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim/simtest"
)

// proof is a simtest.Proof on a stage.
type proof struct {
	options  azuresim.Options
	accepted func(s *stage)
	rejected func(s *stage)
}

func proofs() map[string]proof {
	all := map[string]proof{}
	for _, more := range []map[string]proof{
		wireProofs(), bodyProofs(), resourceGroupProofs(), groupProofs(), groupListProofs(), reservationProofs(), capacityProofs(),
		useProofs(), deleteProofs(), operationProofs(), errorProofs(),
		blockProofs(), blockLifeProofs(), futureProofs(), futureLifeProofs(), catalogProofs(), loginProofs(), priceProofs(),
	} {
		maps.Copy(all, more)
	}
	return all
}

func TestFacts(t *testing.T) {
	t.Parallel()
	all := map[string]simtest.Proof{}
	for id, p := range proofs() {
		on := func(requests func(*stage)) func(*testing.T) *sim.World {
			return func(t *testing.T) *sim.World {
				t.Helper()
				s := newStageWith(t, p.options)
				requests(s)
				return s.world
			}
		}
		all[id] = simtest.Proof{Accepted: on(p.accepted), Rejected: on(p.rejected)}
	}
	simtest.Facts(t, azuresim.Facts(), all)
}
