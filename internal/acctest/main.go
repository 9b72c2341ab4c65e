package acctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
)

// sweepLimit bounds a sweep.
const sweepLimit = 5 * time.Minute

// Main runs a package's tests with an environment that reaches no real account
// unless that is allowed; then it sweeps at the end what this run and earlier ones
// left.
func Main(m *testing.M) {
	// A served provider's libraries trace to this process's stderr unless told.
	if err := os.Setenv("TF_LOG_SDK", "OFF"); err != nil {
		fmt.Fprintln(os.Stderr, "acctest:", err)
		os.Exit(2)
	}
	live, err := liveAWS()
	if err != nil {
		fmt.Fprintln(os.Stderr, "acctest:", err)
		os.Exit(2)
	}
	if live == nil {
		for name, value := range simulatedAWS() {
			if err := os.Setenv(name, value); err != nil {
				fmt.Fprintln(os.Stderr, "acctest:", err)
				os.Exit(2)
			}
		}
		os.Exit(m.Run())
	}
	code := m.Run()
	if err := Sweep(context.Background(), all.New(all.Config{Clock: clock.Wall{}})["aws"], regionOf(AWSZone())); err != nil {
		fmt.Fprintln(os.Stderr, "acctest: sweep:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func regionOf(zone string) string { return strings.TrimRight(zone, "abcdefghijklmnopqrstuvwxyz") }

// Sweep releases every live reservation of a region that acceptance tests own.
func Sweep(ctx context.Context, c cloud.Cloud, region string) error {
	ctx, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	list, err := c.List(ctx, cloud.Scope{Region: region})
	if err != nil {
		return err
	}
	for _, r := range list {
		if !r.State.Live() || !strings.HasPrefix(r.Mark.Owner, OwnerPrefix) {
			continue
		}
		fmt.Fprintf(os.Stderr, "acctest: sweeping %s of %s\n", r.Ref.NativeID, r.Mark.Owner)
		err = errors.Join(err, c.Release(ctx, r.Ref))
	}
	return err
}
