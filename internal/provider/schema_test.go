package provider_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	gpu "github.com/gpulock/terraform-provider-gpu/internal/provider"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

func serve(t *testing.T) *providertest.Server {
	t.Helper()
	return providertest.Of(t, providerserver.NewProtocol6(gpu.New("test")())())
}

// walk visits every attribute of everything that is served, nested ones too,
// under a name such as "gpu_reservation.window.end_at".
func walk(t *testing.T, visit func(name string, a *tfprotov6.SchemaAttribute)) {
	t.Helper()
	all := serve(t).Schemas()
	visitAll("provider", all.Provider.Block.Attributes, visit)
	for name, s := range all.ResourceSchemas {
		visitAll(name, s.Block.Attributes, visit)
	}
	for name, s := range all.DataSourceSchemas {
		visitAll("data."+name, s.Block.Attributes, visit)
	}
}

func visitAll(prefix string, attributes []*tfprotov6.SchemaAttribute, visit func(string, *tfprotov6.SchemaAttribute)) {
	for _, a := range attributes {
		name := prefix + "." + a.Name
		visit(name, a)
		if a.NestedType != nil {
			visitAll(name, a.NestedType.Attributes, visit)
		}
	}
}

var snake = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`)

func TestSchema_described(t *testing.T) {
	t.Parallel()
	seen := 0
	walk(t, func(name string, a *tfprotov6.SchemaAttribute) {
		seen++
		text := strings.TrimSpace(a.Description)
		switch {
		case len(text) < 8 || !strings.HasSuffix(text, "."):
			t.Errorf("%s: description %q is not a sentence", name, text)
		case strings.Contains(text, "  ") || strings.ContainsAny(text, "\n\t"):
			t.Errorf("%s: description %q has stray blanks", name, text)
		}
		// The timeouts module's attributes are plain.
		if a.DescriptionKind != tfprotov6.StringKindMarkdown && !strings.Contains(name, ".timeouts") {
			t.Errorf("%s: the description is not Markdown", name)
		}
		if !snake.MatchString(a.Name) {
			t.Errorf("%s: the name is not snake_case", name)
		}
	})
	if seen < 150 {
		t.Errorf("only %d attributes were seen", seen)
	}
}

// Numbers say their unit; times end in _at, ids in _id; what is a time is text.
func TestSchema_names(t *testing.T) {
	t.Parallel()
	units := regexp.MustCompile(`(^|_)(count|gib|mib|usd|usd_per_hour|months|days|percent)$`)
	// The unit of these stands beside them: currency or unit. A score has none.
	exempt := []string{"paid_upfront", "upfront", "limit", "used", "needed", "spot_placement_score"}
	times := regexp.MustCompile(`(?i)RFC 3339`)
	walk(t, func(name string, a *tfprotov6.SchemaAttribute) {
		if a.Type != nil && a.Type.Is(tftypes.Number) && !units.MatchString(a.Name) && !slices.Contains(exempt, a.Name) {
			t.Errorf("%s is a number without a unit in its name", name)
		}
		if times.MatchString(a.Description) != (strings.HasSuffix(a.Name, "_at") || a.Name == "usable_until") {
			t.Errorf("%s: a time is named …_at, and only a time", name)
		}
		if strings.HasSuffix(a.Name, "_at") && !a.Type.Is(tftypes.String) {
			t.Errorf("%s is not text", name)
		}
	})
}

// Nothing secret comes out, and results are not inputs under another name.
func TestSchema_forms(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(`(secret|password|token|private_key)$`)
	walk(t, func(name string, a *tfprotov6.SchemaAttribute) {
		if secret.MatchString(a.Name) {
			t.Errorf("%s would hold a secret", name)
		}
		if !a.Required && !a.Optional && !a.Computed {
			t.Errorf("%s can neither be set nor read", name)
		}
	})
}

// Every attribute that only takes some values, or is a text of a known form,
// refuses a wrong one, at its path.
func TestSchema_validators(t *testing.T) {
	t.Parallel()
	server := serve(t)
	base := map[string]any{"name": "a", "cloud": "aws", "zone": "us-east-1a", "instance_type": "p5.48xlarge"}
	for attribute, wrong := range map[string]any{
		"name": "A", "cloud": "", "account": "", "region": "", "zone": "", "instance_type": "", "instance_count": 0,
		"kind": "spot", "match_criteria": "any", "offer_id": "", "wait_for_capacity": "soon",
		"max_usd_per_hour": -1, "max_upfront_usd": -1, "max_cancellation_usd": -1, "on_destroy": "delete", "on_release_in_use": "yes",
		"window.start_at": "now", "window.end_at": "2031-05-10", "window.duration": "1s", "aws.tenancy": "shared",
		"aws.platform": "BeOS", "aws.placement_group_arn": "pg", "timeouts.create": "soon",
		"aws.commitment": "soon", "aws.host_recovery": "yes", "aws.host_maintenance": "maybe", "term.months": 0, "term.payment_option": "later",
	} {
		config := map[string]any{}
		for name, value := range base {
			config[name] = value
		}
		root, inner, nested := strings.Cut(attribute, ".")
		config[root] = wrong
		if nested {
			config[root] = map[string]any{inner: wrong}
		}
		said := strings.Join(server.ValidateResource("gpu_reservation", config).Errors(), "\n")
		if !strings.Contains(said, `AttributeName("`+root+`")`) || nested && !strings.Contains(said, `AttributeName("`+inner+`")`) {
			t.Errorf("%s = %v: %q does not name it", attribute, wrong, said)
		}
	}
	if d := server.ValidateResource("gpu_reservation", base); len(d) > 0 {
		t.Errorf("a good configuration: %v %v", d.Errors(), d.Warnings())
	}
}

// The framework's own check of every schema: names, nesting, defaults.
func TestSchema_implementation(t *testing.T) {
	t.Parallel()
	ctx, p := t.Context(), gpu.New("test")()
	var block provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &block)
	if d := block.Schema.ValidateImplementation(ctx); d.HasError() {
		t.Error(d)
	}
	for _, build := range p.Resources(ctx) {
		var resp resource.SchemaResponse
		build().Schema(ctx, resource.SchemaRequest{}, &resp)
		if d := resp.Schema.ValidateImplementation(ctx); d.HasError() {
			t.Error(d)
		}
	}
	for _, build := range p.DataSources(ctx) {
		var resp datasource.SchemaResponse
		build().Schema(ctx, datasource.SchemaRequest{}, &resp)
		if d := resp.Schema.ValidateImplementation(ctx); d.HasError() {
			t.Error(d)
		}
	}
	functions, ok := p.(provider.ProviderWithFunctions)
	if !ok {
		t.Fatal("the provider has no functions")
	}
	for _, build := range functions.Functions(ctx) {
		var resp function.DefinitionResponse
		build().Definition(ctx, function.DefinitionRequest{}, &resp)
		var checked function.DefinitionValidateResponse
		resp.Definition.ValidateImplementation(ctx, function.DefinitionValidateRequest{FuncName: "any"}, &checked)
		if checked.Diagnostics.HasError() {
			t.Error(checked.Diagnostics)
		}
	}
}

// Everything of this version is registered.
func TestProvider_serves(t *testing.T) {
	t.Parallel()
	all := serve(t).Schemas()
	for name, served := range map[string]bool{
		"gpu_reservation":       all.ResourceSchemas["gpu_reservation"] != nil,
		"data gpu_offers":       all.DataSourceSchemas["gpu_offers"] != nil,
		"data gpu_reservation":  all.DataSourceSchemas["gpu_reservation"] != nil,
		"data gpu_reservations": all.DataSourceSchemas["gpu_reservations"] != nil,
		"function phase":        all.Functions["phase"] != nil,
	} {
		if !served {
			t.Errorf("%s is not served", name)
		}
	}
}
