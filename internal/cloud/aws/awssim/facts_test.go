package awssim_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws/awssim"
)

// proof is the pair of raw requests for a fact. The last request of accepted
// must be answered 200, the last of rejected with an error; each checks what
// the fact says.
type proof struct {
	options  awssim.Options
	accepted func(s *stage)
	rejected func(s *stage)
}

func proofs() map[string]proof {
	all := wireProofs()
	maps.Copy(all, createProofs())
	maps.Copy(all, lifeProofs())
	maps.Copy(all, changeProofs())
	for _, more := range []map[string]proof{
		futureProofs(), deliveryProofs(), cancelProofs(), offerProofs(), purchaseProofs(), blockLifeProofs(), extensionProofs(), errorProofs(),
		hostProofs(), termProofs(), marketProofs(), pricingProofs(),
	} {
		maps.Copy(all, more)
	}
	return all
}

func TestFacts(t *testing.T) {
	t.Parallel()
	for id, p := range proofs() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s := newStageWith(t, p.options)
			p.accepted(s)
			if status := s.lastStatus(); status != 200 {
				t.Errorf("the last request of the accepted ones was answered %d", status)
			}
			s = newStageWith(t, p.options)
			p.rejected(s)
			if status := s.lastStatus(); status < 400 {
				t.Errorf("the last request of the rejected ones was answered %d", status)
			}
		})
	}
}

func (s *stage) lastStatus() int {
	s.t.Helper()
	calls, err := s.world.Calls(0)
	s.ok(err)
	if len(calls) == 0 {
		s.t.Fatal("no request was sent")
	}
	return int(calls[len(calls)-1].Status)
}

func TestEveryFactHasItsProof(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, f := range awssim.Facts() {
		ids = append(ids, f.ID)
		if f.Sentence == "" || f.Source == "" {
			t.Errorf("%s lacks a sentence or a source", f.ID)
		}
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(unique) != len(ids) {
		t.Error("an id is given twice")
	}
	if proven := slices.Sorted(maps.Keys(proofs())); !slices.Equal(proven, ids) {
		t.Errorf("facts  %v\nproofs %v", ids, proven)
	}
}

func TestFactsNamedInCommentsExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, f := range awssim.Facts() {
		known[f.ID] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	mention := regexp.MustCompile(`fact\s+(?://\s+)?(aws-[a-z0-9.-]+[a-z0-9])`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mention.FindAllStringSubmatch(string(text), -1) {
			if !known[m[1]] {
				t.Errorf("%s mentions %s, which is no fact", file, m[1])
			}
		}
	}
}
