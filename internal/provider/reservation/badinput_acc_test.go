package reservation_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// A text that is no time is told once: to the rules of a kind that needs one it is
// not missing.
func TestAccReservation_badWindow(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	for _, config := range []string{
		prepaid("a", `window = { duration = "-1d" }`), prepaid("a", `window = { duration = "banana" }`),
		prepaid("a", `window = { duration = "" }`), prepaid("a", `window = { start_at = "banana", duration = "1d" }`),
		prepaid("a", `window = { start_at = "2041-01-01T00:00:00Z", end_at = "banana" }`),
		ahead("a", `window = { start_at = "banana" }`), ahead("a", `window = { start_at = "0001-01-01T00:00:00Z" }`),
	} {
		use(b, config)
		if errors := b.Plan().Failure(t, "Not a ").Errors(); len(errors) != 1 {
			t.Errorf("%s%d errors: %+v", config, len(errors), errors)
		}
	}
}

// What is wrong with the configuration alone is told by plan, at its attribute, and
// nothing is asked of the cloud.
func TestAccReservation_badInput(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	for _, tc := range []struct {
		line  string
		texts []string
	}{
		{`region = "us-west-2"`, []string{"zone", "us-east-1a is in region us-east-1, not in us-west-2"}},
		{`zone = "use1-az1"`, []string{"zone", "id of a zone"}},
		{`zone = "nowhere"`, []string{"zone", "not a zone"}},
		{`zone =`, []string{"zone", "name it"}},
		{"instance_count = 0", []string{"instance_count", "at least 1"}},
		{"instance_count = -3", []string{"instance_count", "at least 1"}},
		{"instance_count = 1001", []string{"instance_count", "1 to 1000"}},
		{`instance_type = "P5.48xlarge"`, []string{"instance_type", "lower case"}},
		{`instance_type = "p5"`, []string{"instance_type", "not an instance type"}},
		{`kind = "forever"`, []string{"kind"}},
		{`match_criteria = "any"`, []string{"match_criteria", "targeted"}},
		{`window = { end_at = "2020-01-01T00:00:00Z" }`, []string{"End is past", "window.end_at", "2020-01-01T00:00:00Z", "cloud's clock"}},
		{`window = { end_at = "tomorrow" }`, []string{"Not a time", "tomorrow"}},
		{`window = { end_at = "0001-01-01T00:00:00Z" }`, []string{"Not a time", "window.end_at", "1970 to 9999"}},
		{`window = { end_at = "9999-12-31T23:59:59-01:00" }`, []string{"Not a time", "window.end_at", "1970 to 9999"}},
		{`window = { start_at = "0001-01-01T00:00:00Z" }`, []string{"Not a time", "window.start_at", "1970 to 9999"}},
		{`window = { start_at = "2041-01-01T00:00:00Z" }`, []string{"window.start_at", "starts at once"}},
		{`window = { start_at = "2041-01-02T00:00:00Z", end_at = "2041-01-01T00:00:00Z" }`, []string{"window.end_at", "not after the start"}},
		{`window = { end_at = "2041-01-01T00:00:00Z", duration = "1d" }`, []string{"duration"}},
		{`window = { duration = "soon" }`, []string{"Not a duration"}},
		{`aws = { platform = "BeOS" }`, []string{"aws.platform", "BeOS", "Linux/UNIX"}},
		{`aws = { tenancy = "host" }`, []string{"aws.tenancy", "there are: default, dedicated"}},
		{`aws = { placement_group_arn = "pg-1" }`, []string{"aws.placement_group_arn", "placement-group/NAME"}},
		{`tags = { "aws:x" = "y" }`, []string{`tags["aws:x"]`, "AWS's own"}},
		{`tags = { "gpulock:owner" = "me" }`, []string{`tags["gpulock:owner"]`, "gpulock:"}},
		{`share_with = ["111122223333"]`, []string{"Resource Access Manager"}},
		{`offer_id = "cb-1"`, []string{"offer_id", "not bought by offer"}},
		{`name = "Upper"`, []string{"lower-case letters"}},
		{`account = "nobody"`, []string{"account", "nobody", "aws.accounts"}},
		{`wait_for_capacity = "-5m"`, []string{"negative"}},
		{`timeouts = { create = "0s" }`, []string{"Timeout too short", "timeouts.create", "0s"}},
		{`timeouts = { create = "5m", update = "-5m" }`, []string{"Timeout too short", "timeouts.update", "-5m"}},
		{`timeouts = { delete = "1ms" }`, []string{"Timeout too short", "timeouts.delete", "1ms"}},
		{"max_usd_per_hour = -1", []string{"Not an amount"}},
		{`on_destroy = "explode"`, []string{"on_destroy"}},
	} {
		use(b, block("a", tc.line))
		plan := b.Plan().Failure(t, tc.texts...)
		// The command lines show where an attribute of the resource itself stands;
		// of one inside another they show the resource, so there the text names it.
		key, value, _ := strings.Cut(tc.line, " = ")
		if value != "" && key != "region" && value[0] != '{' {
			plan.FailureAt(t, key, tc.texts...)
		}
	}
	wrote(t, b, 0)
	none(t, b)
}

