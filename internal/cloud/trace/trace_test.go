package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/trace"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	create := cloud.Call{
		Cloud: "mem", Method: "Create", Account: "research", Region: "mem-east-1", Zone: "mem-east-1a",
		InstanceType: "p1.whole", Writes: true,
	}
	get := cloud.Call{Cloud: "mem", Method: "Get", NativeID: "r-1"}
	placed := map[string]any{
		"cloud": "mem", "method": "Create", "account": "research", "region": "mem-east-1", "zone": "mem-east-1a",
		"instance_type": "p1.whole",
	}
	read := map[string]any{"cloud": "mem", "method": "Get", "native_id": "r-1"}
	tests := map[string]struct {
		call  cloud.Call
		err   error
		level string
		base  map[string]any
		more  map[string]any
	}{
		"success": {get, nil, "DEBUG", read, nil},
		"refusal, every field": {
			create,
			fmt.Errorf("wrapped: %w", &cloud.Error{
				Code: cloud.NoCapacity, Op: "CreateThing", Native: "OutOfCapacity", Message: "hunter2",
				HTTPStatus: 500, RequestID: "req-1", RetryAfter: 2 * time.Second,
			}),
			"DEBUG", placed,
			map[string]any{
				"code": "capacity", "operation": "CreateThing", "native_code": "OutOfCapacity",
				"http_status": 500.0, "request_id": "req-1", "retry_after": 2e9,
			},
		},
		"the cloud's own failure": {get, &cloud.Error{Code: cloud.Internal, Op: "ReadThing"}, "WARN", read, map[string]any{
			"code": "internal", "operation": "ReadThing",
		}},
		"outcome unknown": {create, &cloud.Error{Code: cloud.Throttled, Accepted: true}, "WARN", placed, map[string]any{
			"code": "throttled", "accepted": true,
		}},
		"unclassed":       {get, errors.New("hunter2"), "WARN", read, map[string]any{"code": "internal"}},
		"context's end":   {get, context.Canceled, "DEBUG", read, map[string]any{"stopped": "canceled"}},
		"deadline passed": {get, context.DeadlineExceeded, "DEBUG", read, map[string]any{"stopped": "deadline"}},
		"a secret for a code": {get, &cloud.Error{Code: cloud.Invalid, Native: "Bearer hunter2"}, "DEBUG", read, map[string]any{
			"code": "invalid", "native_code": "Bearer (hidden)",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[string]any{"msg": "cloud call", "level": test.level, "duration": 3e9}
			maps.Copy(want, test.base)
			maps.Copy(want, test.more)
			if diff := cmp.Diff(want, record(t, test.call, test.err)); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
		})
	}
}

// record is the one record of a call of three seconds that ended with outcome,
// without its time.
func record(t *testing.T, call cloud.Call, outcome error) map[string]any {
	t.Helper()
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	jump := clocktest.NewJump(memtest.Start())
	err := trace.New(log, jump)(t.Context(), call, func(context.Context) error {
		jump.Advance(3 * time.Second)
		return outcome
	})
	if !errors.Is(err, outcome) {
		t.Errorf("error %v became %v", outcome, err)
	}
	if bytes.Contains(out.Bytes(), []byte("hunter2")) {
		t.Errorf("%s shows what it must not", out.Bytes())
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("not one record: %v: %s", err, out.Bytes())
	}
	delete(got, "time")
	return got
}

// TestPurchasesAreQuiet: no offer, quote, token, tag or price of a purchase is
// written, only where and what was called.
func TestPurchasesAreQuiet(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := cloud.Intercept(mem.New(mem.Options{}), trace.New(log, clocktest.NewJump(memtest.Start())))
	extender, _ := cloud.As[cloud.Extender](c)
	canceller, _ := cloud.As[cloud.Canceller](c)
	updater, _ := cloud.As[cloud.Updater](c)
	offerer, _ := cloud.As[cloud.Offerer](c)
	ref, offer := cloud.Ref{NativeID: "r-1"}, cloud.Offer{ID: "hunter2"}
	spec := cloud.Spec{Kind: cloud.Block, Region: "mem-east-1", OfferID: "hunter2", Tags: map[string]string{"hunter2": "hunter2"}}
	_, bought := extender.Extend(t.Context(), ref, offer)
	_, changed := updater.Update(t.Context(), ref, cloud.Change{Term: &cloud.TermPurchase{
		Token: "hunter2", Tags: map[string]string{"hunter2": "hunter2"},
	}})
	_, offered := offerer.Offers(t.Context(), spec)
	_, created := c.Create(t.Context(), cloud.CreateRequest{Spec: spec, Token: "hunter2", Offer: &offer})
	cancelled := canceller.Cancel(t.Context(), ref, cloud.Quote{ID: "hunter2"})
	if bought == nil || changed == nil || offered == nil || created == nil || cancelled != nil {
		t.Errorf("unexpected: %v, %v, %v, %v, %v", bought, changed, offered, created, cancelled)
	}
	if records := bytes.Count(out.Bytes(), []byte("\n")); records != 5 || bytes.Contains(out.Bytes(), []byte("hunter2")) {
		t.Errorf("%d records:\n%s", records, out.Bytes())
	}
}

// TestConformance: a traced cloud keeps the contract.
func TestConformance(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, cloudtest.Wrapped(memtest.Harness, trace.New(slog.New(slog.DiscardHandler), nil)))
}
