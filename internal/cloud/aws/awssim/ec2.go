package awssim

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	ec2Version   = "2016-11-15"
	ec2Namespace = "http://ec2.amazonaws.com/doc/2016-11-15/"
)

// ec2 is the Query API of EC2.
type ec2 struct{}

// operation is an action of EC2.
type operation struct {
	// params are the accepted names, positions as N.
	params []string
	// refused are names that the real API has and this one does not offer.
	refused []string
	// bucket is the throttle class of section 8.
	bucket bucketClass
	// read marks operations that change nothing: a dry run of them asks
	// nothing but whether the parameters are good.
	read bool
	run  func(q *query) ([]node, *apiError)
}

type bucketClass struct{ burst, perSecond float64 }

// Throttle buckets per account, region and action (facts/aws.md section 8).
func describeBucket() bucketClass { return bucketClass{100, 20} }
func mutateBucket() bucketClass   { return bucketClass{50, 5} }
func tagBucket() bucketClass      { return bucketClass{100, 10} }
func blockBucket() bucketClass    { return bucketClass{10, 0.15} }

func filterParams(more ...string) []string {
	return append([]string{"DryRun", "Filter.N.Name", "Filter.N.Value.N"}, more...)
}

func operations() map[string]operation {
	all := map[string]operation{}
	for _, group := range []map[string]operation{
		reservationOperations(), quoteOperations(), blockOperations(), extensionOperations(), placeOperations(), tagOperations(),
		hostOperations(), marketOperations(),
	} {
		for name, op := range group {
			all[name] = op
		}
	}
	return all
}

func reservationOperations() map[string]operation {
	return map[string]operation{
		"CreateCapacityReservation": {
			params: []string{
				"ClientToken", "InstanceType", "InstancePlatform", "AvailabilityZone", "AvailabilityZoneId", "Tenancy",
				"InstanceCount", "EbsOptimized", "EphemeralStorage", "EndDate", "EndDateType", "InstanceMatchCriteria",
				"PlacementGroupArn", "DryRun", "StartDate", "CommitmentDuration", "DeliveryPreference",
				"TagSpecifications.N.ResourceType", "TagSpecifications.N.Tag.N.Key", "TagSpecifications.N.Tag.N.Value",
			},
			refused: []string{"OutpostArn"},
			bucket:  mutateBucket(), run: createReservation,
		},
		"DescribeCapacityReservations": {
			params: filterParams("CapacityReservationId.N", "MaxResults", "NextToken"),
			bucket: describeBucket(), read: true, run: describeReservations,
		},
		"ModifyCapacityReservation": {
			params: []string{
				"CapacityReservationId", "EndDate", "EndDateType", "InstanceCount", "InstanceMatchCriteria", "DryRun",
			},
			refused: []string{"Accept", "AcceptModificationTerms", "AdditionalInfo", "QuoteId", "StartDate"},
			bucket:  mutateBucket(), run: modifyReservation,
		},
		"CancelCapacityReservation": {
			params: []string{"ApplyCancellationCharges", "CapacityReservationId", "DryRun", "QuoteId"},
			bucket: mutateBucket(), run: cancelReservation,
		},
		"GetCapacityReservationUsage": {
			params: []string{"CapacityReservationId", "DryRun", "MaxResults", "NextToken"},
			bucket: describeBucket(), read: true, run: reservationUsage,
		},
		"DescribeInstances": {
			params:  filterParams("InstanceId.N", "MaxResults", "NextToken"),
			refused: []string{"IncludeManagedResources"},
			bucket:  describeBucket(), read: true, run: describeInstances,
		},
	}
}

func placeOperations() map[string]operation {
	return map[string]operation{
		"DescribeInstanceTypes": {
			params:  filterParams("InstanceType.N", "MaxResults", "NextToken"),
			refused: []string{"IncludeUnsupportedInRegion"},
			bucket:  describeBucket(), read: true, run: describeInstanceTypes,
		},
		"DescribeInstanceTypeOfferings": {
			params: filterParams("LocationType", "MaxResults", "NextToken"),
			bucket: describeBucket(), read: true, run: describeOfferings,
		},
		"DescribeAvailabilityZones": {
			params: filterParams("AllAvailabilityZones", "ZoneId.N", "ZoneName.N"),
			bucket: describeBucket(), read: true, run: describeZones,
		},
		"DescribeRegions": {
			params: filterParams("AllRegions", "RegionName.N"),
			bucket: describeBucket(), read: true, run: describeRegions,
		},
	}
}

func tagOperations() map[string]operation {
	return map[string]operation{
		"CreateTags": {
			params: []string{"DryRun", "ResourceId.N", "Tag.N.Key", "Tag.N.Value"},
			bucket: tagBucket(), run: createTags,
		},
		"DeleteTags": {
			params: []string{"DryRun", "ResourceId.N", "Tag.N.Key", "Tag.N.Value"},
			bucket: tagBucket(), run: deleteTags,
		},
		"DescribeTags": {
			params: filterParams("MaxResults", "NextToken"),
			bucket: describeBucket(), read: true, run: describeTags,
		},
	}
}

