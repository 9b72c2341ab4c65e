package reservation

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// account is the configured account, which the cloud's own object may name in place
// of the attribute account.
func (m model) account() types.String {
	if _, nested := m.nestedAccount(); !nested.IsNull() {
		return nested
	}
	return m.Account
}

// nestedAccount is the account that the cloud's own object names, and where.
func (m model) nestedAccount() (cloud.Attribute, types.String) {
	for _, p := range parts() {
		if p.cloud != m.Cloud.ValueString() || p.account == "" {
			continue
		}
		at, object := cloud.Attribute(p.cloud+"."+p.account), p.value(&m)
		if object.IsUnknown() {
			return at, types.StringUnknown()
		}
		if named, ok := object.Attributes()[p.account].(types.String); ok {
			return at, named
		}
		return at, types.StringNull()
	}
	return "", types.StringNull()
}

// checkAccount refuses two accounts.
func (m model) checkAccount(diags *diag.Diagnostics) {
	at, nested := m.nestedAccount()
	if !m.Account.IsNull() && !nested.IsNull() && !nested.IsUnknown() {
		diags.AddAttributeError(attribute.Path(string(at)), "Two accounts",
			string(at)+" and account both say whose the reservation is; leave one out.")
	}
}

// located are the problems where the configuration has what they are about.
func (m model) located(problems []cloud.Problem) []cloud.Problem {
	at, nested := m.nestedAccount()
	if nested.IsNull() {
		return problems
	}
	var all []cloud.Problem
	for _, p := range problems {
		if p.Attribute == cloud.AttrAccount {
			p.Attribute = at
		}
		all = append(all, p)
	}
	return all
}

// accountAttribute is where the account changes.
func (pl *planning) accountAttribute() cloud.Attribute {
	at, is := pl.plan.nestedAccount()
	_, was := pl.prior.nestedAccount()
	if is.IsNull() && (was.IsNull() || !pl.plan.Account.IsNull()) || is.Equal(was) {
		return cloud.AttrAccount
	}
	for _, p := range parts() {
		if p.cloud == pl.plan.Cloud.ValueString() && p.value(&pl.plan).IsNull() {
			return cloud.Attribute(p.cloud) // the whole object was removed
		}
	}
	return at
}
