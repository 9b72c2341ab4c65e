// Package trace writes one log record for each call of a cloud, as an
// interceptor.
//
// It knows places, ids, codes and durations. It must never write what a cloud
// or a user said in words: no message, no tag, no token.
package trace

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// New is an interceptor that logs each call after it ended, with its duration
// by c (nil is the machine's clock).
//
// A success, a refusal and a context's end are debug records: what matters of
// them is reported by whoever decides on it. A call whose outcome is not known
// or that failed for the cloud's own reasons is a warning, for nothing else may
// tell of it once a second try has gone well.
func New(log *slog.Logger, c clock.Clock) cloud.Interceptor {
	if c == nil {
		c = clock.Wall{}
	}
	return func(ctx context.Context, call cloud.Call, next func(context.Context) error) error {
		start := c.Now()
		err := next(ctx)
		log.LogAttrs(ctx, level(call, err), "cloud call", attrs(call, err, c.Now().Sub(start))...)
		return err
	}
}

func level(call cloud.Call, err error) slog.Level {
	code := cloud.CodeOf(err)
	var e *cloud.Error
	unknown := call.Writes && errors.As(err, &e) && e.Accepted
	if code == cloud.Internal || unknown {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// attrs describe a call and how it ended; what is empty is left out.
func attrs(call cloud.Call, err error, took time.Duration) []slog.Attr {
	all := texts(
		"cloud", call.Cloud, "method", call.Method, "account", call.Account, "region", call.Region,
		"zone", call.Zone, "instance_type", call.InstanceType, "native_id", call.NativeID,
	)
	all = append(all, slog.Duration("duration", took))
	if err == nil {
		return all
	}
	all = append(all, texts("code", string(cloud.CodeOf(err)), "stopped", stopped(err))...)
	var e *cloud.Error
	if !errors.As(err, &e) {
		return all
	}
	all = append(all, texts("operation", e.Op, "native_code", cloud.Clean(e.Native), "request_id", e.RequestID)...)
	if e.HTTPStatus != 0 {
		all = append(all, slog.Int("http_status", e.HTTPStatus))
	}
	if e.RetryAfter != 0 {
		all = append(all, slog.Duration("retry_after", e.RetryAfter))
	}
	if e.Accepted {
		all = append(all, slog.Bool("accepted", true))
	}
	return all
}

// texts pairs keys and values.
func texts(pairs ...string) []slog.Attr {
	var all []slog.Attr
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			all = append(all, slog.String(pairs[i], pairs[i+1]))
		}
	}
	return all
}

// stopped names the context's end, where that is what ended the call.
func stopped(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	}
	return ""
}
