package attribute_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/money"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

func withPath(d diag.Diagnostic, at path.Path) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, d.Summary(), d.Detail())
}

func TestInstant(t *testing.T) {
	t.Parallel()
	checkTexts(t, attribute.Instant{}, map[string]string{
		"2031-05-10T09:00:00Z": "", "2031-05-10T11:00:00+02:00": "", "2031-05-10T09:00:00.5Z": "",
		"2031-05-10T09:00:00": "RFC 3339", "2031-05-10": "RFC 3339", "": "RFC 3339", "tomorrow": `"tomorrow"`,
		"2031-02-30T09:00:00Z": "RFC 3339", "2031-06-30T23:59:60Z": "RFC 3339",
		"1970-01-01T00:00:00Z": "", "9999-12-31T23:59:59Z": "", "0001-01-01T00:00:00Z": "1970 to 9999",
		"1970-01-01T00:30:00+01:00": "1970 to 9999", "9999-12-31T23:59:59-01:00": "1970 to 9999",
	})
}

func TestTimeOf(t *testing.T) {
	t.Parallel()
	nine := time.Date(2031, 5, 10, 9, 0, 0, 0, time.UTC)
	for _, text := range []string{"2031-05-10T09:00:00Z", "2031-05-10T11:00:00+02:00"} {
		if got := attribute.TimeOf(types.StringValue(text)); got != nine {
			t.Errorf("TimeOf(%q) = %v", text, got)
		}
	}
	for _, unset := range []types.String{types.StringNull(), types.StringUnknown(), types.StringValue("x")} {
		if got := attribute.TimeOf(unset); !got.IsZero() {
			t.Errorf("TimeOf(%s) = %v", unset, got)
		}
	}
	if got := attribute.TimeValue(nine.In(time.FixedZone("", 7200))); got.ValueString() != "2031-05-10T09:00:00Z" {
		t.Errorf("TimeValue = %s", got)
	}
	if got := attribute.TimeValue(time.Time{}); !got.IsNull() {
		t.Errorf("TimeValue of no time = %s", got)
	}
}

