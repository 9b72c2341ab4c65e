package awssim_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

func (s *stage) spotPrices(more string) reply {
	s.t.Helper()
	return s.ec2("Action=DescribeSpotPriceHistory" + more)
}

func (s *stage) scores(more string) reply {
	s.t.Helper()
	return s.ec2("Action=GetSpotPlacementScores" + more)
}

// threeTypes are enough for a score that means something.
const threeTypes = "&InstanceType.1=p4d.24xlarge&InstanceType.2=g5.xlarge&InstanceType.3=g6.xlarge"

// all are the texts of every element of that name.
func (r reply) all(element string) []string {
	var found []string
	for _, part := range strings.Split(r.body, "<"+element+">")[1:] {
		value, _, _ := strings.Cut(part, "<")
		found = append(found, value)
	}
	return found
}

func marketProofs() map[string]proof {
	all := spotProofs()
	maps.Copy(all, scoreProofs())
	return all
}

func spotProofs() map[string]proof {
	p4d := "&InstanceType.1=p4d.24xlarge&ProductDescription.1=Linux%2FUNIX&AvailabilityZone=us-east-1a"
	return map[string]proof{
		"aws-10-spot-history": {
			accepted: func(s *stage) {
				got := s.accepted(s.spotPrices(p4d + "&StartTime=2027-02-20T00:00:00Z&EndTime=2027-02-24T00:00:00Z"))
				times := append(got.all("timestamp"), "2027-02-20T00:00:00Z", "2027-02-24T00:00:00Z")
				if slices.Sort(times); len(times) != 5 || times[1] != "2027-02-20T00:00:00Z" || times[4] != "2027-02-24T00:00:00Z" {
					s.t.Errorf("%v", times)
				}
				if got := len(s.accepted(s.spotPrices(p4d)).all("timestamp")); got != 46 {
					s.t.Errorf("%d in 90 days", got)
				}
				now := s.accepted(s.spotPrices(p4d + "&StartTime=2027-03-01T12:00:00Z"))
				if n := len(now.all("spotPrice")); n != 1 {
					s.t.Errorf("%d prices now", n)
				}
				s.says(s.spotPrices(p4d+"&Filter.1.Name=spot-price&Filter.1.Value.1="+now.between("spotPrice")), now.between("timestamp"))
				s.says(s.spotPrices("&InstanceType.1=p6-b300.48xlarge"), "<spotPriceHistorySet/>")
			},
			rejected: func(s *stage) {
				s.refused(s.spotPrices("&InstanceType.1=z9.huge"), "InvalidParameterValue")
				s.refused(s.spotPrices("&ProductDescription.1=BeOS"), "InvalidParameterValue")
				s.refused(s.spotPrices("&Filter.1.Name=price&Filter.1.Value.1=1"), "InvalidFilter")
				s.refused(s.spotPrices("&StartTime=2027-02-20T00:00:00Z&EndTime=2027-02-19T00:00:00Z"), "InvalidParameterCombination")
			},
		},
		"aws-10-spot-zone": {
			accepted: func(s *stage) {
				got := s.accepted(s.spotPrices("&AvailabilityZoneId=use1-az4&InstanceType.1=g5.xlarge"))
				if zones := got.all("availabilityZoneId"); len(zones) == 0 || zones[0] != "use1-az4" {
					s.t.Error(zones)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.spotPrices("&AvailabilityZoneId=use1-az4&AvailabilityZone=us-east-1a"), "InvalidParameterCombination")
			},
		},
		"aws-10-spot-token": {
			accepted: func(s *stage) {
				page := s.accepted(s.spotPrices(p4d + "&MaxResults=40"))
				rest := s.accepted(s.spotPrices(p4d + "&MaxResults=40&NextToken=" + page.between("nextToken")))
				if n := len(rest.all("spotPrice")); n != 6 {
					s.t.Errorf("%d on the second page", n)
				}
				s.says(rest, "<nextToken/>")
			},
			rejected: func(s *stage) { s.refused(s.spotPrices(p4d+"&NextToken="), "InvalidParameterValue") },
		},
	}
}

func scoreProofs() map[string]proof {
	return map[string]proof{
		"aws-10-scores": {
			accepted: func(s *stage) {
				got := s.accepted(s.scores("&TargetCapacity=8&RegionName.1=us-east-1&RegionName.2=us-west-2" + threeTypes))
				if len(got.all("region")) != 2 || strings.Contains(got.body, "availabilityZoneId") {
					s.t.Error(got.body)
				}
				got = s.accepted(s.scores("&TargetCapacity=8&SingleAvailabilityZone=true" + threeTypes))
				if ids := got.all("availabilityZoneId"); len(ids) != 10 || strings.Contains(ids[0], "us-") {
					s.t.Error(ids)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.scores("&TargetCapacity=8"), "MissingParameter")
				s.refused(s.scores("&TargetCapacity=8&InstanceRequirementsWithMetadata.X=1"), "UnsupportedOperation")
				s.refused(s.scores("&TargetCapacity=8&RegionName.1=mars-1"+threeTypes), "InvalidParameterValue")
				s.refused(s.scores("&TargetCapacity=8&TargetCapacityUnitType=gpus"+threeTypes), "InvalidParameterValue")
				s.refused(s.scores("&TargetCapacity=8&MaxResults=9"+threeTypes), "InvalidParameterValue")
				s.refused(s.scores("&TargetCapacity=8&DryRun=true"+threeTypes), "DryRunOperation")
			},
		},
		"aws-10-score-low": {
			accepted: func(s *stage) {
				zone := "&SingleAvailabilityZone=true&RegionName.1=us-east-1&InstanceType.1=p4d.24xlarge"
				high := s.accepted(s.scores("&TargetCapacity=8&RegionName.1=us-east-1" + threeTypes)).between("score")
				low := s.accepted(s.scores("&TargetCapacity=8" + zone)).between("score")
				if high < "7" && high != "10" || low > "3" {
					s.t.Errorf("three types %s, one %s", high, low)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.scores(threeTypes), "MissingParameter")
				s.refused(s.scores("&TargetCapacity=0"+threeTypes), "InvalidParameterValue")
			},
		},
		"aws-10-score-target": {
			accepted: func(s *stage) { s.accepted(s.scores("&TargetCapacity=100000" + threeTypes)) },
			rejected: func(s *stage) {
				s.refused(s.scores("&TargetCapacity=100001"+threeTypes), "TargetCapacityLimitExceededException")
			},
		},
		"aws-10-score-configs": {
			accepted: func(s *stage) {
				for n := range 50 {
					s.accepted(s.scores(fmt.Sprintf("&TargetCapacity=%d%s", n+1, threeTypes)))
				}
				s.accepted(s.scores("&TargetCapacity=1" + threeTypes))
				s.ok(s.world.Advance(24 * time.Hour))
				s.accepted(s.scores("&TargetCapacity=51" + threeTypes))
			},
			rejected: func(s *stage) {
				for n := range 50 {
					s.accepted(s.scores(fmt.Sprintf("&TargetCapacity=%d%s", n+1, threeTypes)))
				}
				s.refused(s.scores("&TargetCapacity=51"+threeTypes), "MaxConfigLimitExceededException")
			},
		},
	}
}
