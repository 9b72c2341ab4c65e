package aws_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	host    = "h-0123456789abcdef0"
	hostARN = "arn:aws:ec2:us-east-1:111122223333:dedicated-host/" + host

	allocate      = "AllocateHosts"
	describeHosts = "DescribeHosts"
	modifyHosts   = "ModifyHosts"
	releaseHosts  = "ReleaseHosts"
	describeTerms = "DescribeHostReservations"
)

func hostRef() cloud.Ref { return cloud.Ref{NativeID: hostARN} }

func hostWish() cloud.Spec {
	return cloud.Spec{Kind: cloud.DedicatedHost, Zone: zone, InstanceType: "p4d.24xlarge", Count: 1}
}

// hostObject is a dedicated host in XML; later elements are added.
func hostObject(state string, more ...string) string {
	return `<hostId>` + host + `</hostId><ownerId>` + account + `</ownerId><availabilityZone>` + zone + `</availabilityZone>` +
		`<availabilityZoneId>use1-az1</availabilityZoneId><autoPlacement>off</autoPlacement><hostRecovery>off</hostRecovery>` +
		`<hostProperties><cores>48</cores><instanceFamily>p4d</instanceFamily><instanceType>p4d.24xlarge</instanceType>` +
		`<sockets>2</sockets><totalVCpus>96</totalVCpus></hostProperties>` +
		`<allocationTime>2031-03-01T11:00:00.000Z</allocationTime><state>` + state + `</state>` + strings.Join(more, "")
}

func instances(ids ...string) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(`<item><instanceId>` + id + `</instanceId><instanceType>p4d.24xlarge</instanceType></item>`)
	}
	return `<instances>` + b.String() + `</instances>`
}

// listing is an answer with items in a set; next is a page token, "" for none.
func listing(action, set, next string, items ...string) answer {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(`<item>` + item + `</item>`)
	}
	return answer{body: `<` + action + `Response><requestId>r</requestId><nextToken>` + next + `</nextToken><` + set + `>` +
		b.String() + `</` + set + `></` + action + `Response>`}
}

func hostList(next string, objects ...string) answer {
	return listing(describeHosts, "hostSet", next, objects...)
}

// hostAnd is a host with the one reservation or none that is bought for it.
func (s *stub) hostAnd(object string, bought ...string) {
	s.on(describeHosts, hostList("", object))
	s.on(describeTerms, listing(describeTerms, "hostReservationSet", "", bought...))
}

// outcomes is an answer of ModifyHosts or ReleaseHosts: without a code the host
// is successful.
func outcomes(action, code, message string) answer {
	done, undone := `<item>`+host+`</item>`, ""
	if code != "" {
		done = ""
		undone = `<item><error><code>` + code + `</code><message>` + message + `</message></error><resourceId>` + host + `</resourceId></item>`
	}
	return answer{body: `<` + action + `Response><requestId>r</requestId><unsuccessful>` + undone + `</unsuccessful><successful>` +
		done + `</successful></` + action + `Response>`}
}

// times is how often an action was sent.
func (s *stub) times(action string) int {
	return len(slices.DeleteFunc(s.actions(), func(a string) bool { return a != action }))
}

// wantFailure demands an error of a class, "" for none, that says whether the
// cloud may have accepted all the same.
func wantFailure(t *testing.T, err error, code cloud.Code, accepted bool, says string) {
	t.Helper()
	if cloud.CodeOf(err) != code || err != nil && cloud.MaybeAccepted(err) != accepted {
		t.Errorf("got %v (%s), accepted %v; want %q, %v", err, cloud.CodeOf(err), cloud.MaybeAccepted(err), code, accepted)
	}
	if err != nil && !strings.Contains(err.Error(), says) {
		t.Errorf("%v does not say %q", err, says)
	}
}

