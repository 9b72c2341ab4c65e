package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
)

// block is a nested attribute of the provider block that configures one cloud, or
// one other service.
type block struct {
	name      string
	attribute func() schema.Attribute
	value     func(config) types.Object
	// decode reads the attribute into the driver's configuration; without it
	// nothing can be reserved there in this version.
	decode func(context.Context, types.Object, *all.Config, *diag.Diagnostics)
	// simulate leads the driver to a simulator.
	simulate func(drivers *all.Config, url string)
	// defaults are the options that a resource may leave out because the block, as it
	// was decoded, says them; nil where there are none.
	defaults func(all.Config) map[string]string
	// title names a cloud that a later version can use; "" is no cloud to come.
	title string
}

// blocks is the only list of them.
func blocks() []block {
	return append([]block{awsBlock(), googleBlock(), azureBlock()}, laterBlocks()...)
}

// decoded are the blocks of the clouds that can be used.
func decoded() []block {
	var usable []block
	for _, b := range blocks() {
		if b.decode != nil {
			usable = append(usable, b)
		}
	}
	return usable
}

// defaults are the options by cloud that the provider block says for resources that
// leave them out.
func defaults(drivers all.Config) map[string]map[string]string {
	said := map[string]map[string]string{}
	for _, b := range blocks() {
		if b.defaults != nil {
			said[b.name] = b.defaults(drivers)
		}
	}
	return said
}

// usable are the names of the clouds that can be used, for a sentence.
func usable() string {
	var names []string
	for _, b := range decoded() {
		names = append(names, b.name)
	}
	return strings.Join(names, ", ")
}
