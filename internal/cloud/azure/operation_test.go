package azure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// TestPolls: an operation is looked at on our clock, at once at first, then every
// five seconds, and later where the cloud asks for that; a look that fails on the way
// or is throttled is no end of it.
func TestPolls(t *testing.T) {
	t.Parallel()
	running := status("InProgress")
	later := status("InProgress")
	later.header = map[string]string{"Retry-After": "40"}
	throttled := refusal(429, "TooManyRequests", "slow down")
	throttled.header = map[string]string{"Retry-After": "30"}
	for name, tc := range map[string]struct {
		polls []answer
		// at is when each look is, in seconds after the PUT.
		at []int
	}{
		"done soon":     {[]answer{status("Succeeded")}, []int{1}},
		"usual":         {[]answer{running, running, running, running, status("Succeeded")}, []int{1, 3, 7, 12, 17}},
		"asked to wait": {[]answer{later, running, status("Succeeded")}, []int{1, 41, 45}},
		"throttled":     {[]answer{throttled, running, status("Succeeded")}, []int{1, 31, 35}},
		"unavailable":   {[]answer{{status: 503, body: "x"}, status("Succeeded")}, []int{1, 6}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := fresh([]answer{begins(201, one(ourTags, `"provisioningState":"Creating"`))}, one(ourTags, ""))
			script[poll] = tc.polls
			s := newStub(t, script)
			if r, err := s.driver().Create(t.Context(), plain()); err != nil || r.State != cloud.Held {
				t.Fatalf("Create: %+v, %v", r, err)
			}
			var put time.Time
			var at []int
			for _, r := range s.seen {
				switch r.key {
				case putR:
					put = r.at
				case poll:
					at = append(at, int(r.at.Sub(put)/time.Second))
				}
			}
			if diff := cmp.Diff(tc.at, at); diff != "" {
				t.Errorf("looks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOperationUnread: the text of an operation's failure is not lost, and quotes no
// more than it says.
func TestOperationUnread(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		end  answer
		code cloud.Code
		says string
	}{
		"nested": {answer{body: `{"status":"Failed","error":{"code":"ResourceDeploymentFailure","message":"outer","details":[
			{"code":"OverconstrainedZonalAllocationRequest","message":"Allocation failed. Too restrictive."}]}}`}, cloud.NoCapacity, "Too restrictive"},
		"unknown":  {answer{body: `{"status":"Failed","error":{"code":"SomethingNew","message":"no capacity at all"}}`}, cloud.Internal, "SomethingNew"},
		"canceled": {answer{body: `{"status":"Canceled"}`}, cloud.Internal, "does not say why"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := sized(2, ourTags, `"provisioningState":"Failed","provisioningTime":null,"instanceView":{}`)
			script := fresh([]answer{begins(201, one(ourTags, `"provisioningState":"Creating"`))}, broken, broken, notFound())
			script[poll] = []answer{tc.end, status("Succeeded")}
			script[deleteR] = []answer{{status: 204}}
			script[getG] = []answer{notFound(), ourGroup(), ourGroup(), notFound()}
			_, err := newStub(t, script).driver().Create(t.Context(), plain())
			if e := classed(t, err); e.Code != tc.code || e.Accepted || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error is %+v, want %s, %q", e, tc.code, tc.says)
			}
		})
	}
}
