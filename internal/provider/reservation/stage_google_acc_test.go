package reservation_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// onGoogle is a bench of Google Cloud that is never a real project.
func onGoogle(t *testing.T) *acctest.Bench {
	t.Helper()
	return acctest.NewBench(t, "google", acctest.BenchOptions{Simulated: inMemory})
}

// gblock is block "a" for Google Cloud.
func gblock(lines ...string) string {
	return block("a", append([]string{
		`cloud = "google"`, fmt.Sprintf("zone = %q", acctest.GoogleZone()), fmt.Sprintf("instance_type = %q", acctest.GoogleType()),
	}, lines...)...)
}

// The writes of Google Cloud, and its read.
const (
	gInsert = "compute.reservations.insert"
	gResize = "compute.reservations.resize"
	gUpdate = "compute.reservations.update"
	gDelete = "compute.reservations.delete"
	gList   = "compute.reservations.aggregatedList"
)

// gwrote wants exactly these writes since a mark, in any order.
func gwrote(t *testing.T, b *acctest.Bench, since int64, want ...string) {
	t.Helper()
	if b.Live() {
		return
	}
	got := []string{}
	for _, c := range b.Calls(since, "") {
		last := c.Operation[strings.LastIndex(c.Operation, ".")+1:]
		if slices.Contains([]string{"insert", "resize", "update", "delete", "cancel"}, last) {
			got = append(got, c.Operation)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("writes: %q, want %q", got, want)
	}
}

// glive is the one live object of simulated Google Cloud.
func glive(t *testing.T, b *acctest.Bench) sim.ObjectRow {
	t.Helper()
	objects := b.Objects("READY")
	if len(objects) != 1 {
		t.Fatalf("%d live objects, want 1: %+v", len(objects), objects)
	}
	return objects[0]
}

// gcreated are the paths that only a create can tell; the binding is not among
// them.
func gcreated(more ...string) []string {
	return append(more, "id", "native_id", "status", "starts_at")
}

// gpath is the native id of a reservation of the bench's project.
func gpath(name string) string {
	return "projects/" + acctest.GoogleProject() + "/zones/" + acctest.GoogleZone() + "/reservations/" + name
}

// ask sends a raw request to simulated Google Cloud and gives the answer.
func ask(t *testing.T, b *acctest.Bench, method, path, body string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.URL("google")+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it was read
	var answer map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, raw, err)
	}
	return answer
}

// byHand has someone else make the reservation by-hand: two n1-standard-8 with T4
// attached, shared with proj-one.
func byHand(t *testing.T, b *acctest.Bench, gpus int, description string) {
	t.Helper()
	share := number(t, b, "proj-one")
	ask(t, b, http.MethodPost, "/compute/v1/"+strings.TrimSuffix(gpath(""), "/"), fmt.Sprintf(`{
		"name": "by-hand", "description": %q, "specificReservationRequired": true,
		"specificReservation": {"count": "2", "instanceProperties": {"machineType": "n1-standard-8",
			"guestAccelerators": [{"acceleratorType": "nvidia-tesla-t4", "acceleratorCount": %d}]}},
		"shareSettings": {"shareType": "SPECIFIC_PROJECTS", "projectMap": {%q: {"projectId": %q}}}}`, description, gpus, share, share))
	b.Do(b.World.Advance(minute))
}

// number is the number of a project.
func number(t *testing.T, b *acctest.Bench, project string) string {
	t.Helper()
	name, _ := ask(t, b, http.MethodGet, "/v3/projects/"+project, "")["name"].(string)
	return strings.TrimPrefix(name, "projects/")
}

// sharedBy are the projects that a reservation is shared with, as Google shows them.
func sharedBy(t *testing.T, b *acctest.Bench, path string) []string {
	t.Helper()
	settings, _ := ask(t, b, http.MethodGet, "/compute/v1/"+path, "")["shareSettings"].(map[string]any)
	projects, _ := settings["projectMap"].(map[string]any)
	names := []string{}
	for name := range projects {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// numbers are those of some projects, sorted.
func numbers(t *testing.T, b *acctest.Bench, projects ...string) []string {
	t.Helper()
	all := []string{}
	for _, project := range projects {
		all = append(all, number(t, b, project))
	}
	slices.Sort(all)
	return all
}
