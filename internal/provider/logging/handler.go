// Package logging carries the records of the packages below the Terraform layer
// to Terraform's log. They write with log/slog and know nothing of Terraform.
package logging

import (
	"context"
	"log/slog"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// New is a logger whose records go to the provider log of the context.
func New() *slog.Logger { return slog.New(handler{}) }

type handler struct{ fields []slog.Attr }

// Enabled implements slog.Handler; Terraform's own setting filters.
func (handler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	fields := map[string]any{}
	for _, f := range h.fields {
		fields[f.Key] = f.Value.Any()
	}
	r.Attrs(func(f slog.Attr) bool {
		fields[f.Key] = f.Value.Any()
		return true
	})
	switch {
	case r.Level >= slog.LevelError:
		tflog.Error(ctx, r.Message, fields)
	case r.Level >= slog.LevelWarn:
		tflog.Warn(ctx, r.Message, fields)
	case r.Level >= slog.LevelInfo:
		tflog.Info(ctx, r.Message, fields)
	default:
		tflog.Debug(ctx, r.Message, fields)
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(fields []slog.Attr) slog.Handler {
	return handler{append(append([]slog.Attr{}, h.fields...), fields...)}
}

// WithGroup implements slog.Handler; groups are flattened.
func (h handler) WithGroup(string) slog.Handler { return h }
