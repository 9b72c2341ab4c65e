package azuresim

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
)

// kind is what a field of a body can hold.
type kind int

const (
	text kind = iota
	whole
	texts
	textMap
	nested
	list
	// ignored fields are read-only: what a request says of them is passed over.
	ignored
)

// field is a field of a body.
type field struct {
	kind kind
	of   object
}

// object lists the fields of a type, which has a name in error texts.
type object struct {
	name   string
	fields map[string]field
}

// readOnlyFields are what every resource has of itself.
func readOnlyFields() map[string]field {
	return map[string]field{
		"id": {kind: ignored}, "name": {kind: ignored}, "type": {kind: ignored}, "etag": {kind: ignored}, "systemData": {kind: ignored},
	}
}

// resource makes an object of the fields of a resource and those of all.
func resource(name string, fields map[string]field) *object {
	all := readOnlyFields()
	maps.Copy(all, fields)
	return &object{name, all}
}

// peek reads a body without a check, for the call log.
func peek(raw []byte) map[string]any {
	var body map[string]any
	if json.Unmarshal(raw, &body) != nil {
		return nil
	}
	return body
}

// parseBody reads a body of a type.
func parseBody(raw []byte, of object) (map[string]any, *apiError) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, fail(codeInvalidContent, "The request content was invalid and could not be deserialized: 'The content is empty.'.")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, badContent(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, badContent(errors.New("additional text encountered after finished reading JSON content"))
	}
	body, ok := value.(map[string]any)
	if !ok {
		return nil, badContent(errors.New("a JSON object is wanted"))
	}
	return of.read("", body)
}

func badContent(err error) *apiError {
	return fail(codeInvalidContent, "The request content was invalid and could not be deserialized: '%s'.", printable(err.Error()))
}

// read checks an object and puts its names into the specification's casing:
// Azure reads names in any (fact azure-2-field-casing). null counts as absent.
func (o object) read(path string, body map[string]any) (map[string]any, *apiError) {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		proper, f, known := o.find(name)
		at := join(path, name)
		if !known {
			return nil, fail(codeBadRequest, "Could not find member '%s' on object of type '%s'. Path '%s'.",
				printable(name), o.name, printable(at)).at(printable(at))
		}
		if f.kind == ignored || body[name] == nil {
			continue
		}
		if _, twice := out[proper]; twice {
			return nil, badContent(errors.New("the member '" + proper + "' comes twice"))
		}
		value, err := f.read(join(path, proper), body[name])
		if err != nil {
			return nil, err
		}
		out[proper] = value
	}
	return out, nil
}

func (o object) find(name string) (string, field, bool) {
	if f, ok := o.fields[name]; ok {
		return name, f, true
	}
	for proper, f := range o.fields {
		if strings.EqualFold(proper, name) {
			return proper, f, true
		}
	}
	return "", field{}, false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// converted refuses a value of another type.
func converted(path, want string, value any) *apiError {
	data, err := json.Marshal(value)
	if err != nil {
		data = []byte("?")
	}
	return fail(codeBadRequest, "Error converting value %s to type '%s'. Path '%s'.", printable(string(data)), want, path).at(path)
}

func (f field) read(path string, value any) (any, *apiError) {
	switch f.kind {
	case whole:
		return readWhole(path, value)
	case texts, list:
		return f.readList(path, value)
	case textMap:
		return readTextMap(path, value)
	case nested:
		body, ok := value.(map[string]any)
		if !ok {
			return nil, converted(path, f.of.name, value)
		}
		return f.of.read(path, body)
	}
	s, ok := value.(string)
	if !ok {
		return nil, converted(path, "System.String", value)
	}
	return s, nil
}

func readWhole(path string, value any) (any, *apiError) {
	number := json.Number("")
	switch v := value.(type) {
	case json.Number:
		number = v
	case string:
		// Newtonsoft's reader takes a number in quotes.
		number = json.Number(v)
	}
	n, err := number.Int64()
	if err != nil {
		return nil, converted(path, "System.Nullable`1[System.Int64]", value)
	}
	return n, nil
}

func (f field) readList(path string, value any) (any, *apiError) {
	items, ok := value.([]any)
	if !ok {
		return nil, converted(path, "System.Collections.Generic.List`1", value)
	}
	if f.kind == texts {
		all := []string{}
		for _, item := range items {
			s, ok := item.(string)
			if !ok {
				return nil, converted(path, "System.String", item)
			}
			all = append(all, s)
		}
		return all, nil
	}
	all := []map[string]any{}
	for _, item := range items {
		body, ok := item.(map[string]any)
		if !ok {
			return nil, converted(path, f.of.name, item)
		}
		read, err := f.of.read(path, body)
		if err != nil {
			return nil, err
		}
		all = append(all, read)
	}
	return all, nil
}

func readTextMap(path string, value any) (any, *apiError) {
	body, ok := value.(map[string]any)
	if !ok {
		return nil, converted(path, "System.Collections.Generic.IDictionary`2", value)
	}
	all := map[string]string{}
	for key, item := range body {
		s, ok := item.(string)
		if !ok && item != nil {
			return nil, converted(path+"."+printable(key), "System.String", item)
		}
		all[key] = s
	}
	return all, nil
}
