package aws

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const day = 24 * time.Hour

// Rules of future-dated reservations (EC2 User Guide, "Create a future-dated
// Capacity Reservation"; EC2 API, CreateCapacityReservation).
const (
	minLead = 5 * day
	maxLead = 120 * day
	// minVCPUs is over all instances.
	minVCPUs      = 32
	minCommitment = 14 * day
	// minLargeCommitment is for the families U and X.
	minLargeCommitment = 12 * 7 * day
	// maxCommitment is the largest number of seconds that the API's model takes.
	maxCommitment = 200_000_000 * time.Second
	// freeNotice is how long before the start that was first asked for
	// cancelling ends to be free.
	freeNotice = 8 * 7 * day
)

func scheduledForm() form {
	return form{
		zoned: true, maxCount: maxCount, marks: markTags,
		matches: []cloud.MatchCriteria{cloud.Targeted},
		options: []option{platformOption(platforms()), tenancyOption(tenancies()), {optCommitment, checkCommitment}},
		check:   checkScheduled,
	}
}

// checkScheduled looks at what EC2 accepts for a future date. How far ahead the
// start may be is in the capabilities.
func checkScheduled(s *cloud.Spec, p *problems) {
	refuseOffer(s, p)
	checkFutureShape(s, p)
	s.StartAt, s.EndAt = sendable(s.StartAt), sendable(s.EndAt)
	if s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a reservation of kind scheduled needs start_at, %s to %s ahead", days(minLead), days(maxLead))
		return
	}
	end, at := s.EndAt, cloud.AttrEnd
	if end.IsZero() && s.Duration > 0 {
		end, at = s.StartAt.Add(s.Duration), attrDuration
	}
	commitment, err := parseCommitment(s.Native[optCommitment])
	if end.IsZero() || err != nil {
		return
	}
	if committed := s.StartAt.Add(commitment); end.Before(committed) && end.After(s.StartAt) {
		p.add(at, "the end %s is inside the commitment of %s, which lasts until %s",
			end.Format(time.RFC3339), days(commitment), committed.Format(time.RFC3339))
	}
	s.EndAt = end
}

// checkFutureShape looks at the family and at the size as far as it is known for
// sure.
func checkFutureShape(s *cloud.Spec, p *problems) {
	family := familyOf(s.InstanceType)
	if slices.Contains([]string{"p", "trn", "inf", "dl", "vt", "hpc", "mac"}, family) {
		p.add(cloud.AttrInstanceType, "AWS takes a future date for the families C, M, R, I, T, G, U and X, not for %s; "+
			"kind block reserves GPUs of the families P and Trn in the future", s.InstanceType)
		return
	}
	vcpus := vcpusByName(s.InstanceType)
	if vcpus > 0 && s.Count > 0 && vcpus*s.Count < minVCPUs {
		p.add(cloud.AttrCount, "%d %s have %d vCPUs: AWS takes a future date for %d vCPUs or more, %d of these",
			s.Count, s.InstanceType, vcpus*s.Count, minVCPUs, (minVCPUs+vcpus-1)/vcpus)
	}
}

var sizeForm = regexp.MustCompile(`^gr?\d[a-z0-9]*\.(?:(\d{0,3})xlarge|(large))$`)

// vcpusByName is how many vCPUs a type of family G has: its sizes count in steps
// of four (EC2 User Guide, "Accelerated computing"). 0 where the name does not
// tell.
func vcpusByName(instanceType string) int {
	match := sizeForm.FindStringSubmatch(instanceType)
	if match == nil {
		return 0
	}
	if match[2] != "" {
		return 2
	}
	n, err := strconv.Atoi(cmp.Or(match[1], "1"))
	if err != nil {
		return 0
	}
	return 4 * n
}

// checkCommitment brings the commitment to one text.
func checkCommitment(s *cloud.Spec, p *problems) {
	least := minCommitment
	if slices.Contains([]string{"u", "x"}, familyOf(s.InstanceType)) {
		least = minLargeCommitment
	}
	fill(s.Native, optCommitment, least.String())
	d, err := parseCommitment(s.Native[optCommitment])
	switch {
	case err != nil:
		p.add(attrCommitment, "%q is not a duration in whole seconds such as 14d or 336h", s.Native[optCommitment])
		return
	case d < least || d > maxCommitment:
		p.add(attrCommitment, "%s: AWS takes a commitment of %s to %s for %s",
			days(d), days(least), days(maxCommitment.Truncate(day)), s.InstanceType)
	}
	s.Native[optCommitment] = d.String()
}

