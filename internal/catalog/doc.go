// Package catalog holds what is known of clouds' GPU offers before anyone asks
// a cloud: instance types, accelerators, zones and list prices. It knows no SDK,
// no Terraform and no live state, and drivers never import it. It advises and
// estimates; it never refuses what it does not list, because its rows age.
//
// Nothing is read at start: [Load] parses the embedded files when it is called.
// A caller that wants one lazy copy keeps sync.OnceValues(catalog.Load) in the
// value that owns it.
//
// # Files
//
// All rows are in data/, one set of files per cloud and two for all:
//
//	sources.csv                  every source once: a short name, its citation
//	gpu_models.csv               accelerators
//	<cloud>_instance_types.csv   shape of a type: GPUs, memory, vCPUs, quota if known
//	<cloud>_prices.csv           list price by region, type and kind
//	<cloud>_zones.csv            zones, and which listed types each offers
//
// Every row has as_of (YYYY-MM-DD, or YYYY-MM where the day is not known),
// verification ("read": the figures were read in the sources named; "recalled":
// nothing confirmed them) and source (names in sources.csv, separated by
// spaces). Loading checks every row, so a bad one fails this package's tests.
//
// # Adding rows
//
//  1. Read the figure in a source, best in an answer of the cloud itself. What
//     was not read is marked recalled, or left out.
//  2. Add the source to sources.csv if it is new: with a commit, a version or a
//     date, so that others find the same text.
//  3. Write the row. Numbers are integers in the unit of the column name; GPUs
//     per instance are exact ("1/8"; for EC2 that is logicalGpuCount times
//     gpuPartitionSize when count is 0). Money is in micros of its currency. Where
//     a cloud does not report what a device has of memory, the row holds what the
//     same device has in another cloud, with that source.
//  4. A price holds for the region it was read for and for no other: give each
//     region its own row. A price not known has no row, and the look-up says so.
//  5. naming is "account" where a cloud gives zone names to zones per account
//     (AWS's oldest regions, all of Azure): there only the zone id says which zone
//     is meant, and zones of several regions may share a name (Azure's "1").
//     instance_types lists only types of this catalog. A type that no zone of the
//     cloud lists counts as not known, not as not offered; so does one that has a
//     price in a region where no zone lists it.
//  6. Only what is a type in the cloud's own list is a row: Google's N1 machine
//     types have GPUs only when some are attached, so they are none. What was
//     retired is no row (Azure's NC v3, NV v3 and NV v4), nor is what has a
//     fraction that no source gives.
//  7. Run this package's tests.
package catalog
