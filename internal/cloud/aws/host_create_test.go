package aws_test

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func allocated(ids ...string) answer {
	set := ""
	for _, id := range ids {
		set += `<item>` + id + `</item>`
	}
	return answer{body: `<AllocateHostsResponse><requestId>r</requestId><hostIdSet>` + set + `</hostIdSet></AllocateHostsResponse>`}
}

func TestAllocateSends(t *testing.T) {
	t.Parallel()
	token := strings.Repeat("0123456789abcdef", 5)
	tests := map[string]struct {
		change func(*cloud.Spec)
		mark   cloud.Mark
		more   map[string]string
	}{
		"plain": {func(*cloud.Spec) {}, cloud.Mark{}, nil},
		"everything": {
			func(s *cloud.Spec) {
				s.Kind, s.Term = cloud.Term, &cloud.TermPlan{Months: 12, Payment: "no_upfront"}
				s.Match, s.InstanceType = cloud.Open, "g5g.metal"
				s.Tags = map[string]string{"team": "ml"}
				s.Native = map[string]string{"host_recovery": "on", "host_maintenance": "off"}
			},
			cloud.Mark{Owner: "ml/prod", Claim: "never-sent"},
			map[string]string{
				"InstanceType": "g5g.metal", "AutoPlacement": "on", "HostRecovery": "on", "HostMaintenance": "off",
				"TagSpecification.1.ResourceType": "dedicated-host",
				"TagSpecification.1.Tag.1.Key":    "gpulock:owner", "TagSpecification.1.Tag.1.Value": "ml/prod",
				"TagSpecification.1.Tag.2.Key": "team", "TagSpecification.1.Tag.2.Value": "ml",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(allocate, allocated(host))
			s.hostAnd(hostObject("pending"))
			w := hostWish()
			test.change(&w)
			got, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: w, Mark: test.mark, Token: token})
			if err != nil || got.Ref != hostRef() || got.State != cloud.Pending {
				t.Fatalf("got %+v, %v", got, err)
			}
			want := map[string]string{
				"ClientToken": token[:64], "InstanceType": "p4d.24xlarge", "Quantity": "1", "AvailabilityZone": zone,
				"AutoPlacement": "off", "HostRecovery": "off",
			}
			for key, value := range test.more {
				want[key] = value
			}
			wantForm(t, s.sent(allocate, 0).form, want)
		})
	}
}

// TestAllocateFails: class, whether the host may be there all the same, and how
// often it was asked for.
func TestAllocateFails(t *testing.T) {
	t.Parallel()
	unknown := refused(400, "InvalidHostID.NotFound", "not found")
	here := hostList("", hostObject("available"))
	tests := map[string]struct {
		allocate, read []answer
		code           cloud.Code
		accepted       bool
		sent, reads    int
		says           string
	}{
		"no capacity is not repeated": {
			allocate: []answer{refused(500, "InsufficientHostCapacity", "Insufficient capacity.")}, code: cloud.NoCapacity, sent: 1,
		},
		"limit":         {allocate: []answer{refused(400, "HostLimitExceeded", "no more")}, code: cloud.QuotaExceeded, sent: 1},
		"configuration": {allocate: []answer{refused(400, "InvalidHostConfiguration", "no")}, code: cloud.Invalid, sent: 1},
		"unsupported":   {allocate: []answer{refused(400, "UnsupportedHostConfiguration", "no")}, code: cloud.Unsupported, sent: 1},
		"mismatch":      {allocate: []answer{refused(400, "IdempotentParameterMismatch", "no")}, code: cloud.Conflict, sent: 1},
		"throttled":     {allocate: []answer{refused(503, "RequestLimitExceeded", "no")}, code: cloud.Throttled, sent: 5},
		"lost for ever": {allocate: []answer{{drop: true}}, code: cloud.Internal, accepted: true, sent: 5},
		"lost once":     {allocate: []answer{{drop: true}, allocated(host)}, read: []answer{here}, sent: 2, reads: 1},
		"no id":         {allocate: []answer{allocated()}, code: cloud.Internal, accepted: true, sent: 1, says: "single host id"},
		"two ids":       {allocate: []answer{allocated(host, "h-2")}, code: cloud.Internal, accepted: true, sent: 1},
		"hollow":        {allocate: []answer{{}}, code: cloud.Internal, accepted: true, sent: 1},
		"a late reader": {allocate: []answer{allocated(host)}, read: []answer{unknown, hostList(""), unknown, here}, sent: 1, reads: 4},
		"a reader that is too late": {
			allocate: []answer{allocated(host)}, read: []answer{unknown}, code: cloud.Internal, accepted: true, sent: 1, reads: 5,
			says: host + " is allocated",
		},
		"a throttled reader": {
			allocate: []answer{allocated(host)}, read: []answer{refused(503, "RequestLimitExceeded", "no")},
			code: cloud.Throttled, accepted: true, sent: 1, reads: 5,
		},
		"a reader that is not allowed": {
			allocate: []answer{allocated(host)}, read: []answer{refused(403, "UnauthorizedOperation", "no")},
			code: cloud.Internal, accepted: true, sent: 1, reads: 1, says: "UnauthorizedOperation",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(allocate, test.allocate...)
			s.hostAnd(hostObject("available"))
			s.on(describeHosts, test.read...)
			_, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: hostWish(), Token: "t"})
			wantFailure(t, err, test.code, test.accepted, test.says)
			if test.code == cloud.QuotaExceeded {
				if q := classed(t, err).Quota; q == nil || q.Quota != "Running Dedicated p4d Hosts" || q.AccountID != account {
					t.Errorf("quota %+v", q)
				}
			}
			if sent, reads := s.times(allocate), s.times(describeHosts); sent != test.sent || reads != test.reads {
				t.Errorf("sent %d and read %d times, want %d and %d", sent, reads, test.sent, test.reads)
			}
		})
	}
}

func TestAllocateRefusesWithoutACall(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	w := hostWish()
	w.Count = 2
	_, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: w})
	if cloud.CodeOf(err) != cloud.Invalid || cloud.MaybeAccepted(err) {
		t.Errorf("got %v", err)
	}
	s.wantActions()
}
