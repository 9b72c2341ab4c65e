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
func inline(t *testing.T, cloud string, seed uint64) *chaostest.Table {
	t.Helper()
	stage, err := chaostest.NewStage(cloud, seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stage.Close)
	return &chaostest.Table{Hand: stage.Hand, Audit: stage.Audit}
}

// envWhole asks for the whole of the tables (make interrupt), and envCloud for one
// cloud only.
const (
	envWhole = "GPU_CHAOS_WHOLE"
	envCloud = "GPU_CHAOS_CLOUD"
)

// TestInterrupted_inline strikes at the requests of every operation, before and
// after the cloud acted, in process: by an interrupt, by the death of the group
// and by a lost answer. The whole table has every request and the other acts.
func TestInterrupted_inline(t *testing.T) {
	t.Parallel()
	for _, op := range operations() {
		t.Run(op.Cloud+" "+op.Name, func(t *testing.T) {
			t.Parallel()
			table := inline(t, op.Cloud, 1)
			requests, err := table.Requests(op)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s makes %d requests", op.Name, requests)
			acts := []chaostest.Act{chaostest.Interrupt, chaostest.KillGroup, chaostest.Drop}
			if os.Getenv(envWhole) != "" {
				acts = nil
			}
			for i, fault := range chaostest.Faults(requests, acts...) {
				if i%strides()[op.Cloud] != 0 && os.Getenv(envWhole) == "" {
					continue
				}
				t.Run(fmt.Sprint(fault), func(t *testing.T) {
					t.Parallel()
					if err := inline(t, op.Cloud, 1).Case(op, fault); err != nil {
						t.Errorf("%s, %s: %v", op.Name, fault, err)
					}
				})
			}
		})
	}
}

// strides are how manyth case of a cloud's table is played in process where not
// all are asked for: no divisor of the cases of one request, so that each kind of
// case is among them.
func strides() map[string]int { return map[string]int{"aws": 1, "google": 5, "azure": 11} }

// operations are the rows of every cloud, or of the one that is asked for.
func operations() []chaostest.Operation {
	var rows []chaostest.Operation
	for _, cloud := range clouds() {
		rows = append(rows, chaostest.Operations(cloud)...)
	}
	return rows
}

// clouds are those that are asked for, or all.
func clouds() []string {
	if cloud := os.Getenv(envCloud); cloud != "" {
		return []string{cloud}
	}
	return chaostest.Clouds()
}
