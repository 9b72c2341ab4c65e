package azure

import (
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// tagReleasing is on a group of our own whose reservation is being given up: what
// is left of it then is ours to remove.
const tagReleasing = cloud.TagPrefix + "releasing"

// systemPrefixes begin the keys that Azure itself writes or hides (Azure docs,
// "Use tags to organize your Azure resources", hidden tags; ms-resource-usage is
// written by Cloud Shell and others).
var systemPrefixes = []string{"hidden-", "ms-resource-usage"}

// tagsOf reads all tags of an object. Keys are shown as they are written.
func tagsOf(tags map[string]*string) map[string]string {
	all := make(map[string]string, len(tags))
	for key, value := range tags {
		all[key] = deref(value)
	}
	return all
}

// sendable are tags as they are sent, nil where there are none.
func sendable(tags map[string]string) map[string]*string {
	all := make(map[string]*string, len(tags))
	for key, value := range tags {
		all[key] = &value
	}
	return all
}

// readMark is the mark in tags whose keys may have come back in another casing
// (Azure docs, "Use tags to organize your Azure resources": names are
// case-insensitive for operations).
func readMark(tags map[string]string) cloud.Mark {
	folded := map[string]string{}
	for key, value := range tags {
		folded[strings.ToLower(key)] = value
	}
	return cloud.MarkFromTags(folded)
}

// isReleasing tells a group whose release was begun.
func isReleasing(tags map[string]string) bool {
	for key, value := range tags {
		if strings.EqualFold(key, tagReleasing) {
			return strings.EqualFold(value, "true")
		}
	}
	return false
}

// userTags leaves out the mark and what is Azure's own.
func userTags(all map[string]string) map[string]string {
	tags := map[string]string{}
	for key, value := range all {
		if !reserved(key) {
			tags[key] = value
		}
	}
	return tags
}

// reserved tells a key that is not the user's.
func reserved(key string) bool { return ours(key) || system(key) }

func ours(key string) bool { return strings.HasPrefix(strings.ToLower(key), cloud.TagPrefix) }

func system(key string) bool {
	lower := strings.ToLower(key)
	for _, prefix := range systemPrefixes {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	return false
}

// createTags are the tags of a new object: the user's and the mark, whose claim is
// written later.
func createTags(user map[string]string, mark cloud.Mark) map[string]string {
	mark.Claim = ""
	return retagged(nil, cloud.Change{SetTags: user, Mark: &mark})
}

// retagged are the tags of an object after a change. A PATCH replaces the whole map
// (azure-cli recording test_capacity_reservation_operations, 2026-09), so that what
// others and Azure wrote is sent again as it is.
func retagged(have map[string]string, change cloud.Change) map[string]string {
	tags := map[string]string{}
	for key, value := range have {
		tags[key] = value
	}
	for _, key := range change.RemoveTags {
		dropUser(tags, key)
	}
	for key, value := range change.SetTags {
		if reserved(key) {
			continue
		}
		drop(tags, key)
		tags[key] = value
	}
	if change.Mark != nil {
		for _, key := range []string{cloud.TagOwner, cloud.TagName, cloud.TagClaim, cloud.TagManagedBy, cloud.TagLock} {
			drop(tags, key)
		}
		for key, value := range change.Mark.Tags() {
			tags[key] = value
		}
	}
	return tags
}

// releasing are the tags of a group of our own whose release begins.
func releasing(have map[string]string) map[string]string {
	tags := retagged(have, cloud.Change{})
	drop(tags, tagReleasing)
	tags[tagReleasing] = "true"
	return tags
}

// retags tells whether a change is one of tags.
func retags(change cloud.Change) bool {
	return change.Mark != nil || len(change.SetTags) > 0 || len(change.RemoveTags) > 0
}

// dropUser removes a tag that is the user's to remove.
func dropUser(tags map[string]string, key string) {
	if !reserved(key) {
		drop(tags, key)
	}
}

// drop removes a key in any casing.
func drop(tags map[string]string, key string) {
	for have := range tags {
		if strings.EqualFold(have, key) {
			delete(tags, have)
		}
	}
}

// deref is the value of an optional field, zero where it is not there.
func deref[T any](value *T) T {
	if value == nil {
		var none T
		return none
	}
	return *value
}
