package acctest

import (
	"errors"
	"io"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env    string
		onPath map[string]bool
		want   string
	}{
		"named":          {env: "/opt/tofu", onPath: map[string]bool{"terraform": true, "/opt/tofu": true}, want: "/opt/tofu"},
		"named, missing": {env: "/opt/tofu", onPath: map[string]bool{"terraform": true}},
		"terraform":      {onPath: map[string]bool{"terraform": true, "tofu": true}, want: "terraform"},
		"tofu":           {onPath: map[string]bool{"tofu": true}, want: "tofu"},
		"none":           {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lookPath := func(name string) (string, error) {
				if !tc.onPath[name] {
					return "", exec.ErrNotFound
				}
				return name, nil
			}
			got, err := find(func(string) string { return tc.env }, lookPath)
			if got != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("find = %q, %v, want %q", got, err, tc.want)
			}
			if tc.want == "" && !errors.Is(err, exec.ErrNotFound) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env  map[string]string
		path string
		want string
	}{
		"terraform":   {path: "/bin/terraform", want: "registry.terraform.io/gpulock/gpu"},
		"tofu":        {path: "/opt/tofu-1.12", want: "registry.opentofu.org/gpulock/gpu"},
		"environment": {env: map[string]string{envHost: "example.org", envNamespace: "me"}, path: "/bin/terraform", want: "example.org/me/gpu"},
	} {
		if got := address(func(key string) string { return tc.env[key] }, tc.path); got != tc.want {
			t.Errorf("%s: address = %q, want %q", name, got, tc.want)
		}
	}
}

