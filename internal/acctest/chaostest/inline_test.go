package chaostest_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/acctest/chaostest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// inline is a table on a stage of its own.
func inline(t *testing.T, seed uint64) *chaostest.Table {
	t.Helper()
	stage, err := chaostest.NewStage(seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stage.Close)
	return &chaostest.Table{Hand: stage.Hand, Audit: stage.Audit}
}

// envWhole asks for the whole of the tables (make interrupt).
const envWhole = "GPU_CHAOS_WHOLE"

// TestInterrupted_inline strikes at every request of every operation, before and
// after the cloud acted, in process: by an interrupt, by the death of the group
// and by a lost answer. The whole table has the other acts as well.
func TestInterrupted_inline(t *testing.T) {
	t.Parallel()
	for _, op := range chaostest.Operations() {
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			table := inline(t, 1)
			requests, err := table.Requests(op)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s makes %d requests", op.Name, requests)
			acts := []chaostest.Act{chaostest.Interrupt, chaostest.KillGroup, chaostest.Drop}
			if os.Getenv(envWhole) != "" {
				acts = nil
			}
			for _, fault := range chaostest.Faults(requests, acts...) {
				t.Run(fmt.Sprint(fault), func(t *testing.T) {
					t.Parallel()
					if err := inline(t, 1).Case(op, fault); err != nil {
						t.Errorf("%s, %s: %v", op.Name, fault, err)
					}
				})
			}
		})
	}
}
