package azure

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Limits of tags (Azure docs, "Use tags to organize your Azure resources",
// limitations, and "Naming rules and restrictions for Azure resources").
const (
	maxTags     = 50
	maxTagKey   = 512
	maxTagValue = 256
	badInKey    = `<>%&\?/`
	// markTags is how many the mark can have, with its claim and its lock.
	markTags = 5
)

// checkTags holds to Azure's limits.
func checkTags(tags map[string]string, p *problems) {
	if most := maxTags - markTags; len(tags) > most {
		p.add(cloud.AttrTags, "%d tags: Azure takes %d and the mark needs %d of them, so %d are left", len(tags), maxTags, markTags, most)
	}
	folded := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		at := cloud.Attribute(fmt.Sprintf("tags[%q]", key))
		if why := badTag(key, tags[key]); why != "" {
			p.add(at, "%s", why)
		}
		lower := strings.ToLower(key)
		if other, ok := folded[lower]; ok {
			p.add(at, "Azure takes it and %q for one key: they differ in case only", other)
		}
		folded[lower] = key
	}
}

func badTag(key, value string) string {
	switch {
	case key == "":
		return "a tag needs a key"
	case system(key):
		return "keys that begin with " + strings.Join(systemPrefixes, " or ") + " are Azure's own"
	case ours(key):
		return "keys that begin with " + cloud.TagPrefix + " are this provider's own"
	case utf8.RuneCountInString(key) > maxTagKey:
		return fmt.Sprintf("the key is longer than %d characters", maxTagKey)
	case utf8.RuneCountInString(value) > maxTagValue:
		return fmt.Sprintf("the value is longer than %d characters", maxTagValue)
	case strings.ContainsAny(key, badInKey):
		return "a key cannot have any of the characters " + badInKey
	case !printable(key) || !printable(value):
		return "key and value must be valid UTF-8 without control characters"
	}
	return ""
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
