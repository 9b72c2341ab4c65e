package awssim_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// says checks that an answer contains a text.
func (s *stage) says(got reply, want string) reply {
	s.t.Helper()
	if !strings.Contains(got.body, want) {
		s.t.Errorf("%q is not in %s", want, got.body)
	}
	return got
}

func (s *stage) attempts(want int) {
	s.t.Helper()
	calls, err := s.world.Calls(0)
	s.ok(err)
	if got := int(calls[len(calls)-1].Attempt); got != want {
		s.t.Errorf("attempt %d, want %d", got, want)
	}
}

func wireProofs() map[string]proof {
	all := requestProofs()
	maps.Copy(all, answerProofs())
	maps.Copy(all, pageProofs())
	return all
}

func requestProofs() map[string]proof {
	plain := "Action=DescribeRegions&Version=2016-11-15"
	return map[string]proof{
		"aws-2-request": {
			accepted: func(s *stage) { s.accepted(s.ec2("Action=DescribeRegions")) },
			rejected: func(s *stage) {
				auth := authorization("A", s.region, "ec2", now())
				s.refused(s.send("Action=DescribeRegions", auth, nil), "MissingParameter")
				s.refused(s.send("Version=2016-11-15", auth, nil), "MissingParameter")
				s.refused(s.send("Action=DescribeRegions&Version=2010-01-01", auth, nil), "NoSuchVersion")
			},
		},
		"aws-2-auth": {
			accepted: func(s *stage) { s.accepted(s.send(plain, authorization("ANY_key1", s.region, "ec2", now()), nil)) },
			rejected: func(s *stage) {
				good := authorization("AKID", s.region, "ec2", now())
				for _, auth := range []string{
					"", "Bearer x", "AWS4-HMAC-SHA256", strings.Replace(good, "host;", "", 1), strings.TrimSuffix(good, "0"),
				} {
					s.refused(s.send(plain, auth, nil), "AuthFailure")
				}
			},
		},
		"aws-2-region-in-scope": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.send("Version=2016-11-15&Action=DescribeAvailabilityZones",
					authorization("A", "eu-central-1", "ec2", now()), nil)), "eu-central-1a")
			},
			rejected: func(s *stage) {
				s.refused(s.send(plain, authorization("A", "us-nowhere-1", "ec2", now()), nil), "AuthFailure")
			},
		},
		"aws-3-empty-region": {
			accepted: func(s *stage) { s.accepted(s.send(plain, authorization("A", "us-west-2", "ec2", now()), nil)) },
			rejected: func(s *stage) { s.refused(s.send(plain, authorization("A", "", "ec2", now()), nil), "AuthFailure") },
		},
		"aws-2-attempt": {
			accepted: func(s *stage) {
				s.accepted(s.send(plain, authorization("A", s.region, "ec2", now()), map[string]string{"Amz-Sdk-Request": "attempt=2; max=3"}))
				s.attempts(2)
			},
			rejected: func(s *stage) {
				s.send("", "", map[string]string{"Amz-Sdk-Request": "ttl=1; attempt=3; max=3"})
				s.attempts(3)
				s.send("", "", map[string]string{"Amz-Sdk-Request": "attempt=x"})
				s.attempts(0)
			},
		},
		"aws-2-gzip": {
			accepted: func(s *stage) {
				got := s.send(plain, authorization("A", s.region, "ec2", now()), map[string]string{"Accept-Encoding": "gzip"})
				s.says(s.accepted(got), "<regionInfo>")
			},
			rejected: func(s *stage) {
				s.refused(s.send("Action=X", authorization("A", s.region, "ec2", now()), map[string]string{"Accept-Encoding": "gzip"}), "InvalidAction")
			},
		},
		"aws-2-scalars": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.ec2("Action=CreateCapacityReservation&InstanceType=p4d.24xlarge&InstanceCount=1&AvailabilityZone=us-east-1a"+
					"&InstancePlatform=Red+Hat+Enterprise+Linux&EbsOptimized=true")), "<ebsOptimized>true</ebsOptimized>")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(createBody("EbsOptimized=yes")), "InvalidParameterValue")
				s.refused(s.ec2(createBody("InstanceCount=1.5")), "InvalidParameterValue")
				s.refused(s.ec2(createBody("InstanceCount=99999999999999999999")), "InvalidParameterValue")
			},
		},
		"aws-2-lists": {
			accepted: func(s *stage) {
				a, b := s.create(), s.create()
				got := s.accepted(s.describe("&CapacityReservationId.1=" + a + "&CapacityReservationId.7=" + b))
				s.says(s.says(got, a), b)
			},
			rejected: func(s *stage) {
				s.refused(s.describe("&CapacityReservationId.member.1="+s.create()), "UnknownParameter")
			},
		},
		"aws-2-filters": {
			accepted: func(s *stage) {
				id := s.create()
				s.create("AvailabilityZone=us-east-1b")
				got := s.accepted(s.describe("&Filter.1.Name=availability-zone&Filter.1.Value.1=us-east-1a&Filter.1.Value.2=us-east-1f" +
					"&Filter.2.Name=instance-type&Filter.2.Value.1=p?d.*"))
				if s.says(got, id); strings.Count(got.body, "<item>") != 1 {
					s.t.Errorf("more than one passed: %s", got.body)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.describe("&Filter.1.Value.1=x"), "MissingParameter")
				s.refused(s.describe("&Filter.1.Name=state"), "InvalidParameterValue")
				s.refused(s.describe("&Filter.1.Name=state&Filter.1.Values.1=x"), "UnknownParameter")
			},
		},
		"aws-2-tag-specifications": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.ec2(createBody("TagSpecifications.1.ResourceType=capacity-reservation",
					"TagSpecifications.1.Tag.1.Key=k", "TagSpecifications.1.Tag.1.Value=v"))), "<key>k</key><value>v</value>")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(createBody("TagSpecification.1.ResourceType=capacity-reservation")), "UnknownParameter")
			},
		},
		"aws-2-id-lists": {
			accepted: func(s *stage) {
				s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + s.create() + "&Tag.1.Key=k&Tag.1.Value="))
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=CreateTags&Resources.1="+s.create()+"&Tag.1.Key=k"), "UnknownParameter")
			},
		},
	}
}

