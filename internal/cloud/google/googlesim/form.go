package googlesim

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// form is how an answer is written: what the standard parameters and two headers
// ask for.
type form struct {
	// compact leaves out indentation and line breaks.
	compact bool
	// callback is the function of a JSONP answer.
	callback string
	zipped   bool
	// mask is nil for everything.
	mask *selection
}

// system is a standard parameter. Each has two spellings (page "System parameters"
// of the Cloud APIs), and the first of several values counts (measured on Sheets and
// Drive: brekkylab/backlot#306).
func system(params url.Values, name string) string {
	for _, spelling := range []string{name, "$" + name} {
		if value := params.Get(spelling); value != "" {
			return value
		}
	}
	return ""
}

// altOf is the format that a request asks for, without an option such as
// enum-encoding; case does not matter (brekkylab/backlot#220).
func altOf(params url.Values) string {
	alt, _, _ := strings.Cut(strings.ToLower(system(params, "alt")), ";")
	return alt
}

// formOf reads what also a refusal is written by.
func formOf(r *http.Request, params url.Values) form {
	f := form{zipped: wantsGzip(r.Header)}
	if alt := altOf(params); r.Method == http.MethodGet && (alt == "" || alt == "json") {
		f.callback = system(params, "callback")
	}
	return f
}

// wantsGzip is fact google-2-gzip.
func wantsGzip(header http.Header) bool {
	if !strings.Contains(strings.ToLower(header.Get("User-Agent")), "gzip") {
		return false
	}
	for _, coding := range strings.Split(strings.Join(header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";")
		if strings.EqualFold(name, "gzip") && !noWeight.MatchString(weight) {
			return true
		}
	}
	return false
}

// noWeight is a weight that refuses a coding (RFC 9110, 12.4.2).
var noWeight = regexp.MustCompile(`^q=0(?:\.0*)?$`)

var callbackName = regexp.MustCompile(`^[A-Za-z0-9_$.\[\]]+$`)

// badSystem refuses a value of a standard parameter. The text is that for $.xgafv
// (measured on Sheets and Drive: brekkylab/backlot#202).
func badSystem(name, value string) *apiError {
	return frontEnd("Invalid query parameters. Invalid value '" + printable(value) + "' for system query parameter : " + name)
}

// frontEnd is a refusal of the common front end for its own parameters.
func frontEnd(message string) *apiError {
	return &apiError{status: http.StatusBadRequest, reason: "badRequest", message: message, canonical: "INVALID_ARGUMENT"}
}

// checkForm holds the standard parameters to what can be asked for, in the order in
// which they are looked at, and completes the form.
func (c *call) checkForm(known func() responses) *apiError {
	if values, given := c.params["$.xgafv"]; given && !slices.Contains([]string{"1", "2"}, values[len(values)-1]) {
		return badSystem("$.xgafv", values[len(values)-1])
	}
	if name := c.form.callback; name != "" && !callbackName.MatchString(name) {
		return frontEnd("Invalid JSONP callback name: '" + printable(name) +
			"'; only alphabet, number, '_', '$', '.', '[' and ']' are allowed.")
	}
	if err := checkAlt(c.params); err != nil {
		return err
	}
	// What is no truth value counts as true (measured on Sheets: brekkylab/backlot,
	// routers/google.py). google-gax sends 0.
	c.form.compact = slices.Contains([]string{"false", "0"}, system(c.params, "prettyPrint"))
	return c.checkMask(known)
}

// checkAlt is fact google-2-alt.
func checkAlt(params url.Values) *apiError {
	switch alt := altOf(params); alt {
	case "", "json":
		return nil
	case "media":
		return frontEnd(`Unsupported alt type "media" for non byte stream request.`)
	case "proto":
		// The discovery document has it, and nothing shows what it answers.
		return fail(reasonInvalid, "The parameter alt=proto is not offered by this simulation")
	}
	return frontEnd(`Invalid value "` + printable(system(params, "alt")) + `" for query parameter 'alt'`)
}

