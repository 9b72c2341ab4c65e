package aws_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const create = "CreateCapacityReservation"

func TestCreateSends(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("0123456789abcdef", 5)
	mark := cloud.Mark{Owner: "ml/prod", Name: "train", Type: "gpu_reservation", Lock: "all", Claim: "never-sent"}
	base := map[string]string{
		"ClientToken": token[:64], "InstanceType": "p5.48xlarge", "InstancePlatform": "Linux/UNIX", "InstanceCount": "2",
		"AvailabilityZone": zone, "Tenancy": "default", "InstanceMatchCriteria": "targeted", "EndDateType": "unlimited",
	}
	tests := map[string]struct {
		wish cloud.Spec
		mark cloud.Mark
		more map[string]string
	}{
		"plain": {wish: wish()},
		"everything": {
			wish: func() cloud.Spec {
				s := wish()
				s.Match, s.Count, s.EndAt = cloud.Open, 1000, time.Date(2031, 5, 1, 9, 0, 0, 500_600_000, time.FixedZone("", 7200))
				s.Duration = time.Hour
				s.Tags = map[string]string{"team": "ml", "empty": ""}
				s.Native = map[string]string{
					"platform": "Red Hat Enterprise Linux", "tenancy": "dedicated",
					"placement_group_arn": "arn:aws:ec2:us-east-1:111122223333:placement-group/near",
				}
				return s
			}(),
			mark: mark,
			more: map[string]string{
				"InstancePlatform": "Red Hat Enterprise Linux", "Tenancy": "dedicated", "InstanceMatchCriteria": "open",
				"InstanceCount": "1000", "EndDateType": "limited", "EndDate": "2031-05-01T07:00:00.5Z",
				"PlacementGroupArn":                "arn:aws:ec2:us-east-1:111122223333:placement-group/near",
				"TagSpecifications.1.ResourceType": "capacity-reservation",
				"TagSpecifications.1.Tag.1.Key":    "empty",
				"TagSpecifications.1.Tag.1.Value":  "",
				"TagSpecifications.1.Tag.2.Key":    "gpulock:lock",
				"TagSpecifications.1.Tag.2.Value":  "all",
				"TagSpecifications.1.Tag.3.Key":    "gpulock:managed-by",
				"TagSpecifications.1.Tag.3.Value":  "gpu_reservation",
				"TagSpecifications.1.Tag.4.Key":    "gpulock:name",
				"TagSpecifications.1.Tag.4.Value":  "train",
				"TagSpecifications.1.Tag.5.Key":    "gpulock:owner",
				"TagSpecifications.1.Tag.5.Value":  "ml/prod",
				"TagSpecifications.1.Tag.6.Key":    "team",
				"TagSpecifications.1.Tag.6.Value":  "ml",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(create, created(object("active", counts(2, 2))))
			got, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: test.wish, Mark: test.mark, Token: token})
			if err != nil {
				t.Fatal(err)
			}
			if got.Ref != ref() || got.State != cloud.Held {
				t.Errorf("got %+v", got)
			}
			want := map[string]string{}
			for _, m := range []map[string]string{base, test.more} {
				for key, value := range m {
					want[key] = value
				}
			}
			sent := s.sent(create, 0)
			wantForm(t, sent.form, want)
			if sent.region != region || sent.key != "AKIAEXAMPLE" {
				t.Errorf("signed by %q for region %q", sent.key, sent.region)
			}
		})
	}
}

func TestCreateAlwaysSendsAToken(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(create, created(object("active")))
	c := s.cloud()
	for range 2 {
		if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish()}); err != nil {
			t.Fatal(err)
		}
	}
	one, two := s.sent(create, 0).form.Get("ClientToken"), s.sent(create, 1).form.Get("ClientToken")
	if one == "" || two == "" || one == two || len(one) > 64 {
		t.Errorf("tokens %q and %q", one, two)
	}
}

