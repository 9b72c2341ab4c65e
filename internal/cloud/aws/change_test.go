package aws_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	modify = "ModifyCapacityReservation"
	cancel = "CancelCapacityReservation"
)

// TestUpdateSends holds each change to the calls it needs and their parameters.
func TestUpdateSends(t *testing.T) {
	t.Parallel()
	end := time.Date(2031, 4, 1, 9, 0, 0, 1_900_000, time.FixedZone("", 7200))
	endDate := `<endDateType>limited</endDateType><endDate>2031-04-01T07:00:00.001Z</endDate>`
	tagged := tagSet("team", "ml", "gpulock:owner", "o", "gpulock:lock", "l", "aws:x", "y")
	tests := map[string]struct {
		before, after string
		change        cloud.Change
		action        string
		form          map[string]string
	}{
		"count": {
			counts(2, 2), counts(5, 5),
			cloud.Change{Count: ptr(5)},
			modify,
			map[string]string{"InstanceCount": "5"},
		},
		"end set": {
			counts(2, 2), counts(2, 2) + endDate,
			cloud.Change{EndAt: &end},
			modify,
			map[string]string{"EndDateType": "limited", "EndDate": "2031-04-01T07:00:00.001Z"},
		},
		"end removed": {
			endDate, "",
			cloud.Change{EndAt: &time.Time{}},
			modify,
			map[string]string{"EndDateType": "unlimited"},
		},
		"several in one call": {
			counts(2, 2), counts(1, 1) + endDate,
			cloud.Change{Count: ptr(1), EndAt: &end, Match: ptr(cloud.Open)},
			modify,
			map[string]string{
				"InstanceCount": "1", "EndDateType": "limited", "EndDate": "2031-04-01T07:00:00.001Z", "InstanceMatchCriteria": "open",
			},
		},
		"what is so already is not sent": {
			counts(2, 2), counts(2, 3),
			cloud.Change{Count: ptr(2), Match: ptr(cloud.Open)},
			modify,
			map[string]string{"InstanceMatchCriteria": "open"},
		},
		"tags set": {
			tagged, tagSet("team", "sre", "new", "1", "gpulock:owner", "o", "gpulock:lock", "l"),
			cloud.Change{SetTags: map[string]string{"team": "sre", "new": "1"}},
			"CreateTags",
			map[string]string{
				"ResourceId.1": short, "Tag.1.Key": "new", "Tag.1.Value": "1", "Tag.2.Key": "team", "Tag.2.Value": "sre",
			},
		},
		"tags removed": {
			tagged, tagSet("gpulock:owner", "o", "gpulock:lock", "l"),
			cloud.Change{RemoveTags: []string{"team", "never-there"}},
			"DeleteTags",
			map[string]string{"ResourceId.1": short, "Tag.1.Key": "team"},
		},
		"mark renewed": {
			tagged, tagSet("team", "ml", "gpulock:owner", "o", "gpulock:lock", "l", "gpulock:claim", "c"),
			cloud.Change{Mark: &cloud.Mark{Owner: "o", Lock: "l", Claim: "c"}},
			"CreateTags",
			map[string]string{"ResourceId.1": short, "Tag.1.Key": "gpulock:claim", "Tag.1.Value": "c"},
		},
		"mark without a lock": {
			tagged, tagSet("team", "ml", "gpulock:owner", "o"),
			cloud.Change{Mark: &cloud.Mark{Owner: "o"}},
			"DeleteTags",
			map[string]string{"ResourceId.1": short, "Tag.1.Key": "gpulock:lock"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			after := object("active", test.after)
			if test.change.Match != nil {
				after = objectMatching("open", test.after)
			}
			s.on(describe, described("", object("active", test.before)), described("", after))
			s.on(test.action, returned(test.action))
			if _, err := s.cloud().Update(t.Context(), ref(), test.change); err != nil {
				t.Fatal(err)
			}
			want := test.form
			if test.action == modify {
				want["CapacityReservationId"] = short
			}
			wantForm(t, s.sent(test.action, 0).form, want)
			s.wantActions(describe, test.action, describe)
		})
	}
}

