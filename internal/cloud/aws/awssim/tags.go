package awssim

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Limits on tags: per resource, and in characters.
const (
	maxTags     = 50
	maxTagKey   = 128
	maxTagValue = 256
	// maxTagEntries bounds Tag.N, which are compared with each other.
	maxTagEntries = 1000
	// maxTagged bounds ResourceId.N.
	maxTagged = 1000
	// systemTags is the prefix that only AWS may write; such tags count
	// against no limit.
	systemTags = "aws:"
)

// tagEntry is a Tag.N; an absent value matters when deleting.
type tagEntry struct {
	key   string
	value string
	given bool
}

// tagEntries reads the tags below a name.
func (q *query) tagEntries(name string) ([]tagEntry, *apiError) {
	var all []tagEntry
	given := q.form.indexes(name)
	if len(given) > maxTagEntries {
		return nil, fail(codeInvalidValue, "More than %d tags are given", maxTagEntries)
	}
	for _, n := range given {
		key, given := q.form[at(name, n)+".Key"]
		if !given {
			return nil, missing(at(name, n) + ".Key")
		}
		value, valued := q.form[at(name, n)+".Value"]
		if slices.ContainsFunc(all, func(e tagEntry) bool { return e.key == key }) {
			return nil, fail(codeInvalidValue, "Duplicate tag key %s specified.", printable(key))
		}
		all = append(all, tagEntry{key, value, valued})
	}
	return all, nil
}

// checkTag refuses tags that nobody but AWS may write, and too long ones.
func checkTag(e tagEntry) *apiError {
	switch {
	case strings.HasPrefix(strings.ToLower(e.key), systemTags):
		return fail(codeInvalidValue, "Tag keys starting with 'aws:' are reserved for internal use")
	case e.key == "":
		return fail(codeInvalidValue, "Tag key cannot be empty")
	case utf8.RuneCountInString(e.key) > maxTagKey:
		return fail(codeInvalidValue, "Tag key exceeds the maximum length of %d characters", maxTagKey)
	case utf8.RuneCountInString(e.value) > maxTagValue:
		return fail(codeInvalidValue, "Tag value exceeds the maximum length of %d characters", maxTagValue)
	}
	return nil
}

// merge adds entries to tags, within the limits.
func merge(tags map[string]string, entries []tagEntry) (map[string]string, *apiError) {
	merged := maps.Clone(tags)
	if merged == nil {
		merged = map[string]string{}
	}
	for _, e := range entries {
		if err := checkTag(e); err != nil {
			return nil, err
		}
		merged[e.key] = e.value
	}
	own := 0
	for key := range merged {
		if !strings.HasPrefix(key, systemTags) {
			own++
		}
	}
	if own > maxTags {
		return nil, fail(codeTagLimit, "The maximum number of %d tags for a resource has been reached", maxTags)
	}
	return merged, nil
}

// newTags reads the tags of a request that makes something. The parameter is
// TagSpecifications, in the plural, for CreateCapacityReservation alone (fact
// aws-2-tag-specifications).
func (q *query) newTags(parameter string, kinds ...string) (map[string]string, *apiError) {
	tags := map[string]string{}
	for _, n := range q.form.indexes(parameter) {
		name := at(parameter, n)
		if kind := q.form[name+".ResourceType"]; !slices.Contains(kinds, kind) {
			return nil, invalid(name+".ResourceType", printable(kind), "Only "+strings.Join(kinds, ", ")+" can be tagged here.")
		}
		entries, err := q.tagEntries(name + ".Tag")
		if err != nil {
			return nil, err
		}
		if tags, err = merge(tags, entries); err != nil {
			return nil, err
		}
	}
	return tags, nil
}

// taggable is a type of resource that has tags.
type taggable struct {
	kind, prefix string
	find         func(q *query, id string) (*sim.Object, *apiError)
	arn          func(region, account, id string) string
}

// taggables lists what can be tagged here, by the prefix of its ids.
func taggables() []taggable {
	return []taggable{
		{reservationType, "cr-", (*query).find, reservationARN},
		{hostType, "h-", (*query).findHost, hostARN},
		{hostReservationType, "hr-", (*query).findHostReservation, hostReservationARN},
	}
}