var daysForm = regexp.MustCompile(`^(\d{1,6})d(.*)$`)

// parseCommitment reads Go's syntax with whole days in front, "14d" or "14d12h".
func parseCommitment(text string) (time.Duration, error) {
	var total time.Duration
	if m := daysForm.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return 0, err
		}
		total, text = time.Duration(n)*day, cmp.Or(m[2], "0s")
	}
	rest, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, err
	case rest < 0 || rest > math.MaxInt64-total || rest%time.Second != 0:
		return 0, fmt.Errorf("%s is negative, too long or not in whole seconds", text)
	}
	return total + rest, nil
}

// days is a duration in the unit that these rules are in.
func days(d time.Duration) string {
	if d%day != 0 {
		return d.String()
	}
	if d == day {
		return "1 day"
	}
	return strconv.Itoa(int(d/day)) + " days"
}

// scheduleInput adds to a create what makes it future-dated.
func scheduleInput(in *ec2.CreateCapacityReservationInput, spec cloud.Spec) {
	commitment, err := parseCommitment(spec.Native[optCommitment])
	if spec.Kind != cloud.Scheduled || err != nil {
		return
	}
	in.StartDate = awssdk.Time(spec.StartAt)
	in.CommitmentDuration = awssdk.Int64(int64(commitment / time.Second))
	in.DeliveryPreference = ec2types.CapacityReservationDeliveryPreferenceIncremental
}

// outOfLead tells why a start is too near or too far; "" where it is not, or
// where the cloud's time is not known.
func outOfLead(spec cloud.Spec, now time.Time) string {
	can := kinds()[spec.Kind]
	lead := spec.StartAt.Sub(now)
	early, late := can.MinLead > 0 && lead < can.MinLead, can.MaxLead > 0 && lead > can.MaxLead
	if now.IsZero() || spec.StartAt.IsZero() || (!early && !late) {
		return ""
	}
	bounds := "at most "
	if can.MinLead > 0 {
		bounds = days(can.MinLead) + " to "
	}
	return fmt.Sprintf("%s: the start %s must be %s%s after AWS's present time, %s", cloud.AttrStart,
		spec.StartAt.Format(time.RFC3339), bounds, days(can.MaxLead), now.Format(time.RFC3339))
}

// commitment is what a future-dated reservation is bound to.
type commitment struct {
	duration time.Duration
	end      time.Time
	count    int
}

func commitmentOf(r ec2types.CapacityReservation) commitment {
	info := r.CommitmentInfo
	if info == nil {
		return commitment{}
	}
	c := commitment{
		duration: time.Duration(awssdk.ToInt64(info.CommitmentDuration)) * time.Second,
		end:      instant(info.CommitmentEndDate),
		count:    int(awssdk.ToInt32(info.CommittedInstanceCount)),
	}
	if c.end.IsZero() && c.duration > 0 && r.StartDate != nil {
		c.end = instant(r.StartDate).Add(c.duration)
	}
	return c
}

// bound is until when giving up is not free, and until when it still is all the
// same (EC2 User Guide, "Cancel a Capacity Reservation"). now is zero where the
// cloud's time is not known.
func (c commitment) bound(r ec2types.CapacityReservation, now time.Time) (committed, free time.Time) {
	switch r.State {
	case ec2types.CapacityReservationStateAssessing,
		// The commitment of one that is late is waived.
		ec2types.CapacityReservationStateDelayed:
		return time.Time{}, time.Time{}
	case ec2types.CapacityReservationStateScheduled:
		first := instant(r.OriginalStartDate)
		if first.IsZero() {
			first = instant(r.StartDate)
		}
		if c.end.IsZero() {
			c.end = instant(r.StartDate).Add(minCommitment)
		}
		return c.end, first.Add(-freeNotice)
	}
	if !stateOf(r.State).Live() || (!now.IsZero() && !now.Before(c.end)) {
		return time.Time{}, time.Time{}
	}
	return c.end, time.Time{}
}
