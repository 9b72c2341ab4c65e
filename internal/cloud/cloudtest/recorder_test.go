package cloudtest_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
)

// recorder is a T that notes how checks end, so that a failing suite is a
// result and not the end of the test.
type recorder struct {
	ctx      context.Context
	name     string
	results  *results
	mu       sync.Mutex // a check may use its T in parallel
	cleanups []func()
	failed   bool
}

// results are the checks by how they ended, with what they said.
type results struct {
	groups          []string // all if none
	passed          []string
	failed, skipped map[string]string
}

// record runs the suite to its end, only the groups that are named if any are.
func record(ctx context.Context, h cloudtest.Harness, groups ...string) *results {
	all := &results{groups: groups, failed: map[string]string{}, skipped: map[string]string{}}
	r := &recorder{ctx: ctx, results: all}
	r.finish(func(t cloudtest.T) { cloudtest.Suite(t, h) })
	return all
}

// failedIn tells whether a check failed with any kind.
func (r *results) failedIn(check string) bool {
	for name := range r.failed {
		if name == check || strings.HasPrefix(name, check+"/") {
			return true
		}
	}
	return false
}

// Helper implements cloudtest.T.
func (r *recorder) Helper() {}

// Context implements cloudtest.T.
func (r *recorder) Context() context.Context { return r.ctx }

// Cleanup implements cloudtest.T.
func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// Logf implements cloudtest.T.
func (r *recorder) Logf(string, ...any) {}

// Errorf implements cloudtest.T.
func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
	r.results.failed[r.name] += fmt.Sprintf(format, args...) + "\n"
}

// Fatalf implements cloudtest.T.
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Skipf implements cloudtest.T.
func (r *recorder) Skipf(format string, args ...any) {
	r.results.skipped[r.name] = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// Run implements cloudtest.T.
func (r *recorder) Run(name string, f func(cloudtest.T)) {
	group, _, _ := strings.Cut(name, "/")
	if len(r.results.groups) > 0 && !slices.Contains(r.results.groups, group) {
		return
	}
	child := &recorder{ctx: r.ctx, name: name, results: r.results}
	child.finish(f)
	if _, skipped := r.results.skipped[name]; !skipped && !child.failed {
		r.results.passed = append(r.results.passed, name)
	}
}

// finish runs f and the cleanups in a goroutine that Fatalf and Skipf may end.
func (r *recorder) finish(f func(cloudtest.T)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for i := len(r.cleanups) - 1; i >= 0; i-- {
				r.cleanups[i]()
			}
		}()
		f(r)
	}()
	<-done
}
