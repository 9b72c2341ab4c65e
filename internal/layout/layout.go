// Package layout holds the directions in which this module's packages may
// import one another, as one check over what "go list" prints. It knows the
// map of the code in CONTRIBUTING.md and nothing of what the packages do. The
// same directions stand in .golangci.yml, where an editor shows them; this
// check needs no tool but go.
package layout

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Module is the module's path.
const Module = "github.com/gpulock/terraform-provider-gpu"

// Package is what "go list -json" says about one package, as far as the check
// looks.
type Package struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// Violation is one import that goes the wrong way.
type Violation struct {
	// Package and Import are import paths, the module's own without [Module].
	Package, Import string
	// Why is the rule in words.
	Why string
}

// rule forbids imports. pkg and imp are paths without the module's.
type rule struct {
	why     string
	forbids func(pkg, imp string) bool
	// tests says that the rule binds a package's tests as well.
	tests bool
}

// Check returns every import that goes the wrong way, sorted.
func Check(packages []Package) []Violation {
	var out []Violation
	for _, p := range packages {
		out = append(out, check(relative(p.ImportPath), p.Imports, false)...)
		out = append(out, check(relative(p.ImportPath), slices.Concat(p.TestImports, p.XTestImports), true)...)
	}
	slices.SortFunc(out, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Import, b.Import), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(out)
}

func check(pkg string, imports []string, tests bool) []Violation {
	var out []Violation
	for _, imp := range imports {
		imp = relative(imp)
		for _, r := range rules() {
			if (r.tests || !tests) && r.forbids(pkg, imp) {
				out = append(out, Violation{Package: pkg, Import: imp, Why: r.why})
			}
		}
	}
	return out
}

// relative cuts the module's path; the root package becomes ".".
func relative(importPath string) string {
	if importPath == Module {
		return "."
	}
	return strings.TrimPrefix(importPath, Module+"/")
}

// within says whether pkg is root or lies below it.
func within(pkg, root string) bool {
	return pkg == root || strings.HasPrefix(pkg, root+"/")
}

func withinAny(pkg string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(pkg, root) })
}

// isSimulator tells a simulator: the world outside, which knows none of ours.
func isSimulator(pkg string) bool {
	return within(pkg, "internal/sim") || (within(pkg, "internal/cloud") && strings.HasSuffix(path.Base(pkg), "sim"))
}

func isTestSupport(pkg string) bool {
	return within(pkg, "internal") && strings.HasSuffix(path.Base(pkg), "test")
}

// driver is the cloud whose driver (or simulator) pkg belongs to, "" for the
// contract and for what is around it.
func driver(pkg string) string {
	rest, ok := strings.CutPrefix(pkg, "internal/cloud/")
	name, _, _ := strings.Cut(rest, "/")
	if !ok || slices.Contains([]string{"all", "cloudtest", "limit", "retry", "trace"}, name) {
		return ""
	}
	return name
}
