// Package capacity holds the rules that are true of every cloud: create once,
// wait, adopt, fence, release, and say how it ended. It decides on the contract
// of package cloud and must know no driver, no wire format and no Terraform; it
// hands back values, notices and failures that an adapter can show.
//
// # How a create ends
//
// Terraform taints whatever is returned together with an error. So Create has
// four ends: (a) nothing exists: a Failure and no reservation; (b) the object is
// known and good or still pending: a Result with notices and no error; (c) the
// outcome is unknown and there is no id: a Failure that names the place and the
// mark by which the next run finds it; (d) an unusable leftover could not be
// removed: a Failure and a Result with the object.
package capacity
