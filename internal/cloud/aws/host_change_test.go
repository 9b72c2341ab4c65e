package aws_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// openHost is a host with everything that can change in place changed.
func openHost(more string) string {
	return `<hostId>` + host + `</hostId><ownerId>` + account + `</ownerId><availabilityZone>` + zone + `</availabilityZone>` +
		`<autoPlacement>on</autoPlacement><hostRecovery>on</hostRecovery><hostMaintenance>off</hostMaintenance><state>available</state>` + more
}

func TestHostUpdate(t *testing.T) {
	t.Parallel()
	before, after := hostObject("available", tagSet("team", "ml")), openHost(tagSet("team", "sre"))
	change := cloud.Change{
		Match: ptr(cloud.Open), Native: map[string]string{"host_recovery": "on", "host_maintenance": "off"},
		SetTags: map[string]string{"team": "sre"},
	}
	s := newStub(t)
	s.hostAnd(before)
	s.on(describeHosts, hostList("", before), hostList("", before), hostList("", after))
	s.on("CreateTags", returned("CreateTags"))
	s.on(modifyHosts, outcomes(modifyHosts, "", ""))
	c := s.cloud()
	got, err := c.Update(t.Context(), hostRef(), change)
	if err != nil || got.Match != cloud.Open || got.Tags["team"] != "sre" {
		t.Fatalf("got %+v, %v", got, err)
	}
	wantForm(t, s.sent("CreateTags", 0).form, map[string]string{"ResourceId.1": host, "Tag.1.Key": "team", "Tag.1.Value": "sre"})
	wantForm(t, s.sent(modifyHosts, 0).form, map[string]string{
		"HostId.1": host, "AutoPlacement": "on", "HostRecovery": "on", "HostMaintenance": "off",
	})
	if _, err := c.Update(t.Context(), hostRef(), change); err != nil {
		t.Error(err)
	}
	if s.times(modifyHosts) != 1 {
		t.Errorf("what is so already was sent: %v", s.actions())
	}
}

