package awssim

func marketFacts() []Fact {
	return []Fact{
		{"aws-10-spot-history", "Prices are told 90 days back, and the last one before StartTime comes too.", "botocore model"},
		{"aws-10-spot-zone", "AvailabilityZone and AvailabilityZoneId go alone.", "botocore model"},
		{"aws-10-spot-token", "The last page of prices has an empty NextToken, which cannot be sent.", "botocore model"},
		{"aws-10-scores", "Scores are by Region, or by zone id with SingleAvailabilityZone, the ten best.", "botocore model; the values are invented"},
		{"aws-10-score-low", "Fewer than three types score low; a target is required.", "botocore model"},
		{"aws-10-score-target", "TargetCapacityLimitExceededException is a target above the account's limit.", "EC2 API reference; limit UNVERIFIED"},
		{"aws-10-score-configs", "MaxConfigLimitExceededException is one new configuration too many in 24 hours.", "EC2 API reference; limit UNVERIFIED"},
	}
}
