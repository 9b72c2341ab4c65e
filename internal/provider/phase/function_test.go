package phase_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/phase"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

func serve(t *testing.T) *providertest.Server {
	t.Helper()
	return providertest.Serve(t, providertest.Types{Functions: []func() function.Function{phase.NewFunction}})
}

func TestPhase(t *testing.T) {
	t.Parallel()
	const start, end = "2031-05-10T09:00:00Z", "2031-05-11T09:00:00Z"
	for name, tc := range map[string]struct {
		starts, ends any
		at, want     string
	}{
		"before":                        {start, end, "2031-05-10T08:59:59.999Z", phase.Scheduled},
		"at its start":                  {start, end, start, phase.Active},
		"within":                        {start, end, "2031-05-10T12:00:00Z", phase.Active},
		"the instant before its end":    {start, end, "2031-05-11T08:59:59.999Z", phase.Active},
		"at its end":                    {start, end, end, phase.Ended},
		"after":                         {start, end, "2032-01-01T00:00:00Z", phase.Ended},
		"started already":               {nil, end, "0001-01-01T00:00:00Z", phase.Active},
		"started already, ended":        {nil, end, end, phase.Ended},
		"without an end":                {start, nil, "9999-12-31T23:59:59Z", phase.Active},
		"without an end, before":        {start, nil, "2031-05-10T08:00:00Z", phase.Scheduled},
		"without either":                {nil, nil, start, phase.Active},
		"by instant, not by text":       {start, end, "2031-05-10T10:59:59+02:00", phase.Scheduled},
		"by instant, not by text, late": {start, end, "2031-05-11T01:00:00-08:00", phase.Ended},
		"a window of no length":         {start, start, start, phase.Ended},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := serve(t).Call("phase", tc.starts, tc.ends, tc.at)
			if err != nil {
				t.Fatal(err.Text)
			}
			if got != tc.want {
				t.Errorf("phase(%v, %v, %v) = %v, want %v", tc.starts, tc.ends, tc.at, got, tc.want)
			}
		})
	}
}

func TestPhase_badArguments(t *testing.T) {
	t.Parallel()
	const good = "2031-05-10T09:00:00Z"
	for name, tc := range map[string]struct {
		arguments []any
		position  int64
		words     []string
	}{
		"end of year 1":    {[]any{nil, "0001-01-01T00:00:00Z", good}, 1, []string{"ends_at", "0001-01-01"}},
		"start":            {[]any{"tomorrow", nil, good}, 0, []string{"starts_at", `"tomorrow"`, "RFC 3339"}},
		"start empty":      {[]any{"", nil, good}, 0, []string{"starts_at"}},
		"end":              {[]any{nil, "2031-05-10", good}, 1, []string{"ends_at", `"2031-05-10"`}},
		"at":               {[]any{nil, nil, "2031-05-10T09:00:00"}, 2, []string{"at ", "2031-05-10T09:00:00"}},
		"at null":          {[]any{nil, nil, nil}, 2, []string{"at "}},
		"end before start": {[]any{good, "2031-05-10T08:59:59Z", good}, 1, []string{"ends_at", "before", "starts_at"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := serve(t).Call("phase", tc.arguments...)
			if err == nil {
				t.Fatalf("phase(%v) = %v, want an error", tc.arguments, got)
			}
			if err.FunctionArgument == nil || *err.FunctionArgument != tc.position {
				t.Errorf("the error is about argument %v, want %d", err.FunctionArgument, tc.position)
			}
			for _, word := range tc.words {
				if !strings.Contains(err.Text, word) {
					t.Errorf("%q does not say %q", err.Text, word)
				}
			}
		})
	}
}

// Every argument that is wrong is named, not only the first.
func TestPhase_allBadArguments(t *testing.T) {
	t.Parallel()
	_, err := serve(t).Call("phase", "x", "y", "z")
	if err == nil {
		t.Fatal("no error")
	}
	for _, word := range []string{"starts_at", "ends_at", "at \"z\""} {
		if !strings.Contains(err.Text, word) {
			t.Errorf("%q does not say %q", err.Text, word)
		}
	}
}