// What only the cloud knows to be wrong is told with its code.
func TestAccReservation_refusedByCloud(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	for _, tc := range []struct {
		lines []string
		texts []string
	}{
		{[]string{`zone = "us-east-1z"`}, []string{"InvalidParameterValue", "us-east-1z"}},
		{[]string{`zone = "mars-west-1a"`}, []string{"mars-west-1"}},
		{[]string{`instance_type = "p99.48xlarge"`}, []string{"InvalidParameterValue", "p99.48xlarge"}},
		{[]string{`instance_type = "p4d.24xlarge"`, `zone = "us-east-1e"`}, []string{"Unsupported", "us-east-1e"}},
	} {
		use(b, block("a", tc.lines...))
		b.Apply().Failure(t, tc.texts...)
	}
	use(b, block("a", `zone = "mars-west-1a"`))
	b.Plan().Warned(t, "Region not in the catalog", "mars-west-1", "us-east-1")
	none(t, b)
	held(t, b, 0)
}

// An instance type without a GPU is not this provider's to reserve.
func TestAccReservation_noGPU(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `instance_type = "m5.large"`))
	b.Plan().Failure(t, "Instance type without a GPU", "m5.large")
	wrote(t, b, 0)
}

// Answers that are not the cloud's: each is a clear error, in every operation, and
// the state stays as it was.
func TestAccReservation_strangeAnswers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edit  editor
		texts []string
	}{
		"html 502": {func(string, int, string) (int, string) {
			return http.StatusBadGateway, "<html><body><h1>502 Bad Gateway</h1></body></html>"
		}, []string{"502", "text/html"}},
		"empty 200": {func(string, int, string) (int, string) { return http.StatusOK, "" }, []string{"answer has no"}},
		"html 200": {func(string, int, string) (int, string) {
			return http.StatusOK, "<html><body>Please log in</body></html>"
		}, []string{"answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &proxy{}
			b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: inMemory, Around: p.around})
			use(b, block("a"))
			// Whose account this is comes through, so that the create itself is tried.
			p.use(func(operation string, status int, body string) (int, string) {
				if operation != create {
					return status, body
				}
				return tc.edit(operation, status, body)
			})
			b.Apply()
			p.use(tc.edit)
			b.Plan().Failure(t, tc.texts...)
			p.use(nil)
			b.Apply().Success(t)
			held(t, b, 1)
			before := state(t, b, map[string]any{"status": "held"})
			p.use(tc.edit)
			b.Plan().Failure(t, tc.texts...)
			b.Destroy("-refresh=false").Failure(t, tc.texts...)
			use(b, block("a", "instance_count = 2"))
			b.Apply("-refresh=false").Failure(t, tc.texts...)
			if after := state(t, b, nil); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("the state changed from %v to %v", before, after)
			}
			p.use(nil)
			use(b, block("a"))
			b.PlanEmpty().NoDiagnostics(t)
			b.Destroy().Success(t)
			held(t, b, 0)
		})
	}
}

// A state that this version does not know counts as not yet held, and says so.
func TestAccReservation_unknownState(t *testing.T) {
	t.Parallel()
	p := &proxy{}
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: inMemory, Around: p.around})
	strange := func(_ string, status int, body string) (int, string) {
		return status, strings.ReplaceAll(body, "<state>active<", "<state>hibernating<")
	}
	p.use(strange)
	use(b, block("a", `timeouts = { create = "1m", update = "1m" }`))
	b.Apply().Success(t).Warned(t, "Reservation is not held yet", "hibernating")
	state(t, b, map[string]any{"status": "pending"})
	b.Plan().Warned(t, "State not recognized", "hibernating")
	p.use(nil)
	b.Apply().Success(t)
	state(t, b, map[string]any{"status": "held"})
	b.PlanEmpty().NoDiagnostics(t)

	p.use(strange)
	plan := b.PlanEmpty()
	plan.Warned(t, "State not recognized", "hibernating")
	p.use(nil)
	held(t, b, 1)
}
