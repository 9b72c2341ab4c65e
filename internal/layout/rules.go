package layout

import "strings"

// rules are the directions, each with its reason.
func rules() []rule {
	return []rule{
		{"only internal/provider, internal/acctest, internal/cmd and main know Terraform", terraform, true},
		{"a cloud's client is imported by that cloud's driver only", client, false},
		{"a package imports only what stands below it: gpu, cloud, catalog, placement and estimate, capacity, provider", upward, false},
		{"a driver asks its cloud, never the catalog", catalog, false},
		{"a driver knows no other driver", otherDriver, false},
		{"a simulator shares nothing with what it is to test", simulator, false},
		{"the simulated world knows no cloud", world, true},
		{"pure packages do no I/O, read no clock and take no context", impure, false},
		{"shipped code is free of test support", testSupport, false},
		{"nothing but main and internal/cmd imports the provider", provider, false},
	}
}

func terraform(pkg, imp string) bool {
	return strings.HasPrefix(imp, "github.com/hashicorp/terraform-") &&
		pkg != "." && !withinAny(pkg, "internal/provider", "internal/acctest", "internal/cmd")
}

// clients are the import prefixes of the clouds' clients, by driver.
func clients() map[string][]string {
	return map[string][]string{
		"aws":     {"github.com/aws/"},
		"google":  {"cloud.google.com/", "google.golang.org/api/", "github.com/googleapis/"},
		"azure":   {"github.com/Azure/", "github.com/AzureAD/"},
		"alibaba": {"github.com/aliyun/", "github.com/alibabacloud-go/"},
		"tencent": {"github.com/tencentcloud/"},
	}
}

func client(pkg, imp string) bool {
	for cloud, prefixes := range clients() {
		for _, prefix := range prefixes {
			if strings.HasPrefix(imp, prefix) {
				return pkg != "internal/cloud/"+cloud
			}
		}
	}
	return false
}

// upward compares layers. What has no layer (clock, sim, cmd, …) is not bound.
func upward(pkg, imp string) bool {
	own, other := layer(pkg), layer(imp)
	return own > 0 && other > own
}

// layer counts from the bottom; 0 stands for none.
func layer(pkg string) int {
	if isSimulator(pkg) {
		return 0
	}
	for i, roots := range [][]string{
		{"internal/gpu"},
		{"internal/cloud"},
		{"internal/catalog"},
		{"internal/placement", "internal/estimate"},
		{"internal/capacity"},
		{"internal/provider"},
	} {
		if withinAny(pkg, roots...) {
			return i + 1
		}
	}
	return 0
}

func catalog(pkg, imp string) bool {
	return driver(pkg) != "" && !isSimulator(pkg) && within(imp, "internal/catalog")
}

func otherDriver(pkg, imp string) bool {
	own, other := driver(pkg), driver(imp)
	return own != "" && other != "" && own != other
}

func simulator(pkg, imp string) bool {
	if !isSimulator(pkg) || isSimulator(imp) {
		return false
	}
	return withinAny(imp, "internal/cloud", "internal/placement", "internal/estimate", "internal/capacity", "internal/provider")
}

func world(pkg, imp string) bool {
	return within(pkg, "internal/sim") && within(imp, "internal/cloud")
}

func impure(pkg, imp string) bool {
	return withinAny(pkg, "internal/gpu", "internal/placement", "internal/estimate") &&
		(imp == "context" || withinAny(imp, "os", "net", "internal/clock"))
}

func testSupport(pkg, imp string) bool {
	return (isTestSupport(imp) || imp == "testing") && !isTestSupport(pkg) && !within(pkg, "internal/acctest")
}

func provider(pkg, imp string) bool {
	return within(imp, "internal/provider") && pkg != "." &&
		!withinAny(pkg, "internal/provider", "internal/acctest", "internal/cmd")
}
