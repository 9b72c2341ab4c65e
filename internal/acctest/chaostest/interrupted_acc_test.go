package chaostest_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/acctest/chaostest"
)

// pace is how manyth case of a cloud's table is played where not all are asked for:
// no divisor of the cases of one request, so that each kind of case is among them;
// and by how many cases the next row begins later, so that rows with few cases do
// not all play the same one. In process more are played every time. Where every
// command waits for operations, only some rows are played.
type pace struct {
	stride, shift int
	rows          []string // nil is every row
}

func paces() map[string]pace {
	return map[string]pace{
		"aws":    {stride: 29},
		"google": {stride: 67, shift: 31},
		"azure":  {stride: 97, shift: 31, rows: []string{"create", "destroy"}},
	}
}

// plays tells whether a row is played where not all are asked for.
func (p pace) plays(op chaostest.Operation) bool {
	return p.rows == nil || slices.Contains(p.rows, op.Name)
}

// TestAccInterrupted signals the real command line, or it and its provider, at
// every request of every operation, before and after the cloud acted, and loses
// the answer there. Each case costs seconds, or minutes for a block: make test
// plays some of the others, make interrupt the whole.
func TestAccInterrupted(t *testing.T) {
	t.Parallel()
	acctest.Require(t)
	whole := os.Getenv(envWhole) != ""
	for row, op := range operations() {
		t.Run(op.Cloud+" "+op.Name, func(t *testing.T) {
			t.Parallel()
			pace := paces()[op.Cloud]
			switch {
			case whole:
			case op.Waits():
				t.Skip("waits for minutes in each case: make interrupt, and TestAccInterrupted_purchase")
			case !pace.plays(op):
				t.Skip("waits for operations in each case: make interrupt, and TestInterrupted_inline")
			}
			hand := chaostest.NewCommand(t, op.Cloud)
			table := &chaostest.Table{Hand: hand, Audit: hand.Audit()}
			requests, err := table.Requests(op)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s makes %d requests", op.Name, requests)
			acts := append(chaostest.Signals(), chaostest.Drop)
			for i, fault := range chaostest.Faults(requests, acts...) {
				if (i+row*pace.shift)%pace.stride != 0 && !whole {
					continue
				}
				t.Run(fmt.Sprint(fault), func(t *testing.T) {
					if err := table.Case(op, fault); err != nil {
						t.Fatalf("%s, %s: %v", op.Name, fault, err)
					}
				})
			}
		})
	}
}

// TestAccInterrupted_purchase kills the real command line and its provider when a
// block is bought and nobody has heard of it yet.
func TestAccInterrupted_purchase(t *testing.T) {
	t.Parallel()
	acctest.Require(t)
	if !slices.Contains(clouds(), "aws") {
		t.Skip("only AWS sells what takes no token")
	}
	hand := chaostest.NewCommand(t, "aws")
	table := &chaostest.Table{Hand: hand, Audit: hand.Audit()}
	ops := chaostest.Operations("aws")
	at := slices.IndexFunc(ops, chaostest.Operation.Waits)
	fault := chaostest.Fault{Operation: "PurchaseCapacityBlock", Committed: true, Act: chaostest.KillGroup}
	if err := table.Case(ops[at], fault); err != nil {
		t.Fatalf("%s, %s: %v", ops[at].Name, fault, err)
	}
}
