package simtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnknown(t *testing.T) {
	t.Parallel()
	ids := []string{"toy-1-port", "toy-2-date", "toy-2-zone"}
	for text, want := range map[string][]string{
		"(fact toy-1-port) and fact\n\t// toy-2-date.": nil,
		"facts toy-2 and fact toy-2":                   {"toy-2"},
		"fact toy-1-ports, facts toy-3":                {"toy-1-ports", "toy-3"},
		"fact other-1-port":                            nil,
		"toy-9-none without the word":                  nil,
	} {
		if diff := cmp.Diff(want, unknown(text, ids)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
