package providertest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
)

// Owner is the owner of a Mem's provider.
const Owner = "team/test"

// Mem is provider data over a cloud in memory.
type Mem struct {
	*configured.Provider
	Cloud *mem.Cloud
	Clock *clocktest.Jump

	tb testing.TB
}

// NewMem returns provider data over a fresh world, which begins on 2031-03-01
// and has the further account "other".
func NewMem(tb testing.TB) *Mem {
	tb.Helper()
	return over(tb, mem.Options{Accounts: map[string]string{"other": "000000000002"}})
}

// NewNative is NewMem with a cloud of native names, which carries no claim and no
// tag and shares; see mem.Options. It has the further accounts "lab" and "serving"
// too.
func NewNative(tb testing.TB) *Mem {
	tb.Helper()
	return over(tb, mem.Options{Native: true, Accounts: map[string]string{
		"other": "000000000002", "serving": "000000000003", "lab": "000000000004",
	}})
}

// NewGrouped is NewMem with a cloud that places reservations in groups and knows
// them by their names; see mem.Options. It has the further accounts "lab" and
// "serving" too.
func NewGrouped(tb testing.TB) *Mem {
	tb.Helper()
	return over(tb, mem.Options{Grouped: true, Accounts: map[string]string{
		"other": "000000000002", "serving": "000000000003", "lab": "000000000004",
	}})
}

func over(tb testing.TB, options mem.Options) *Mem {
	tb.Helper()
	jump := clocktest.NewJump(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC))
	options.Clock = jump
	c := mem.New(options)
	claims := 0
	return &Mem{
		Provider: &configured.Provider{
			Catalog: sync.OnceValues(catalog.Load),
			Owner:   Owner,
			Regions: map[string]string{mem.Name: "mem-east-1"},
			Unavailable: map[string]string{
				"later": "later is accepted in the provider block and not built yet.",
			},
			Manager: capacity.New(capacity.Config{
				Clouds: map[string]cloud.Cloud{mem.Name: c}, Clock: jump, Owner: Owner,
				NewClaim: func() string { claims++; return fmt.Sprintf("claim-%d", claims) },
			}),
		},
		Cloud: c, Clock: jump, tb: tb,
	}
}

// Make has the cloud make a reservation of an instance type with 8 GPUs in
// mem-east-1a; edit changes the request first.
func (m *Mem) Make(edit func(*cloud.CreateRequest)) cloud.Reservation {
	m.tb.Helper()
	req := cloud.CreateRequest{
		Spec: cloud.Spec{
			Kind: cloud.OnDemand, Region: "mem-east-1", Zone: "mem-east-1a", InstanceType: "p1.whole", Count: 2, Match: cloud.Targeted,
		},
		Mark: cloud.Mark{Owner: Owner, Name: "train", Type: "gpu_reservation"},
	}
	if edit != nil {
		edit(&req)
	}
	r, err := m.Cloud.Create(m.tb.Context(), req)
	if err != nil {
		m.tb.Fatal(err)
	}
	return r
}
