package attribute_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90m":              90 * time.Minute,
		"36h":              36 * time.Hour,
		"1h30m15.5s":       time.Hour + 30*time.Minute + 15*time.Second + 500*time.Millisecond,
		"0s":               0,
		"0d":               0,
		"14d":              14 * 24 * time.Hour,
		"1d12h":            36 * time.Hour,
		"007d":             7 * 24 * time.Hour,
		"106751d":          106751 * 24 * time.Hour,
		"106751d23h47m16s": 106751*24*time.Hour + 23*time.Hour + 47*time.Minute + 16*time.Second,
	} {
		got, err := attribute.ParseDuration(text)
		if err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseDuration_refuses(t *testing.T) {
	t.Parallel()
	for text, word := range map[string]string{
		"":                       "not a duration",
		"3":                      "not a duration",
		"d":                      "not a duration",
		"1.5d":                   "not a duration",
		"12h1d":                  "not a duration",
		"1d1d":                   "not a duration",
		"1w":                     "not a duration",
		" 1h":                    "not a duration",
		"one day":                "not a duration",
		"-1h":                    "negative",
		"1d-1h":                  "negative",
		"-1d":                    "not a duration",
		"106752d":                "106751 days",
		"106751d24h":             "106751 days",
		"99999999999999999999d":  "106751 days",
		"9223372036854775808ns":  "not a duration",
		"200000d":                "106751 days",
		"9999999999999999999999": "not a duration",
	} {
		got, err := attribute.ParseDuration(text)
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("ParseDuration(%q) = %v, %v, want an error with %q", text, got, err, word)
		}
	}
}

// FuzzParseDuration: whatever is accepted is not negative and, without days,
// what Go makes of it.
func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{"1d", "1d12h", "106751d24h", "90m", "-1h", "99999d99999h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := attribute.ParseDuration(text)
		if err != nil {
			return
		}
		if d < 0 {
			t.Errorf("ParseDuration(%q) = %v", text, d)
		}
		if plain, err := time.ParseDuration(text); err == nil && plain != d {
			t.Errorf("ParseDuration(%q) = %v, Go reads %v", text, d, plain)
		}
	})
}

// texts are values to validate, with a word of the error each must lead to; ""
// means none.
func checkTexts(t *testing.T, v validator.String, texts map[string]string) {
	t.Helper()
	for text, word := range texts {
		said := validateText(t, v, types.StringValue(text))
		if (said == "") != (word == "") || !strings.Contains(said, word) {
			t.Errorf("%q: %q, want %q", text, said, word)
		}
	}
	for _, unset := range []types.String{types.StringNull(), types.StringUnknown()} {
		if said := validateText(t, v, unset); said != "" {
			t.Errorf("%s: %q", unset, said)
		}
	}
	if v.Description(t.Context()) == "" || v.Description(t.Context()) != v.MarkdownDescription(t.Context()) {
		t.Errorf("descriptions %q and %q", v.Description(t.Context()), v.MarkdownDescription(t.Context()))
	}
}

func validateText(t *testing.T, v validator.String, value types.String) string {
	t.Helper()
	var resp validator.StringResponse
	at := path.Root("here")
	v.ValidateString(t.Context(), validator.StringRequest{Path: at, ConfigValue: value}, &resp)
	var all []string
	for _, d := range resp.Diagnostics {
		all = append(all, d.Summary()+": "+d.Detail())
	}
	if len(all) > 0 && !resp.Diagnostics.Contains(withPath(resp.Diagnostics[0], at)) {
		t.Errorf("%v is not about %s", all, at)
	}
	return strings.Join(all, "; ")
}

func TestDuration(t *testing.T) {
	t.Parallel()
	checkTexts(t, attribute.Duration{Min: time.Minute}, map[string]string{
		"1m": "", "14d": "", "59s": "less than 1m0s", "0d": "less than", "soon": "not a duration", "": "not a duration",
	})
	checkTexts(t, attribute.Duration{}, map[string]string{"0s": "", "-1s": "negative"})
}

func TestDurationValue(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{"1d": 24 * time.Hour, "14d": 14 * 24 * time.Hour, "36h0m0s": 36 * time.Hour} {
		got := attribute.DurationValue(d)
		if back, err := attribute.ParseDuration(got.ValueString()); got.ValueString() != want || err != nil || back != d {
			t.Errorf("%s is %s, which is read as %s, %v", d, got, back, err)
		}
	}
	if got := attribute.DurationValue(0); !got.IsNull() {
		t.Errorf("no time is %s", got)
	}
}
