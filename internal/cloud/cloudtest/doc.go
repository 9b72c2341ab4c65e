// Package cloudtest is the conformance suite: it states every promise of the
// contract in package cloud as a check and runs it against a driver.
//
// It knows the contract and no cloud. A driver's test supplies a World: a fresh
// cloud and the means to make it scarce, slow or forgetful. A means that is not
// given skips the checks that need it, with the reason; against a simulator all
// are given.
//
// The checks run against the small interface T and not *testing.T, so that a
// test can watch the suite itself fail a cloud that is broken on purpose.
package cloudtest
