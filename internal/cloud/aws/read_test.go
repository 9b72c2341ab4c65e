package aws_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const describe = "DescribeCapacityReservations"

func TestGetDecodes(t *testing.T) {
	t.Parallel()
	base := func(change func(*cloud.Reservation)) cloud.Reservation {
		r := cloud.Reservation{
			Ref: ref(), AccountID: account, Region: region, Zone: zone, Kind: cloud.OnDemand, InstanceType: "p5.48xlarge",
			Count: 3, Match: cloud.Targeted, State: cloud.Held, NativeState: "active",
			CreatedAt: start.Add(-time.Hour), StartsAt: start.Add(-time.Hour + time.Second),
			Tags: map[string]string{}, Native: map[string]string{"platform": "Linux/UNIX", "tenancy": "default"},
		}
		change(&r)
		if r.Kind == cloud.OnDemand && r.Native["placement_group_arn"] == "" {
			r.Native["placement_group_arn"] = "" // Shown as not set.
		}
		return r
	}
	end := time.Date(2031, 3, 9, 11, 30, 0, 0, time.UTC)
	endDate := `<endDate>2031-03-09T11:30:00.000Z</endDate>`
	tests := map[string]struct {
		object string
		want   cloud.Reservation
	}{
		"in use, with an end, a placement group and tags": {
			object("active", counts(3, 1), `<endDateType>limited</endDateType>`, endDate,
				`<placementGroupArn>arn:aws:ec2:us-east-1:111122223333:placement-group/near</placementGroupArn>`,
				tagSet("Name", "shown", "team", "", "aws:cloudformation:stack-name", "s", "AWS:x", "y", "gpulock:owner", "o", "gpulock:name", "n",
					"gpulock:managed-by", "gpu_reservation", "gpulock:claim", "c", "gpulock:lock", "l", "gpulock:later", "x")),
			base(func(r *cloud.Reservation) {
				r.InUse, r.EndsAt, r.UsableUntil, r.NativeName = 2, end, end, "shown"
				r.Native["placement_group_arn"] = "arn:aws:ec2:us-east-1:111122223333:placement-group/near"
				r.Tags = map[string]string{"Name": "shown", "team": ""}
				r.Mark = cloud.Mark{Owner: "o", Name: "n", Type: "gpu_reservation", Claim: "c", Lock: "l"}
			}),
		},
		"a cancelled one keeps its counts and uses none": {
			object("cancelled", counts(3, 1), `<endDateType>unlimited</endDateType>`),
			base(func(r *cloud.Reservation) { r.State, r.NativeState = cloud.Gone, "cancelled" }),
		},
		"unknown words pass through": {
			object("dreaming", counts(3, 3), `<tenancy>shared</tenancy>`),
			base(func(r *cloud.Reservation) {
				r.State, r.NativeState, r.Native["tenancy"] = cloud.Unrecognized, "dreaming", "shared"
			}),
		},
		"an interruptible one is on demand": {
			object("active", counts(3, 3), `<interruptible>true</interruptible>`),
			base(func(*cloud.Reservation) {}),
		},
		"a capacity block before its start": {
			object("scheduled", counts(0, 0), `<reservationType>capacity-block</reservationType><endDateType>limited</endDateType>`, endDate,
				tagSet("aws:ec2capacityreservation:incrementalRequestedQuantity", "3")),
			base(func(r *cloud.Reservation) {
				r.Kind, r.NativeState, r.EndsAt, r.UsableUntil = cloud.Block, "scheduled", end, end.Add(-30*time.Minute)
				r.CommittedUntil = end
			}),
		},
		"a future-dated one": {
			object("assessing", counts(3, 3)),
			base(func(r *cloud.Reservation) {
				r.Kind, r.State, r.NativeState = cloud.Scheduled, cloud.Pending, "assessing"
			}),
		},
		"a future-dated one, cancelled and still billed": {
			object("cancelling", counts(3, 3), `<commitmentInfo><commitmentEndDate>2031-03-09T11:30:00Z</commitmentEndDate></commitmentInfo>`),
			base(func(r *cloud.Reservation) {
				r.Kind, r.State, r.NativeState, r.BilledUntil = cloud.Scheduled, cloud.Gone, "cancelling", end
			}),
		},
		"a future-dated one that is active": {
			object("active", counts(3, 3), `<deliveryPreference>incremental</deliveryPreference>`),
			base(func(r *cloud.Reservation) { r.Kind = cloud.Scheduled }),
		},
		"without an ARN": {
			strings.Replace(object("active", counts(3, 3)), "<capacityReservationArn>"+arn+"</capacityReservationArn>", "", 1),
			base(func(*cloud.Reservation) {}),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describe, described("", test.object))
			got, err := s.cloud().Get(t.Context(), ref())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			wantForm(t, s.sent(describe, 0).form, map[string]string{"CapacityReservationId.1": short})
		})
	}
}

