package awssim

// Fact is one thing about AWS that this simulator imitates. A test holds, for
// each, one raw request that is accepted and one that is rejected because of
// it.
type Fact struct {
	// ID is "aws-", the section of the fact sheet, and a word.
	ID string
	// Sentence says what is imitated.
	Sentence string
	// Source is where it was learned; UNVERIFIED marks a choice.
	Source string
}

// Facts lists what is imitated.
func Facts() []Fact {
	var all []Fact
	all = append(all, wireFacts()...)
	all = append(all, createFacts()...)
	all = append(all, lifeFacts()...)
	all = append(all, changeFacts()...)
	all = append(all, futureFacts()...)
	all = append(all, blockFacts()...)
	all = append(all, hostFacts()...)
	all = append(all, marketFacts()...)
	all = append(all, pricingFacts()...)
	return append(all, errorFacts()...)
}

func wireFacts() []Fact {
	return []Fact{
		{"aws-2-request", "A request is POST / with a form body that has Action and Version 2016-11-15.", "probe of the Go SDK"},
		{"aws-2-auth", "The Authorization header is Signature Version 4 over host and x-amz-date at least.", "probe of the Go SDK"},
		{"aws-2-region-in-scope", "The region stands in the credential scope only.", "probe of the Go SDK"},
		{"aws-2-attempt", "Amz-Sdk-Request carries the client's count of its tries, on good and bad requests.", "probe of the Go SDK"},
		{"aws-2-gzip", "Clients always offer gzip; plain answers are fine.", "probe of the Go SDK"},
		{"aws-2-scalars", "Booleans are true or false, integers decimal, spaces arrive as +.", "probe of the Go SDK"},
		{"aws-2-lists", "Lists are Name.1, Name.2, without .member.", "probe of the Go SDK"},
		{"aws-2-filters", "Filters are Filter.N.Name and Filter.N.Value.M; all must pass, any value does.", "probe of the Go SDK"},
		{"aws-2-tag-specifications", "CreateCapacityReservation takes TagSpecifications.N, in the plural.", "probe of the Go SDK; botocore model"},
		{"aws-2-id-lists", "CreateTags and DeleteTags take ResourceId.N with Tag.N.Key and Tag.N.Value.", "Go SDK serializers"},
		{"aws-2-timestamp-out", "Timestamps come in UTC with up to milliseconds, trailing zeros dropped.", "Go SDK FormatDateTime"},
		{"aws-2-timestamp-in", "Timestamps are taken with or without fraction and offset.", "Go SDK ParseDateTime; botocore sends microseconds"},
		{"aws-2-success-xml", "The root is <ActionResponse> in the version's namespace, its first child <requestId>.", "EC2 API reference samples"},
		{"aws-2-empty-list", "An empty list is an element without items.", "Go SDK deserializers"},
		{"aws-2-error-xml", "An error is <Response><Errors><Error><Code/><Message/></Error></Errors><RequestID/></Response>.", "EC2 API reference"},
		{"aws-2-dry-run", "A dry run that would succeed is the error DryRunOperation.", "EC2 API reference; status 412 UNVERIFIED"},
		{"aws-2-paging", "MaxResults and NextToken page; a foreign or empty NextToken is refused.", "boto/boto3#2673"},
		{"aws-2-max-results", "MaxResults has bounds that differ by operation.", "botocore model"},
		{"aws-3-empty-region", "An SDK without a region signs an empty one, which no service accepts.", "probe of the Go SDK"},
	}
}

func createFacts() []Fact {
	return []Fact{
		{"aws-4.1-required", "InstanceType, InstancePlatform and InstanceCount are required.", "botocore model"},
		{"aws-4.1-platform", "InstancePlatform is one of an enum.", "Go SDK enums"},
		{"aws-4.1-zone", "One of AvailabilityZone and AvailabilityZoneId is needed, and it must be of the region.", "botocore model; user guide"},
		{"aws-4.1-tenancy", "Tenancy is default or dedicated.", "botocore model"},
		{"aws-4.1-count", "InstanceCount of a create is 1 to 1000.", "boto/boto3#2962"},
		{"aws-4.1-end-date", "EndDate is needed with EndDateType limited and only with it.", "botocore model; codes UNVERIFIED"},
		{"aws-4.1-match", "InstanceMatchCriteria is open, the default, or targeted.", "botocore model"},
		{"aws-4.1-tags", "Tags at creation are of resource type capacity-reservation.", "botocore model"},
		{"aws-4.1-placement-group", "PlacementGroupArn names a group of the caller.", "botocore model"},
		{"aws-4.1-token-form", "ClientToken has at most 64 ASCII characters.", "EC2 developer guide, idempotency"},
		{"aws-4.1-future-dated", "StartDate, CommitmentDuration and DeliveryPreference come together or not at all.", "botocore model"},
		{"aws-4.2-object", "A reservation has an id of cr- and 17 hexadecimal digits and an ARN.", "EC2 API reference; user guide"},
		{"aws-4.2-return", "Modify and Cancel answer <return>true</return>.", "Go SDK deserializers"},
	}
}

