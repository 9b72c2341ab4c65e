package acctest

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	live, err := prepare(map[string]string{"TF_LOG_SDK": "OFF"})
	if err != nil {
		fmt.Fprintln(os.Stderr, "acctest:", err)
		os.Exit(2)
	}
	code := m.Run()
	for _, name := range live {
		driver := all.New(all.Config{Clock: clock.Wall{}})[name]
		if err := Sweep(context.Background(), driver, subjects()[name].scope()); err != nil {
			fmt.Fprintf(os.Stderr, "acctest: sweep %s: %v\n", name, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// prepare sets variables, and for every cloud that no real account is allowed of
// those that keep its client from one. It returns the clouds that are allowed.
func prepare(env map[string]string) (live []string, err error) {
	for name, s := range subjects() {
		permission, err := s.live()
		if err != nil {
			return nil, err
		}
		if permission != nil {
			live = append(live, name)
			continue
		}
		maps.Copy(env, s.simulated())
	}
	for name, value := range env {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	return live, nil
}

// Sweep releases every live reservation in a scope that acceptance tests own, and
// what is left of others: where names are native, of each that is still shown.
func Sweep(ctx context.Context, c cloud.Cloud, scope cloud.Scope) error {
	ctx, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	list, err := c.List(ctx, scope)
	if err != nil {
		return err
	}
	native := c.Capabilities().NativeName
	for _, r := range list {
		if !strings.HasPrefix(r.Mark.Owner, OwnerPrefix) || !r.State.Live() && !r.Remains && !native {
			continue
		}
		fmt.Fprintf(os.Stderr, "acctest: sweeping %s of %s\n", r.Ref.NativeID, r.Mark.Owner)
		err = errors.Join(err, c.Release(ctx, r.Ref))
	}
	return err
}