func (ec2) read(s *Simulator, tx *sim.Tx, in *sim.Inbound, c *call, req *sim.Request) *apiError {
	f, err := parseForm(in.Body)
	if err != nil {
		return err
	}
	c.form, c.action = f, f["Action"]
	op, known := operations()[c.action]
	if !known {
		return unknownAction(f)
	}
	req.Operation = c.action
	req.Bucket = sim.Bucket{
		Name:      strings.Join([]string{c.who.Account, c.region, c.action}, "/"),
		PerSecond: op.bucket.perSecond, Burst: op.bucket.burst,
	}
	s.describeRequest(tx, c, req)
	return nil
}

func unknownAction(f form) *apiError {
	if f["Action"] == "" {
		return fail(codeMissing, "The request must contain the parameter Action")
	}
	return fail(codeInvalidAction, "The action %s is not valid for this web service.", printable(f["Action"]))
}

// describeRequest fills in what the call log shows and faults match on.
func (s *Simulator) describeRequest(tx *sim.Tx, c *call, req *sim.Request) {
	req.InstanceType = c.form["InstanceType"]
	if name := c.form["AvailabilityZone"] + c.form["AvailabilityZoneId"]; name != "" {
		req.Zone = c.form["AvailabilityZone"]
		if zone, _, ok := s.catalog.zone(c.region, name); ok {
			req.Zone = zone
		}
	}
	ids := slices.Concat(c.form.list("CapacityReservationId"), c.form.list("ResourceId"), hostIDsOf(c.form))
	if id := c.form["CapacityReservationId"]; id != "" {
		ids = append(ids, id)
	}
	for _, id := range ids {
		req.Names = append(req.Names, id, arnOf(c.region, c.who.Account, id))
	}
	nameBlocks(tx, c, req)
	if len(ids) != 1 {
		return
	}
	req.NativeID = arnOf(c.region, c.who.Account, ids[0])
	if obj, ok := tx.Object(cloudName, ids[0]); ok {
		req.Zone, req.InstanceType = obj.Zone, obj.InstanceType
	}
}

// nameBlocks names blocks and what was offered: both have a place, and a block
// its reservation.
func nameBlocks(tx *sim.Tx, c *call, req *sim.Request) {
	ids := c.form.list("CapacityBlockId")
	for _, name := range []string{"CapacityBlockOfferingId", "CapacityBlockExtensionOfferingId", "QuoteId"} {
		if id := c.form[name]; id != "" {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		req.Names = append(req.Names, id)
		obj, ok := tx.Object(cloudName, id)
		if !ok || len(ids) != 1 {
			continue
		}
		req.Zone, req.InstanceType = obj.Zone, obj.InstanceType
		if obj.Type == reservationType {
			req.NativeID = obj.NativeID
		}
	}
}

func (ec2) run(q *query) (sim.Answer, *apiError) {
	op := operations()[q.action]
	if err := checkParams(q.form, op); err != nil {
		return sim.Answer{}, err
	}
	dry, err := q.form.truth("DryRun")
	if err != nil {
		return sim.Answer{}, err
	}
	kids, err := op.run(q)
	if err != nil {
		return sim.Answer{}, err
	}
	if dry && op.read {
		return sim.Answer{}, dryRun()
	}
	root := el(q.action+"Response", text("requestId", q.requestID))
	root.kids = append(root.kids, kids...)
	return q.answer(root.document(ec2Namespace)), nil
}

func (q *query) answer(body []byte) sim.Answer {
	return sim.Answer{
		Status:   http.StatusOK,
		Header:   http.Header{"Content-Type": {"text/xml;charset=UTF-8"}, "X-Amzn-Requestid": {q.requestID}},
		Body:     body,
		NativeID: q.req.NativeID,
	}
}

// checkParams refuses what the operation does not have (facts/aws.md section
// 14: unknown is answered, never ignored).
func checkParams(f form, op operation) *apiError {
	if f["Version"] == "" {
		return missing("Version")
	}
	if f["Version"] != ec2Version {
		return fail(codeNoSuchVersion, "The requested version (%s) of service AmazonEC2 does not exist", printable(f["Version"]))
	}
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		shape := pattern(name)
		if name == "Action" || name == "Version" || slices.Contains(op.params, shape) {
			continue
		}
		if head, _, _ := strings.Cut(shape, "."); slices.Contains(op.refused, head) {
			return fail(codeUnsupportedOperation, "The parameter %s is not offered by this simulation", name)
		}
		return fail(codeUnknownParameter, "The parameter %s is not recognized", printable(name))
	}
	return nil
}

func dryRun() *apiError {
	return fail(codeDryRun, "Request would have succeeded, but DryRun flag is set.")
}

// dry ends an operation that would change something before it does, where the
// request asks for that.
func (q *query) dry() *apiError {
	if yes, err := q.form.truth("DryRun"); err != nil || yes {
		return dryRun()
	}
	return nil
}

func (ec2) refuse(c *call, e *apiError) sim.Answer {
	root := el("Response",
		el("Errors", el("Error", text("Code", e.code), text("Message", e.message))),
		text("RequestID", c.requestID))
	return sim.Answer{
		Status: e.status, Code: e.code, Body: root.document(""),
		Header: http.Header{"Content-Type": {"text/xml;charset=UTF-8"}, "X-Amzn-Requestid": {c.requestID}},
	}
}
