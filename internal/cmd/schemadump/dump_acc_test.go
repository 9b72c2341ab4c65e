package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// TestAccDump_likeCommandLine compares the dump with what a command line
// prints of the same provider, kind by kind, as far as the command line goes.
func TestAccDump_likeCommandLine(t *testing.T) {
	t.Parallel()
	serve := providerserver.NewProtocol6WithError(tiny{})
	cli := acctest.New(t, acctest.Options{Server: serve})
	cli.Config("")
	theirs := kinds(t, cli.Run("providers", "schema", "-json").Success(t).Stdout, cli.Address())

	server, err := serve()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := dump(t.Context(), server, &out); err != nil {
		t.Fatal(err)
	}
	ours := kinds(t, out.String(), key)
	for _, kind := range []string{"provider", "resource_schemas", "functions"} {
		if theirs[kind] == nil {
			t.Errorf("%s prints no %s", cli.Name(), kind)
		}
	}
	// The library's types, which tfplugindocs reads, have no room for the
	// message, and leave out a description that is empty.
	unknown := cmpopts.IgnoreMapEntries(func(key string, value any) bool {
		return key == "deprecation_message" || value == ""
	})
	for kind, want := range theirs {
		if diff := cmp.Diff(want, ours[kind], unknown); diff != "" {
			t.Errorf("%s (-%s +dump):\n%s", kind, cli.Name(), diff)
		}
	}
}

func kinds(t *testing.T, text, name string) map[string]any {
	t.Helper()
	whole, ok := tree(t, text).(map[string]any)
	if !ok {
		t.Fatalf("no object:\n%s", text)
	}
	providers, ok := whole["provider_schemas"].(map[string]any)
	if !ok {
		t.Fatalf("no provider_schemas:\n%s", text)
	}
	out, ok := providers[name].(map[string]any)
	if !ok {
		t.Fatalf("no provider %s:\n%s", name, text)
	}
	return out
}
