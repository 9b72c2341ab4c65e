package awssim

func pricingFacts() []Fact {
	return []Fact{
		{"aws-10-pricing-products", "GetProducts answers products as JSON in strings, the price of an hour in USD with ten decimals.", "botocore model; public copies of answers"},
		{"aws-10-pricing-filters", "Filters are on attributes: TERM_MATCH, EQUALS, CONTAINS, ANY_OF, NONE_OF.", "botocore model; that unknown fields are refused UNVERIFIED"},
		{"aws-10-pricing-variants", "A type has products by system, software, tenancy, license and capacity status, with reserved terms.", "public copies of answers; rates invented"},
		{"aws-10-pricing-paging", "GetProducts pages by 1 to 100.", "botocore model"},
		{"aws-10-pricing-regions", "The API has endpoints in us-east-1, eu-central-1 and ap-south-1 only.", "botocore endpoints; the refusal UNVERIFIED"},
		{"aws-10-pricing-metadata", "DescribeServices and GetAttributeValues tell what to filter by.", "botocore model"},
	}
}