func TestHostUpdateFails(t *testing.T) {
	t.Parallel()
	live := hostObject("available")
	open := cloud.Change{Match: ptr(cloud.Open)}
	tests := map[string]struct {
		object   string
		change   cloud.Change
		answers  []answer
		code     cloud.Code
		accepted bool
		native   string
	}{
		"count":            {live, cloud.Change{Count: ptr(2)}, nil, cloud.Unsupported, false, ""},
		"end":              {live, cloud.Change{EndAt: &time.Time{}}, nil, cloud.Unsupported, false, ""},
		"an option":        {live, cloud.Change{Native: map[string]string{"tenancy": "dedicated"}}, nil, cloud.Unsupported, false, ""},
		"released":         {hostObject("released"), open, nil, cloud.Conflict, false, ""},
		"refused":          {live, open, []answer{outcomes(modifyHosts, "Client.InvalidAutoPlacement", "no")}, cloud.Invalid, false, "Client.InvalidAutoPlacement"},
		"not available":    {live, open, []answer{outcomes(modifyHosts, "Client.InvalidHostState", "no")}, cloud.Conflict, false, "Client.InvalidHostState"},
		"refused anew":     {live, open, []answer{outcomes(modifyHosts, "Client.SomethingNew", "no")}, cloud.Invalid, false, "Client.SomethingNew"},
		"failed":           {live, open, []answer{outcomes(modifyHosts, "Server.SomethingNew", "no")}, cloud.Internal, true, "Server.SomethingNew"},
		"hollow":           {live, open, []answer{{}}, cloud.Internal, true, ""},
		"refused as whole": {live, open, []answer{refused(400, "InvalidParameterValue", "no")}, cloud.Invalid, false, "InvalidParameterValue"},
		"lost":             {live, open, []answer{{drop: true}}, cloud.Internal, true, ""},
		"never shown":      {live, open, []answer{outcomes(modifyHosts, "", "")}, cloud.Internal, true, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.hostAnd(test.object)
			s.on(modifyHosts, test.answers...)
			_, err := s.cloud().Update(t.Context(), hostRef(), test.change)
			e := classed(t, err)
			if e.Code != test.code || e.Accepted != test.accepted || e.Native != test.native {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestReservationTakesNoHostOption(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]cloud.Change{
		"option": {Native: map[string]string{"host_recovery": "on"}},
		"term":   {Term: &cloud.TermPurchase{Term: cloud.TermPlan{Months: 12, Payment: "no_upfront"}}},
	} {
		s := newStub(t)
		s.on(describe, described("", object("active", counts(2, 2))))
		if _, err := s.cloud().Update(t.Context(), ref(), change); cloud.CodeOf(err) != cloud.Unsupported {
			t.Errorf("%s: %v", name, err)
		}
		s.wantActions(describe)
	}
}

func TestHostRelease(t *testing.T) {
	t.Parallel()
	live, gone := hostList("", hostObject("available")), hostList("", hostObject("released"))
	used := hostList("", hostObject("available", instances("i-1")))
	unknown := refused(400, "InvalidHostID.NotFound", "no")
	ok := outcomes(releaseHosts, "", "")
	occupied := outcomes(releaseHosts, "Client.InvalidHost.Occupied", "cannot be released as it is occupied")
	tests := map[string]struct {
		hosts    []answer
		bought   []string
		release  []answer
		code     cloud.Code
		accepted bool
		users    []string
		sent     int
	}{
		"released":               {hosts: []answer{live, live, gone}, release: []answer{ok}, sent: 1},
		"no longer known":        {hosts: []answer{live, unknown}, release: []answer{ok}, sent: 1},
		"released before":        {hosts: []answer{gone}},
		"unknown":                {hosts: []answer{unknown}},
		"occupied":               {hosts: []answer{used}, release: []answer{occupied}, code: cloud.InUse, users: []string{"i-1"}, sent: 1},
		"unknown to the release": {hosts: []answer{live}, release: []answer{outcomes(releaseHosts, "Client.InvalidHostID.NotFound", "no")}, sent: 1},
		"in a wrong state":       {hosts: []answer{live}, release: []answer{outcomes(releaseHosts, "Client.InvalidHostState", "no")}, code: cloud.Conflict, sent: 1},
		"refused, but gone":      {hosts: []answer{live, gone}, release: []answer{outcomes(releaseHosts, "Client.InvalidHostState", "no")}, sent: 1},
		"refused anew":           {hosts: []answer{live}, release: []answer{outcomes(releaseHosts, "Client.SomethingNew", "no")}, code: cloud.Unsupported, sent: 1},
		"paid for":               {hosts: []answer{live}, bought: []string{booked("active")}, code: cloud.Unsupported},
		"of a family, paid for": {
			hosts:  []answer{hostList("", strings.Replace(hostObject("available"), "<instanceType>p4d.24xlarge</instanceType>", "", 1))},
			bought: []string{booked("active")}, code: cloud.Unsupported,
		},
		"about to be paid for": {hosts: []answer{live}, bought: []string{booked("payment-pending")}, code: cloud.Unsupported},
		"paid for in the past": {hosts: []answer{live, gone}, bought: []string{booked("retired")}, release: []answer{ok}, sent: 1},
		"hollow":               {hosts: []answer{live}, release: []answer{{}}, code: cloud.Internal, accepted: true, sent: 1},
		"lost, but gone":       {hosts: []answer{live, gone}, release: []answer{{drop: true}}, sent: 5},
		"lost once":            {hosts: []answer{live, gone}, release: []answer{{drop: true}, ok}, sent: 2},
		"throttled":            {hosts: []answer{live}, release: []answer{refused(503, "RequestLimitExceeded", "no")}, code: cloud.Throttled, sent: 5},
		"never confirmed":      {hosts: []answer{live}, release: []answer{ok}, code: cloud.Conflict, accepted: true, sent: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.hostAnd("", test.bought...)
			s.on(describeHosts, test.hosts...)
			s.on(releaseHosts, test.release...)
			err := s.cloud().Release(t.Context(), hostRef())
			wantFailure(t, err, test.code, test.accepted, "")
			if err != nil && !slices.Equal(classed(t, err).Users, test.users) {
				t.Errorf("users %v", classed(t, err).Users)
			}
			if n := s.times(releaseHosts); n != test.sent {
				t.Errorf("sent %d times, want %d", n, test.sent)
			}
		})
	}
}

// TestHostReleaseWaitsForPending: EC2 releases only what is available.
func TestHostReleaseWaitsForPending(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.hostAnd(hostObject("pending"))
	pending, live := hostList("", hostObject("pending")), hostList("", hostObject("available"))
	s.on(describeHosts, pending, pending, live, hostList("", hostObject("released")))
	s.on(releaseHosts, outcomes(releaseHosts, "Client.InvalidHostState", "not available"), outcomes(releaseHosts, "", ""))
	if err := s.cloud().Release(t.Context(), hostRef()); err != nil {
		t.Error(err)
	}
}
