// Package googlesim answers like Google Cloud: Compute Engine's REST API for
// reservations and what goes with them, behind one URL and any path prefix. It
// knows the wire and the rules behind it from public descriptions (see
// facts.go) and must import neither a Google SDK nor the driver, so that the
// two cannot agree on a mistake.
//
// What is not offered yet is refused and never ignored:
//
//   - Methods of the real API outside this scope (setIamPolicy, sub-blocks,
//     templates, …): Google's page for paths that do not exist, status 404.
//   - Machine types that are not in types.go, custom ones among them, and
//     instance templates: as if they did not exist.
//   - Aggregate reservations, which are for TPUs: 400 invalid.
//   - The parameters fields and callback and every alt but json: 400 invalid.
//   - Fields and parameters that no API has: as Google's front end refuses them.
//
// Where Google publishes no text, code or rule, the choice made is in Options
// or beside the code, marked UNVERIFIED.
//
// Requests are not signed and every project that is named exists. Its number
// follows from its id; a number of a project that was never named is unknown.
// Virtual machines are there as users of reservations only: the control API's in_use
// lists or counts them, a number names them after the reservation.
// Resource policies are not kept: any well-formed URL is one that exists.
//
// The stock of a place is one number. A reservation takes from it when its
// insert is accepted, and gives back what is not used when it goes.
package googlesim