func answerProofs() map[string]proof {
	limited := func(at string) string { return createBody("EndDateType=limited", "EndDate="+at) }
	return map[string]proof{
		"aws-2-timestamp-out": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.ec2(limited("2031-01-02T03:04:05.678901Z"))), "<endDate>2031-01-02T03:04:05.678Z</endDate>")
				s.says(s.accepted(s.ec2(limited("2031-01-02T03:04:05.500Z"))), "<endDate>2031-01-02T03:04:05.5Z</endDate>")
				s.says(s.accepted(s.ec2(limited("2031-01-02T03:04:05.000Z"))), "<endDate>2031-01-02T03:04:05Z</endDate>")
			},
			rejected: func(s *stage) { s.refused(s.ec2(limited("1924992000")), "InvalidParameterValue") },
		},
		"aws-2-timestamp-in": {
			accepted: func(s *stage) {
				for _, text := range []string{"2031-01-02T05:04:05+02:00", "2031-01-02T03:04:05", "2031-01-02T03:04:05.000000Z"} {
					s.says(s.accepted(s.ec2(limited(text))), "<endDate>2031-01-02T03:04:05Z</endDate>")
				}
			},
			rejected: func(s *stage) { s.refused(s.ec2(limited("tomorrow")), "InvalidParameterValue") },
		},
		"aws-2-success-xml": {
			accepted: func(s *stage) {
				got := s.accepted(s.ec2("Action=DescribeRegions"))
				form := regexp.MustCompile(`^<\?xml version="1.0" encoding="UTF-8"\?>\n` +
					`<DescribeRegionsResponse xmlns="http://ec2\.amazonaws\.com/doc/2016-11-15/"><requestId>[0-9a-f-]{36}</requestId><regionInfo><item>`)
				if !form.MatchString(got.body) || got.header.Get("Content-Type") != "text/xml;charset=UTF-8" {
					s.t.Errorf("%v\n%s", got.header, got.body)
				}
			},
			rejected: func(s *stage) {
				if got := s.ec2("Action=DescribeRegions&Wrong=1"); strings.Contains(got.body, "DescribeRegionsResponse") {
					s.t.Errorf("an error in a success's clothes: %s", got.body)
				}
			},
		},
		"aws-2-empty-list": {
			accepted: func(s *stage) { s.says(s.accepted(s.describe("")), "<capacityReservationSet/>") },
			rejected: func(s *stage) {
				s.refused(s.describe("&CapacityReservationId.1=cr-00000000000000000"), "InvalidCapacityReservationId.NotFound")
			},
		},
		"aws-2-error-xml": {
			accepted: func(s *stage) {
				if got := s.accepted(s.describe("")); strings.Contains(got.body, "Error") {
					s.t.Errorf("a success with an error: %s", got.body)
				}
			},
			rejected: func(s *stage) {
				got := s.ec2("Action=%3Cb%3E")
				form := regexp.MustCompile(`<Response><Errors><Error><Code>InvalidAction</Code><Message>[^<]*</Message></Error></Errors>` +
					`<RequestID>[0-9a-f-]{36}</RequestID></Response>$`)
				if !form.MatchString(got.body) {
					s.t.Errorf("%s", got.body)
				}
			},
		},
	}
}

