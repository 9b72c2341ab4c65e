// Package cloud is the contract between the rules true of every cloud
// (package capacity) and the drivers, one package per cloud below this one.
//
// It knows values and promises: what a reservation is, what a driver must do,
// may not do, and how it must fail. It must not know any cloud, any client
// library, the catalog or Terraform.
//
// # Decisions
//
// A driver states its own rules as data (Capabilities) and as one pure check of
// a wish (Check), so that everything knowable offline is an error at plan time
// and no other package switches on a cloud's name.
//
// What only some clouds can do is an optional interface, looked up with As so
// that wrappers keep it. The alternative, one wide interface that answers
// "unsupported", makes every driver carry every cloud's oddities.
//
// Failover, waiting and recovery decide on fields of Error, never on its text:
// which quota refused, which zones the cloud named, whether a create may have
// been accepted although it failed.
//
// The mark (owner, name, type) goes out with the create and makes a lost answer
// findable; the claim is written afterwards and fences off whoever held the
// object before. They are separate because the idempotency token of a create
// must be the same in a second try, and a claim must not.
package cloud
