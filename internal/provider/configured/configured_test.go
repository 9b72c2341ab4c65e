package configured_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	p := &configured.Provider{}
	var diags diag.Diagnostics
	if got := configured.From(p, &diags); got != p || len(diags) > 0 {
		t.Errorf("its own data: %v, %v", got, diags)
	}
	if got := configured.From(nil, &diags); got != nil || len(diags) > 0 {
		t.Errorf("no data: %v, %v", got, diags)
	}
	if got := configured.From("else", &diags); got != nil || !diags.HasError() || !strings.Contains(diags[0].Detail(), "string") {
		t.Errorf("other data: %v, %v", got, diags)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	var absent *configured.Provider
	for name, tc := range map[string]struct {
		p     *configured.Provider
		ready bool
	}{
		"absent":      {absent, false},
		"not known":   {&configured.Provider{}, false},
		"can be used": {&configured.Provider{Manager: capacity.New(capacity.Config{})}, true},
	} {
		var diags diag.Diagnostics
		if got := tc.p.Ready(&diags); got != tc.ready || diags.HasError() == tc.ready {
			t.Errorf("%s: %v, %v", name, got, diags)
		}
	}
}

// Many reads of one run lead to one warning.
func TestWarnUnread_once(t *testing.T) {
	t.Parallel()
	var absent *configured.Provider
	var none diag.Diagnostics
	absent.WarnUnread(&none)
	if len(none) > 0 {
		t.Errorf("an absent provider warns %v", none)
	}
	p := &configured.Provider{}
	all := make([]diag.Diagnostics, 20)
	var reads sync.WaitGroup
	for i := range all {
		reads.Go(func() { p.WarnUnread(&all[i]) })
	}
	reads.Wait()
	warned := 0
	for _, diags := range all {
		warned += diags.WarningsCount()
	}
	if warned != 1 {
		t.Errorf("%d warnings, want 1", warned)
	}
}

func TestUsable(t *testing.T) {
	t.Parallel()
	p := &configured.Provider{Unavailable: map[string]string{"google": "Not built yet."}}
	var diags diag.Diagnostics
	if !p.Usable("aws", &diags) || !p.Usable("mars", &diags) || len(diags) > 0 {
		t.Errorf("what is not named as unavailable: %v", diags)
	}
	want := diag.NewAttributeErrorDiagnostic(path.Root("cloud"), "Cloud not supported yet", "Not built yet.")
	if p.Usable("google", &diags) || !diags.Contains(want) {
		t.Errorf("google: %v", diags)
	}
}
