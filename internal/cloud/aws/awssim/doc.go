// Package awssim answers like AWS: EC2's Query API for capacity reservations,
// dedicated hosts and what goes with them, STS, Service Quotas and the price
// list, behind one URL. It knows the wire and the rules behind it from public
// descriptions (see facts.go) and must import neither an AWS SDK nor the
// driver, so that the two cannot agree on a mistake.
//
// What is not offered yet is refused and never ignored:
//
//   - Later start dates of future-dated reservations:
//     CreateCapacityReservationDateChangeQuote answers UnsupportedOperation.
//   - Parameters of the real API outside this scope (Outposts, UltraServers,
//     …): UnsupportedOperation with the parameter's name.
//   - Filters of DescribeInstances and DescribeInstanceTypes that the real API
//     has and this one does not: InvalidFilter, like unknown ones.
//   - Parameters that no API has: UnknownParameter; actions: InvalidAction.
//
// Where AWS publishes no error code or rule, the choice made is in Options or
// beside the code, marked UNVERIFIED.
//
// The stock of a place is one number, not one per day: an immediate
// reservation and a capacity block take from it when they are made, a
// future-dated reservation when it starts.
//
// Dedicated hosts are there at once and released at once; a host is one unit
// of the stock of its type, or of its family ("g5") where it takes all sizes.
// One-year and three-year terms exist for families with a price in
// data/prices.csv. Prices of terms and of spot, and scores, are invented but
// always the same; on-demand prices are those of us-east-1.
//
// Every account may use every region. Placement groups are not kept: any
// well-formed ARN of the caller's account and region is one that exists.
package awssim
