package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/gpulock/terraform-provider-gpu/internal/provider"
)

var update = flag.Bool("update", false, "write the golden file")

// The golden copy shows every change of the schema in review. Write it with
// go test ./internal/cmd/schemadump -update.
func TestDump_golden(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	server := providerserver.NewProtocol6(provider.New("test")())()
	if err := dump(t.Context(), server, &got); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "schema.json")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the schema changed (-golden +now); if that is meant, write it with -update:\n%s", diff)
	}
}
