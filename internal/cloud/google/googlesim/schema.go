package googlesim

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is how a field is written in JSON.
type kind int

const (
	text    kind = iota
	whole        // int64: a string in answers, a string or number in requests
	small        // int32: a number in answers, a number or string in requests
	truth        // boolean
	instant      // RFC 3339
	nested       // a message
	texts        // a list of strings
	list         // a list of messages
	textMap      // a map of strings
	dict         // a map of messages
	ignored      // output only: Google drops it from requests
)

// object is a message: its fields by their name in lowerCamelCase.
type object map[string]field

// field is a field of a message. of is set for nested, list and dict.
type field struct {
	kind kind
	of   object
	// enum are the values of an enum.
	enum []string
}

// parseBody reads a request's body by its schema. Fields may be spelled in
// snake_case, as protobuf's JSON allows.
func parseBody(data []byte, schema *object) (map[string]any, *apiError) {
	if len(bytes.TrimSpace(data)) == 0 {
		if schema != nil {
			return nil, required("resource")
		}
		return map[string]any{}, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	if err == nil {
		if _, end := decoder.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something follows the value")
		}
	}
	if err != nil {
		return nil, parseError(data, err)
	}
	if schema == nil {
		// Clients send an empty string or null for no body at all (fact
		// google-2-no-body).
		if value == "" || value == nil {
			return map[string]any{}, nil
		}
		schema = &object{}
	}
	body, ok := value.(map[string]any)
	if !ok {
		return nil, badRequest("Invalid JSON payload received. Unknown name \"\": Root element must be a message.", "")
	}
	return schema.read(body, "")
}

// parseError is the front end's word for what is no JSON. Its text says more,
// UNVERIFIED.
func parseError(_ []byte, err error) *apiError {
	return &apiError{
		status: http.StatusBadRequest, reason: "parseError", canonical: "INVALID_ARGUMENT",
		message: "Invalid JSON payload received. " + printable(err.Error()),
	}
}

// badRequest is an error of the front end, which checks a body's form before
// Compute Engine sees it. That its reason is badRequest here is UNVERIFIED;
// the text is what clients log.
func badRequest(message, path string) *apiError {
	violation := map[string]string{"description": message}
	if path != "" {
		violation["field"] = path
	}
	return &apiError{
		status: http.StatusBadRequest, reason: reasonInvalid, message: message, canonical: "INVALID_ARGUMENT",
		details: []any{map[string]any{
			"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": []any{violation},
		}},
	}
}

// read checks a message and gives its fields their lowerCamelCase names. path
// is how errors name it.
func (o object) read(in map[string]any, path string) (map[string]any, *apiError) {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		key := camel(name)
		f, known := o[key]
		if !known {
			return nil, unknownName(name, path)
		}
		if _, twice := out[key]; twice {
			return nil, badRequest("Invalid JSON payload received. Duplicate field '"+printable(name)+"'", path)
		}
		value := in[name]
		if f.kind == ignored || value == nil {
			continue
		}
		read, err := f.read(value, join(path, snake(key)))
		if err != nil {
			return nil, err
		}
		out[key] = read
	}
	return out, nil
}

// unknownName is fact google-2-unknown-name.
func unknownName(name, path string) *apiError {
	at := ""
	if path != "" {
		at = " at 'resource." + path + "'"
	}
	return badRequest(`Invalid JSON payload received. Unknown name "`+printable(name)+`"`+at+`: Cannot find field.`, path)
}

func (f field) read(value any, path string) (any, *apiError) {
	switch f.kind {
	case nested:
		if inner, ok := value.(map[string]any); ok {
			return f.of.read(inner, path)
		}
	case list, texts:
		if items, ok := value.([]any); ok {
			return f.readList(items, path)
		}
	case dict, textMap:
		if entries, ok := value.(map[string]any); ok {
			return f.readMap(entries, path)
		}
	default:
		if read, ok := f.scalar(value); ok {
			return read, f.checkEnum(read, path)
		}
	}
	return nil, badRequest("Invalid value at 'resource."+path+"' ("+f.typeName()+"), "+shown(value), path)
}

func (f field) readList(items []any, path string) (any, *apiError) {
	one := field{kind: text, enum: f.enum}
	if f.kind == list {
		one = field{kind: nested, of: f.of}
	}
	out := []any{}
	for i, item := range items {
		read, err := one.read(item, path+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		out = append(out, read)
	}
	return out, nil
}

func (f field) readMap(entries map[string]any, path string) (any, *apiError) {
	one := field{kind: text}
	if f.kind == dict {
		one = field{kind: nested, of: f.of}
	}
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		read, err := one.read(entries[key], path+"["+printable(key)+"].value")
		if err != nil {
			return nil, err
		}
		out[key] = read
	}
	return out, nil
}

// scalar gives numbers as json.Number of whole numbers, whatever they came as,
// and int64 as the string that answers have.
func (f field) scalar(value any) (any, bool) {
	switch f.kind {
	case text:
		s, ok := value.(string)
		return s, ok
	case truth:
		b, ok := value.(bool)
		return b, ok
	case instant:
		s, ok := value.(string)
		if !ok {
			return nil, false
		}
		_, err := time.Parse(time.RFC3339Nano, s)
		return s, err == nil && millis(s)
	}
	n, ok := wholeNumber(value)
	if f.kind == small {
		return json.Number(strconv.FormatInt(n, 10)), ok && n == int64(int32(n))
	}
	return strconv.FormatInt(n, 10), ok
}

func wholeNumber(value any) (int64, bool) {
	digits := ""
	switch v := value.(type) {
	case string:
		digits = v
	case json.Number:
		digits = v.String()
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// checkEnum words the refusal as Compute Engine does other bad values;
// UNVERIFIED for enums.
func (f field) checkEnum(value any, path string) *apiError {
	s, ok := value.(string)
	if f.enum == nil || !ok || slices.Contains(f.enum, s) {
		return nil
	}
	return badRequest("Invalid value at 'resource."+path+"' (TYPE_ENUM), \""+printable(s)+"\"", path)
}

func (f field) typeName() string {
	switch f.kind {
	case whole:
		return "TYPE_INT64"
	case small:
		return "TYPE_INT32"
	case truth:
		return "TYPE_BOOL"
	case nested, list, dict, textMap:
		return "TYPE_MESSAGE"
	}
	return "TYPE_STRING"
}

func shown(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return printable(string(data))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

var afterUnderscore = regexp.MustCompile(`_[a-z0-9]`)

// camel is the lowerCamelCase of a snake_case name; others stay.
func camel(name string) string {
	return afterUnderscore.ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
}

var upperLetter = regexp.MustCompile(`[A-Z]`)

func snake(name string) string {
	return upperLetter.ReplaceAllStringFunc(name, func(s string) string { return "_" + strings.ToLower(s) })
}