func TestUpdateOrder(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(describe, described("", object("active", counts(2, 2), tagSet("old", "1"))),
		described("", object("active", counts(3, 3), tagSet("gpulock:claim", "c"))))
	for _, action := range []string{"CreateTags", "DeleteTags", modify} {
		s.on(action, returned(action))
	}
	change := cloud.Change{Count: ptr(3), RemoveTags: []string{"old"}, Mark: &cloud.Mark{Claim: "c"}}
	got, err := s.cloud().Update(t.Context(), ref(), change)
	if err != nil || got.Count != 3 || got.Mark.Claim != "c" {
		t.Errorf("got %+v, %v", got, err)
	}
	s.wantActions(describe, "CreateTags", "DeleteTags", modify, describe)
}

func TestUpdateIsShownLate(t *testing.T) {
	t.Parallel()
	old, changed := described("", object("active", counts(2, 2))), described("", object("active", counts(3, 3)))
	s := newStub(t)
	s.on(modify, returned(modify))
	s.on(describe, old, old, old, changed)
	got, err := s.cloud().Update(t.Context(), ref(), cloud.Change{Count: ptr(3)})
	if err != nil || got.Count != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
	s.on(describe, old)
	_, err = s.cloud().Update(t.Context(), ref(), cloud.Change{Count: ptr(3)})
	if e := classed(t, err); e.Code != cloud.Internal || !e.Accepted {
		t.Errorf("a change that is never shown: %+v", e)
	}
}

