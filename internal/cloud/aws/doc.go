// Package aws is the driver of AWS: EC2 capacity reservations that start at once
// or at a date, capacity blocks, dedicated hosts and the terms bought on them,
// through the AWS SDK for Go.
//
// It knows EC2, STS, Service Quotas and the price list: their requests, states, error codes and
// limits. It must not know the catalog, Terraform, other clouds, or the rules
// true of every cloud; it decides nothing about waiting for capacity, failing
// over or adopting.
//
// # Decisions
//
// Nothing is built before it is used. Each account has one set of credentials
// and each account and region one set of clients, made at first use and kept; a
// load that failed is tried again by the next call.
//
// The SDK repeats a request that was lost or throttled, at most five times and
// never for want of capacity or quota, although EC2 answers the former with
// HTTP 500. Its pauses are taken on our clock, so that tests do not wait, and
// each lost try is remembered: an error that ends a call after one says that the
// cloud may have accepted it.
//
// What takes no token is sent in one try: the purchase of a block and of its
// extension. There only a refusal with a code of AWS's own is certain; whatever
// else comes back may have bought. An offer is bought only if it is exactly what
// the wish asks for.
//
// What is committed is never given up by a release. EC2 publishes no codes for
// what a state refuses, so that a refusal is classed by the object's state and
// commitment, read after it.
//
// A host with a live host reservation is one of kind term. What is bought for
// hosts is read with every live one, by the hosts that a reservation names as
// well as by the one that a host names, whichever reader is late; a reservation
// in a state that is not known counts, so that nothing is bought twice. EC2 does
// not say what releasing such a host does: it is refused here.
//
// A refusal whose code is in no table is never capacity or quota. A 4xx becomes
// Invalid, because repeating it is pointless and Conflict, NotFound and InUse
// each promise a cause that nobody stated; HTTP 404 alone, which a proxy gives
// too, is not NotFound. Everything else becomes Internal.
//
// An EC2 answer with status 200 and no known element is an error, never an
// empty list: the SDK tells an absent set (nil) from an empty one.
package aws