// arnOf is the ARN of a short id, by its prefix; of a foreign one it is empty.
func arnOf(region, account, id string) string {
	for _, t := range taggables() {
		if strings.HasPrefix(id, t.prefix) {
			return t.arn(region, account, id)
		}
	}
	return ""
}

// anyTagged finds a resource by its id.
func (q *query) anyTagged(id string) (*sim.Object, *apiError) {
	for _, t := range taggables() {
		if strings.HasPrefix(id, t.prefix) {
			return t.find(q, id)
		}
	}
	return nil, fail(codeInvalidID, "The ID '%s' is not valid", strings.Trim(printable(id), `"`))
}

// tagged finds the resources of a tag call, all or an error.
func (q *query) tagged() ([]*sim.Object, *apiError) {
	ids := q.form.list("ResourceId")
	if len(ids) == 0 {
		return nil, missing("ResourceId")
	}
	if len(ids) > maxTagged {
		return nil, fail(codeInvalidValue, "More than %d resources are given", maxTagged)
	}
	var found []*sim.Object
	for _, id := range ids {
		obj, err := q.anyTagged(id)
		if err != nil {
			return nil, err
		}
		found = append(found, obj)
	}
	return found, nil
}

// createTags is CreateTags: on every resource or on none.
func createTags(q *query) ([]node, *apiError) {
	found, err := q.tagged()
	if err != nil {
		return nil, err
	}
	entries, err := q.tagEntries("Tag")
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, missing("Tag")
	}
	merged := make([]map[string]string, len(found))
	for i, obj := range found {
		if merged[i], err = merge(obj.Tags, entries); err != nil {
			return nil, err
		}
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	for i, obj := range found {
		obj.Tags = merged[i]
	}
	return []node{boolean("return", true)}, nil
}

// deleteTags is DeleteTags. A given value, also an empty one, must be the
// tag's; without tags all but AWS's own go.
func deleteTags(q *query) ([]node, *apiError) {
	found, err := q.tagged()
	if err != nil {
		return nil, err
	}
	entries, err := q.tagEntries("Tag")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := checkTag(e); err != nil {
			return nil, err
		}
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	for _, obj := range found {
		maps.DeleteFunc(obj.Tags, func(key, value string) bool {
			if strings.HasPrefix(key, systemTags) {
				return false
			}
			return len(entries) == 0 || slices.ContainsFunc(entries, func(e tagEntry) bool {
				return e.key == key && (!e.given || e.value == value)
			})
		})
	}
	return []node{boolean("return", true)}, nil
}

// tagRow is a tag of a resource as DescribeTags shows it.
type tagRow struct{ id, kind, key, value string }

func tagRowFilter(t tagRow, name string) ([]string, bool) {
	if key, ok := strings.CutPrefix(name, "tag:"); ok {
		if key != t.key {
			return nil, true
		}
		return []string{t.value}, true
	}
	values := map[string]string{
		"key": t.key, "value": t.value, "resource-id": t.id, "resource-type": t.kind,
	}
	value, known := values[name]
	return []string{value}, known
}

// describeTags is DescribeTags.
func describeTags(q *query) ([]node, *apiError) {
	if err := checkFilters(q, tagRowFilter); err != nil {
		return nil, err
	}
	var rows []row
	for _, t := range taggables() {
		for _, obj := range q.ownOf(t.kind) {
			rows = append(rows, q.tagRows(obj)...)
		}
	}
	return q.page("tagSet", rows, limits{5, 1000})
}

func (q *query) tagRows(obj *sim.Object) []row {
	var rows []row
	for i, key := range slices.Sorted(maps.Keys(obj.Tags)) {
		t := tagRow{reservationID(obj), obj.Type, key, obj.Tags[key]}
		if keep(q, t, tagRowFilter) {
			rows = append(rows, row{obj.Serial*maxUsers + int64(i), item(
				text("resourceId", t.id), text("resourceType", t.kind), text("key", t.key), text("value", t.value))})
		}
	}
	return rows
}
