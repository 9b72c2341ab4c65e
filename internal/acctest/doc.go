// Package acctest runs acceptance tests: it drives the real Terraform or
// OpenTofu command line in a workspace of its own, with the provider either
// served by the test process itself, so that a test injects clocks, clouds and
// faults, or as a built binary, so that a test can kill it. It reads back exit
// codes, diagnostics, plans, state and the provider's log.
//
// It knows the two command lines and the plugin protocol. It must not know a
// cloud's API or the rules of capacity: what a test expects of them stays in
// the test. Nothing here downloads anything.
//
// Limits of the served provider: the command line attaches to one server for
// every alias of the provider, so a configuration with aliases needs the
// binary. Each command gets a new server, as each real command gets a new
// process.
package acctest
