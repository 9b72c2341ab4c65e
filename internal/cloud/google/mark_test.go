package google

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func TestMark(t *testing.T) {
	t.Parallel()
	for description, mark := range map[string]cloud.Mark{
		"": {},
		"gpulock/v1 type=gpu_reservation owner=ml/prod name=train": {Type: "gpu_reservation", Owner: "ml/prod", Name: "train"},
		"gpulock/v1 type=gpu_lock lock=train owner=a@b.c-d_e/F name=train-2": {
			Type: "gpu_lock", Lock: "train", Owner: "a@b.c-d_e/F", Name: "train-2",
		},
	} {
		if got := describe(mark); got != description {
			t.Errorf("describe(%+v) = %q, want %q", mark, got, description)
		}
		if got := readMark(description); got != mark {
			t.Errorf("readMark(%q) = %+v, want %+v", description, got, mark)
		}
		claimed := mark
		claimed.Claim = "c1"
		if got := describe(claimed); got != description {
			t.Errorf("a claim changes the description to %q", got)
		}
		if err := checkMark("op", claimed); err != nil {
			t.Errorf("checkMark(%+v): %v", claimed, err)
		}
	}
}

// TestForeignDescriptions: only exactly what this driver writes is a mark.
func TestForeignDescriptions(t *testing.T) {
	t.Parallel()
	const good = "gpulock/v1 type=gpu_reservation lock=l owner=o name=n"
	if readMark(good).Empty() {
		t.Fatalf("%q is no mark", good)
	}
	for _, description := range []string{
		"nightly training", "gpulock/v1", good + " ", " " + good, good + "\n", "see " + good, good + " extra=1",
		strings.Replace(good, "v1", "v2", 1), strings.ReplaceAll(good, " ", "  "), strings.ToUpper(good),
		"gpulock/v1 owner=o type=gpu_reservation name=n", "gpulock/v1 type=gpu_reservation owner=o",
		"gpulock/v1 type=gpu_reservation name=n", "gpulock/v1 type= owner=o name=n",
		"gpulock/v1 type=gpu_reservation lock= owner=o name=n", "gpulock/v1 type=gpu_reservation owner=o name=N",
		"gpulock/v1 type=gpu_reservation owner=o name=n-", "gpulock/v1 type=gpu_reservation owner=ö name=n",
		"gpulock/v1 type=gpu_reservation owner=" + strings.Repeat("o", 129) + " name=n",
		"gpulock/v1 type=gpu_reservation owner=o name=" + strings.Repeat("n", 64),
	} {
		if got := readMark(description); !got.Empty() {
			t.Errorf("readMark(%q) = %+v", description, got)
		}
	}
}

func TestUnmarkable(t *testing.T) {
	t.Parallel()
	for _, mark := range []cloud.Mark{
		{Owner: "o", Name: "n"},
		{Type: "gpu_reservation", Name: "n"},
		{Type: "gpu_reservation", Owner: "o"},
		{Type: "gpu_reservation", Owner: "o name=x", Name: "n"},
		{Type: "gpu_reservation", Owner: "o", Name: "N"},
		{Type: "gpu_reservation", Owner: "o", Name: "n", Lock: "l owner=x"},
	} {
		if err := checkMark("op", mark); cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("checkMark(%+v) = %v, want %s", mark, err, cloud.Invalid)
		}
	}
}

// FuzzMark: what is read as a mark is written again as the very same text, and
// what can be written is read back.
func FuzzMark(f *testing.F) {
	f.Add("gpulock/v1 type=gpu_reservation lock=l owner=o name=n", "t", "o", "n", "l")
	f.Add("gpulock/v1 type=gpu_reservation owner=o name=n", "gpu_lock", "a b", "n name=x", "")
	f.Fuzz(func(t *testing.T, description, kind, owner, name, lock string) {
		if mark := readMark(description); !mark.Empty() && describe(mark) != description {
			t.Errorf("%q is read as %+v and written as %q", description, mark, describe(mark))
		}
		mark := cloud.Mark{Type: kind, Owner: owner, Name: name, Lock: lock}
		if got := readMark(describe(mark)); !got.Empty() && got != mark {
			t.Errorf("%+v is read back as %+v", mark, got)
		}
	})
}
