package cloudtest_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
)

// notZero is nil for the zero time.
func notZero(at *time.Time) *time.Time {
	if at != nil && at.IsZero() {
		return nil
	}
	return at
}

// brokenHarness makes in-memory worlds with a fault planted in the cloud.
func brokenHarness(plant func(*broken)) cloudtest.Harness {
	return func(cloudtest.T) cloudtest.World {
		jump := clocktest.NewJump(memtest.Start())
		b := &broken{Cloud: mem.New(mem.Options{Clock: jump}), seen: map[string]bool{}}
		plant(b)
		w := memtest.WorldOf(b.Cloud, jump)
		w.Cloud = b
		return w
	}
}

// brokenNative makes in-memory worlds of a native cloud with a fault planted in
// it.
func brokenNative(plant func(*broken)) cloudtest.Harness {
	return func(cloudtest.T) cloudtest.World {
		jump := clocktest.NewJump(memtest.Start())
		b := &broken{Cloud: mem.New(memtest.NativeOptions(jump)), seen: map[string]bool{}}
		plant(b)
		w := memtest.NativeWorldOf(b.Cloud, jump)
		w.Cloud = b
		return w
	}
}

// brokenGrouped makes in-memory worlds of a grouped cloud with a fault planted in
// it.
func brokenGrouped(plant func(*broken)) cloudtest.Harness {
	return func(cloudtest.T) cloudtest.World {
		jump := clocktest.NewJump(memtest.Start())
		b := &broken{Cloud: mem.New(memtest.GroupedOptions(jump)), seen: map[string]bool{}}
		plant(b)
		w := memtest.GroupedWorldOf(b.Cloud, jump)
		w.Cloud = b
		return w
	}
}

func TestSuitePassesCorrectCloud(t *testing.T) {
	t.Parallel()
	// A cloud of names gives nothing up against a charge.
	lacks := "not checked: the harness has no Cancellable"
	for name, correct := range map[string]cloudtest.Harness{
		"numbered": brokenHarness(func(*broken) {}), "native": brokenNative(func(*broken) {}),
		"grouped": brokenGrouped(func(*broken) {}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := record(t.Context(), correct)
			maps.DeleteFunc(got.skipped, func(_, why string) bool {
				return strings.HasPrefix(why, "not applicable: ") || name != "numbered" && why == lacks
			})
			if len(got.failed) > 0 || len(got.skipped) > 0 {
				t.Errorf("failed: %v, skipped: %v; want none", got.failed, got.skipped)
			}
			if len(got.passed) < 100 {
				t.Errorf("only %d checks ran", len(got.passed))
			}
		})
	}
}

func TestSuiteFailsBrokenClouds(t *testing.T) {
	t.Parallel()
	faults := faultyCreates()
	maps.Copy(faults, faultyReads())
	maps.Copy(faults, faultyWrites())
	maps.Copy(faults, faultyCommitments())
	maps.Copy(faults, faultyPurchases())
	maps.Copy(faults, faultyExtensions())
	maps.Copy(faults, faultyMarkets())
	maps.Copy(faults, faultyKinds())
	failsEach(t, faults, brokenHarness)
}

func TestSuiteFailsBrokenNativeClouds(t *testing.T) {
	t.Parallel()
	faults := faultyNames()
	maps.Copy(faults, faultyShares())
	maps.Copy(faults, faultyMixes())
	maps.Copy(faults, faultyWindows())
	maps.Copy(faults, faultyUntagged())
	failsEach(t, faults, brokenNative)
}

func TestSuiteFailsBrokenGroupedClouds(t *testing.T) {
	t.Parallel()
	faults := faultyGroups()
	maps.Copy(faults, faultyGiven())
	maps.Copy(faults, faultyRegions())
	maps.Copy(faults, faultyLeftovers())
	maps.Copy(faults, faultyPreflights())
	maps.Copy(faults, faultyFixed())
	failsEach(t, faults, brokenGrouped)
}

// failsEach demands that each fault is seen by the check that is meant to.
func failsEach(t *testing.T, faults map[string]fault, harness func(plant func(*broken)) cloudtest.Harness) {
	t.Helper()
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			group, _, _ := strings.Cut(f.check, "/")
			got := record(t.Context(), harness(f.plant), group, "users", "wish")
			if !got.failedIn(f.check) {
				t.Errorf("%s passed; failed were: %v", f.check, got.failed)
			}
			if len(got.passed) == 0 {
				t.Errorf("every check failed: the fault is not the one it says")
			}
		})
	}
}

