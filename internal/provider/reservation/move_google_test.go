package reservation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

const googleProvider = "registry.terraform.io/hashicorp/google"

// computeReservation is a state of google_compute_reservation as that provider
// writes it, with more or other attributes.
func computeReservation(more string) string {
	return `{"commitment": "", "creation_timestamp": "2031-03-01T02:00:00.000-08:00", "delete_after_duration": [], "delete_at_time": "",
		"description": "by hand", "id": "projects/ml-prod/zones/us-central1-a/reservations/train", "name": "train", "project": "ml-prod",
		"reservation_sharing_policy": [{"service_share_type": "DISALLOW_ALL"}],
		"self_link": "https://www.googleapis.com/compute/v1/projects/ml-prod/zones/us-central1-a/reservations/train",
		"share_settings": [{"project_map": [], "share_type": "LOCAL"}],
		"specific_reservation": [{"count": 2, "in_use_count": 1, "source_instance_template": "", "instance_properties": [{
			"guest_accelerators": [{"accelerator_count": 8, "accelerator_type": "nvidia-h100-80gb"}],
			"local_ssds": [{"disk_size_gb": 375, "interface": "NVME"}],
			"machine_type": "a3-highgpu-8g", "min_cpu_platform": ""}]}],
		"specific_reservation_required": true, "status": "READY", "timeouts": null, "zone": "us-central1-a"` + more + `}`
}

// movedReservation is what becomes of computeReservation.
func movedReservation() map[string]any {
	state := movedODCR()
	for name, value := range map[string]any{
		"id": "google:projects/ml-prod/zones/us-central1-a/reservations/train", "native_id": "projects/ml-prod/zones/us-central1-a/reservations/train",
		"account_id": "ml-prod", "name": "train", "cloud": "google", "region": "us-central1", "zone": "us-central1-a",
		"instance_type": "a3-highgpu-8g", "starts_at": "2031-03-01T10:00:00Z",
	} {
		state[name] = value
	}
	return state
}

// Either provider's state moves without a call; what the machine type brings along
// is not taken for an option.
func TestMove_google(t *testing.T) {
	t.Parallel()
	shared := func(projects string) string {
		return `, "share_settings": [{"share_type": "SPECIFIC_PROJECTS", ` + projects + `}]`
	}
	for name, tc := range map[string]struct {
		more    string
		differs map[string]any
	}{
		"usual": {"", nil},
		"open":  {`, "specific_reservation_required": false`, map[string]any{"match_criteria": "open"}},
		"with an end": {
			`, "delete_at_time": "2031-05-10T09:00:00.500Z"`,
			map[string]any{
				"window":  map[string]any{"start_at": nil, "end_at": "2031-05-10T09:00:00.5Z", "duration": nil},
				"ends_at": "2031-05-10T09:00:00.5Z", "usable_until": "2031-05-10T09:00:00.5Z",
			},
		},
		"shared by number": {
			shared(`"project_map": [{"id": "222", "project_id": "222"}, {"id": "111", "project_id": ""}]`),
			map[string]any{"share_with": []any{"111", "222"}},
		},
		"shared by id, beta": {shared(`"project_map": [], "projects": ["ml-test", "ml-dev"]`), map[string]any{"share_with": []any{"ml-dev", "ml-test"}}},
		"links":              {`, "zone": "https://www.googleapis.com/compute/v1/projects/ml-prod/zones/us-central1-a"`, nil},
		"in an old project": {
			`, "project": "example.com:ml-prod"`,
			map[string]any{
				"id": "google:projects/example.com:ml-prod/zones/us-central1-a/reservations/train", "account_id": "example.com:ml-prod",
				"native_id": "projects/example.com:ml-prod/zones/us-central1-a/reservations/train",
			},
		},
	} {
		for _, provider := range []string{googleProvider, googleProvider + "-beta", "registry.opentofu.org/hashicorp/google"} {
			want := movedReservation()
			for attribute, value := range tc.differs {
				want[attribute] = value
			}
			from := providertest.Source{Provider: provider, Type: "google_compute_reservation", State: computeReservation(tc.more)}
			state, identity, d := serveResource(t).MoveResource(typeName, from)
			if len(d) > 0 {
				t.Fatalf("%s: %q %q", name, d.Errors(), d.Warnings())
			}
			if diff := cmp.Diff(want, state); diff != "" {
				t.Errorf("%s: state (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(map[string]any{"cloud": "google", "native_id": want["native_id"]}, identity); diff != "" {
				t.Errorf("%s: identity (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestMove_googleRefused(t *testing.T) {
	t.Parallel()
	const other = "Unable to Move Resource State"
	for name, tc := range map[string]struct {
		from providertest.Source
		want string
	}{
		"of another provider":      {providertest.Source{Provider: "registry.terraform.io/example/google"}, other},
		"of another type":          {providertest.Source{Type: "google_compute_future_reservation"}, other},
		"of a later version":       {providertest.Source{Version: 1}, "schema version 1, and this provider reads version 0"},
		"of a project by number":   {providertest.Source{State: computeReservation(`, "project": "123456789"`)}, `its project "123456789" is not the id of one`},
		"without a project":        {providertest.Source{State: `{"name": "train"}`}, `its project "" is not`},
		"without a name":           {providertest.Source{State: computeReservation(`, "name": ""`)}, `it has the name ""`},
		"without a machine type":   {providertest.Source{State: computeReservation(`, "specific_reservation": []`)}, "does not tell the machine type of train"},
		"with an end that is none": {providertest.Source{State: computeReservation(`, "delete_at_time": "soon"`)}, `"soon"`},
		"with no time of birth":    {providertest.Source{State: computeReservation(`, "creation_timestamp": "soon"`)}, `"soon"`},
		"of another form":          {providertest.Source{State: `{"name": []}`}, "Cannot move, state not understood"},
	} {
		from := tc.from
		if from.Provider == "" {
			from.Provider = googleProvider
		}
		if from.Type == "" {
			from.Type = "google_compute_reservation"
		}
		if from.State == "" {
			from.State = computeReservation("")
		}
		_, _, d := serveResource(t).MoveResource(typeName, from)
		if said := strings.Join(d.Errors(), "\n"); !strings.Contains(said, tc.want) {
			t.Errorf("%s: said %q, want %q", name, said, tc.want)
		}
	}
}
