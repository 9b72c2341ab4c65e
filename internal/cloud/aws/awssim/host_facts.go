package awssim

func hostFacts() []Fact {
	return append(termFacts(), []Fact{
		{"aws-6-one-of", "AllocateHosts takes exactly one of InstanceType and InstanceFamily, and a Quantity.", "botocore model"},
		{"aws-6-reply", "AllocateHosts answers the ids only, and nothing is made when one host cannot be.", "botocore model; all or none UNVERIFIED"},
		{"aws-6-defaults", "Auto-placement and host recovery are off unless asked for.", "botocore model; of host maintenance UNVERIFIED"},
		{"aws-6-types", "Hosts are for the sizes that say dedicatedHostsSupported.", "moto captures; code UNVERIFIED"},
		{"aws-6-family", "A host of a family has no instance type and allows several.", "botocore model"},
		{"aws-6-recovery", "Of accelerated families G3, G5g, P3 and Inf1 only have host recovery.", "user guide, host recovery; code UNVERIFIED"},
		{"aws-6-token", "AllocateHosts is idempotent by ClientToken.", "EC2 developer guide, idempotency"},
		{"aws-6-tags", "AllocateHosts takes TagSpecification.N, in the singular.", "botocore model"},
		{"aws-6-tag-calls", "CreateTags, DeleteTags and DescribeTags work on hosts and host reservations.", "EC2 API reference"},
		{"aws-6-capacity", "InsufficientHostCapacity is the service's fault, a 5xx.", "EC2 API reference; status 500 UNVERIFIED"},
		{"aws-6-limit", "HostLimitExceeded is by family, and a released host counts a few minutes longer.", "EC2 API reference, ReleaseHosts"},
		{"aws-6-pending", "A pending host becomes available by itself.", "botocore model"},
		{"aws-6-released", "A released host is listed on and cannot be named in a change.", "EC2 API reference, ReleaseHosts; how long UNVERIFIED"},
		{"aws-6-partial", "ModifyHosts and ReleaseHosts answer 200 with what could not be done, its codes with Client. in front.", "EC2 API reference, ReleaseHosts"},
		{"aws-6-modify", "ModifyHosts changes the size within the family of a host that nothing runs on.", "botocore model; codes UNVERIFIED"},
		{"aws-6-max-results", "DescribeHosts pages by 5 to 500, not together with ids.", "botocore model"},
		{"aws-6-filters", "DescribeHosts filters by six attributes and tag-key.", "botocore model"},
		{"aws-6-instances", "A host lists its instances, and DescribeInstances filters by host-id.", "botocore model"},
		{"aws-6-ids", "A host has an id of h- and 17 hexadecimal digits; InvalidHostID is its code.", "EC2 API reference"},
		{"aws-6-not-offered", "Hosts on Outposts are not offered here.", "scope of this simulator"},
	}...)
}

func termFacts() []Fact {
	return []Fact{
		{"aws-6.1-offerings", "Offerings are for one or three years, by family and payment option.", "botocore model; prices UNVERIFIED"},
		{"aws-6.1-none", "A family may have no offering: dl1 here.", "UNVERIFIED which"},
		{"aws-6.1-preview", "A preview tells totals and makes nothing.", "botocore model"},
		{"aws-6.1-family", "An offering is for hosts of its family only.", "user guide, dedicated hosts overview; code UNVERIFIED"},
		{"aws-6.1-covered", "A host has one term at a time and cannot be released before its end.", "user guide, dedicated hosts overview; EC2 API reference"},
		{"aws-6.1-limit-price", "A total up-front cost above LimitPrice is LimitPriceExceeded.", "botocore model; EC2 API reference"},
		{"aws-6.1-token", "PurchaseHostReservation is idempotent by ClientToken.", "botocore model"},
		{"aws-6.1-available", "A term is bought for an available host.", "botocore model; code UNVERIFIED"},
		{"aws-6.1-retired", "At its end a term is retired and stays listed.", "botocore model"},
	}
}
