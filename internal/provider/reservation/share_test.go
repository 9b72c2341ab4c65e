package reservation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

// The accounts of providertest.NewNative, by their ids.
const (
	otherID   = "000000000002"
	servingID = "000000000003"
	labID     = "000000000004"
)

func sharing(names ...any) map[string]any {
	if len(names) == 0 {
		return wish(nil)
	}
	return wish(map[string]any{"share_with": names})
}

// A name that is of no account, or of the reservation's own, is an error at that
// name before anything is made; one that cannot be looked up may be right.
func TestShare_names(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		with          any
		fault         cloud.Code
		error, warned string
	}{
		"names and ids":       {[]any{"lab", servingID}, "", "", ""},
		"not known yet":       {[]any{"lab", providertest.Unknown}, "", "", ""},
		"all not known yet":   {providertest.Unknown, "", "", ""},
		"none":                {[]any{}, "", `AttributeName("share_with"): Invalid Attribute Value`, ""},
		"a null":              {[]any{"lab", nil}, "", "share_with\"): Null Set Value", ""},
		"nothing":             {[]any{""}, "", `share_with").ElementKeyValue(tftypes.String<"">): Invalid Attribute Value`, ""},
		"no account":          {[]any{"nobody"}, "", `share_with").ElementKeyValue(tftypes.String<"nobody">): Cannot share with this account`, ""},
		"itself":              {[]any{"000000000001"}, "", `share_with").ElementKeyValue(tftypes.String<"000000000001">): Shared with itself`, ""},
		"may not be asked":    {[]any{"lab"}, cloud.PermissionDenied, "", `share_with").ElementKeyValue(tftypes.String<"lab">): Account not known`},
		"could not be asked":  {[]any{"lab"}, cloud.Internal, `share_with").ElementKeyValue(tftypes.String<"lab">): Cannot share with this account`, ""},
		"is not found":        {[]any{"lab"}, cloud.NotFound, `share_with").ElementKeyValue(tftypes.String<"lab">): Cannot share with this account`, ""},
		"was throttled there": {[]any{"lab"}, cloud.Throttled, `share_with").ElementKeyValue(tftypes.String<"lab">): Cannot share with this account`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stageOver(t, providertest.NewNative(t))
			s.world.Cloud.SetFault(func(call cloud.Call) (error, error) {
				if tc.fault == "" || call.Method != "AccountID" || call.Account == "" {
					return nil, nil
				}
				return &cloud.Error{Code: tc.fault, Op: "AccountID", Message: "said so"}, nil
			})
			config := wish(map[string]any{"share_with": tc.with})
			d := s.ValidateResource(typeName, config)
			if len(d) == 0 {
				_, d = s.Plan(typeName, config, nil)
			}
			for what, pair := range map[string][2]string{
				"errors": {strings.Join(d.Errors(), "\n"), tc.error}, "warnings": {strings.Join(d.Warnings(), "\n"), tc.warned},
			} {
				if got, want := pair[0], pair[1]; want == "" && strings.Contains(got, "share_with") || !strings.Contains(got, want) {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
		})
	}
}

// Two names of one account are the same; what changes does so in place.
func TestShare_changes(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewNative(t))
	o := s.made(t, sharing("lab", servingID), nil)
	s.settles(t, sharing("lab", servingID), o)
	for name, tc := range map[string]struct {
		config  map[string]any
		changes []string
	}{
		"other names":      {sharing(labID, "serving"), nil},
		"each by both":     {sharing(labID, "lab", "serving"), nil},
		"one more":         {sharing("lab", "serving", "other"), []string{"share_with", "status"}},
		"one less":         {sharing("lab"), []string{"share_with", "status"}},
		"another":          {sharing("lab", "other"), []string{"share_with", "status"}},
		"none":             {sharing(), []string{"share_with", "status"}},
		"one more unknown": {sharing("lab", servingID, providertest.Unknown), []string{"share_with", "status"}},
	} {
		plan, d := s.Plan(typeName, tc.config, o)
		if len(d) > 0 || len(plan.Replace) > 0 {
			t.Errorf("%s: %q %q, replaces %v", name, d.Errors(), d.Warnings(), plan.Replace)
			continue
		}
		if diff := cmp.Diff(tc.changes, plan.Changes(o)); diff != "" {
			t.Errorf("%s: changes (-want +got):\n%s", name, diff)
		}
	}
	for _, config := range []map[string]any{sharing("other", servingID), sharing(), sharing("lab")} {
		o = s.made(t, config, o)
		s.settles(t, config, o)
	}
}

