package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// awsRoleARN is the form of an IAM role's ARN in any partition.
var awsRoleARN = regexp.MustCompile(`^arn:aws[a-z-]*:iam::\d{12}:role/.+$`)

func awsBlock() block {
	return block{
		name: "aws", attribute: awsAttribute, value: func(c config) types.Object { return c.AWS },
		decode: func(ctx context.Context, o types.Object, drivers *all.Config, diags *diag.Diagnostics) {
			drivers.AWS = awsConfig(ctx, o, diags)
		},
		simulate: func(drivers *all.Config, url string) { simulateAWS(&drivers.AWS, url) },
	}
}

func awsAttribute() schema.Attribute {
	role := schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Role to assume.",
		Attributes: map[string]schema.Attribute{
			"role_arn": schema.StringAttribute{
				Required: true, MarkdownDescription: "ARN of the role.",
				Validators: []validator.String{stringvalidator.RegexMatches(awsRoleARN, "must be the ARN of an IAM role")},
			},
			"external_id": schema.StringAttribute{Optional: true, MarkdownDescription: "External id that the role's trust policy asks for."},
		},
	}
	profile := schema.StringAttribute{Optional: true, MarkdownDescription: "Profile of the shared AWS configuration files."}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "AWS. Without it, or where a part is left off, AWS's standard chain applies: environment, shared files, " +
			"web identity, container and instance roles.",
		Attributes: map[string]schema.Attribute{
			"region": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Region for what names neither region nor zone. Default: the standard chain's.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"profile":     profile,
			"assume_role": role,
			"endpoint": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attribute.Endpoint{}},
				MarkdownDescription: "URL to use instead of AWS's own, for EC2, STS and Service Quotas; plain HTTP on loopback only.",
			},
			"accounts": schema.MapNestedAttribute{
				Optional: true,
				MarkdownDescription: "Further accounts by the key that a resource names in `account`. A role is assumed with the " +
					"credentials of `aws` itself, or of the account's own profile.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"profile": profile, "assume_role": role,
				}},
			},
		},
	}
}

type awsSettings struct {
	Region     types.String           `tfsdk:"region"`
	Profile    types.String           `tfsdk:"profile"`
	AssumeRole *awsRole               `tfsdk:"assume_role"`
	Endpoint   types.String           `tfsdk:"endpoint"`
	Accounts   map[string]*awsAccount `tfsdk:"accounts"`
}

type awsAccount struct {
	Profile    types.String `tfsdk:"profile"`
	AssumeRole *awsRole     `tfsdk:"assume_role"`
}

type awsRole struct {
	RoleARN    types.String `tfsdk:"role_arn"`
	ExternalID types.String `tfsdk:"external_id"`
}

func (r *awsRole) decode() aws.AssumeRole {
	if r == nil {
		return aws.AssumeRole{}
	}
	return aws.AssumeRole{RoleARN: r.RoleARN.ValueString(), ExternalID: r.ExternalID.ValueString()}
}

// awsConfig decodes the block; a block that is absent is the standard chain.
func awsConfig(ctx context.Context, o types.Object, diags *diag.Diagnostics) aws.Config {
	var b awsSettings
	if !o.IsNull() {
		diags.Append(o.As(ctx, &b, basetypes.ObjectAsOptions{})...)
	}
	cfg := aws.Config{
		Region: b.Region.ValueString(), Profile: b.Profile.ValueString(), AssumeRole: b.AssumeRole.decode(),
		Endpoint: b.Endpoint.ValueString(), Accounts: map[string]aws.Account{},
	}
	for key, account := range b.Accounts {
		if account == nil { // left out by a condition: not configured
			continue
		}
		cfg.Accounts[key] = aws.Account{Profile: account.Profile.ValueString(), AssumeRole: account.AssumeRole.decode()}
	}
	return cfg
}

// simulateAWS leads the driver to a simulator and away from every credential.
func simulateAWS(cfg *aws.Config, url string) {
	cfg.Endpoint, cfg.Profile = url, ""
	cfg.Credentials = &aws.Credentials{AccessKeyID: "simulated", SecretAccessKey: "simulated"}
	for key, account := range cfg.Accounts {
		account.Profile = ""
		cfg.Accounts[key] = account
	}
}
