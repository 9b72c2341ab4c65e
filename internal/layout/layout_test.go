package layout_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/layout"
)

// TestModule checks every package of this module.
func TestModule(t *testing.T) {
	t.Parallel()
	touchSources(t)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", layout.Module+"/...")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var packages []layout.Package
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p layout.Package
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 3 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	for _, v := range layout.Check(packages) {
		t.Errorf("%s imports %s: %s", v.Package, v.Import, v.Why)
	}
}

// touchSources looks at every source file, so that "go test" does not answer
// from its cache when one changed: it knows the files that the test itself
// looked at, not those that go list did.
func touchSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && strings.Trim(entry.Name(), ".") != "":
			return fs.SkipDir
		case filepath.Ext(path) == ".go":
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCheck gives each rule an import it refuses and one beside it that is
// allowed.
func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		framework = "github.com/hashicorp/terraform-plugin-framework/resource"
		ec2       = "github.com/aws/aws-sdk-go-v2/service/ec2"
		compute   = "cloud.google.com/go/compute/apiv1"
		arm       = "github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	)
	for name, tc := range map[string]struct {
		pkg, imp string
		refused  bool
	}{
		"terraform in capacity":          {"internal/capacity", framework, true},
		"terraform in a driver":          {"internal/cloud/aws", "github.com/hashicorp/terraform-plugin-log/tflog", true},
		"terraform in the provider":      {"internal/provider/reservation", framework, false},
		"terraform in a look-alike":      {"internal/providers", framework, true},
		"terraform in main":              {"", "github.com/hashicorp/terraform-plugin-framework/providerserver", false},
		"terraform in a tool":            {"internal/cmd/schemadump", "github.com/hashicorp/terraform-json", false},
		"client in its driver":           {"internal/cloud/aws", ec2, false},
		"client in the simulator":        {"internal/cloud/aws/awssim", ec2, true},
		"client in capacity":             {"internal/capacity", ec2, true},
		"client of another cloud":        {"internal/cloud/aws", compute, true},
		"second client in its driver":    {"internal/cloud/google", compute, false},
		"second client in the other":     {"internal/cloud/google/googlesim", compute, true},
		"second client's helper":         {"internal/capacity", "github.com/googleapis/gax-go/v2", true},
		"third client in its driver":     {"internal/cloud/azure", arm, false},
		"third client in the others":     {"internal/cloud/google", arm, true},
		"third client's sign-in":         {"internal/acctest", "github.com/AzureAD/microsoft-authentication-library-for-go/apps/public", true},
		"cloud over gpu":                 {"internal/cloud", "internal/gpu", false},
		"gpu over cloud":                 {"internal/gpu", "internal/cloud", true},
		"driver over capacity":           {"internal/cloud/aws", "internal/capacity", true},
		"capacity over placement":        {"internal/capacity", "internal/placement", false},
		"placement over capacity":        {"internal/placement", "internal/capacity", true},
		"provider over everything":       {"internal/provider", "internal/cloud/all", false},
		"catalog over cloud":             {"internal/catalog", "internal/cloud", false},
		"driver over catalog":            {"internal/cloud/mem", "internal/catalog", true},
		"set over drivers":               {"internal/cloud/all", "internal/cloud/aws", false},
		"driver over driver":             {"internal/cloud/aws", "internal/cloud/mem", true},
		"driver over wrapper":            {"internal/cloud/aws", "internal/cloud/retry", false},
		"simulator over driver":          {"internal/cloud/aws/awssim", "internal/cloud/aws", true},
		"simulator over contract":        {"internal/cloud/aws/awssim", "internal/cloud", true},
		"simulator over the world":       {"internal/cloud/aws/awssim", "internal/sim", false},
		"driver over its simulator":      {"internal/cloud/aws", "internal/cloud/aws/awssim", false},
		"world over a cloud":             {"internal/sim", "internal/cloud/aws/awssim", true},
		"world over the contract":        {"internal/sim", "internal/cloud", true},
		"pure with files":                {"internal/placement", "os", true},
		"pure with a network":            {"internal/estimate", "net/http", true},
		"pure with a context":            {"internal/gpu", "context", true},
		"pure with a clock":              {"internal/estimate", "internal/clock", true},
		"pure with a look-alike":         {"internal/gpu", "oss", false},
		"capacity with a context":        {"internal/capacity", "context", false},
		"shipped over test support":      {"internal/capacity", "internal/clock/clocktest", true},
		"shipped over the harness":       {"internal/provider", "internal/acctest", true},
		"shipped over testing":           {"internal/cloud", "testing", true},
		"suite over testing":             {"internal/cloud/cloudtest", "testing", false},
		"harness over test support":      {"internal/acctest", "internal/clock/clocktest", false},
		"simulation over the provider":   {"internal/sim", "internal/provider", true},
		"tool over the provider":         {"internal/cmd/schemadump", "internal/provider", false},
		"a package that does not exist":  {"internal/unheard/of", "fmt", false},
		"another module named like ours": {"example.org/internal/gpu", "internal/cloud", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pkg := layout.Package{ImportPath: full(tc.pkg), Imports: []string{full(tc.imp)}}
			got := layout.Check([]layout.Package{pkg})
			if (len(got) > 0) != tc.refused {
				t.Errorf("Check = %+v, want refused %v", got, tc.refused)
			}
		})
	}
}

// TestCheckTests tells the rules that bind tests from those that do not.
func TestCheckTests(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pkg, imp string
		refused  bool
	}{
		"terraform":      {"internal/capacity", "github.com/hashicorp/terraform-plugin-go/tfprotov6", true},
		"test support":   {"internal/capacity", "internal/clock/clocktest", false},
		"client":         {"internal/cloud/aws/awssim", "github.com/aws/aws-sdk-go-v2/service/ec2", false},
		"world":          {"internal/sim", "internal/cloud", true},
		"pure and files": {"internal/gpu", "os", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			imports := []string{full(tc.imp)}
			for _, pkg := range []layout.Package{
				{ImportPath: full(tc.pkg), TestImports: imports},
				{ImportPath: full(tc.pkg), XTestImports: imports},
			} {
				if got := layout.Check([]layout.Package{pkg}); (len(got) > 0) != tc.refused {
					t.Errorf("Check = %+v, want refused %v", got, tc.refused)
				}
			}
		})
	}
}

// full completes a path of this module; others have a dot in the first part.
func full(path string) string {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case path == "":
		return layout.Module
	case first == "internal":
		return layout.Module + "/" + path
	}
	return path
}