func TestGetAbsence(t *testing.T) {
	t.Parallel()
	unknown := refused(400, "InvalidCapacityReservationId.NotFound", "The capacity reservation ID '"+short+"' was not found")
	empty, here := described(""), described("", object("active"))
	other := described("", strings.ReplaceAll(object("active"), short, "cr-0aaaaaaaaaaaaaaa0"))
	tests := map[string]struct {
		answers []answer
		fresh   bool
		code    cloud.Code
		asked   int
	}{
		"unknown":                          {[]answer{unknown}, false, cloud.NotFound, 1},
		"malformed":                        {[]answer{refused(400, "InvalidCapacityReservationId.Malformed", "bad")}, false, cloud.NotFound, 1},
		"one empty answer is no proof":     {[]answer{empty, here}, false, "", 2},
		"two empty answers are":            {[]answer{empty}, false, cloud.NotFound, 2},
		"empty, then unknown":              {[]answer{empty, unknown}, false, cloud.NotFound, 2},
		"another's id":                     {[]answer{other}, false, cloud.Internal, 1},
		"two objects":                      {[]answer{described("", object("active"), object("active"))}, false, cloud.Internal, 1},
		"no set at all":                    {[]answer{{body: "<DescribeCapacityReservationsResponse/>"}}, false, cloud.Internal, 1},
		"no body":                          {[]answer{{}}, false, cloud.Internal, 1},
		"denied":                           {[]answer{refused(403, "UnauthorizedOperation", "no")}, false, cloud.PermissionDenied, 1},
		"a proxy's 404":                    {[]answer{{status: 404, body: "<html></html>"}}, false, cloud.Invalid, 1},
		"made a moment ago, denied twice":  {[]answer{unknown, unknown, here}, true, "", 3},
		"made a moment ago, denied always": {[]answer{unknown}, true, cloud.NotFound, 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(create, created(object("pending")))
			s.on(describe, test.answers...)
			c := s.cloud()
			if test.fresh {
				if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.Get(t.Context(), ref())
			if cloud.CodeOf(err) != test.code {
				t.Errorf("got %v (%s), want %q", err, cloud.CodeOf(err), test.code)
			}
			asked := slices.DeleteFunc(s.actions(), func(a string) bool { return a != describe })
			if len(asked) != test.asked {
				t.Errorf("asked %d times, want %d", len(asked), test.asked)
			}
		})
	}
}

func TestGetWithoutTimeToAskAgain(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(describe, described(""))
	_, err := s.cloud().Get(clock.Until(t.Context(), start.Add(time.Millisecond)), ref())
	if cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("got %v, want an error that is not NotFound", err)
	}
}

func TestFreshnessPasses(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(create, created(object("pending")))
	s.on(describe, refused(400, "InvalidCapacityReservationId.NotFound", "no"))
	c := s.cloud()
	if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"}); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(6 * time.Minute)
	if _, err := c.Get(t.Context(), ref()); cloud.CodeOf(err) != cloud.NotFound {
		t.Error(err)
	}
	s.wantActions(create, describe)
}

func TestList(t *testing.T) {
	t.Parallel()
	one := object("active", counts(1, 1))
	two := strings.ReplaceAll(one, short, "cr-0bbbbbbbbbbbbbbb0")
	tests := map[string]struct {
		answers []answer
		count   int
		code    cloud.Code
		tokens  []string
	}{
		"nothing":           {[]answer{described("")}, 0, "", []string{""}},
		"two pages":         {[]answer{described("next/1=", one), described("", two)}, 2, "", []string{"", "next/1="}},
		"an empty page":     {[]answer{described("a"), described("b", one), described("", two)}, 2, "", []string{"", "a", "b"}},
		"an empty token":    {[]answer{{body: strings.Replace(described("", one).body, "<capacityR", "<nextToken></nextToken><capacityR", 1)}}, 1, "", []string{""}},
		"cut after a page":  {[]answer{described("a", one), refused(400, "InvalidPaginationToken", "expired")}, 0, cloud.Invalid, []string{"", "a"}},
		"no second set":     {[]answer{described("a", one), {}}, 0, cloud.Internal, []string{"", "a"}},
		"a repeating token": {[]answer{described("a", one), described("b", two), described("a", one)}, 0, cloud.Internal, []string{"", "a", "b"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describe, test.answers...)
			got, err := s.cloud().List(t.Context(), cloud.Scope{Region: region, Kind: cloud.OnDemand})
			if cloud.CodeOf(err) != test.code || len(got) != test.count {
				t.Fatalf("got %d, %v (%s); want %d, %q", len(got), err, cloud.CodeOf(err), test.count, test.code)
			}
			for i, token := range test.tokens {
				want := map[string]string{"MaxResults": "1000"}
				if token != "" {
					want["NextToken"] = token
				}
				wantForm(t, s.sent(describe, i).form, want)
			}
			if n := len(s.actions()); n != len(test.tokens) {
				t.Errorf("%d requests, want %d", n, len(test.tokens))
			}
		})
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	page := func(next string, ids ...string) answer {
		items := ""
		for _, id := range ids {
			items += `<item><instancesSet><item><instanceId>` + id + `</instanceId></item></instancesSet></item>`
		}
		return answer{body: `<DescribeInstancesResponse><reservationSet>` + items + `</reservationSet><nextToken>` + next +
			`</nextToken></DescribeInstancesResponse>`}
	}
	s := newStub(t)
	s.on(describe, described("", object("active", counts(3, 1))))
	s.on("DescribeInstances", page("more", "i-2"), page("", "i-1"), answer{})
	c := s.cloud()
	got, err := c.Users(t.Context(), ref())
	if err != nil || !slices.Equal(got, []string{"i-1", "i-2"}) {
		t.Errorf("got %v, %v", got, err)
	}
	wantForm(t, s.sent("DescribeInstances", 0).form, map[string]string{
		"Filter.1.Name": "capacity-reservation-id", "Filter.1.Value.1": short, "MaxResults": "1000",
		"Filter.2.Name": "instance-state-name", "Filter.2.Value.1": "pending", "Filter.2.Value.2": "running",
	})
	if _, err := c.Users(t.Context(), ref()); cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("an empty answer: %v", err)
	}
	s.on(describe, refused(400, "InvalidCapacityReservationId.NotFound", "no"))
	if _, err := c.Users(t.Context(), ref()); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("an unknown reservation: %v", err)
	}
}
