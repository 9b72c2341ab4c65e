package provider

import (
	"cmp"
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

// googleProject is a project's id, in old organizations after their domain, or its
// number (Resource Manager, "Creating and managing projects").
var googleProject = regexp.MustCompile(`^(([a-z0-9.-]+:)?[a-z][-a-z0-9]{4,28}[a-z0-9]|\d+)$`)

// googleAccount is the form of a service account's email.
var googleAccount = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.gserviceaccount\.com$`)

// simulatedProject is where a simulation reserves if the block names no project.
const simulatedProject = "simulated-project"

func googleBlock() block {
	return block{
		name: "google", attribute: googleAttribute, value: func(c config) types.Object { return c.Google },
		decode: func(ctx context.Context, o types.Object, drivers *all.Config, diags *diag.Diagnostics) {
			drivers.Google = googleConfig(ctx, o, diags)
		},
		simulate: func(drivers *all.Config, url string) { simulateGoogle(&drivers.Google, url) },
	}
}

func googleAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Google Cloud. Credentials come from Application Default Credentials: " +
			"`GOOGLE_APPLICATION_CREDENTIALS`, those of `gcloud auth application-default login`, or the identity of the machine.",
		Attributes: map[string]schema.Attribute{
			"project": text("Id or number of the project to reserve in, where a resource names none. Default: `GOOGLE_PROJECT`, "+
				"`GOOGLE_CLOUD_PROJECT`, then the project of the credentials.",
				stringvalidator.RegexMatches(googleProject, "must be the id or the number of a project")),
			"impersonate_service_account": text("Email of the service account to act as. Default: the account of the credentials "+
				"themselves.", stringvalidator.RegexMatches(googleAccount, "must be the email of a service account")),
			"endpoint": endpointOf("Compute Engine and Resource Manager"),
		},
	}
}

type googleSettings struct {
	Project                   types.String `tfsdk:"project"`
	ImpersonateServiceAccount types.String `tfsdk:"impersonate_service_account"`
	Endpoint                  types.String `tfsdk:"endpoint"`
}

// googleConfig decodes the block; a block that is absent is the default credentials.
func googleConfig(ctx context.Context, o types.Object, diags *diag.Diagnostics) google.Config {
	var b googleSettings
	if !o.IsNull() {
		diags.Append(o.As(ctx, &b, basetypes.ObjectAsOptions{})...)
	}
	return google.Config{
		Project: b.Project.ValueString(), ImpersonateServiceAccount: b.ImpersonateServiceAccount.ValueString(),
		Endpoint: b.Endpoint.ValueString(),
	}
}

// simulateGoogle leads the driver to a simulator and away from every credential,
// and from the project that the environment names.
func simulateGoogle(cfg *google.Config, url string) {
	cfg.Endpoint, cfg.Anonymous, cfg.ImpersonateServiceAccount = url, true, ""
	cfg.Project = cmp.Or(cfg.Project, simulatedProject)
}
