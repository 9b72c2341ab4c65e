package report_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

func TestFailure(t *testing.T) {
	t.Parallel()
	notice := func(a cloud.Attribute) capacity.Notice {
		return capacity.Notice{Attribute: a, Summary: "No capacity", Detail: "us-east-1a is full."}
	}
	for name, tc := range map[string]struct {
		err  error
		want diag.Diagnostics
	}{
		"nothing": {nil, nil},
		"a rule's, about the object": {
			&capacity.Failure{Notice: notice("")}, diag.Diagnostics{diag.NewErrorDiagnostic("No capacity", "us-east-1a is full.")},
		},
		"a rule's, about an attribute": {
			&capacity.Failure{Notice: notice("window.end_at")},
			diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("window").AtName("end_at"), "No capacity", "us-east-1a is full.")},
		},
		"wrapped, with a cause": {
			fmt.Errorf("create: %w", &capacity.Failure{Notice: notice(""), Cause: context.Canceled}),
			diag.Diagnostics{diag.NewErrorDiagnostic("No capacity", "us-east-1a is full.")},
		},
		"interrupted": {
			fmt.Errorf("wait: %w", context.Canceled),
			diag.Diagnostics{diag.NewErrorDiagnostic("Interrupted",
				"The run was interrupted before this was done. Nothing more was asked of the cloud.")},
		},
		"a cloud's": {
			&cloud.Error{Code: cloud.Internal, Op: "Describe", Native: "Oops", Message: "try later", HTTPStatus: 500},
			diag.Diagnostics{diag.NewErrorDiagnostic("Cloud error", "Describe: Oops: try later (HTTP 500)")},
		},
	} {
		var diags diag.Diagnostics
		report.Failure(&diags, tc.err)
		if diff := cmp.Diff(tc.want, diags); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A text that no driver cleaned is cleaned here: one line, bounded, no tokens.
func TestFailure_cleans(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	report.Failure(&diags, errors.New("<html>\nAuthorization: Bearer abc.def\n"+strings.Repeat("x", 2000)))
	detail := diags[0].Detail()
	if strings.Contains(detail, "\n") || strings.Contains(detail, "abc.def") || len([]rune(detail)) > 500 {
		t.Errorf("%q", detail)
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	report.Notices(&diags, []capacity.Notice{
		{Summary: "Gone", Detail: "It is gone."}, {Attribute: `tags["team"]`, Summary: "Tag", Detail: "Not written."},
	})
	want := diag.Diagnostics{
		diag.NewWarningDiagnostic("Gone", "It is gone."),
		diag.NewAttributeWarningDiagnostic(path.Root("tags").AtMapKey("team"), "Tag", "Not written."),
	}
	if diff := cmp.Diff(want, diags); diff != "" {
		t.Error(diff)
	}
	report.Notices(&diags, nil)
	if len(diags) != 2 {
		t.Errorf("no notice added %v", diags[2:])
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	problems := []cloud.Problem{
		{Attribute: cloud.AttrZone, Detail: "It is needed."},
		{Attribute: "aws.platform", Detail: "AWS has no such platform."},
		{Attribute: "tags", Detail: "a phrase: of a driver"},
		{Attribute: "instance_type", Detail: "n1-standard-8 has no GPU."},
		{Attribute: "window", Detail: "end_at: it is past"},
		{Attribute: "kind", Detail: "phrase, of a driver"},
		{Attribute: "name", Detail: "übrig"},
		{Attribute: "share_with"},
	}
	report.Problems(&diags, problems, func(a cloud.Attribute) bool { return a == cloud.AttrZone })
	want := diag.Diagnostics{
		diag.NewAttributeErrorDiagnostic(path.Root("aws").AtName("platform"), "Invalid aws.platform", "AWS has no such platform."),
		diag.NewAttributeErrorDiagnostic(path.Root("tags"), "Invalid tags", "A phrase: of a driver."),
		diag.NewAttributeErrorDiagnostic(path.Root("instance_type"), "Invalid instance_type", "n1-standard-8 has no GPU."),
		diag.NewAttributeErrorDiagnostic(path.Root("window"), "Invalid window", "end_at: it is past."),
		diag.NewAttributeErrorDiagnostic(path.Root("kind"), "Invalid kind", "Phrase, of a driver."),
		diag.NewAttributeErrorDiagnostic(path.Root("name"), "Invalid name", "übrig."),
		diag.NewAttributeErrorDiagnostic(path.Root("share_with"), "Invalid share_with", ""),
	}
	if diff := cmp.Diff(want, diags); diff != "" {
		t.Error(diff)
	}
}