// TestSuiteSkipsWithReason: what a harness lacks is said, check by check.
func TestSuiteSkipsWithReason(t *testing.T) {
	t.Parallel()
	got := record(t.Context(), func(cloudtest.T) cloudtest.World {
		w := memtest.WorldOf(mem.New(mem.Options{}), clocktest.NewJump(memtest.Start()))
		return cloudtest.World{Cloud: coreOnly{w.Cloud}, Wishes: map[cloud.Kind]cloud.Spec{
			cloud.OnDemand: w.Wishes[cloud.OnDemand],
		}}
	})
	want := map[string]string{
		"refused/capacity/on_demand":  "not checked: the harness has no SetCapacity",
		"lost/update/on_demand":       "not checked: the harness has no Lose",
		"import/native-id/on_demand":  "not checked: the cloud is no Importer",
		"list/only-its-scope":         "not checked: the harness has no Elsewhere",
		"quotas/same-scope/on_demand": "not checked: the harness has no SetQuota",
	}
	for check, reason := range want {
		if got.skipped[check] != reason {
			t.Errorf("%s: skipped with %q, want %q", check, got.skipped[check], reason)
		}
	}
	if !got.failedIn("capabilities/backed") {
		t.Errorf("a cloud that cannot do what it promises passed: %v", got.failed)
	}
}

// TestSuiteWithoutMeansOfPurchases: what cannot be staged is skipped, and the
// rest holds.
func TestSuiteWithoutMeansOfPurchases(t *testing.T) {
	t.Parallel()
	got := record(t.Context(), func(t cloudtest.T) cloudtest.World {
		w := memtest.Harness(t)
		w.Cancellable, w.ExtendBy, w.Options, w.PaymentTakes, w.FailPayment = nil, 0, nil, nil, nil
		return w
	}, "cancel", "extensions", "update", "context")
	want := map[string]string{
		"cancel/quoted/scheduled":              "not checked: the harness has no Cancellable",
		"extensions/bought/block":              "not checked: the harness has no ExtendBy",
		"update/native/dedicated_host":         "not checked: the harness has no value for mem.recovery",
		"update/native-not-in-place/scheduled": "not checked: the harness has no Options",
	}
	for check, reason := range want {
		if got.skipped[check] != reason {
			t.Errorf("%s: skipped with %q, want %q", check, got.skipped[check], reason)
		}
	}
	if len(got.failed) > 0 {
		t.Errorf("failed: %v", got.failed)
	}
}

// TestSuiteWithoutMeansOfGroups: so it is with groups.
func TestSuiteWithoutMeansOfGroups(t *testing.T) {
	t.Parallel()
	got := record(t.Context(), func(t cloudtest.T) cloudtest.World {
		w := memtest.GroupedHarness(t)
		w.OneGroup, w.Unmet, w.Unsettle, w.LeaveBehind = nil, nil, nil, nil
		return w
	}, "grouped", "unsettled", "remains", "preflight", "regional")
	want := map[string]string{
		"grouped/given":            "not checked: the harness has no two wishes of OneGroup",
		"unsettled/told/on_demand": "not checked: the harness has no Unsettle",
		"remains/told/on_demand":   "not checked: the harness has no LeaveBehind",
		"preflight/unmet":          "not checked: the harness has no Unmet",
		"preflight/type-taken":     "not checked: the harness has no two wishes of OneGroup",
	}
	for check, reason := range want {
		if got.skipped[check] != reason {
			t.Errorf("%s: skipped with %q, want %q", check, got.skipped[check], reason)
		}
	}
	if len(got.failed) > 0 {
		t.Errorf("failed: %v", got.failed)
	}
}

// coreOnly hides every optional interface.
type coreOnly struct{ cloud.Cloud }

// TestSuiteNeedsCloud: an empty world is a failure, not a pass.
func TestSuiteNeedsCloud(t *testing.T) {
	t.Parallel()
	got := record(t.Context(), func(cloudtest.T) cloudtest.World { return cloudtest.World{} })
	if len(got.failed) == 0 {
		t.Errorf("the suite passed without a cloud")
	}
}

// TestWrapped: interceptors change nothing that the contract promises.
func TestWrapped(t *testing.T) {
	t.Parallel()
	pass := func(ctx context.Context, _ cloud.Call, next func(context.Context) error) error { return next(ctx) }
	for name, h := range map[string]cloudtest.Harness{"numbered": memtest.Harness, "grouped": memtest.GroupedHarness} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloudtest.Run(t, cloudtest.Wrapped(h, pass, pass))
		})
	}
}

// TestWrappedFails: an interceptor that breaks a promise is seen.
func TestWrappedFails(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		check string
		wrong cloud.Interceptor
	}{
		"repeats what must not be": {
			"lost/create-after-commit",
			func(ctx context.Context, _ cloud.Call, next func(context.Context) error) error {
				if err := next(ctx); cloud.CodeOf(err) != cloud.Internal {
					return err
				}
				return next(ctx)
			},
		},
		"repeats an extension": {
			"extensions/lost-before-commit",
			func(ctx context.Context, call cloud.Call, next func(context.Context) error) error {
				if err := next(ctx); call.Method != "Extend" || !cloud.MaybeAccepted(err) {
					return err
				}
				return next(ctx)
			},
		},
		"hides refusals": {
			"refused/capacity",
			func(ctx context.Context, _ cloud.Call, next func(context.Context) error) error {
				if err := next(ctx); cloud.CodeOf(err) != cloud.NoCapacity {
					return err
				}
				return nil
			},
		},
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := record(t.Context(), cloudtest.Wrapped(memtest.Harness, f.wrong))
			if !got.failedIn(f.check) {
				t.Errorf("%s passed; failed were: %v", f.check, got.failed)
			}
		})
	}
}
