// Package awssim answers like AWS: EC2's Query API for capacity reservations
// and what goes with them, STS and Service Quotas, behind one URL. It knows
// the wire and the rules behind it from public descriptions (see facts.go) and
// must import neither an AWS SDK nor the driver, so that the two cannot agree
// on a mistake.
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
// Every account may use every region. Placement groups are not kept: any
// well-formed ARN of the caller's account and region is one that exists.
package awssim
