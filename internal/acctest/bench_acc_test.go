package acctest_test

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// A bench reaches its cloud past the provider: what it makes is listed, can be
// altered, and is what a sweep takes, which leaves alone what no test made.
func TestAccBench_pastTheProvider(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]cloud.Spec{
		"aws":    {Zone: acctest.AWSZone(), InstanceType: acctest.AWSType()},
		"google": {Zone: acctest.GoogleZone(), InstanceType: acctest.GoogleType()},
		"azure":  {Region: acctest.AzureRegion(), InstanceType: acctest.AzureType()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := acctest.NewBench(t, name, acctest.BenchOptions{Simulated: "it makes what no test owns"})
			spec.Kind, spec.Count, spec.Match = cloud.OnDemand, 1, cloud.Targeted
			made := b.Make(spec, cloud.Mark{Owner: b.Owner, Name: "mine", Type: "gpu_reservation"})
			other := b.Make(spec, cloud.Mark{Owner: "someone", Name: "theirs", Type: "gpu_reservation"})
			if held := b.Held(); len(held) != 1 || held[0].Ref.NativeID != made.Ref.NativeID {
				t.Fatalf("held: %+v", held)
			}
			two := 2
			b.Alter(made.Ref, cloud.Change{Count: &two})
			if held := b.Held(); len(held) != 1 || held[0].Count != 2 {
				t.Errorf("held after a change: %+v", held)
			}
			if block := b.Provider(); !strings.Contains(block, b.URL(name)) {
				t.Errorf("the provider block does not lead to the simulator: %s", block)
			}
			b.Sweep()
			if held := b.Held(); len(held) != 0 {
				t.Errorf("held after a sweep: %+v", held)
			}
			live := map[string]bool{}
			for _, o := range b.Objects("active", "READY", "Succeeded") {
				live[o.NativeID] = true
			}
			if !live[other.Ref.NativeID] || live[made.Ref.NativeID] {
				t.Errorf("live after a sweep: %v", live)
			}
		})
	}
}