func TestCreateRefusesWithoutACall(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(*cloud.Spec)
		code  cloud.Code
	}{
		"count":    {func(s *cloud.Spec) { s.Count = 1001 }, cloud.Invalid},
		"kind":     {func(s *cloud.Spec) { s.Kind = "spot" }, cloud.Unsupported},
		"duration": {func(s *cloud.Spec) { s.Duration = time.Hour }, cloud.Invalid},
		"account":  {func(s *cloud.Spec) { s.Account = "nobody" }, cloud.Invalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			w := wish()
			test.spoil(&w)
			_, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: w})
			if cloud.CodeOf(err) != test.code || cloud.MaybeAccepted(err) {
				t.Errorf("got %v (%s), want %s", err, cloud.CodeOf(err), test.code)
			}
			s.wantActions()
		})
	}
}

// TestCreateFails is the wire side of the error table: class, whether a create
// may have been accepted, and how often it was sent.
func TestCreateFails(t *testing.T) {
	t.Parallel()
	ok := created(object("active", counts(2, 2)))
	throttled := refused(503, "RequestLimitExceeded", "Request limit exceeded.")
	tests := map[string]struct {
		answers  []answer
		want     cloud.Error
		sent     int
		says     string
		saysNot  string
		accepted bool
	}{
		"no capacity is not repeated": {
			answers: []answer{refused(500, "InsufficientInstanceCapacity", "Insufficient capacity.")},
			want:    cloud.Error{Code: cloud.NoCapacity, Native: "InsufficientInstanceCapacity", HTTPStatus: 500}, sent: 1,
			says: "Insufficient capacity.",
		},
		"quota": {
			answers: []answer{refused(400, "VcpuLimitExceeded", "You have requested more vCPU capacity.")},
			want:    cloud.Error{Code: cloud.QuotaExceeded, Native: "VcpuLimitExceeded", HTTPStatus: 400}, sent: 1,
		},
		"throttled to the end": {
			answers: []answer{throttled},
			want:    cloud.Error{Code: cloud.Throttled, Native: "RequestLimitExceeded", HTTPStatus: 503}, sent: 5,
		},
		"token mismatch": {
			answers: []answer{refused(400, "IdempotentParameterMismatch", "other parameters")},
			want:    cloud.Error{Code: cloud.Conflict, Native: "IdempotentParameterMismatch", HTTPStatus: 400, TokenMismatch: true}, sent: 1,
		},
		"service error": {
			answers: []answer{refused(500, "InternalError", "An internal error has occurred")},
			want:    cloud.Error{Code: cloud.Internal, Native: "InternalError", HTTPStatus: 500}, sent: 5, accepted: true,
		},
		"unknown 4xx": {
			answers: []answer{refused(400, "SomethingNew", "what now")},
			want:    cloud.Error{Code: cloud.Invalid, Native: "SomethingNew", HTTPStatus: 400}, sent: 1, says: "SomethingNew: what now",
		},
		"unknown 5xx": {
			answers: []answer{refused(500, "SomethingNew", "what now")},
			want:    cloud.Error{Code: cloud.Internal, Native: "SomethingNew", HTTPStatus: 500}, sent: 5, accepted: true,
		},
		"denied": {
			answers: []answer{refused(403, "UnauthorizedOperation", "You are not authorized. Encoded authorization failure message: abcDEF")},
			want:    cloud.Error{Code: cloud.PermissionDenied, Authenticated: true, Native: "UnauthorizedOperation", HTTPStatus: 403}, sent: 1, saysNot: "abcDEF",
		},
		"proxy page 502": {
			answers: []answer{{
				status: 502, body: "<!DOCTYPE html><html><body><h1>Bad & Gateway</h1></body></html>",
				header: map[string]string{"Content-Type": "text/html"},
			}},
			want: cloud.Error{Code: cloud.Internal, HTTPStatus: 502}, sent: 5, accepted: true,
			says: "not one of AWS: 502 Bad Gateway, text/html", saysNot: "<h1>",
		},
		"proxy page 403": {
			answers: []answer{{status: 403, body: "<html><body>denied</body></html>", header: map[string]string{"Content-Type": "text/html"}}},
			want:    cloud.Error{Code: cloud.PermissionDenied, HTTPStatus: 403}, sent: 1, says: "not one of AWS", saysNot: "<html>",
		},
		"proxy page 404 is not NotFound": {
			answers: []answer{{status: 404, body: "nothing here", header: map[string]string{"Content-Type": "text/plain"}}},
			want:    cloud.Error{Code: cloud.Invalid, HTTPStatus: 404}, sent: 1,
		},
		"empty 200": {
			answers: []answer{{}},
			want:    cloud.Error{Code: cloud.Internal, HTTPStatus: 200}, sent: 1, accepted: true, says: "no capacityReservationId",
		},
		"foreign 200": {
			answers: []answer{{body: "<html><body>welcome</body></html>"}},
			want:    cloud.Error{Code: cloud.Internal, HTTPStatus: 200}, sent: 1, accepted: true,
		},
		"garbled 200": {
			answers: []answer{{body: "<CreateCapacityReservationResponse><capacityReservation><state>active"}},
			want:    cloud.Error{Code: cloud.Internal, HTTPStatus: 200}, sent: 1, accepted: true,
		},
		"lost to the end": {
			answers: []answer{{drop: true}},
			want:    cloud.Error{Code: cloud.Internal}, sent: 5, accepted: true, says: "no answer: ",
		},
		"lost, then throttled to the end": {
			answers: []answer{{drop: true}, throttled},
			want:    cloud.Error{Code: cloud.Throttled, Native: "RequestLimitExceeded", HTTPStatus: 503}, sent: 5, accepted: true,
		},
		"lost, then heard":      {answers: []answer{{drop: true}, ok}, sent: 2},
		"throttled, then heard": {answers: []answer{throttled, throttled, ok}, sent: 3},
		"a burst of throttling": {answers: []answer{throttled, throttled, throttled, throttled, ok}, sent: 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(create, test.answers...)
			_, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"})
			if got := strings.Count(strings.Join(s.actions(), " "), create); got != test.sent {
				t.Errorf("sent %d times, want %d", got, test.sent)
			}
			if test.want.Code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			test.want.Op, test.want.Accepted = create, test.accepted
			if test.want.Code == cloud.QuotaExceeded {
				test.want.Quota = &cloud.QuotaScope{AccountID: account, Region: region, Quota: "L-417A185B"}
			}
			got := classed(t, err)
			wantText(t, got, test.says, test.saysNot)
			got.Message, got.RequestID, got.Cause = "", "", nil
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// wantText demands some text of an error, forbids other text, and demands the
// request id wherever the cloud gave a code.
func wantText(t *testing.T, e cloud.Error, says, saysNot string) {
	t.Helper()
	text := e.Error()
	if !strings.Contains(text, says) {
		t.Errorf("text %q does not say %q", text, says)
	}
	if saysNot != "" && strings.Contains(text, saysNot) {
		t.Errorf("text %q says %q", text, saysNot)
	}
	if e.Native != "" && e.RequestID != "req-1" {
		t.Errorf("request id %q", e.RequestID)
	}
}

func TestTriesAreNumbered(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(create, answer{drop: true}, created(object("active")))
	if _, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"}); err != nil {
		t.Fatal(err)
	}
	first, second := s.sent(create, 0), s.sent(create, 1)
	if first.attempt != "attempt=1; max=5" || second.attempt != "attempt=2; max=5" {
		t.Errorf("attempts %q and %q", first.attempt, second.attempt)
	}
	if first.body != second.body {
		t.Errorf("the second try differs:\n%s\n%s", first.body, second.body)
	}
}

func TestZoneHints(t *testing.T) {
	t.Parallel()
	message := "We currently do not have sufficient p5.48xlarge capacity in the Availability Zone you requested (us-east-1a). " +
		"You can currently get capacity by choosing us-east-1c, us-east-1b, us-east-1c or us-east-1-dfw-2a."
	for code, want := range map[string][]string{
		"InsufficientInstanceCapacity": {"us-east-1c", "us-east-1b", "us-east-1-dfw-2a"},
		"InvalidParameterValue":        nil,
	} {
		s := newStub(t)
		s.on(create, refused(400, code, message))
		_, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"})
		got := classed(t, err)
		if diff := cmp.Diff(want, got.ZoneHints); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
	}
}
