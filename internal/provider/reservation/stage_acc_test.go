package reservation_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// addr is the address of the one resource that most tests have.
const addr = "gpu_reservation.a"

// inMemory is why a test keeps away from a real account.
const inMemory = "it changes or breaks the cloud behind the provider's back"

// simulated is a bench that is never a real account.
func simulated(t *testing.T) *acctest.Bench {
	t.Helper()
	return acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: inMemory})
}

var assignment = regexp.MustCompile(`^([a-z_]+)\s*=\s*`)

// block is a resource with the usual attributes, changed by lines: "key = value"
// sets one, "key =" leaves one out, and any other line is taken as it is.
func block(label string, lines ...string) string {
	keys := []string{"name", "cloud", "zone", "instance_type"}
	values := map[string]string{
		"name": `"res-` + label + `"`, "cloud": `"aws"`,
		"zone": fmt.Sprintf("%q", acctest.AWSZone()), "instance_type": fmt.Sprintf("%q", acctest.AWSType()),
	}
	var rest []string
	for _, line := range lines {
		match := assignment.FindStringSubmatch(line)
		if match == nil {
			rest = append(rest, "  "+line)
			continue
		}
		if _, ok := values[match[1]]; !ok {
			keys = append(keys, match[1])
		}
		values[match[1]] = line[len(match[0]):]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "resource \"gpu_reservation\" %q {\n", label)
	for _, key := range keys {
		if values[key] != "" {
			fmt.Fprintf(&b, "  %s = %s\n", key, values[key])
		}
	}
	return b.String() + strings.Join(append(rest, "}\n"), "\n")
}

// use writes the bench's provider block and resources.
func use(b *acctest.Bench, resources ...string) {
	b.Config(b.Provider() + strings.Join(resources, ""))
}

// planned plans and wants one change, at addr, with these actions.
func planned(t *testing.T, b *acctest.Bench, actions ...tfjson.Action) acctest.Plan {
	t.Helper()
	plan := b.Plan()
	if plan.ExitCode != 2 || len(plan.Changes()) != 1 || !slices.Equal(plan.Actions(addr), actions) {
		t.Fatalf("exit code %d, want 2 with %v at %s:\n%s\n%s", plan.ExitCode, actions, addr, plan.NotEmpty(), plan.Text())
	}
	return plan
}

// unknown wants exactly these paths of the planned value to be unknown.
func unknown(t *testing.T, plan acctest.Plan, want ...string) {
	t.Helper()
	var got []string
	collect(&got, "", plan.Change(addr).AfterUnknown)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("unknown in the plan:\n got %q\nwant %q", got, want)
	}
}

func collect(paths *[]string, path string, value any) {
	switch v := value.(type) {
	case bool:
		if v {
			*paths = append(*paths, strings.TrimPrefix(path, "."))
		}
	case map[string]any:
		for key, inner := range v {
			collect(paths, path+"."+key, inner)
		}
	}
}

// values wants these values at their paths.
func values(t *testing.T, where string, got any, want map[string]any) {
	t.Helper()
	for path, w := range want {
		if g := at(got, path); fmt.Sprint(g) != fmt.Sprint(w) {
			t.Errorf("%s: %s = %v, want %v", where, path, g, w)
		}
	}
}

// at follows a path of keys joined by dots into nested maps.
func at(value any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[key]
	}
	return value
}

// state wants these values in the state of addr, and gives them all.
func state(t *testing.T, b *acctest.Bench, want map[string]any) map[string]any {
	t.Helper()
	resource := b.Resource(addr)
	if resource == nil {
		t.Fatalf("%s is not in the state", addr)
	}
	values(t, "state", resource.AttributeValues, want)
	return resource.AttributeValues
}

// none wants nothing in the state.
func none(t *testing.T, b *acctest.Bench) {
	t.Helper()
	if s := b.State(); s.Values != nil && s.Values.RootModule != nil && len(s.Values.RootModule.Resources) > 0 {
		t.Errorf("the state still has %s", s.Values.RootModule.Resources[0].Address)
	}
}

// held wants as many live objects of this test in the cloud.
func held(t *testing.T, b *acctest.Bench, want int) {
	t.Helper()
	if got := len(b.Held()); got != want {
		t.Errorf("%d live objects, want %d", got, want)
	}
}

// live is the one live object of a simulated cloud.
func live(t *testing.T, b *acctest.Bench) sim.ObjectRow {
	t.Helper()
	objects := b.Objects("active", "pending")
	if len(objects) != 1 {
		t.Fatalf("%d live objects, want 1: %+v", len(objects), objects)
	}
	return objects[0]
}

// tags wants exactly these tags on an object, the mark apart.
func tags(t *testing.T, o sim.ObjectRow, want map[string]string) {
	t.Helper()
	got := userTags(o)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("tags of the object: %v, want %v", got, want)
	}
}

// userTags are an object's tags without the mark.
func userTags(o sim.ObjectRow) map[string]string {
	user := map[string]string{}
	for key, value := range o.Tags {
		if !strings.HasPrefix(key, "gpulock:") {
			user[key] = value
		}
	}
	return user
}

// wrote wants exactly these writes since a mark, in any order.
func wrote(t *testing.T, b *acctest.Bench, since int64, want ...string) {
	t.Helper()
	if b.Live() {
		return
	}
	got := []string{}
	for _, c := range b.Calls(since, "") {
		if !strings.HasPrefix(c.Operation, "Describe") && !strings.HasPrefix(c.Operation, "Get") && !strings.HasPrefix(c.Operation, "AssumeRole") {
			got = append(got, c.Operation)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("writes: %q, want %q", got, want)
	}
}

// The writes of AWS.
const (
	create = "CreateCapacityReservation"
	modify = "ModifyCapacityReservation"
	cancel = "CancelCapacityReservation"
	tag    = "CreateTags"
	untag  = "DeleteTags"
)

// describe is AWS's read.
const describe = "DescribeCapacityReservations"

// Lengths of time.
const (
	second = time.Second
	minute = time.Minute
	hour   = time.Hour
)
