package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// later says of each cloud whose block this version accepts and cannot use yet, so
// that a configuration written for a later version is valid today, what to tell when
// a resource uses it.
func later() map[string]string {
	why := map[string]string{}
	for _, b := range blocks() {
		if b.decode == nil && b.title != "" {
			why[b.name] = fmt.Sprintf("This version of the provider accepts the %s block and cannot reserve anything on %s yet. "+
				"It can use %s.", b.name, b.title, usable())
		}
	}
	return why
}

// notYet ends the description of such a block.
const notYet = " Accepted, and used by nothing in this version."

// laterBlocks are those that this version accepts and uses for nothing.
func laterBlocks() []block {
	return []block{
		{name: "alibaba", title: "Alibaba Cloud", attribute: alibabaAttribute, value: func(c config) types.Object { return c.Alibaba }},
		{name: "tencent", title: "Tencent Cloud", attribute: tencentAttribute, value: func(c config) types.Object { return c.Tencent }},
		{name: "kubernetes", title: "Kubernetes", attribute: kubernetesAttribute, value: func(c config) types.Object { return c.Kubernetes }},
		{name: "prometheus", attribute: prometheusAttribute, value: func(c config) types.Object { return c.Prometheus }},
	}
}

func alibabaAttribute() schema.Attribute {
	return unused("Alibaba Cloud. Credentials come from its standard chain.", map[string]schema.Attribute{
		"region": text("Region for what names neither region nor zone, such as `cn-hangzhou`."),
		"site": text("Site of the account: `china` or `international`. They have other accounts, prices and currencies.",
			stringvalidator.OneOf("china", "international")),
		"endpoint": endpointOf("the ECS API"),
	})
}

func tencentAttribute() schema.Attribute {
	return unused("Tencent Cloud. Credentials come from its standard chain.", map[string]schema.Attribute{
		"region":   text("Region for what names neither region nor zone, such as `ap-guangzhou`."),
		"endpoint": endpointOf("the CVM API"),
	})
}

func kubernetesAttribute() schema.Attribute {
	return unused("Kubernetes clusters whose GPUs are partitioned.", map[string]schema.Attribute{
		"clusters": schema.MapNestedAttribute{
			Optional: true, MarkdownDescription: "Clusters by the name that a resource gives in `cluster`.",
			NestedObject: schema.NestedAttributeObject{Attributes: clusterAttributes()},
		},
	})
}

func prometheusAttribute() schema.Attribute {
	return unused("Prometheus server that holds the metrics of the GPUs (DCGM exporter).", map[string]schema.Attribute{
		"url": text("URL of the server; plain HTTP on loopback only.", attribute.Endpoint{}),
		"bearer_token_file": text("File with the bearer token, read at each request, so that it may be rotated. Default: " +
			"no token."),
	})
}

func clusterAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"host":                   text("URL of the API server; plain HTTP on loopback only.", attribute.Endpoint{}),
		"cluster_ca_certificate": text("Certificate authority of the API server, PEM. Default: the system's."),
		"config_path":            text("Kubeconfig file to take the cluster from, together with `config_context`, instead of `host`."),
		"config_context":         text("Context in that file. It must be named: the file's current context is never used."),
		"exec": unused("Program that prints credentials, as in a kubeconfig (ExecCredential).", map[string]schema.Attribute{
			"api_version": text("Version of the ExecCredential API, such as `client.authentication.k8s.io/v1`."),
			"command":     text("Program to run, such as `aws`."),
			"args": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Arguments of the program.",
			},
			"env": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Environment variables to add for the program.",
			},
		}),
	}
}

func endpointOf(api string) schema.StringAttribute {
	return text("URL to use instead of that of "+api+"; plain HTTP on loopback only.", attribute.Endpoint{})
}

func text(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, MarkdownDescription: description, Validators: append(validators, stringvalidator.LengthAtLeast(1)),
	}
}

func unused(description string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: description + notYet, Attributes: attributes}
}
