package reservation_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// A view shows every option as Google Cloud tells it, shares that it does not tell
// the id of too, and counts what is attached.
func TestView_google(t *testing.T) {
	t.Parallel()
	r := cloud.Reservation{
		Ref:       cloud.Ref{NativeID: "projects/ml-prod/zones/us-central1-a/reservations/render"},
		AccountID: "ml-prod", Region: "us-central1", Zone: "us-central1-a", Kind: cloud.OnDemand, InstanceType: "n1-standard-8",
		Count: 3, InUse: 1, Match: cloud.Open, State: cloud.Held, NativeState: "READY", NativeName: "render",
		StartsAt: time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC), ShareWith: []string{"ml-test"}, Unresolved: []string{"99"},
		Native: map[string]string{
			"accelerator_type": "nvidia-tesla-t4", "accelerator_count": "2", "min_cpu_platform": "", "vertex_sharing": "disallow_all",
		},
	}
	view := viewOn(t, "google", r)
	google, affinity := view.Google.Attributes(), view.Binding.Attributes()["google"].String()
	for want, is := range map[string]string{
		`"ml-prod"`:         google["project"].String(),
		`"nvidia-tesla-t4"`: google["accelerator_type"].String(),
		`2`:                 google["accelerator_count"].String(),
		`"disallow_all"`:    google["vertex_sharing"].String(),
		`<null>`:            google["min_cpu_platform"].String(),
		`"T4"`:              view.GPUModel.String(),
		`"6"`:               view.GPUCount.String(),
		`["99","ml-test"]`:  view.ShareWith.String(),
		`"READY"`:           view.NativeStatus.String(),
		`{"machine_type":"n1-standard-8","project":"ml-prod","provisioning_model":<null>,"reservation_affinity":` +
			`{"key":<null>,"type":"ANY_RESERVATION","values":[]},"zone":"us-central1-a"}`: affinity,
	} {
		if is != want {
			t.Errorf("%s, want %s", is, want)
		}
	}
	if !view.AWS.IsNull() || !view.EstimatedUSDPerHour.IsNull() || view.AvailableCount.ValueInt64() != 2 {
		t.Errorf("aws %s, estimate %s, available %s", view.AWS, view.EstimatedUSDPerHour, view.AvailableCount)
	}
}