func TestLogServed(t *testing.T) {
	t.Parallel()
	var log Log
	for _, part := range []string{`{"@level":"warn","@mess`, `age":"refused","zone":"a"}` + "\n" + `{"@level":"info","@message":"fine"}` + "\n", "no json\n", `{"unfinished`} {
		if _, err := io.WriteString(&log, part); err != nil {
			t.Fatal(err)
		}
	}
	want := []LogLine{
		{Level: "WARN", Message: "refused", Fields: map[string]any{"zone": "a"}},
		{Level: "INFO", Message: "fine", Fields: map[string]any{}},
		{Message: "no json"},
	}
	if diff := cmp.Diff(want, log.Lines("")); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[:1], log.Warnings()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestLogText(t *testing.T) {
	t.Parallel()
	var log Log
	log.addText("orphan\n2026-12-01T03:43:14.281Z [WARN]  provider.terraform-provider-gpu: refused: zone=a\n  | more\n2026-12-01T03:43:15.281Z [ERROR] provider: worse\n")
	want := []LogLine{
		{Message: "\norphan"},
		{Level: "WARN", Message: "provider.terraform-provider-gpu: refused: zone=a\n  | more"},
		{Level: "ERROR", Message: "provider: worse"},
	}
	if diff := cmp.Diff(want, log.Lines("")); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	stderr := "\nWarning: Provider development overrides are in effect\n\nThe following\n\nError: Cannot do\n\n  on main.tf line 3:\n\nBecause of\nthis.\n"
	fromText := tfjson.Diagnostic{Severity: "error", Summary: "Cannot do", Detail: "on main.tf line 3:\n\nBecause of\nthis."}
	for name, tc := range map[string]struct {
		stdout, stderr string
		want           []tfjson.Diagnostic
	}{
		"none": {stdout: `{"@level":"info","type":"version"}`},
		"json lines": {
			stdout: `{"type":"version"}` + "\n" + `{"type":"diagnostic","diagnostic":{"severity":"warning","summary":"s","detail":"d","address":"gpu_x.a"}}` + "\n" + `{"type":"diag`,
			want:   []tfjson.Diagnostic{{Severity: "warning", Summary: "s", Detail: "d", Address: "gpu_x.a"}},
		},
		"one document": {
			stdout: `{"format_version":"1.0","valid":false,"error_count":1,"diagnostics":[{"severity":"error","summary":"bad"}]}`,
			want:   []tfjson.Diagnostic{{Severity: "error", Summary: "bad"}},
		},
		"text":            {stderr: stderr, want: []tfjson.Diagnostic{fromText}},
		"text and stdout": {stdout: "\nWarning: mind\n\nthe gap\n", stderr: stderr, want: []tfjson.Diagnostic{{Severity: "warning", Summary: "mind", Detail: "the gap"}, fromText}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := diagnostics(tc.stdout, tc.stderr)
			if len(got) == 0 && len(tc.want) == 0 {
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

// recorder is a test that only remembers that it was failed.
type recorder struct {
	testing.TB
	failed bool
}

func (*recorder) Helper()                 {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true }

func TestResultExpectations(t *testing.T) {
	t.Parallel()
	refused := Result{ExitCode: 1, Diagnostics: []tfjson.Diagnostic{
		{Severity: "error", Summary: "No capacity", Detail: "zone\n  us-east-1a", Snippet: &tfjson.DiagnosticSnippet{Code: "  zone  = \"us-east-1a\""}},
		{Severity: "warning", Summary: "Slow"},
	}}
	for name, tc := range map[string]struct {
		expect func(*recorder)
		fails  bool
	}{
		"success of a failure":     {func(tb *recorder) { refused.Success(tb) }, true},
		"success":                  {func(tb *recorder) { Result{}.Success(tb) }, false},
		"failure, wrapped text":    {func(tb *recorder) { refused.Failure(tb, "No capacity", "zone us-east-1a") }, false},
		"failure, only a warning":  {func(tb *recorder) { refused.Failure(tb, "Slow") }, true},
		"failure, split over two":  {func(tb *recorder) { refused.Failure(tb, "No capacity", "Slow") }, true},
		"failure of a success":     {func(tb *recorder) { Result{}.Failure(tb) }, true},
		"failure of an interrupt":  {func(tb *recorder) { Result{ExitCode: -1, Diagnostics: refused.Diagnostics}.Failure(tb) }, true},
		"failure at its place":     {func(tb *recorder) { refused.FailureAt(tb, `zone = "us-east-1a"`, "No capacity") }, false},
		"failure elsewhere":        {func(tb *recorder) { refused.FailureAt(tb, `count = 0`, "No capacity") }, true},
		"warned":                   {func(tb *recorder) { refused.Warned(tb, "Slow") }, false},
		"warned, only an error":    {func(tb *recorder) { refused.Warned(tb, "No capacity") }, true},
		"no diagnostics":           {func(tb *recorder) { Result{}.NoDiagnostics(tb) }, false},
		"no diagnostics, but some": {func(tb *recorder) { refused.NoDiagnostics(tb) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := &recorder{TB: t}
			tc.expect(tb)
			if tb.failed != tc.fails {
				t.Errorf("failed = %v, want %v", tb.failed, tc.fails)
			}
		})
	}
}

func TestPlanNotEmpty(t *testing.T) {
	t.Parallel()
	change := func(actions ...tfjson.Action) []*tfjson.ResourceChange {
		return []*tfjson.ResourceChange{{Address: "gpu_x.a", Change: &tfjson.Change{Actions: actions}}}
	}
	for name, tc := range map[string]struct {
		plan Plan
		want bool
	}{
		"empty":          {Plan{Saved: &tfjson.Plan{}}, false},
		"no-op":          {Plan{Saved: &tfjson.Plan{ResourceChanges: change(tfjson.ActionNoop)}}, false},
		"update":         {Plan{Result: Result{ExitCode: 2}, Saved: &tfjson.Plan{ResourceChanges: change(tfjson.ActionUpdate)}}, true},
		"drift, exit 0":  {Plan{Saved: &tfjson.Plan{ResourceDrift: change(tfjson.ActionUpdate)}}, true},
		"output changes": {Plan{Result: Result{ExitCode: 2}, Saved: &tfjson.Plan{}}, true},
		"failed":         {Plan{Result: Result{ExitCode: 1}}, true},
	} {
		if got := tc.plan.NotEmpty(); (got != "") != tc.want {
			t.Errorf("%s: NotEmpty = %q, want one %v", name, got, tc.want)
		}
	}
}
