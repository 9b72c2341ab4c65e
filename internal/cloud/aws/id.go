package aws

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

var (
	regionForm = regexp.MustCompile(`^[a-z]{2,4}(-[a-z]+){1,2}-\d+$`)
	// shortForm is wider than what EC2 gives out (17 hexadecimal digits): the
	// cloud decides what it knows.
	shortForm  = regexp.MustCompile(`^(cr|h)-[0-9A-Za-z]+$`)
	numberForm = regexp.MustCompile(`^\d{12}$`)
)

const idForms = "arn:aws:ec2:us-east-1:123456789012:capacity-reservation/cr-0123456789abcdef0, " +
	"us-east-1/cr-0123456789abcdef0 or cr-0123456789abcdef0, " +
	"and the same with dedicated-host/h-0123456789abcdef0 for a dedicated host"

// resource is a sort of native object, as its ARN spells it.
type resource string

const (
	resourceReservation resource = "capacity-reservation"
	resourceHost        resource = "dedicated-host"
)

// resourceOf is the sort of object that a short id is of; "" is none of ours.
func resourceOf(short string) resource {
	switch match := shortForm.FindStringSubmatch(short); {
	case match == nil:
		return ""
	case match[1] == "h":
		return resourceHost
	}
	return resourceReservation
}

// name is a native object's ARN in parts; the id tells the resource.
type name struct {
	partition, region, account, id string
}

func (n name) resource() resource { return resourceOf(n.id) }

func (n name) String() string {
	return "arn:" + n.partition + ":ec2:" + n.region + ":" + n.account + ":" + string(n.resource()) + "/" + n.id
}

// parseName reads a native id.
func parseName(arn string) (name, error) {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) != 6 || parts[0] != "arn" {
		return name{}, badID(arn, "it is not an ARN")
	}
	n := name{partition: parts[1], region: parts[3], account: parts[4]}
	sort, id, _ := strings.Cut(parts[5], "/")
	n.id = id
	switch {
	case parts[2] != "ec2" || !slices.Contains([]resource{resourceReservation, resourceHost}, resource(sort)):
		return name{}, badID(arn, "it names another resource than a capacity reservation or a dedicated host")
	case !regionForm.MatchString(n.region):
		return name{}, badID(arn, "its region is not one")
	case n.partition != partitionOf(n.region):
		return name{}, badID(arn, "region "+n.region+" is in partition "+partitionOf(n.region))
	case !numberForm.MatchString(n.account):
		return name{}, badID(arn, "its account is not a number of 12 digits")
	case n.resource() != resource(sort):
		return name{}, badID(arn, "its last part is not the id of a "+sort)
	}
	return n, nil
}

func badID(id, why string) error {
	return &cloud.Error{
		Code:    cloud.Invalid,
		Message: cloud.Clean("\"" + id + "\" is not the id of a capacity reservation or a dedicated host: " + why + "; forms are " + idForms),
	}
}

// partitionOf is the partition of a region (endpoint rules of the SDK,
// partitions.json: each partition by its region pattern).
func partitionOf(region string) string {
	for _, p := range []struct{ prefix, partition string }{
		{"cn-", "aws-cn"},
		{"us-gov-", "aws-us-gov"},
		{"us-iso-", "aws-iso"},
		{"us-isob-", "aws-iso-b"},
		{"eu-isoe-", "aws-iso-e"},
		{"us-isof-", "aws-iso-f"},
		{"eu-isof-", "aws-iso-f"},
		{"eusc-", "aws-eusc"},
	} {
		if strings.HasPrefix(region, p.prefix) {
			return p.partition
		}
	}
	return "aws"
}

// arnOf is the native id of an object; an answer without an ARN has its parts.
func arnOf(region string, r ec2types.CapacityReservation) string {
	if arn := awssdk.ToString(r.CapacityReservationArn); arn != "" {
		return arn
	}
	return name{
		partition: partitionOf(region), region: region,
		account: awssdk.ToString(r.OwnerId), id: awssdk.ToString(r.CapacityReservationId),
	}.String()
}

// ParseID implements cloud.Importer.
func (c *Cloud) ParseID(ctx context.Context, account, id string) (cloud.Ref, error) {
	id = strings.TrimSpace(id)
	if strings.HasPrefix(id, "arn:") {
		n, err := parseName(id)
		if err != nil {
			return cloud.Ref{}, err
		}
		return cloud.Ref{Account: c.holderOf(ctx, account, n.account), NativeID: id}, nil
	}
	region, short, placed := strings.Cut(id, "/")
	if !placed {
		region, short = "", id
	}
	switch {
	case resourceOf(short) == "":
		return cloud.Ref{}, badID(id, "it has none of the forms")
	case placed && !regionForm.MatchString(region):
		return cloud.Ref{}, badID(id, "\""+region+"\" is not a region")
	}
	p, err := c.place(ctx, account, region)
	if err != nil {
		return cloud.Ref{}, err
	}
	number, err := c.AccountID(ctx, account)
	if err != nil {
		return cloud.Ref{}, err
	}
	n := name{partition: partitionOf(p.region), region: p.region, account: number, id: short}
	return cloud.Ref{Account: account, NativeID: n.String()}, nil
}

// holderOf is the configured account whose number an ARN names, where none was
// asked for: the default one, else the first by its key. One that cannot be used
// is passed over; without a match the default one is asked, which sees what is
// shared with it.
func (c *Cloud) holderOf(ctx context.Context, asked, number string) string {
	if asked != "" || len(c.cfg.Accounts) == 0 {
		return asked
	}
	for _, account := range append([]string{""}, slices.Sorted(maps.Keys(c.cfg.Accounts))...) {
		if id, err := c.AccountID(ctx, account); err == nil && id == number {
			return account
		}
	}
	return ""
}
