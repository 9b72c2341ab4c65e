package reservation_test

import (
	"strings"
	"testing"
)

// What is wrong with the configuration alone is told by plan, at its attribute, and
// nothing is asked of Google Cloud.
func TestAccReservation_googleBadInput(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	const week = `window = { start_at = "2041-05-10T09:00:00Z", duration = "7d" }`
	for _, tc := range []struct {
		lines []string // the first is the wrong one
		texts []string
	}{
		{[]string{`region = "us-west1"`}, []string{"zone", "us-central1-a is in region us-central1, not in us-west1"}},
		{[]string{`zone = "us-central1"`}, []string{"zone", "not a zone such as us-central1-a"}},
		{[]string{`zone =`}, []string{"zone", "name it"}},
		{[]string{"instance_count = 1001"}, []string{"instance_count", "1 to 1000"}},
		{[]string{`instance_type = "A3-highgpu-8g"`}, []string{"instance_type", "lower case"}},
		{[]string{`instance_type = "n2-standard-8"`}, []string{"instance_type", "have no GPU"}},
		{[]string{`instance_type = "projects/p/zones/z/machineTypes/a3-highgpu-8g"`}, []string{"instance_type", "is a path"}},
		{[]string{`kind = "dedicated_host"`}, []string{"kind", "block, on_demand, scheduled"}},
		{[]string{`tags = { a = "b" }`}, []string{"Invalid tags", "carries no tags"}},
		{[]string{`offer_id = "x"`}, []string{"offer_id", "by offer"}},
		{[]string{`account = "x"`}, []string{"account", "is not the id or the number of a project"}},
		{[]string{`google = { project = "x" }`}, []string{"google.project", "is not the id or the number of a project"}},
		{[]string{`google = { project = "ml-prod" }`, `account = "ml-test"`}, []string{"Two accounts", "google.project and account"}},
		{[]string{`share_with = ["x"]`}, []string{"share_with", "is not the id or the number of a project"}},
		{[]string{`share_with = ["acctest-project"]`}, []string{"share_with", "is the project of the reservation itself"}},
		{[]string{`window = { start_at = "2041-01-01T00:00:00Z" }`}, []string{"window.start_at", "starts at once"}},
		{[]string{`window = { end_at = "2020-01-01T00:00:00Z" }`}, []string{"End is past", "window.end_at"}},
		{[]string{`kind = "scheduled"`, `window = { end_at = "2041-01-01T00:00:00Z" }`}, []string{"window.start_at", "needs start_at"}},
		{[]string{`kind = "scheduled"`, `window = { start_at = "2041-01-01T00:00:00Z" }`}, []string{"window.duration", "needs a duration or end_at"}},
		{[]string{`kind = "block"`, week}, []string{"instance_type", "A3 and newer"}},
		{[]string{`window = { start_at = "2041-05-10T09:00:00Z", duration = "91d" }`, `kind = "block"`, `instance_type = "a3-highgpu-8g"`}, []string{"window.duration", "1 to 90 days"}},
		{[]string{`window = { start_at = "2091-05-10T09:00:00Z", duration = "7d" }`, `kind = "block"`, `instance_type = "a3-highgpu-8g"`}, []string{"Start is not possible", "60 days ahead"}},
		{[]string{"instance_count = 81", `kind = "block"`, week, `instance_type = "a3-highgpu-8g"`}, []string{"instance_count", "1 to 80"}},
		{[]string{`window = { start_at = "2041-05-10T09:00:00Z", duration = "23h" }`, `kind = "scheduled"`}, []string{"window.duration", "24 hours and more"}},
		{[]string{`window = { start_at = "2091-05-10T09:00:00Z", duration = "7d" }`, `kind = "scheduled"`}, []string{"Start is not possible", "1h ahead", "366 days ahead"}},
		{[]string{`window = { start_at = "2020-05-10T09:00:00Z", duration = "7d" }`, `kind = "scheduled"`}, []string{"Start is not possible", "1h ahead"}},
		{[]string{`google = { accelerator_type = "nvidia-tesla-t4" }`}, []string{"google.accelerator_type", "come with their GPUs"}},
		{[]string{`google = { accelerator_count = 2 }`}, []string{"google.accelerator_count", "no meaning without"}},
		{[]string{`instance_type = "n1-standard-8"`}, []string{"google.accelerator_type", "has no GPU but those attached"}},
		{[]string{`google = { accelerator_type = "nvidia-l4" }`, `instance_type = "n1-standard-8"`}, []string{"google.accelerator_type", "N1 takes no nvidia-l4"}},
		{[]string{`google = { accelerator_type = "nvidia-tesla-t4", accelerator_count = 3 }`, `instance_type = "n1-standard-8"`}, []string{"google.accelerator_count", "not 3"}},
		{[]string{`google = { min_cpu_platform = "skylake" }`}, []string{"google.min_cpu_platform", "Intel Skylake"}},
		{[]string{`google = { local_ssd_count = 0 }`}, []string{"google.local_ssd_count", "at least 1"}},
		{[]string{`google = { local_ssd_count = "many" }`}, []string{`attribute "google"`, "a number is required"}},
		{[]string{`google = { local_ssd_count = 33 }`}, []string{"google.local_ssd_count", "1 to 32"}},
		{[]string{`google = { local_ssd_interface = "nvme" }`}, []string{"google.local_ssd_interface", "no meaning without"}},
		{[]string{`google = { local_ssd_interface = "sata" }`}, []string{"local_ssd_interface", "nvme"}},
		{[]string{`google = { placement_policy = "projects/p/x" }`}, []string{"google.placement_policy", "resourcePolicies"}},
		{[]string{`google = { vertex_sharing = "some" }`}, []string{"vertex_sharing", "allow_all"}},
		{[]string{`google = { vertex_sharing = "allow_all" }`, `kind = "scheduled"`, week}, []string{"google.vertex_sharing", "not an option of Google Cloud"}},
		{[]string{`google = { placement_policy = "close" }`, `kind = "scheduled"`, week}, []string{"google.placement_policy", "not an option of Google Cloud"}},
		{[]string{`google = { deployment_type = "dense" }`}, []string{"google.deployment_type", "not an option of Google Cloud"}},
		{[]string{`aws = { tenancy = "default" }`}, []string{"Options of another cloud", "aws"}},
	} {
		use(b, gblock(tc.lines...))
		plan := b.Plan().Failure(t, tc.texts...)
		key, value, _ := strings.Cut(tc.lines[0], " = ")
		at := strings.Trim(tc.texts[0], " ")
		if value != "" && value[0] != '{' && key == at {
			plan.FailureAt(t, key, tc.texts...)
		}
	}
	gwrote(t, b, 0)
	none(t, b)
}

// What only Google Cloud knows to be wrong is told with its code.
func TestAccReservation_googleRefused(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	for _, lines := range [][]string{
		{`zone = "us-central1-z"`}, {`instance_type = "g2-standard-5"`}, {`zone = "mars-west1-a"`},
	} {
		use(b, gblock(lines...))
		b.Apply().Failure(t, strings.Trim(strings.SplitN(lines[0], " = ", 2)[1], `"`))
	}
	none(t, b)
	held(t, b, 0)
}
