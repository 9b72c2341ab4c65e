package offers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// Google Cloud sells no blocks by offer, and N1 has no GPU but those that another
// attribute names: both are told, beside what is known of G2.
func TestAccOffers_google(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "google", acctest.BenchOptions{Simulated: "it wants zones that are known"})
	for name, more := range map[string]string{"no window": "", "window": window} {
		b.Config(b.Provider() + strings.Replace(asking(
			`zones = ["us-central1-a"]`, `instance_types = ["n1-standard-8", "g2-standard-8"]`, more,
		), `"aws"`, `"google"`, 1))
		b.Apply().Success(t).NoDiagnostics(t)
		var got []string
		for _, row := range append(list(t, b, "offers"), list(t, b, "unsearched")...) {
			why, _, _ := strings.Cut(fmt.Sprint(row["reason"]), "; name one of")
			got = append(got, fmt.Sprint(row["kind"], " ", row["instance_type"], " ", row["gpu_count"], " ", why))
		}
		want := []string{
			"on_demand g2-standard-8 1 <nil>",
			`on_demand n1-standard-8 <nil> it is reserved with google.accelerator_type, which is not an argument here: "n1-standard-8" has no GPU but those attached to it`,
			"block <nil> <nil> Google Cloud sells no offers of kind block; reservations of kind block and scheduled are asked for with the exact window",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
