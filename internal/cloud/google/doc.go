// Package google is the driver of Google Cloud: Compute Engine reservations and
// future reservations, in the default and in the calendar mode, through Google's
// Cloud client library.
//
// It knows Compute Engine and Resource Manager: their requests, states, error
// codes and limits. It must not know the catalog, Terraform, other clouds, or the
// rules true of every cloud; it decides nothing about waiting for capacity,
// failing over or adopting.
//
// # Decisions
//
// Nothing is built before it is used. There is one set of clients and of
// credentials, made at first use and kept; the project is part of each request.
// A load that failed is tried again by the next call. Where the endpoint is plain
// HTTP no credentials are read or sent: a token must not travel in the clear.
//
// The client library repeats some reads by its own clock, loses the context of
// aggregated lists and takes an operation that failed without an HTTP status for
// a success. So its retries are switched off, its waiting is not used, and this
// package repeats requests and polls operations itself, on a clock that tests
// replace.
//
// A write is repeated if its answer was lost, because it carries a request id
// and Compute Engine answers a repeated id with the first operation. The id comes
// of the caller's token, so that another process joins the operation that an
// interrupted one began. The same id also brings back an operation that failed
// long ago; its insertion time tells, and the next id is used instead.
//
// Names are native: what the name finds is ours only by the mark in its
// description. An object that appears after a lost answer is therefore compared,
// never assumed.
//
// A call that ends while its operation runs says in its error that the cloud may
// have accepted it. Nothing is rolled back: the same call again joins what runs.
//
// The account of a reservation is the project's id. Compute Engine shows the
// projects that a reservation is shared with by number; Resource Manager tells
// the ids, and what it does not tell is kept apart as unresolved.
//
// A future reservation and the reservation that it creates at its start are one:
// the future one, with the use that is made of the other. It is submitted at
// once, under a fixed name, and always deletes what it created. Until it locks it
// is given up by a cancellation and a deletion, because a cancelled request keeps
// its name; from the lock to its end nothing is given back; after its end both are
// removed, the created one first, so that an interrupted removal finds it again.
package google