func TestUpdateFails(t *testing.T) {
	t.Parallel()
	unnamed := refused(400, "InvalidParameterValue", "not now")
	tests := map[string]struct {
		before string
		change cloud.Change
		answer answer
		code   cloud.Code
		users  []string
		quota  string
	}{
		"no capacity to grow": {
			object("active", counts(2, 2)),
			cloud.Change{Count: ptr(3)},
			refused(500, "InsufficientInstanceCapacity", "Insufficient capacity."), cloud.NoCapacity, nil, "",
		},
		"no quota to grow": {
			object("active", counts(2, 2)),
			cloud.Change{Count: ptr(3)},
			refused(400, "InstanceLimitExceeded", "too many"), cloud.QuotaExceeded, nil, "L-417A185B",
		},
		"shrinks below use":       {object("active", counts(3, 1)), cloud.Change{Count: ptr(1)}, unnamed, cloud.InUse, []string{"i-1"}, ""},
		"shrinks, but not so far": {object("active", counts(3, 1)), cloud.Change{Count: ptr(2)}, unnamed, cloud.Invalid, nil, ""},
		"rematches in use":        {object("active", counts(3, 1)), cloud.Change{Match: ptr(cloud.Open)}, unnamed, cloud.InUse, []string{"i-1"}, ""},
		"rematches unused":        {object("active", counts(3, 3)), cloud.Change{Match: ptr(cloud.Open)}, unnamed, cloud.Invalid, nil, ""},
		"empty answer":            {object("active", counts(2, 2)), cloud.Change{Count: ptr(3)}, answer{}, cloud.Internal, nil, ""},
		"ended":                   {object("expired", counts(2, 2)), cloud.Change{Count: ptr(3)}, answer{}, cloud.Conflict, nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describe, described("", test.before))
			s.on(modify, test.answer)
			s.on("DescribeInstances", answer{body: `<DescribeInstancesResponse><reservationSet><item><instancesSet><item>` +
				`<instanceId>i-1</instanceId></item></instancesSet></item></reservationSet></DescribeInstancesResponse>`})
			_, err := s.cloud().Update(t.Context(), ref(), test.change)
			e := classed(t, err)
			if e.Code != test.code || !slices.Equal(e.Users, test.users) {
				t.Errorf("got %s %v (%v), want %s %v", e.Code, e.Users, err, test.code, test.users)
			}
			if test.quota != "" {
				want := &cloud.QuotaScope{AccountID: account, Region: region, Quota: test.quota}
				if diff := cmp.Diff(want, e.Quota); diff != "" {
					t.Errorf("quota (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestUpdateRefusesWithoutACall(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]cloud.Change{
		"no instances":  {Count: ptr(0)},
		"too many":      {Count: ptr(1001)},
		"a system tag":  {SetTags: map[string]string{"aws:x": ""}},
		"a mark's tag":  {SetTags: map[string]string{cloud.TagOwner: "me"}},
		"system's gone": {RemoveTags: []string{"aws:x"}},
	} {
		s := newStub(t)
		if _, err := s.cloud().Update(t.Context(), ref(), change); cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		s.wantActions()
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	unknown := refused(400, "InvalidCapacityReservationId.NotFound", "no")
	state := func(native string) answer { return described("", object(native, counts(2, 2))) }
	incorrect := refused(400, "IncorrectState", "not in this state")
	tests := map[string]struct {
		cancel, describe []answer
		code             cloud.Code
	}{
		"cancelled":               {[]answer{returned(cancel)}, []answer{state("cancelled")}, ""},
		"shown late":              {[]answer{returned(cancel)}, []answer{state("active"), state("active"), state("cancelled")}, ""},
		"billed on":               {[]answer{returned(cancel)}, []answer{state("cancelling")}, ""},
		"gone at once":            {[]answer{returned(cancel)}, []answer{unknown}, ""},
		"never shown":             {[]answer{returned(cancel)}, []answer{state("active")}, cloud.Conflict},
		"unknown":                 {[]answer{unknown}, nil, ""},
		"refused and expired":     {[]answer{incorrect}, []answer{state("expired")}, ""},
		"refused and cancelled":   {[]answer{refused(400, "SomethingNew", "?")}, []answer{state("cancelled")}, ""},
		"refused and unknown":     {[]answer{incorrect}, []answer{unknown}, ""},
		"refused and active":      {[]answer{incorrect}, []answer{state("active")}, cloud.Conflict},
		"refused for the state":   {[]answer{refused(400, "SomethingNew", "?")}, []answer{state("delayed")}, cloud.Unsupported},
		"denied":                  {[]answer{refused(403, "UnauthorizedOperation", "no")}, nil, cloud.PermissionDenied},
		"throttled":               {[]answer{refused(503, "RequestLimitExceeded", "no")}, nil, cloud.Throttled},
		"empty answer, cancelled": {[]answer{{}}, []answer{state("cancelled")}, ""},
		"empty answer, active":    {[]answer{{}}, []answer{state("active")}, cloud.Internal},
		"lost and done":           {[]answer{{drop: true}, incorrect}, []answer{state("cancelled")}, ""},
		"refused and not read":    {[]answer{incorrect}, []answer{refused(403, "UnauthorizedOperation", "no")}, cloud.Conflict},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(cancel, test.cancel...)
			s.on(describe, test.describe...)
			err := s.cloud().Release(t.Context(), ref())
			if cloud.CodeOf(err) != test.code {
				t.Errorf("got %v (%s), want %q", err, cloud.CodeOf(err), test.code)
			}
			wantForm(t, s.sent(cancel, 0).form, map[string]string{"CapacityReservationId": short})
		})
	}
}

// TestReleaseOfThePending: what cannot be cancelled yet is cancelled as soon as
// it can, and no later than the deadline allows.
func TestReleaseOfThePending(t *testing.T) {
	t.Parallel()
	pending := described("", object("pending"))
	incorrect := refused(400, "IncorrectState", "not in this state")
	s := newStub(t)
	s.on(cancel, incorrect, incorrect, returned(cancel))
	s.on(describe, pending, pending, described("", object("cancelled")))
	if err := s.cloud().Release(t.Context(), ref()); err != nil {
		t.Error(err)
	}
	s.wantActions(cancel, describe, cancel, describe, cancel, describe)

	s = newStub(t)
	s.on(cancel, incorrect)
	s.on(describe, pending)
	err := s.cloud().Release(clock.Until(t.Context(), start.Add(12*time.Second)), ref())
	if cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("got %v, want the refusal", err)
	}
	if now := s.clock.Now(); now.After(start.Add(12 * time.Second)) {
		t.Errorf("the clock is at %v, after the deadline", now)
	}
}

// TestReleaseOfTheFresh: EC2 may deny for a moment what it has just made; that
// must not pass for gone.
func TestReleaseOfTheFresh(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(create, created(object("active")))
	s.on(cancel, refused(400, "InvalidCapacityReservationId.NotFound", "no"))
	s.on(describe, described("", object("active")))
	c := s.cloud()
	if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Release(t.Context(), ref()); cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("got %v, want Conflict", err)
	}
}
