package awssim

func blockFacts() []Fact {
	return []Fact{
		{"aws-5-types", "Blocks are of types whose usage classes have capacity-block.", "user guide; code UNVERIFIED"},
		{"aws-5-count", "A block has 1 to 64 instances.", "botocore model; user guide"},
		{"aws-5-length", "A block lasts 1 to 14 days, or a multiple of 7 days up to 182.", "botocore model"},
		{"aws-5-offers", "At most 6 offers are shown; blocks end at 11:30 UTC, and those that start at once are shorter or longer than asked.", "user guide; aws-samples/sample-aws-batch-capacity-block-reservations; which ones UNVERIFIED"},
		{"aws-5-start", "A block starts 30 minutes to 8 weeks ahead, within the dates of the search.", "user guide"},
		{"aws-5-price", "The fee is the published rate for the real length, in whole dollars as text.", "pricing page; aws-samples/sample-aws-batch-capacity-block-reservations; the surcharge of up to 7.5 % by zone and day UNVERIFIED"},
		{"aws-5-ultraserver", "UltraServers are not offered here.", "scope of this simulation"},
		{"aws-5-offer-id", "An offer's id can be malformed, unknown or expired, each with its code.", "EC2 API reference; that it is good for an hour UNVERIFIED"},
		{"aws-5-platform", "A block is bought for one of five platforms.", "user guide"},
		{"aws-5-purchase", "A purchase has no token: each call buys again.", "Go SDK; botocore model"},
		{"aws-5-stock", "A purchase takes the stock, and without any is refused.", "UNVERIFIED"},
		{"aws-5-limit", "Blocks of one date have at most 256 instances together.", "user guide (by organization); code UNVERIFIED"},
		{"aws-5-payment", "A purchase is payment-pending, then scheduled, or payment-failed after 12 hours.", "user guide"},
		{"aws-5-tags", "Blocks are tagged as TagSpecification.N of capacity-reservation or capacity-block.", "botocore model; hashicorp/terraform-provider-aws"},
		{"aws-5-system-tags", "AWS's own tags say that it is a block and of how many instances; nobody else changes them.", "user guide, view"},
		{"aws-5-counts", "Until it is active a block shows no instances.", "user guide, view"},
		{"aws-5-never", "A block cannot be modified or cancelled.", "user guide; code UNVERIFIED"},
		{"aws-5-quota", "Blocks do not count against the vCPU quotas.", "user guide"},
		{"aws-5-end", "30 minutes before its end the instances of a block are ended.", "user guide"},
		{"aws-5-status", "The status counts what can be launched; the interconnect is known while active.", "botocore model; before that UNVERIFIED"},
		{"aws-5-extend", "An extension moves the end date when its payment succeeded, and then only.", "user guide, extend; botocore model"},
		{"aws-5-extend-window", "A block is extended from 56 days to 1 hour before its end, one payment at a time.", "user guide, extend; codes UNVERIFIED"},
		{"aws-5-extend-length", "Extensions are as long as blocks can be, and all together 182 days.", "user guide, extend; that the sum may be any number of days UNVERIFIED"},
		{"aws-5-extend-payment", "An extension fails that is not paid within 12 hours and 35 minutes before the end.", "user guide, extend"},
		{"aws-8-block-bucket", "Offers and purchases of blocks have a bucket of 10 that refills by 0.15 per second.", "EC2 developer guide, throttling"},
	}
}
