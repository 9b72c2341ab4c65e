// Package simtest holds a cloud's simulator to the facts that it says it imitates.
package simtest

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Proof is the pair of raw requests for a fact, each sent in a world of its own,
// which is returned. The last request of Accepted must be answered 200, the last
// of Rejected with an error; each checks what the fact says.
type Proof struct {
	Accepted, Rejected func(t *testing.T) *sim.World
}

// Fact is the form that each simulator gives its facts.
type Fact interface {
	~struct{ ID, Sentence, Source string }
}

// Facts demands that every fact has its proof and passes it, and that the comments
// of the package under test name no fact that there is not.
func Facts[F Fact](t *testing.T, facts []F, proofs map[string]Proof) {
	t.Helper()
	var ids []string
	for _, fact := range facts {
		f := struct{ ID, Sentence, Source string }(fact)
		ids = append(ids, f.ID)
		if f.Sentence == "" || f.Source == "" {
			t.Errorf("%s lacks a sentence or a source", f.ID)
		}
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(unique) != len(ids) {
		t.Error("an id is given twice")
	}
	if proven := slices.Sorted(maps.Keys(proofs)); !slices.Equal(proven, ids) {
		t.Errorf("facts  %v\nproofs %v", ids, proven)
	}
	for id, p := range proofs {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			if status := lastStatus(t, p.Accepted(t)); status != 200 {
				t.Errorf("the last request of the accepted ones was answered %d", status)
			}
			if status := lastStatus(t, p.Rejected(t)); status < 400 {
				t.Errorf("the last request of the rejected ones was answered %d", status)
			}
		})
	}
	mentioned(t, ids)
}

func lastStatus(t *testing.T, world *sim.World) int {
	t.Helper()
	calls, err := world.Calls(0)
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) == 0 {
		t.Fatal("no request was sent")
	}
	return int(calls[len(calls)-1].Status)
}

// mentioned looks for the ids in the comments of the package in the working
// directory.
func mentioned(t *testing.T, ids []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 || len(ids) == 0 {
		t.Fatalf("%d files, %d facts, %v", len(files), len(ids), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range unknown(string(text), ids) {
			t.Errorf("%s mentions %s, which is no fact", file, id)
		}
	}
}

// unknown are the facts that a text mentions and that are not among the ids. The
// plural names a group by its start.
func unknown(text string, ids []string) []string {
	name, _, _ := strings.Cut(ids[0], "-")
	mention := regexp.MustCompile(`(facts?)\s+(?://\s+)?(` + name + `-[a-z0-9.-]*[a-z0-9])`)
	var found []string
	for _, m := range mention.FindAllStringSubmatch(text, -1) {
		known := func(id string) bool { return id == m[2] || (m[1] == "facts" && strings.HasPrefix(id, m[2])) }
		if !slices.ContainsFunc(ids, known) {
			found = append(found, m[2])
		}
	}
	return found
}
