// Package sim is the simulated world that every cloud's simulator stands in:
// its clock, stock, quotas, faults, throttling, objects, tokens and call log,
// the HTTP control API over them, and the road each request takes through
// them. It knows no cloud: names, shapes and error bodies come from the Cloud
// that registers itself. It must not import a driver, a cloud's SDK or
// anything of Terraform.
//
// A world lives in memory, or in a file that several processes share (see
// Options.StatePath). Everything happens inside a transaction, Tx; no two
// transactions of one world overlap, in one process or in several.
//
// Decisions kept here because they close other doors:
//
//   - Randomness is a hash of a seed and a counter that are part of the state,
//     so that it neither repeats between processes nor needs a shared source.
//   - What falls due is found by looking at Object.Due at the start of each
//     transaction, not by timers: a clock that jumps needs nobody to wake.
//   - Throttle buckets refill by the larger of virtual and wall time. A test
//     whose provider sleeps on a jumping clock and a client that sleeps for
//     real both find tokens again.
package sim
