// Package azuresim answers like Azure Resource Manager: the Compute and
// Resources providers as far as capacity reservations need them, the login
// host and the price list, behind one URL. It knows the wire and the rules
// behind it from public descriptions (see facts.go) and must import neither an
// Azure SDK nor the driver, so that the two cannot agree on a mistake.
//
// What is not offered is refused and never ignored:
//
//   - Providers and resource types outside this scope: 404
//     InvalidResourceNamespace and InvalidResourceType, as of a provider or
//     type that does not exist.
//   - VM sizes that are not in the table of sizes: as if they did not exist.
//   - Values of $expand, $filter and resourceIdsOnly that no API has. Other
//     query parameters that mean nothing are passed over, as Azure Resource
//     Manager passes over them.
//   - Fields that no resource has.
//
// Where Azure publishes no text, code or rule, the choice made is in Options
// or beside the code, marked UNVERIFIED.
//
// The login host knows every directory and application, and takes every secret and
// assertion that has the form of one. Its tokens expire by the machine's clock,
// which clients hold them to; the price list is of one day.
//
// Every subscription that is named by a GUID exists and has the resource
// groups of Options. Any bearer token is good for all of them. Every api-version
// of the usual form is known; what was seen to differ by it (etag, type and
// provisioningState of groups, schedules) differs here too. Virtual machines are there as
// users of reservations only: the control API's in_use lists or counts them, a
// number names them after the reservation, and an id that ends in #deallocated
// is a machine that is associated and uses nothing.
//
// The stock of a place is one number. A reservation takes from it when its
// create or growth is accepted, and gives back what is not used when it goes. A
// block keeps it from then to its end; a future reservation takes it at its start.
package azuresim
