package awssim

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// form is a Query API body: flat names with positions, "Filter.1.Value.2".
type form map[string]string

// parseForm refuses what no parser should guess at.
func parseForm(body []byte) (form, *apiError) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fail(codeMalformedQuery, "The query string contains a syntax error.")
	}
	f := form{}
	for name, all := range values {
		if len(all) > 1 {
			return nil, fail(codeInvalidValue, "The parameter %s is given more than once", printable(name))
		}
		if !clean(name) || !clean(all[0]) {
			return nil, fail(codeInvalidCharacter, "The parameter %s has an invalid character", printable(name))
		}
		f[name] = all[0]
	}
	return f, nil
}

// clean tells whether a text can stand in an XML answer.
func clean(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < ' ' && r != '\t' && r != '\n' && r != '\r') || r == 0xFFFE || r == 0xFFFF
	})
}

// printable makes a name safe to show, and short.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "?")
	if len(s) > 100 {
		s = strings.ToValidUTF8(s[:100], "")
	}
	return strconv.QuoteToASCII(s)
}

var position = regexp.MustCompile(`\.([1-9][0-9]{0,5})(\.|$)`)

// pattern is a parameter's name with each position as N.
func pattern(name string) string {
	for position.MatchString(name) {
		name = position.ReplaceAllString(name, ".N$2")
	}
	return name
}

func (f form) has(name string) bool {
	_, ok := f[name]
	return ok
}

// indexes are the positions given below a name, in order.
func (f form) indexes(name string) []int {
	found := map[int]bool{}
	for key := range f {
		rest, ok := strings.CutPrefix(key, name+".")
		if !ok {
			continue
		}
		head, _, _ := strings.Cut(rest, ".")
		if n, err := strconv.Atoi(head); err == nil {
			found[n] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// at is the name of a position.
func at(name string, n int) string { return name + "." + strconv.Itoa(n) }

// list reads "Name.1", "Name.2", … in order.
func (f form) list(name string) []string {
	var values []string
	for _, n := range f.indexes(name) {
		values = append(values, f[at(name, n)])
	}
	return values
}

// whole reads an integer; absent is 0 and false.
func (f form) whole(name string) (int, bool, *apiError) {
	value, ok := f[name]
	if !ok {
		return 0, false, nil
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return 0, false, invalid(name, value, "It is not an integer.")
	}
	return int(n), true, nil
}

// truth reads a boolean; absent is false.
func (f form) truth(name string) (bool, *apiError) {
	switch strings.ToLower(f[name]) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	if f.has(name) {
		return false, invalid(name, f[name], "It is neither true nor false.")
	}
	return false, nil
}

// time reads an instant, with or without fraction and offset.
func (f form) time(name string) (time.Time, *apiError) {
	value, ok := f[name]
	if !ok {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(layout, value); err == nil {
			return t.UTC().Truncate(time.Millisecond), nil
		}
	}
	return time.Time{}, invalid(name, value, "It is not a timestamp.")
}

// choice reads a value that is one of some; absent is the first.
func (f form) choice(name string, values ...string) (string, *apiError) {
	value, ok := f[name]
	if !ok {
		return values[0], nil
	}
	if !slices.Contains(values, value) {
		return "", invalid(name, value, "Valid values: "+strings.Join(values, ", ")+".")
	}
	return value, nil
}
