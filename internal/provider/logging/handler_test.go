package logging_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/logging"
)

// lines are the records that write leads to in the provider's log.
func lines(t *testing.T, write func(context.Context, *slog.Logger)) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	write(tflogtest.RootLogger(t.Context(), &out), logging.New())
	got, err := tflogtest.MultilineJSONDecode(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range got {
		delete(line, "@module")
		delete(line, "@timestamp")
		delete(line, "@caller")
	}
	return got
}

func TestNew_levels(t *testing.T) {
	t.Parallel()
	for level, want := range map[slog.Level]string{
		slog.LevelDebug: "debug", slog.LevelInfo: "info", slog.LevelInfo + 1: "info", slog.LevelWarn: "warn",
		slog.LevelError: "error", slog.LevelError + 4: "error", slog.LevelDebug - 4: "debug",
	} {
		got := lines(t, func(ctx context.Context, log *slog.Logger) {
			log.Log(ctx, level, "refused", "zone", "us-east-1a", "attempt", 3)
		})
		expect := []map[string]any{{"@level": want, "@message": "refused", "zone": "us-east-1a", "attempt": 3.0}}
		if diff := cmp.Diff(expect, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", level, diff)
		}
	}
}

// Fields of a derived logger stay with it: the one it came from and its siblings
// have their own.
func TestNew_fields(t *testing.T) {
	t.Parallel()
	got := lines(t, func(ctx context.Context, log *slog.Logger) {
		aws := log.With("cloud", "aws")
		one, two := aws.With("zone", "a"), aws.WithGroup("place").With("zone", "b")
		one.InfoContext(ctx, "one")
		two.InfoContext(ctx, "two", "zone", "c")
		aws.InfoContext(ctx, "both")
		log.InfoContext(ctx, "none")
	})
	want := []map[string]any{
		{"@level": "info", "@message": "one", "cloud": "aws", "zone": "a"},
		{"@level": "info", "@message": "two", "cloud": "aws", "zone": "c"},
		{"@level": "info", "@message": "both", "cloud": "aws"},
		{"@level": "info", "@message": "none"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
