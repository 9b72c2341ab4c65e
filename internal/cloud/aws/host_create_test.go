package aws_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestAllocatedAndUnread: a host that exists is not lost with the error of its
// first read; it is told as it was asked for.
func TestAllocatedAndUnread(t *testing.T) {
	t.Parallel()
	denied := refused(403, "UnauthorizedOperation", "no")
	tests := map[string]struct {
		read, terms, caller []answer
		reads               int
		code                cloud.Code
		says                string
	}{
		"a reader that is too late":    {read: []answer{refused(400, "InvalidHostID.NotFound", "not found")}, reads: 5},
		"a throttled reader":           {read: []answer{refused(503, "RequestLimitExceeded", "no")}, reads: 5},
		"a reader that is not allowed": {read: []answer{denied}, reads: 1},
		"terms that may not be read":   {terms: []answer{denied}, reads: 1},
		"an account that is not known either": {
			read: []answer{denied}, caller: []answer{refused(400, "InvalidAction", "no")}, reads: 1,
			code: cloud.Internal, says: host + " is allocated, but could not be read",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(allocate, allocated(host))
			s.hostAnd(hostObject("available"))
			for action, answers := range map[string][]answer{describeHosts: test.read, describeTerms: test.terms, "GetCallerIdentity": test.caller} {
				if len(answers) > 0 {
					s.on(action, answers...)
				}
			}
			w := hostWish()
			w.Match, w.Tags = cloud.Open, map[string]string{"team": "ml"}
			got, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: w, Mark: cloud.Mark{Owner: "ml/prod", Claim: "later"}, Token: "t"})
			wantFailure(t, err, test.code, true, test.says)
			want := cloud.Reservation{
				Ref: hostRef(), AccountID: account, Region: region, Zone: zone, Kind: cloud.DedicatedHost, InstanceType: "p4d.24xlarge",
				Count: 1, Match: cloud.Open, State: cloud.Pending, NativeState: "pending", Mark: cloud.Mark{Owner: "ml/prod"},
				Tags: map[string]string{"team": "ml"}, Native: map[string]string{"host_recovery": "off"},
			}
			if diff := cmp.Diff(want, got); test.code == "" && diff != "" {
				t.Error(diff)
			}
			if sent, reads := s.times(allocate), s.times(describeHosts); sent != 1 || reads != test.reads {
				t.Errorf("sent %d and read %d times, want 1 and %d", sent, reads, test.reads)
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
