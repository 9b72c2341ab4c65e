package azuresim

import (
	"net/http"
	"strings"
)

// Limits of tags (azure-docs, tag-resources: limitations).
const (
	maxTags     = 50
	maxTagName  = 512
	maxTagValue = 256
	badInTag    = `<>%&\?/`
)

// tags reads the tags of a body, which replace all that were there. nil is none
// given. Codes and texts are UNVERIFIED but for the characters.
func (q *query) tags() (map[string]string, *apiError) {
	tags, given := q.body["tags"].(map[string]string)
	if !given {
		return nil, nil
	}
	if len(tags) > maxTags {
		return nil, fail("TooManyTags", "The number of tags '%d' exceeds the limit of %d.", len(tags), maxTags)
	}
	seen := map[string]bool{}
	for name, value := range tags {
		switch {
		case name == "" || len(name) > maxTagName:
			return nil, fail("InvalidTagNameLength", "Tag name must be non-null, non-empty and shorter than %d characters.", maxTagName)
		case strings.ContainsAny(name, badInTag):
			return nil, fail("InvalidTagNameCharacters", "The tag names '%s' have reserved characters '<,>,%%,&,\\,?,/' or control characters.", printable(name))
		case len(value) > maxTagValue:
			return nil, fail("InvalidTagValueLength", "Tag value too large. Following tag value '%s' exceeded the maximum length. "+
				"Maximum allowed length for tag value - '%d' characters.", printable(value), maxTagValue)
		case seen[strings.ToLower(name)]:
			// Names compare without regard to case.
			return nil, &apiError{
				status: http.StatusBadRequest, code: codeInvalidContent,
				message: "The request content was invalid and could not be deserialized: 'The tag name '" + printable(name) + "' comes twice.'.",
			}
		}
		seen[strings.ToLower(name)] = true
	}
	return tags, nil
}