func TestKeepText(t *testing.T) {
	t.Parallel()
	nine := time.Date(2031, 5, 10, 9, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		before types.String
		now    time.Time
		want   types.String
	}{
		"the same, otherwise written":   {types.StringValue("2031-05-10T11:00:00+02:00"), nine, types.StringValue("2031-05-10T11:00:00+02:00")},
		"finer than clouds keep":        {types.StringValue("2031-05-10T09:00:00.0004Z"), nine, types.StringValue("2031-05-10T09:00:00.0004Z")},
		"a millisecond later":           {types.StringValue("2031-05-10T09:00:00Z"), nine.Add(time.Millisecond), types.StringValue("2031-05-10T09:00:00.001Z")},
		"moved":                         {types.StringValue("2031-05-10T11:00:00+02:00"), nine.Add(time.Second), types.StringValue("2031-05-10T09:00:01Z")},
		"new":                           {types.StringNull(), nine, types.StringValue("2031-05-10T09:00:00Z")},
		"not known before":              {types.StringUnknown(), nine, types.StringValue("2031-05-10T09:00:00Z")},
		"removed":                       {types.StringValue("2031-05-10T09:00:00Z"), time.Time{}, types.StringNull()},
		"none before and none now":      {types.StringNull(), time.Time{}, types.StringNull()},
		"not a time before and removed": {types.StringValue("x"), time.Time{}, types.StringNull()},
	} {
		if got := attribute.KeepText(tc.before, tc.now); !got.Equal(tc.want) {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// number parses as Terraform does.
func number(t *testing.T, text string) types.Number {
	t.Helper()
	f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return types.NumberValue(f)
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"0": true, "500": true, "0.000001": true, "55.04": true, "0.1": true, "9223372036854.775807": true,
		"9223372036854.775808": false, "-0.01": false, "0.0000001": false, "1.0000000000001": false, "1e-30": false,
		"1e400": false,
	} {
		var resp validator.NumberResponse
		attribute.Amount{}.ValidateNumber(t.Context(), validator.NumberRequest{ConfigValue: number(t, text)}, &resp)
		if resp.Diagnostics.HasError() == ok {
			t.Errorf("%s: %v, want valid %v", text, resp.Diagnostics, ok)
		}
		if !ok && !strings.Contains(resp.Diagnostics[0].Detail(), "six decimals") {
			t.Errorf("%s: %q", text, resp.Diagnostics[0].Detail())
		}
	}
	for _, unset := range []types.Number{types.NumberNull(), types.NumberUnknown()} {
		var resp validator.NumberResponse
		attribute.Amount{}.ValidateNumber(t.Context(), validator.NumberRequest{ConfigValue: unset}, &resp)
		if len(resp.Diagnostics) > 0 || attribute.AmountOf(unset) != nil {
			t.Errorf("%s: %v, %v", unset, resp.Diagnostics, attribute.AmountOf(unset))
		}
	}
	if (attribute.Amount{}).Description(t.Context()) != (attribute.Amount{}).MarkdownDescription(t.Context()) {
		t.Error("two descriptions")
	}
}

// An amount goes to the framework and back to the same amount, and equals the
// number that a configuration with the same text has.
func TestAmount_roundTrip(t *testing.T) {
	t.Parallel()
	for text, micros := range map[string]int64{
		"0": 0, "0.000001": 1, "0.1": 100_000, "55.04": 55_040_000, "98.32": 98_320_000, "1234567.891011": 1_234_567_891_011,
		"9223372036854.775807": 9_223_372_036_854_775_807,
	} {
		m := money.Money{Micros: micros, Currency: "USD"}
		value := attribute.AmountValue(&m)
		if !value.Equal(number(t, text)) {
			t.Errorf("%s: %s is not the number of a configuration", text, value)
		}
		if got := attribute.AmountOf(value); got == nil || *got != m {
			t.Errorf("%s: %v came back", text, got)
		}
	}
	if got := attribute.AmountValue(nil); !got.IsNull() {
		t.Errorf("no amount = %s", got)
	}
	if got := attribute.AmountOf(number(t, "0.0000001")); got != nil {
		t.Errorf("a ten-millionth = %v", got)
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	checkTexts(t, attribute.Endpoint{}, map[string]string{
		"https://ec2.us-east-1.amazonaws.com": "", "http://[::1]:4600": "",
		"http://10.0.0.1": "loopback only", "ftp://127.0.0.1": `"ftp"`, "": "not a URL",
	})
}

// A refused endpoint does not repeat what may hold a password.
func TestEndpoint_hidesPassword(t *testing.T) {
	t.Parallel()
	said := validateText(t, attribute.Endpoint{}, types.StringValue("https://user:hunter2@example.com"))
	if said == "" || strings.Contains(said, "hunter2") {
		t.Errorf("%q", said)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]path.Path{
		"":                  path.Empty(),
		"zone":              path.Root("zone"),
		"window.end_at":     path.Root("window").AtName("end_at"),
		`tags["team"]`:      path.Root("tags").AtMapKey("team"),
		`tags["a.b[\"c"]`:   path.Root("tags").AtMapKey(`a.b[\"c`),
		`tags["aws:x y"]`:   path.Root("tags").AtMapKey("aws:x y"),
		"aws.platform":      path.Root("aws").AtName("platform"),
		`share_with["lab"]`: path.Root("share_with").AtSetValue(types.StringValue("lab")),
		"aws.accounts.key":  path.Root("aws").AtName("accounts").AtName("key"),
	} {
		if got := attribute.Path(name); !got.Equal(want) {
			t.Errorf("Path(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestCollections(t *testing.T) {
	t.Parallel()
	set := types.SetValueMust(types.StringType, []attr.Value{
		types.StringValue("b"), types.StringUnknown(), types.StringNull(), types.StringValue("a"),
	})
	if diff := cmp.Diff([]string{"a", "b"}, attribute.Strings(set)); diff != "" {
		t.Error(diff)
	}
	if got := attribute.Strings(types.SetNull(types.StringType)); len(got) != 0 {
		t.Errorf("null set = %v", got)
	}
	part := types.MapValueMust(types.StringType, map[string]attr.Value{"a": types.StringValue("1"), "b": types.StringUnknown()})
	if diff := cmp.Diff(map[string]string{"a": "1"}, attribute.StringMap(part)); diff != "" {
		t.Error(diff)
	}
	whole := types.MapValueMust(types.StringType, map[string]attr.Value{"a": types.StringValue("1")})
	for m, want := range map[*types.Map]bool{&part: false, &whole: true, ptr(types.MapNull(types.StringType)): true, ptr(types.MapUnknown(types.StringType)): false} {
		if got := attribute.Known(*m); got != want {
			t.Errorf("Known(%s) = %v", m, got)
		}
	}
}

func ptr(m types.Map) *types.Map { return &m }

// What was null stays null while it is empty: a provider must not turn one into
// the other.
func TestMapValue(t *testing.T) {
	t.Parallel()
	empty := types.MapValueMust(types.StringType, map[string]attr.Value{})
	null := types.MapNull(types.StringType)
	one := types.MapValueMust(types.StringType, map[string]attr.Value{"a": types.StringValue("1")})
	unset := func(more map[string]attr.Value) types.Map {
		more["b"] = types.StringNull()
		return types.MapValueMust(types.StringType, more)
	}
	for name, tc := range map[string]struct {
		values map[string]string
		before types.Map
		want   types.Map
	}{
		"unset key stays":   {nil, unset(map[string]attr.Value{}), unset(map[string]attr.Value{})},
		"unset among more":  {map[string]string{"a": "1"}, unset(map[string]attr.Value{}), unset(map[string]attr.Value{"a": types.StringValue("1")})},
		"unset key filled":  {map[string]string{"b": "1"}, unset(map[string]attr.Value{}), types.MapValueMust(types.StringType, map[string]attr.Value{"b": types.StringValue("1")})},
		"null stays null":   {nil, null, null},
		"empty stays empty": {nil, empty, empty},
		"emptied":           {map[string]string{}, one, empty},
		"filled":            {map[string]string{"a": "1"}, null, one},
	} {
		if got := attribute.MapValue(tc.values, tc.before); !got.Equal(tc.want) {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