func TestHostIsRead(t *testing.T) {
	t.Parallel()
	base := cloud.Reservation{
		Ref: hostRef(), AccountID: account, Region: region, Zone: zone, Kind: cloud.DedicatedHost, InstanceType: "p4d.24xlarge",
		Count: 1, Match: cloud.Targeted, State: cloud.Held, NativeState: "available",
		CreatedAt: time.Date(2031, 3, 1, 11, 0, 0, 0, time.UTC), StartsAt: time.Date(2031, 3, 1, 11, 0, 0, 0, time.UTC),
		Tags: map[string]string{}, Native: map[string]string{"host_recovery": "off"},
	}
	until := time.Date(2032, 3, 1, 11, 30, 0, 0, time.UTC)
	termed := func(r *cloud.Reservation) {
		r.Kind, r.CommittedUntil = cloud.Term, until
		r.Term = &cloud.TermPlan{Months: 12, Payment: "partial_upfront"}
		r.PaidUpfront = &money.Money{Micros: 85_700_000_000, Currency: "USD"}
	}
	tests := map[string]struct {
		object string
		bought []string
		expect func(*cloud.Reservation)
	}{
		"plain": {hostObject("available"), nil, func(*cloud.Reservation) {}},
		"in use, marked and open": {
			strings.Replace(hostObject("available", instances("i-2", "i-1"), tagSet("team", "ml", "gpulock:owner", "o", "gpulock:name", "n", "aws:x", "y", "Name", "big"),
				`<hostMaintenance>on</hostMaintenance>`), "<autoPlacement>off", "<autoPlacement>on", 1),
			nil,
			func(r *cloud.Reservation) {
				r.InUse, r.Match, r.NativeName = 2, cloud.Open, "big"
				r.Mark, r.Tags = cloud.Mark{Owner: "o", Name: "n"}, map[string]string{"team": "ml", "Name": "big"}
				r.Native["host_maintenance"] = "on"
			},
		},
		"for a family": {
			strings.Replace(hostObject("available"), "<instanceType>p4d.24xlarge</instanceType>", "", 1), nil,
			func(r *cloud.Reservation) { r.InstanceType, r.Kind = "p4d", "" },
		},
		"for a family, with a term": {
			strings.Replace(hostObject("available"), "<instanceType>p4d.24xlarge</instanceType>", "", 1),
			[]string{booked("active")},
			func(r *cloud.Reservation) { termed(r); r.InstanceType, r.Kind = "p4d", "" },
		},
		"with a term by its list":  {hostObject("available"), []string{booked("active")}, termed},
		"with a term by its id":    {hostObject("available", `<hostReservationId>hr-1</hostReservationId>`), []string{strings.ReplaceAll(booked("active"), host, "h-2")}, termed},
		"payment pending":          {hostObject("available"), []string{booked("payment-pending")}, termed},
		"a state of the future":    {hostObject("available"), []string{booked("pondering")}, termed},
		"an ended term":            {hostObject("available"), []string{booked("retired"), booked("payment-failed"), booked("expired")}, func(*cloud.Reservation) {}},
		"a term of another's host": {hostObject("available"), []string{strings.ReplaceAll(booked("active"), host, "h-2")}, func(*cloud.Reservation) {}},
		"the longer of two terms": {
			hostObject("available"),
			[]string{strings.ReplaceAll(booked("active"), "2032", "2034"), booked("active")},
			func(r *cloud.Reservation) { termed(r); r.CommittedUntil = until.AddDate(2, 0, 0) },
		},
		"a term without its end": {
			hostObject("available"),
			[]string{strings.Replace(booked("payment-pending"), "<end>2032-03-01T11:30:00Z</end>", "", 1)},
			func(r *cloud.Reservation) { termed(r); r.CommittedUntil = r.CommittedUntil.Add(-24 * time.Hour) },
		},
		"nothing paid upfront": {
			hostObject("available"),
			[]string{strings.NewReplacer("85700.000", "0.000", "PartialUpfront", "NoUpfront", "31536000", "94608000").Replace(booked("active"))},
			func(r *cloud.Reservation) {
				termed(r)
				r.PaidUpfront, r.Term = nil, &cloud.TermPlan{Months: 36, Payment: "no_upfront"}
			},
		},
		"pending":     {hostObject("pending"), nil, func(r *cloud.Reservation) { r.State, r.NativeState = cloud.Pending, "pending" }},
		"released":    {hostObject("released"), []string{booked("active")}, func(r *cloud.Reservation) { r.State, r.NativeState = cloud.Gone, "released" }},
		"a new state": {hostObject("resting"), nil, func(r *cloud.Reservation) { r.State, r.NativeState = cloud.Unrecognized, "resting" }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.hostAnd(test.object, test.bought...)
			want := base
			want.Native = map[string]string{"host_recovery": "off"}
			test.expect(&want)
			got, err := s.cloud().Get(t.Context(), hostRef())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			wantForm(t, s.sent(describeHosts, 0).form, map[string]string{"HostId.1": host})
			if asked := slices.Contains(s.actions(), describeTerms); asked != want.State.Live() {
				t.Errorf("asked for what is bought: %v", asked)
			}
		})
	}
}

