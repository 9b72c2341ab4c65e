package acctest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"
)

// Result is how a command ended.
type Result struct {
	// Args is the command without the program.
	Args []string
	// ExitCode is -1 when a signal ended the command line.
	ExitCode int
	// Stdout and Stderr are what was printed, JSON lines where asked for.
	Stdout, Stderr string
	// Duration is wall time.
	Duration time.Duration
	// CPU is the processor time of the command line and of a provider it started.
	CPU time.Duration
	// Diagnostics are the warnings and errors in the order of printing. The
	// command line's note on development overrides is left out.
	Diagnostics []tfjson.Diagnostic
}

// Errors returns the error diagnostics.
func (r Result) Errors() []tfjson.Diagnostic {
	return r.severity(tfjson.DiagnosticSeverityError)
}

// Warnings returns the warning diagnostics.
func (r Result) Warnings() []tfjson.Diagnostic {
	return r.severity(tfjson.DiagnosticSeverityWarning)
}

func (r Result) severity(want tfjson.DiagnosticSeverity) []tfjson.Diagnostic {
	var out []tfjson.Diagnostic
	for _, d := range r.Diagnostics {
		if d.Severity == want {
			out = append(out, d)
		}
	}
	return out
}

// Success fails the test unless the command exited 0, and returns the result.
func (r Result) Success(tb testing.TB) Result {
	tb.Helper()
	if r.ExitCode != 0 {
		tb.Fatalf("%s: exit code %d\n%s", strings.Join(r.Args, " "), r.ExitCode, r.Text())
	}
	return r
}

// Failure fails the test unless the command exited 1 with an error that holds
// every one of texts, and returns the result.
func (r Result) Failure(tb testing.TB, texts ...string) Result {
	tb.Helper()
	if r.ExitCode != 1 {
		tb.Fatalf("%s: exit code %d, want 1\n%s", strings.Join(r.Args, " "), r.ExitCode, r.Text())
	}
	if !slices.ContainsFunc(r.Errors(), func(d tfjson.Diagnostic) bool { return holds(d, texts) }) {
		tb.Fatalf("%s: no error holds all of %q\n%s", strings.Join(r.Args, " "), texts, r.Text())
	}
	return r
}

// FailureAt is [Result.Failure] for an error that also points at a place of the
// configuration: the source it shows holds code, such as `count = 0`.
func (r Result) FailureAt(tb testing.TB, code string, texts ...string) Result {
	tb.Helper()
	r.Failure(tb, texts...)
	points := func(d tfjson.Diagnostic) bool {
		return holds(d, texts) && d.Snippet != nil && strings.Contains(flat(d.Snippet.Code), flat(code))
	}
	if !slices.ContainsFunc(r.Errors(), points) {
		tb.Fatalf("%s: no error with %q points at %q\n%s", strings.Join(r.Args, " "), texts, code, r.Text())
	}
	return r
}

// Warned fails the test unless a warning holds every one of texts, and returns
// the result.
func (r Result) Warned(tb testing.TB, texts ...string) Result {
	tb.Helper()
	if !slices.ContainsFunc(r.Warnings(), func(d tfjson.Diagnostic) bool { return holds(d, texts) }) {
		tb.Fatalf("%s: no warning holds all of %q\n%s", strings.Join(r.Args, " "), texts, r.Text())
	}
	return r
}

// NoDiagnostics fails the test if there was a warning or an error.
func (r Result) NoDiagnostics(tb testing.TB) Result {
	tb.Helper()
	if len(r.Diagnostics) > 0 {
		tb.Fatalf("%s: unexpected diagnostics\n%s", strings.Join(r.Args, " "), r.Text())
	}
	return r
}

// holds looks in summary and detail with line breaks taken as spaces: text
// output is wrapped.
func holds(d tfjson.Diagnostic, texts []string) bool {
	all := flat(d.Summary + " " + d.Detail)
	for _, text := range texts {
		if !strings.Contains(all, flat(text)) {
			return false
		}
	}
	return true
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// Text is the result for a person who reads a failed test.
func (r Result) Text() string {
	var b strings.Builder
	for _, d := range r.Diagnostics {
		b.WriteString(string(d.Severity) + " at " + d.Address + ": " + d.Summary + "\n" + d.Detail + "\n")
		if d.Snippet != nil {
			b.WriteString("  in: " + d.Snippet.Code + "\n")
		}
	}
	if b.Len() == 0 {
		b.WriteString(r.Stdout)
	}
	return b.String() + r.Stderr
}

// overridesSummary is the note that both command lines print while
// development overrides are in force.
const overridesSummary = "Provider development overrides are in effect"

// diagnostics reads both forms of output: JSON lines from stdout and, where a
// command has none, the text form of either stream.
func diagnostics(stdout, stderr string) []tfjson.Diagnostic {
	found, isJSON := jsonDiagnostics(stdout)
	if !isJSON {
		found = textDiagnostics(stdout)
	}
	found = append(found, textDiagnostics(stderr)...)
	return slices.DeleteFunc(found, func(d tfjson.Diagnostic) bool { return d.Summary == overridesSummary })
}

// jsonDiagnostics reads the machine-readable output; the second result tells
// whether stdout was that at all. One document holds them all after validate.
func jsonDiagnostics(stdout string) ([]tfjson.Diagnostic, bool) {
	var whole tfjson.ValidateOutput
	if err := json.Unmarshal([]byte(stdout), &whole); err == nil && whole.FormatVersion != "" {
		return whole.Diagnostics, true
	}
	var found []tfjson.Diagnostic
	isJSON := false
	for line := range strings.Lines(stdout) {
		var message struct {
			Type       string            `json:"type"`
			Diagnostic tfjson.Diagnostic `json:"diagnostic"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			continue
		}
		isJSON = true
		if message.Type == "diagnostic" {
			found = append(found, message.Diagnostic)
		}
	}
	return found, isJSON
}

// textDiagnostics reads what a command prints under -no-color: a heading, a
// blank line, then the place and the text up to the next heading.
func textDiagnostics(output string) []tfjson.Diagnostic {
	heading := regexp.MustCompile(`(?m)^(Error|Warning): (.*)$`)
	marks := heading.FindAllStringSubmatchIndex(output, -1)
	found := make([]tfjson.Diagnostic, 0, len(marks))
	for i, mark := range marks {
		end := len(output)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		found = append(found, tfjson.Diagnostic{
			Severity: tfjson.DiagnosticSeverity(strings.ToLower(output[mark[2]:mark[3]])),
			Summary:  output[mark[4]:mark[5]],
			Detail:   strings.TrimSpace(output[mark[1]:end]),
		})
	}
	return found
}