func pageProofs() map[string]proof {
	return map[string]proof{
		"aws-2-dry-run": {
			accepted: func(s *stage) { s.accepted(s.ec2(createBody("DryRun=false"))) },
			rejected: func(s *stage) {
				id := s.create()
				for _, body := range []string{
					createBody("DryRun=true"), "Action=DescribeCapacityReservations&DryRun=true",
					"Action=ModifyCapacityReservation&DryRun=true&InstanceCount=9&CapacityReservationId=" + id,
					"Action=CancelCapacityReservation&DryRun=true&CapacityReservationId=" + id,
					"Action=CreateTags&DryRun=true&Tag.1.Key=k&ResourceId.1=" + id,
					"Action=DeleteTags&DryRun=true&ResourceId.1=" + id,
				} {
					got := s.ec2(body)
					s.refused(got, "DryRunOperation")
					if got.status != http.StatusPreconditionFailed {
						s.t.Errorf("status %d", got.status)
					}
				}
				if rows, err := s.world.Objects(); err != nil || len(rows) != 1 || rows[0].Count != 1 || len(rows[0].Tags) != 0 {
					s.t.Errorf("a dry run did something: %+v, %v", rows, err)
				}
				s.refused(s.ec2(createBody("DryRun=true", "InstanceCount=0")), "InvalidParameterValue")
			},
		},
		"aws-2-paging": {
			accepted: func(s *stage) {
				ids := []string{s.create(), s.create(), s.create()}
				first := s.accepted(s.describe("&MaxResults=2"))
				s.says(s.says(first, ids[0]), ids[1])
				token := url.QueryEscape(first.between("nextToken"))
				last := s.accepted(s.describe("&MaxResults=2&NextToken=" + token))
				if s.says(last, ids[2]); strings.Contains(last.body, "nextToken") || strings.Contains(last.body, ids[1]) {
					s.t.Errorf("last page %s", last.body)
				}
			},
			rejected: func(s *stage) {
				s.create()
				s.create()
				token := url.QueryEscape(s.describe("&MaxResults=1").between("nextToken"))
				s.refused(s.describe("&NextToken="), "InvalidParameterValue")
				s.refused(s.describe("&NextToken=made+up"), "InvalidParameterValue")
				s.refused(s.describe("&Filter.1.Name=state&Filter.1.Value.1=active&NextToken="+token), "InvalidParameterValue")
				s.region = "us-west-2"
				s.refused(s.describe("&NextToken="+token), "InvalidParameterValue")
			},
		},
		"aws-2-max-results": {
			accepted: func(s *stage) {
				for _, body := range []string{
					"DescribeCapacityReservations&MaxResults=1", "DescribeCapacityReservations&MaxResults=1000",
					"DescribeInstanceTypes&MaxResults=5", "DescribeInstanceTypes&MaxResults=100",
					"DescribeInstanceTypeOfferings&MaxResults=5", "DescribeInstanceTypeOfferings&MaxResults=1000",
				} {
					s.accepted(s.ec2("Action=" + body))
				}
			},
			rejected: func(s *stage) {
				for _, body := range []string{
					"DescribeCapacityReservations&MaxResults=0", "DescribeCapacityReservations&MaxResults=1001",
					"DescribeInstanceTypes&MaxResults=4", "DescribeInstanceTypes&MaxResults=101",
					"DescribeInstanceTypeOfferings&MaxResults=4", "DescribeInstanceTypeOfferings&MaxResults=1001",
					"DescribeInstances&MaxResults=4", "DescribeTags&MaxResults=x",
				} {
					s.refused(s.ec2("Action="+body), "InvalidParameterValue")
				}
			},
		},
	}
}
