package awssim

func futureFacts() []Fact {
	return []Fact{
		{"aws-4.4-families", "Types of the families C, M, R, I, T, G, U and X can be future-dated, P never.", "Go SDK; user guide (U, X); Gr UNVERIFIED"},
		{"aws-4.4-size", "A future-dated reservation has at least 32 vCPUs in total.", "user guide; botocore model"},
		{"aws-4.4-start", "It starts 5 to 120 days ahead.", "botocore model; user guide"},
		{"aws-4.4-commitment", "Its commitment is at least 14 days, for U and X 12 weeks.", "user guide; botocore model (1 to 200000000 s)"},
		{"aws-4.4-match", "It is targeted, delivered incrementally and in no placement group.", "botocore model; codes UNVERIFIED"},
		{"aws-4.4-end", "Its end is not inside its commitment.", "botocore model; code UNVERIFIED"},
		{"aws-4.4-stock", "Its stock is taken at the start; its vCPUs count against the quota from the request on.", "UNVERIFIED"},
		{"aws-4.3-assessing", "An assessed request is scheduled, or unsupported and then shown for 30 days.", "user guide, view"},
		{"aws-4.3-scheduled", "A scheduled reservation becomes active at its start, with no count before; AWS's own tag says the wanted one.", "user guide, view; for future-dated ones the tag and the count UNVERIFIED"},
		{"aws-4.3-delayed", "A missed start makes it delayed and waives the commitment.", "Go SDK; that stock is looked for every hour UNVERIFIED"},
		{"aws-4.5-assessing", "While assessed only the tags can change.", "Go SDK; code UNVERIFIED"},
		{"aws-4.5-scheduled", "While scheduled only the tags and the end date can change.", "user guide, modify (newest copy); code UNVERIFIED"},
		{"aws-4.5-committed", "Within the commitment the count stays at or above the committed one and the end outside.", "Go SDK; codes UNVERIFIED"},
		{"aws-4.6-free", "An assessing, a delayed and an uncommitted active reservation cancel free and without a quote.", "user guide, release"},
		{"aws-4.6-quote", "Cancelling a scheduled or a committed one needs a quote that is not older than 24 hours.", "Go SDK; user guide, release; codes UNVERIFIED"},
		{"aws-4.6-charges", "A cancellation is free 8 weeks before the start, costs 25 % of the commitment up to 2 weeks before, then 50 %, once active 50 % of the rest.", "user guide, release"},
		{"aws-4.6-cancelling", "A charged cancellation is cancelling until the reduced commitment ends, which commitmentEndDate says.", "user guide, release"},
		{"aws-4.6-running", "What is committed cannot be cancelled while instances run in it.", "user guide, release; code UNVERIFIED"},
		{"aws-4.6-quote-token", "The same token makes the same quote.", "botocore model (idempotencyToken)"},
	}
}
