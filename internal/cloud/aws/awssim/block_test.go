package awssim_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// moment is what a reservation shows at an instant.
type moment struct {
	at               time.Time
	state            string
	total, available string
}

// walk moves the clock through moments and compares.
func (s *stage) walk(id string, moments []moment) {
	s.t.Helper()
	for _, m := range moments {
		s.until(m.at)
		got := s.accepted(s.describe("&CapacityReservationId.1=" + id))
		seen := moment{m.at, got.between("state"), got.between("totalInstanceCount"), got.between("availableInstanceCount")}
		if seen != m {
			s.t.Errorf("got %+v, want %+v", seen, m)
		}
	}
}

func TestBlockFromTwoHoursBeforeItsStartToSixtyDaysAfterItsEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(2)
	id, o := s.block("InstanceCount=2", "CapacityDurationHours=48", "StartDateRange="+rfc(now().Add(20*24*time.Hour)))
	if o.Zone != "us-east-1a" || o.Ends.Sub(o.Starts) != 48*time.Hour {
		t.Fatalf("offer %+v", o)
	}
	s.walk(id, []moment{
		{o.Starts.Add(-2 * time.Hour), "scheduled", "0", "0"},
		{o.Starts.Add(-time.Second), "scheduled", "0", "0"},
		{o.Starts, "active", "2", "2"},
	})
	s.used(id, 2)
	s.refused(s.ec2(createBody()), "InsufficientInstanceCapacity")
	s.walk(id, []moment{
		{o.Ends.Add(-31 * time.Minute), "active", "2", "0"},
		{o.Ends.Add(-30 * time.Minute), "active", "2", "2"},
		{o.Ends.Add(-time.Second), "active", "2", "2"},
		{o.Ends, "expired", "2", "2"},
		{o.Ends.Add(60 * 24 * time.Hour), "expired", "2", "2"},
	})
	s.create("InstanceCount=2")
	seen := s.accepted(s.ec2("Action=DescribeCapacityBlocks&Filter.1.Name=state&Filter.1.Value.1=expired"))
	s.says(seen, "<capacityReservationIdSet><item>"+id+"</item></capacityReservationIdSet>")
	s.says(seen, "<endDate>"+rfc(o.Ends)+"</endDate>")
}

func TestBlockWhoseClockJumpsOverItsWholeLife(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(1)
	id, o := s.block()
	s.used(id, 1)
	s.until(o.Ends.Add(24 * time.Hour))
	s.walk(id, []moment{{o.Ends.Add(24 * time.Hour), "expired", "1", "1"}})
	s.create()
}

func TestFutureDatedReservationThroughItsLife(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stockOfG(8)
	id := s.accepted(s.ec2(futureBody("EndDateType=limited", "EndDate="+rfc(committed().Add(time.Hour))))).between("capacityReservationId")
	s.walk(id, []moment{
		{now(), "assessing", "0", "0"},
		{now().Add(time.Second), "scheduled", "0", "0"},
		{starts().Add(-time.Second), "scheduled", "0", "0"},
		{starts(), "active", "8", "8"},
	})
	s.refused(s.ec2(createBody("InstanceType=g5.xlarge")), "InsufficientInstanceCapacity")
	s.walk(id, []moment{
		{committed(), "active", "8", "8"},
		{committed().Add(time.Hour), "expired", "8", "8"},
		{committed().Add(60 * 24 * time.Hour), "expired", "8", "8"},
	})
	s.accepted(s.ec2(createBody("InstanceType=g5.xlarge")))
}

func TestDelayedReservationThatNeverComes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stockOfG(0)
	id := s.accepted(s.ec2(futureBody("EndDateType=limited", "EndDate="+rfc(committed())))).between("capacityReservationId")
	s.walk(id, []moment{
		{starts(), "delayed", "0", "0"},
		{committed().Add(-time.Second), "delayed", "0", "0"},
		{committed(), "expired", "0", "0"},
	})
}