func TestHostAbsence(t *testing.T) {
	t.Parallel()
	unknown := refused(400, "InvalidHostID.NotFound", "not found")
	terms := listing(describeTerms, "hostReservationSet", "")
	tests := map[string]struct {
		hosts, terms []answer
		code         cloud.Code
		asked        int
	}{
		"unknown":                      {[]answer{unknown}, nil, cloud.NotFound, 1},
		"unknown, spelled otherwise":   {[]answer{refused(400, "InvalidHostId.NotFound", "no")}, nil, cloud.NotFound, 1},
		"one empty answer is no proof": {[]answer{hostList(""), hostList("", hostObject("available"))}, []answer{terms}, "", 2},
		"two empty answers are":        {[]answer{hostList("")}, nil, cloud.NotFound, 2},
		"another's id":                 {[]answer{hostList("", strings.ReplaceAll(hostObject("available"), host, "h-2"))}, nil, cloud.Internal, 1},
		"no set":                       {[]answer{{body: "<DescribeHostsResponse/>"}}, nil, cloud.Internal, 1},
		"no set of what is bought":     {[]answer{hostList("", hostObject("available"))}, []answer{{}}, cloud.Internal, 1},
		"what is bought is not shown":  {[]answer{hostList("", hostObject("available"))}, []answer{refused(403, "UnauthorizedOperation", "no")}, cloud.PermissionDenied, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describeHosts, test.hosts...)
			s.on(describeTerms, test.terms...)
			_, err := s.cloud().Get(t.Context(), hostRef())
			if cloud.CodeOf(err) != test.code {
				t.Errorf("got %v (%s), want %q", err, cloud.CodeOf(err), test.code)
			}
			if n := s.times(describeHosts); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
		})
	}
}

// TestListByKind: a listing asks for what can be of the kind and no more, in
// calls that grow with pages.
func TestListByKind(t *testing.T) {
	t.Parallel()
	two := strings.ReplaceAll(hostObject("available"), host, "h-2")
	gone := hostObject("released")
	tests := map[string]struct {
		kind  cloud.Kind
		hosts []answer
		want  []string
		kinds []cloud.Kind
	}{
		"every kind": {
			"",
			[]answer{hostList("more", hostObject("available")), hostList("", two)},
			[]string{describe, describeHosts, describeHosts, describeTerms, describeTerms},
			[]cloud.Kind{cloud.OnDemand, cloud.DedicatedHost, cloud.Term},
		},
		"none is live":     {cloud.DedicatedHost, []answer{hostList("", gone)}, []string{describeHosts}, []cloud.Kind{cloud.DedicatedHost}},
		"none at all":      {cloud.Term, []answer{hostList("")}, []string{describeHosts}, nil},
		"on demand":        {cloud.OnDemand, nil, []string{describe}, []cloud.Kind{cloud.OnDemand}},
		"a capacity block": {cloud.Block, nil, []string{describe}, []cloud.Kind{cloud.OnDemand}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describe, described("", object("active")))
			s.on(describeHosts, test.hosts...)
			s.on(describeTerms, listing(describeTerms, "hostReservationSet", "next"),
				listing(describeTerms, "hostReservationSet", "", strings.ReplaceAll(booked("active"), host, "h-2")))
			got, err := s.cloud().List(t.Context(), cloud.Scope{Kind: test.kind})
			if err != nil {
				t.Fatal(err)
			}
			var kinds []cloud.Kind
			for _, r := range got {
				kinds = append(kinds, r.Kind)
			}
			if !slices.Equal(kinds, test.kinds) {
				t.Errorf("kinds %v, want %v", kinds, test.kinds)
			}
			s.wantActions(test.want...)
			if slices.Contains(test.want, describeTerms) {
				wantForm(t, s.sent(describeHosts, 1).form, map[string]string{"MaxResults": "500", "NextToken": "more"})
				wantForm(t, s.sent(describeTerms, 1).form, map[string]string{"MaxResults": "500", "NextToken": "next"})
			}
		})
	}
}

func TestHostUsers(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.hostAnd(hostObject("available", instances("i-2", "i-1")))
	got, err := s.cloud().Users(t.Context(), hostRef())
	if err != nil || !slices.Equal(got, []string{"i-1", "i-2"}) {
		t.Errorf("got %v, %v", got, err)
	}
	s.on(describeHosts, refused(400, "InvalidHostID.NotFound", "no"))
	if _, err := s.cloud().Users(t.Context(), hostRef()); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("an unknown host: %v", err)
	}
}
