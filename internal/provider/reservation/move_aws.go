package reservation

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// awsSources are the types of hashicorp/aws that hold one capacity reservation,
// both of schema version 0 (that provider's internal/service/ec2,
// ec2_capacity_reservation.go and ec2_capacity_block_reservation.go).
func awsSources() []source {
	const provider = "hashicorp/aws"
	return []source{
		{provider: provider, typeName: "aws_ec2_capacity_reservation", read: func(state []byte) (moved, error) {
			return readAWS(state, cloud.OnDemand)
		}},
		{provider: provider, typeName: "aws_ec2_capacity_block_reservation", read: func(state []byte) (moved, error) {
			return readAWS(state, cloud.Block)
		}},
	}
}

// awsState is what both types tell, by their names there; what only one of them
// has is empty for the other.
type awsState struct {
	ARN            string            `json:"arn"`
	Zone           string            `json:"availability_zone"`
	InstanceType   string            `json:"instance_type"`
	InstanceCount  int               `json:"instance_count"`
	Platform       string            `json:"instance_platform"`
	Match          string            `json:"instance_match_criteria"`
	Tenancy        string            `json:"tenancy"`
	PlacementGroup string            `json:"placement_group_arn"`
	StartDate      string            `json:"start_date"`
	EndDate        string            `json:"end_date"`
	EndDateType    string            `json:"end_date_type"`
	OfferingID     string            `json:"capacity_block_offering_id"`
	Tags           map[string]string `json:"tags"`
	TagsAll        map[string]string `json:"tags_all"`
}

// readAWS reads the state of either type. The kind is what the type is for; the
// first read corrects it where the object is of another.
func readAWS(state []byte, kind cloud.Kind) (moved, error) {
	var s awsState
	if err := json.Unmarshal(state, &s); err != nil {
		return moved{}, err
	}
	part := strings.Split(s.ARN, ":")
	if len(part) != 6 || part[0] != "arn" || part[2] != "ec2" || !strings.HasPrefix(part[5], "capacity-reservation/") {
		return moved{}, fmt.Errorf("its arn %q is not that of a capacity reservation", s.ARN)
	}
	r := cloud.Reservation{
		Ref: cloud.Ref{NativeID: s.ARN}, Region: part[3], AccountID: part[4], Zone: s.Zone, Kind: kind,
		InstanceType: s.InstanceType, Count: s.InstanceCount, Match: cloud.MatchCriteria(s.Match),
		NativeName: s.TagsAll["Name"], Tags: s.TagsAll,
		Native: map[string]string{"platform": s.Platform, "tenancy": s.Tenancy, "placement_group_arn": s.PlacementGroup},
	}
	if r.Match == "" { // a block is targeted, without a word
		r.Match = cloud.Targeted
	}
	var err error
	if r.StartsAt, err = awsTime(s.StartDate); err != nil {
		return moved{}, err
	}
	if s.EndDateType == "limited" {
		r.EndsAt, err = awsTime(s.EndDate)
	}
	return moved{reservation: r, ownTags: s.Tags, offerID: s.OfferingID}, err
}

func awsTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, text)
}