func lifeFacts() []Fact {
	return []Fact{
		{"aws-4.3-pending", "A pending reservation becomes active by itself and cannot be modified before.", "user guide, view"},
		{"aws-4.3-failed", "A failed reservation is shown for 60 minutes.", "user guide, view"},
		{"aws-4.3-expired", "At its end date a reservation expires and stays visible; it cannot be cancelled then.", "user guide, view"},
		{"aws-4.3-cancelled", "A cancelled reservation stays visible with its counts, and gives its capacity back.", "aws/aws-cli describe example"},
		{"aws-4.3-no-capacity", "An immediate create without stock is refused at once.", "hashicorp/terraform-provider-aws#34345"},
	}
}

func changeFacts() []Fact {
	return []Fact{
		{"aws-4.5-states", "Of immediate reservations only an active one can be modified.", "user guide, modify; code UNVERIFIED"},
		{"aws-4.5-step", "One Modify changes the count by at most 1000.", "botocore model"},
		{"aws-4.5-end-date", "Modify to limited needs EndDate; to unlimited takes none.", "botocore model"},
		{"aws-4.5-match", "The match criteria change only while nothing runs in the reservation.", "user guide, modify; code UNVERIFIED"},
		{"aws-4.5-growth", "A count increase can lack capacity and then changes nothing.", "EC2 API reference"},
		{"aws-4.5-below-use", "A count below the use is refused.", "UNVERIFIED, see Options.ShrinkBelowUse"},
		{"aws-4.6-active", "An active reservation cancels at once, with instances running.", "user guide, release"},
		{"aws-4.6-other", "In other states a cancel is refused.", "code UNVERIFIED"},
		{"aws-4.7-filters", "Describe filters by type, owner, platform, zone, tenancy, state, dates, match, group and tags.", "botocore model; tags UNVERIFIED"},
		{"aws-4.7-all-or-nothing", "Of known and unknown ids together none is described.", "UNVERIFIED for this operation"},
		{"aws-4.7-token-replay", "The same token with the same parameters makes nothing new and shows the present state.", "EC2 developer guide, idempotency"},
		{"aws-4.7-token-zone", "Another zone is no mismatch of a token.", "EC2 developer guide; what happens then UNVERIFIED"},
		{"aws-4.7-usage", "GetCapacityReservationUsage tells users by account.", "botocore model"},
	}
}

func errorFacts() []Fact {
	return []Fact{
		{"aws-7-capacity", "InsufficientInstanceCapacity is HTTP 500.", "nib-health-funds/hammertime#29"},
		{"aws-7-request-limit", "RequestLimitExceeded is HTTP 503.", "hashicorp/terraform#6096"},
		{"aws-7-instance-limit", "InstanceLimitExceeded refuses what is above the vCPU quota, used or not.", "EC2 API reference"},
		{"aws-7-vcpu-limit", "VcpuLimitExceeded says the same for instances.", "bentoml/bentoctl#202; for reservations UNVERIFIED"},
		{"aws-7-not-found", "InvalidCapacityReservationId.NotFound names the id.", "hashicorp/terraform-provider-aws#36716"},
		{"aws-7-malformed", "InvalidCapacityReservationId.Malformed is an id of another form.", "EC2 API reference"},
		{"aws-7-mismatch", "IdempotentParameterMismatch is a token with other parameters.", "EC2 developer guide, idempotency"},
		{"aws-7-unsupported", "Unsupported is a type that the zone does not offer.", "EC2 API reference"},
		{"aws-7-auth-failure", "AuthFailure for bad keys is HTTP 401.", "FoxxMD/laravel-elasticbeanstalk-cron#15"},
		{"aws-7-unauthorized", "UnauthorizedOperation is HTTP 403 and comes by fault only.", "hashicorp/terraform-provider-aws#4664"},
		{"aws-7-filter", "InvalidFilter is a filter that the operation does not have.", "EC2 API reference"},
		{"aws-7-request-expired", "RequestExpired is a clock off by more than 15 minutes.", "EC2 API reference"},
		{"aws-7-tag-limit", "TagLimitExceeded is the 51st tag; those of AWS do not count.", "EC2 API reference"},
		{"aws-7-unknown-action", "InvalidAction is an action that does not exist.", "EC2 API reference"},
		{"aws-7-unknown-parameter", "UnknownParameter is a parameter that the action does not have.", "EC2 API reference"},
	}
}
