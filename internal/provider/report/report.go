// Package report turns what the rules say into diagnostics. It is the only
// place that does; it knows no resource.
package report

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// Notices adds warnings.
func Notices(diags *diag.Diagnostics, notices []capacity.Notice) {
	for _, n := range notices {
		if n.Attribute == "" {
			diags.AddWarning(n.Summary, n.Detail)
			continue
		}
		diags.AddAttributeWarning(attribute.Path(string(n.Attribute)), n.Summary, n.Detail)
	}
}

// Failure adds an error; nil adds nothing.
func Failure(diags *diag.Diagnostics, err error) {
	if err == nil {
		return
	}
	var f *capacity.Failure
	switch {
	case errors.As(err, &f) && f.Attribute != "":
		diags.AddAttributeError(attribute.Path(string(f.Attribute)), f.Summary, f.Detail)
	case errors.As(err, &f):
		diags.AddError(f.Summary, f.Detail)
	case errors.Is(err, context.Canceled):
		diags.AddError("Interrupted", "The run was interrupted before this was done. Nothing more was asked of the cloud.")
	default:
		diags.AddError("Cloud error", cloud.Clean(err.Error()))
	}
}

// Problems adds an error for each thing that is wrong with a wish, unless the
// attribute is not known yet.
func Problems(diags *diag.Diagnostics, problems []cloud.Problem, unknown func(cloud.Attribute) bool) {
	for _, p := range problems {
		if unknown(p.Attribute) {
			continue
		}
		diags.AddAttributeError(attribute.Path(string(p.Attribute)), "Invalid "+string(p.Attribute), sentence(p.Detail))
	}
}

// sentence makes one of a driver's phrase. One that begins with a name, such as
// n1-standard-8 or end_at, keeps it as it is.
func sentence(phrase string) string {
	if phrase == "" {
		return phrase
	}
	if word, _, _ := strings.Cut(phrase, " "); plain(strings.TrimRight(word, ",:;.")) {
		phrase = strings.ToUpper(phrase[:1]) + phrase[1:]
	}
	return strings.TrimSuffix(phrase, ".") + "."
}

// plain tells whether a word is one of small letters only.
func plain(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == ""
}
