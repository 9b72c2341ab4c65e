package awssim

import (
	"strings"
)

// filters reads a thing's values by filter name; false is a filter that the
// operation does not have.
type filters[T any] func(thing T, name string) (values []string, known bool)

// maxFilterValues is EC2's bound on the values of one request.
const maxFilterValues = 200

// keep tells whether a thing passes every filter of the request: all filters,
// any value of each.
func keep[T any](q *query, thing T, values filters[T]) bool {
	for _, n := range q.form.indexes("Filter") {
		have, _ := values(thing, q.form[at("Filter", n)+".Name"])
		if !anyMatch(q.form.list(at("Filter", n)+".Value"), have) {
			return false
		}
	}
	return true
}

// checkFilters refuses filters that do not exist, by trying them on the zero
// thing.
func checkFilters[T any](q *query, values filters[T]) *apiError {
	var nothing T
	total := 0
	for _, n := range q.form.indexes("Filter") {
		prefix := at("Filter", n)
		name, given := q.form[prefix+".Name"]
		if !given {
			return missing(prefix + ".Name")
		}
		wanted := q.form.list(prefix + ".Value")
		if len(wanted) == 0 {
			return fail(codeInvalidValue, "The filter %s has no value", printable(name))
		}
		if total += len(wanted); total > maxFilterValues {
			return fail("FilterLimitExceeded", "More than %d filter values are given", maxFilterValues)
		}
		if _, known := values(nothing, name); !known {
			return fail(codeInvalidFilter, "The filter %s is invalid", printable(name))
		}
	}
	return nil
}

func anyMatch(patterns, have []string) bool {
	for _, p := range patterns {
		for _, value := range have {
			if wildcard(p, value) {
				return true
			}
		}
	}
	return false
}

// wildcard matches EC2's filter patterns: * is any run, ? one character.
func wildcard(pattern, value string) bool {
	star, mark := -1, 0
	p, v := 0, 0
	for v < len(value) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, v
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == value[v]):
			p, v = p+1, v+1
		case star >= 0:
			mark++
			p, v = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// tagFilter reads the filters that every tagged thing has: tag:KEY and
// tag-key. For capacity reservations UNVERIFIED; every other tagged EC2
// resource has them.
func tagFilter(tags map[string]string, name string) ([]string, bool) {
	if key, ok := strings.CutPrefix(name, "tag:"); ok {
		if value, set := tags[key]; set {
			return []string{value}, true
		}
		return nil, true
	}
	if name != "tag-key" {
		return nil, false
	}
	var keys []string
	for key := range tags {
		keys = append(keys, key)
	}
	return keys, true
}
