// Package chaostest interrupts the provider at a counted request and holds it to
// what it promises: from the moment a cloud accepted a create the object is in
// state or found by its mark, nothing is bought twice, and nothing live is given
// up unless it was asked for.
//
// Time is counted in requests, never in seconds: a [Gate] in front of the
// simulated cloud strikes at the k-th request, before it reaches the cloud or
// after the cloud did what it says and before the answer. An [Audit] compares
// the cloud's objects around every request.
//
// Two hands work the same rounds. [Command] runs a real command line with the
// built provider in processes of their own, and signals them. [Inline] is much
// faster: it calls the provider's protocol server in process, in the order in
// which a command line does, and keeps the state itself. There an interrupt is
// the protocol's StopProvider; the death of the command line ends the request's
// context and loses the state; the death of the group cuts the provider off from
// the cloud as well. What Inline does not have is the command line's own
// checking and writing of state.
//
// The package must not know how the provider keeps its promises: it sees HTTP
// requests, the simulator's objects and the protocol, nothing of package
// capacity.
package chaostest