// Where it is fixed whether an object is shared at all, beginning or ending it is a
// plan error, and with whom still changes.
func TestShare_atCreation(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewNative(t))
	block := func(names ...any) map[string]any {
		config := sharing(names...)
		config["kind"] = "block"
		config["window"] = map[string]any{"start_at": "2031-04-10T00:00:00Z", "duration": "14d"}
		return config
	}
	o := s.made(t, block("lab"), nil)
	plan, d := s.Plan(typeName, block(servingID), o)
	if diff := cmp.Diff([]string{"share_with", "status"}, plan.Changes(o)); diff != "" || len(d) > 0 {
		t.Errorf("another: %q, changes (-want +got):\n%s", d.Errors(), diff)
	}
	if _, d := s.Plan(typeName, block(), o); !strings.Contains(strings.Join(d.Errors(), "\n"), "share_with cannot be changed") {
		t.Errorf("none: %q", d.Errors())
	}
}

// What others changed is drift, by the names that were written as far as they are
// of accounts that are there.
func TestShare_drifts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		now, unresolved []string
		want            any
		warned          string
	}{
		"added":             {[]string{labID, servingID, otherID}, nil, []any{otherID, servingID, "lab"}, ""},
		"removed":           {[]string{labID}, nil, []any{"lab"}, ""},
		"exchanged":         {[]string{otherID, labID}, nil, []any{otherID, "lab"}, ""},
		"all removed":       {[]string{}, nil, nil, ""},
		"cannot be told":    {[]string{labID}, []string{"99"}, []any{"lab", servingID}, "99"},
		"none of it can be": {[]string{}, []string{"98", "99"}, []any{"lab", servingID}, "98, 99"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stageOver(t, providertest.NewNative(t))
			o := s.made(t, sharing("lab", servingID), nil)
			id, _ := o.State["native_id"].(string)
			if _, err := s.world.Cloud.Update(t.Context(), cloud.Ref{NativeID: id}, cloud.Change{ShareWith: &tc.now}); err != nil {
				t.Fatal(err)
			}
			s.world.Cloud.SetUnresolved(id, tc.unresolved...)
			s.world.Clock.Advance(time.Minute)
			read, d := s.Read(typeName, o)
			if said := strings.Join(d.Warnings(), "\n"); len(d.Errors()) > 0 || !strings.Contains(said, tc.warned) || tc.warned == "" && said != "" {
				t.Fatalf("read: %q %q", d.Errors(), said)
			}
			if diff := cmp.Diff(tc.want, read.State["share_with"]); diff != "" {
				t.Errorf("share_with (-want +got):\n%s", diff)
			}
		})
	}
}

// An import shows the accounts as the cloud names them, which is not what a
// configuration must call them.
func TestShare_import(t *testing.T) {
	t.Parallel()
	s := stageOver(t, providertest.NewNative(t))
	id, _ := s.made(t, sharing("lab", "serving"), nil).State["native_id"].(string)
	o, d := s.Import(typeName, "mem:"+id)
	if len(d) > 0 {
		t.Fatalf("import: %q %q", d.Errors(), d.Warnings())
	}
	if diff := cmp.Diff(any([]any{servingID, labID}), o.State["share_with"]); diff != "" {
		t.Errorf("share_with (-want +got):\n%s", diff)
	}
	s.settles(t, sharing("lab", "serving"), o)
}