func TestOffersComeInPages(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var whole, paged []string
	for _, o := range s.offers() {
		whole = append(whole, o.ID)
	}
	for token := "NextToken="; ; {
		got := s.accepted(s.ec2(offersBody("MaxResults=2", token)))
		for _, part := range strings.Split(got.body, "<capacityBlockOfferingId>")[1:] {
			paged = append(paged, part[:20])
		}
		if token = "NextToken=" + got.between("nextToken"); token == "NextToken=" {
			break
		}
	}
	if !slices.Equal(whole, paged) {
		t.Errorf("whole %v\npaged %v", whole, paged)
	}
}

func TestOffersSpreadOverZonesAndDays(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var zones, starts []string
	for _, o := range s.offers() {
		zones = append(zones, o.Zone)
		starts = append(starts, rfc(o.Starts))
	}
	if len(distinct(zones)) != 4 || len(distinct(starts)) != 4 {
		t.Errorf("zones %v, starts %v", zones, starts)
	}
	// One zone alone shows more of its days.
	if all := s.offers("InstanceType=p6-b200.48xlarge"); len(all) != 6 || len(distinct(feesOf(all))) < 3 {
		t.Errorf("offers %+v", all)
	}
	if none := s.offers("EndDateRange=" + rfc(now().Add(20*time.Hour))); len(none) != 0 {
		t.Errorf("offers %+v", none)
	}
	s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "DescribeCapacityBlockOfferings", Times: 1, Empty: true}))
	if none := s.offers(); len(none) != 0 {
		t.Errorf("offers %+v", none)
	}
	// A search for one day finds that day in each zone.
	at := time.Date(2027, 3, 10, 11, 30, 0, 0, time.UTC)
	if day := s.offers("StartDateRange="+rfc(at), "EndDateRange="+rfc(at.Add(24*time.Hour))); len(day) != 4 {
		t.Errorf("offers %+v", day)
	}
}

func distinct(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

func feesOf(all []offered) []string {
	var fees []string
	for _, o := range all {
		fees = append(fees, o.Fee)
	}
	return fees
}

func TestOffersThatStartSoonEndAtHalfPastEleven(t *testing.T) {
	t.Parallel()
	for at, want := range map[string][]string{
		// Asked for a day: nineteen hours or forty-three, as seen in the wild.
		"15:43": {"16:13 19h17m0s", "16:13 43h17m0s"},
		// Forty-five minutes are no day.
		"10:15": {"10:45 24h45m0s"},
	} {
		s := newStage(t)
		clock, err := time.Parse("15:04", at)
		s.ok(err)
		s.until(now().Truncate(24*time.Hour).AddDate(0, 0, 1).Add(clock.Sub(clock.Truncate(24 * time.Hour))))
		var got []string
		for _, o := range s.offers("InstanceType=p6-b200.48xlarge") {
			if length := o.Ends.Sub(o.Starts); length != 24*time.Hour {
				got = append(got, o.Starts.Format("15:04 ")+length.String())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %s: %v, want %v", at, got, want)
		}
	}
}

func TestLostAnswerOfAPurchaseIsABoughtBlock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	o := s.offer()
	for _, drop := range []string{sim.DropBefore, sim.DropAfter} {
		s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "PurchaseCapacityBlock", Times: 1, Drop: drop, Zone: o.Zone, InstanceType: "p4d.24xlarge"}))
		if got := s.ec2(buyBody(o.ID)); got.status != 0 {
			t.Errorf("%s: %d %s", drop, got.status, got.body)
		}
	}
	objects, err := s.world.Objects()
	s.ok(err)
	if len(objects) != 1 || objects[0].Status != "payment-pending" {
		t.Errorf("objects %+v", objects)
	}
}

func TestCallLogOfBlocks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id, o := s.block()
	block := s.ec2("Action=DescribeCapacityBlocks").between("capacityBlockId")
	s.accepted(s.ec2("Action=DescribeCapacityBlockStatus&CapacityBlockId.1=" + block))
	s.accepted(s.extend(id, s.extension(id, "24")))
	calls, err := s.world.Calls(0)
	s.ok(err)
	arn := "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/" + id
	seen := map[string]bool{}
	for _, c := range calls {
		seen[c.Operation] = true
		switch c.Operation {
		case "DescribeCapacityBlockOfferings":
			if c.InstanceType != "p4d.24xlarge" {
				t.Errorf("call %+v", c)
			}
		case "PurchaseCapacityBlock", "DescribeCapacityBlockStatus", "DescribeCapacityBlockExtensionOfferings", "PurchaseCapacityBlockExtension":
			if c.NativeID != arn || c.Zone != o.Zone || c.InstanceType != "p4d.24xlarge" {
				t.Errorf("call %+v", c)
			}
		}
	}
	if len(seen) != 7 {
		t.Errorf("calls of %v", seen)
	}
}

func TestBehindABlocksBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(1)
	id, o := s.block()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: new("active")}))
	s.until(o.Starts)
	s.in(id, "active")
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: new("expired")}))
	s.create()
	// The due instants of what was are no harm.
	s.until(o.Ends)
	s.in(id, "expired")
	early := s.future()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: early, Status: new("scheduled")}))
	s.ok(s.world.Advance(time.Minute))
	s.in(early, "scheduled")
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: early, Status: new("delayed")}))
	s.until(s.when().Add(90 * 24 * time.Hour))
	s.in(early, "active")
	s.accepted(s.cancel(early))
}

func TestFiltersOfBlocksAndQuotes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id, o := s.block()
	offer := s.extension(id, "24")
	s.accepted(s.extend(id, offer))
	reservation := s.scheduled()
	s.quoteFor(reservation)
	block := s.ec2("Action=DescribeCapacityBlocks").between("capacityBlockId")
	for action, filters := range map[string][][2]string{
		"DescribeCapacityBlocks": {
			{"capacity-block-id", block},
			{"ultraserver-type", "instances"},
			{"availability-zone", o.Zone},
			{"start-date", rfc(o.Starts)},
			{"create-date", rfc(now())},
			{"tag:aws:ec2capacityreservation:capacityReservationType", "capacity-block"},
		},
		"DescribeCapacityBlockStatus": {{"interconnect-status", "insufficient-data"}},
		"DescribeCapacityBlockExtensionHistory": {
			{"availability-zone", o.Zone},
			{"capacity-block-extension-offering-id", offer},
			{"capacity-reservation-id", id},
			{"capacity-block-extension-status", "payment-succeeded"},
			{"instance-type", "p4d.24xlarge"},
		},
		"DescribeCapacityReservationCancellationQuotes": {{"capacity-reservation-id", reservation}, {"quote-state", "active"}},
	} {
		for _, f := range filters {
			query := "Action=" + action + "&Filter.1.Name=" + f[0] + "&Filter.1.Value.1="
			if got := s.accepted(s.ec2(query + f[1])); !strings.Contains(got.body, "<item>") {
				t.Errorf("%s %v: %s", action, f, got.body)
			}
			if got := s.accepted(s.ec2(query + "other")); strings.Contains(got.body, "<item>") {
				t.Errorf("%s %v: %s", action, f, got.body)
			}
		}
		s.refused(s.ec2("Action="+action+"&Filter.1.Name=color&Filter.1.Value.1=red"), "InvalidFilter")
		s.refused(s.ec2("Action="+action+"&MaxResults=1001"), "InvalidParameterValue")
	}
	for _, unknown := range []string{
		"DescribeCapacityReservationCancellationQuotes&CapacityReservationCancellationQuoteId.1=crcq-0123456789abcdef0",
		"DescribeCapacityBlockStatus&CapacityBlockId.1=" + block + "&CapacityBlockId.2=cb-0123456789abcdef0",
	} {
		s.refused(s.ec2("Action="+unknown), "InvalidParameterValue")
	}
}

func TestQuoteFromPendingToForgotten(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.scheduled()
	s.ok(s.world.AddFaults(sim.Fault{
		Cloud: "aws", Operation: "CreateCapacityReservationCancellationQuote", Times: 1, OperationTakes: new(sim.Duration(time.Minute)),
	}))
	quote := s.quoteFor(id)
	made := s.when()
	s.refused(s.cancelBy(id, quote), "InvalidParameterValue")
	for _, stop := range []struct {
		after time.Duration
		state string
	}{
		{0, "pending"},
		{time.Minute, "active"},
		{24*time.Hour - time.Second, "active"},
		{24 * time.Hour, "expired"},
		{8*24*time.Hour - time.Second, "expired"},
		{8 * 24 * time.Hour, ""},
	} {
		s.until(made.Add(stop.after))
		if got := s.ec2("Action=DescribeCapacityReservationCancellationQuotes").between("quoteState"); got != stop.state {
			t.Errorf("after %s: %q, want %q", stop.after, got, stop.state)
		}
	}
}

func TestRefusedCancellationsChangeNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.scheduled()
	quote := s.quoteFor(id)
	s.refused(s.ec2("Action=CreateCapacityReservationCancellationQuote&DryRun=true&CapacityReservationId="+id), "DryRunOperation")
	by := "Action=CancelCapacityReservation&CapacityReservationId=" + id + "&QuoteId=" + quote + "&ApplyCancellationCharges="
	s.refused(s.ec2(by+"all"), "InvalidParameterValue")
	s.refused(s.ec2(by+"commitment-wind-down&DryRun=true"), "DryRunOperation")
	s.in(id, "scheduled")
	s.accepted(s.cancelBy(id, quote))
	s.in(id, "cancelled")
	s.refused(s.quoted(id), "IncorrectState")
	assessing := s.future()
	s.refused(s.ec2("Action=CancelCapacityReservation&DryRun=true&CapacityReservationId="+assessing), "DryRunOperation")
	s.in(assessing, "assessing")
}

func TestExtensionOfABlockThatVanished(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id, _ := s.block()
	offer := s.extension(id, "24")
	s.refused(s.ec2("Action=PurchaseCapacityBlockExtension&DryRun=true&CapacityReservationId="+id+"&CapacityBlockExtensionOfferingId="+offer), "DryRunOperation")
	s.accepted(s.extend(id, offer))
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Gone: true}))
	s.ok(s.world.Advance(time.Second))
	s.says(s.ec2("Action=DescribeCapacityBlockExtensionHistory"), ">payment-failed<")
	s.refused(s.history(id), "InvalidCapacityReservationId.NotFound")
}

func TestScenarioBlocksAndFutureDatedOnes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	place := `"cloud":"aws","type":"capacity-reservation","region":"us-east-1","zone":"us-east-1a","instance_type":"p4d.24xlarge","count":2,`
	block := `"tags":{"aws:ec2capacityreservation:capacityReservationType":"capacity-block"},`
	s.ok(s.world.Load([]byte(`{"objects":[
		{` + place + block + `"native_id":"cr-00000000000000001","status":"payment-pending","starts_at":"2027-03-02T11:30:00Z","ends_at":"2027-03-03T11:30:00Z"},
		{` + place + block + `"native_id":"cr-00000000000000002","in_use":2,"ends_at":"2027-03-02T11:30:00Z"},
		{` + place + `"native_id":"cr-00000000000000003","status":"scheduled","starts_at":"2027-05-01T00:00:00Z"},
		{` + place + `"native_id":"cr-00000000000000004","status":"delayed","starts_at":"2027-02-01T00:00:00Z"},
		{` + place + `"native_id":"cr-00000000000000005","status":"cancelling","starts_at":"2027-02-20T00:00:00Z"},
		{` + place + `"native_id":"cr-00000000000000006","status":"unsupported"},
		{` + place + `"native_id":"cr-00000000000000007","tags":{"aws:ec2capacityreservation:incrementalRequestedQuantity":"2"}}]}`)))
	s.refused(s.cancel("cr-00000000000000007"), "IncorrectState")
	s.until(time.Date(2027, 3, 2, 11, 30, 0, 0, time.UTC))
	for id, want := range map[string]string{
		"1": "active", "2": "expired", "3": "scheduled", "4": "active", "5": "cancelling", "6": "unsupported", "7": "active",
	} {
		s.in("cr-0000000000000000"+id, want)
	}
	s.until(time.Date(2027, 5, 1, 0, 0, 0, 0, time.UTC))
	s.in("cr-00000000000000001", "expired")
	s.in("cr-00000000000000003", "active")
	s.in("cr-00000000000000005", "cancelled")
	for name, fields := range map[string]string{"no end": block, "no block": `"status":"payment-pending",`} {
		if err := s.world.Load([]byte(`{"objects":[{` + place + fields + `"native_id":"cr-00000000000000009"}]}`)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