// checkMask reads the parameter fields. That it is everything where it is empty is
// of the page "System parameters" of the Cloud APIs; on Drive it is nothing then.
func (c *call) checkMask(known func() responses) *apiError {
	text := system(c.params, "fields")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	mask, wrong, ok := readMask(text)
	if ok {
		types := known()
		var bad bool
		if wrong, bad = types.misses(mask, types.methods[c.method.id]); !bad {
			c.form.mask = mask
			return nil
		}
	}
	return c.wrongMask(wrong)
}

// wrongMask words it as Drive does for Compute Engine, which is of its age, and as
// Sheets does for the newer APIs (brekkylab/backlot, errors/google.py).
func (c *call) wrongMask(name string) *apiError {
	name = printable(name)
	if strings.HasPrefix(c.method.id, "compute.") {
		return &apiError{
			status: http.StatusBadRequest, reason: "invalidParameter", message: "Invalid field selection " + name, location: "fields",
		}
	}
	err := badRequest("Error expanding 'fields' parameter. Cannot find matching fields for path '"+name+"'.", name)
	err.message = "Request contains an invalid argument."
	return err
}

// encode writes a result.
func (f form) encode(result any) ([]byte, error) {
	data, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	if f.mask != nil {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		// An answer is a message, of which something always stays.
		kept, _ := f.mask.pick(value)
		if data, err = json.Marshal(kept); err != nil {
			return nil, err
		}
	}
	if f.compact {
		return data, nil
	}
	return indented(data)
}

// indented is the default (fact google-2-pretty).
func indented(data []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := json.Indent(&out, data, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// wrap makes an answer what goes over the wire. Google's HTML pages stay as they
// are.
func (f form) wrap(a sim.Answer) sim.Answer {
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
		return a
	}
	a.Header = a.Header.Clone()
	if f.callback != "" {
		// A script element sees neither a status nor what is no script (fact
		// google-2-callback).
		a.Body = slices.Concat([]byte("// API callback\n"), quoted(f.callback), []byte("("), a.Body, []byte(");"))
		a.Status = http.StatusOK
		a.Header.Set("Content-Type", "text/javascript; charset=UTF-8")
	}
	if f.zipped {
		a.Body = zip(a.Body)
		a.Header.Set("Content-Encoding", "gzip")
	}
	return a
}

// quoted escapes a name as in a JSON string: a refused one is answered too.
func quoted(name string) []byte {
	data, err := json.Marshal(name)
	if err != nil {
		return nil
	}
	return data[1 : len(data)-1]
}

func zip(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	// Writing to memory does not fail.
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Bytes()
}

// unzipped is a request's body without its coding (fact google-2-gzip-body).
func unzipped(in *sim.Inbound) ([]byte, *apiError) {
	if in.TooLarge {
		return nil, tooLarge()
	}
	switch coding := strings.ToLower(in.HTTP.Header.Get("Content-Encoding")); coding {
	case "", "identity":
		return in.Body, nil
	case "gzip", "x-gzip":
	default:
		// UNVERIFIED; the status is that of RFC 9110, 15.5.16.
		return nil, &apiError{
			status: http.StatusUnsupportedMediaType, reason: reasonInvalid, canonical: "INVALID_ARGUMENT",
			message: "Unsupported content encoding: " + printable(coding),
		}
	}
	r, err := gzip.NewReader(bytes.NewReader(in.Body))
	if err != nil {
		return nil, parseError(nil, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, sim.MaxBody+1))
	if err != nil {
		return nil, parseError(nil, err)
	}
	if len(data) > sim.MaxBody {
		return nil, tooLarge()
	}
	return data, nil
}

func tooLarge() *apiError {
	return fail(reasonInvalid, "Request payload size exceeds the limit: %d bytes.", sim.MaxBody)
}
