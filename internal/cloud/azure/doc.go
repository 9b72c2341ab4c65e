// Package azure is the driver of Azure: capacity reservations in their groups, of
// the types Targeted, Open, Block and Future, through Azure's resource manager
// client library.
//
// It knows Azure Resource Manager and Microsoft.Compute: their requests, states,
// error codes and limits. It must not know the catalog, Terraform, other clouds, or
// the rules true of every cloud; it decides nothing about waiting for capacity,
// failing over or adopting.
//
// # Decisions
//
// Nothing is built before it is used. There is one connection and one credential,
// made at first use; a set of clients for each subscription on top of them. Where
// the endpoint is plain HTTP a fixed text is sent as the token: a real one must not
// travel in the clear.
//
// What the client library does by itself is switched off: retries (they honor no
// wait above a minute, and none of ours), the registration of resource providers,
// and its waiting for operations, which goes by its own clock. It still tells how an
// operation is looked at, and this package decides when.
//
// One reservation is two objects: a group and, in it, the reservation itself. A
// group of our own has the reservation's name and its mark; it is made before the
// reservation and removed after it, so that whatever is left of an interrupted run
// is found under that name. A group that was given is never changed.
//
// A PUT onto an object that exists would change it. Everything is therefore read
// first, a PUT is sent only where nothing was found, and its answer, if it is lost,
// is read again. Writes to one object go one at a time.
//
// A count that was refused stays on the object as its wish and leaves it unusable,
// so that a refused growth is taken back in the same call; where even that fails,
// the object is shown as unsettled.
//
// A reservation is listed by its group. The groups of a resource group come from one
// list for all calls of a refresh; a group with one reservation takes one request more,
// one with several takes two, since lists have no instance views.
//
// A release tags the group before it removes the reservation: a group without a
// reservation is then told apart from one whose reservation somebody else took out.
package azure
