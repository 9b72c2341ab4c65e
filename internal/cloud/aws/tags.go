package aws

import (
	"maps"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// tagSystem starts the keys that AWS itself writes; nobody else may.
const tagSystem = "aws:"

// tagsOf reads all tags of an object.
func tagsOf(list []ec2types.Tag) map[string]string {
	tags := make(map[string]string, len(list))
	for _, t := range list {
		tags[awssdk.ToString(t.Key)] = awssdk.ToString(t.Value)
	}
	return tags
}

// userTags leaves out the mark and what AWS wrote.
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
func reserved(key string) bool {
	return strings.HasPrefix(strings.ToLower(key), tagSystem) || strings.HasPrefix(key, cloud.TagPrefix)
}

// tagList is in the order of the keys, so that requests are the same each time.
func tagList(tags map[string]string) []ec2types.Tag {
	list := make([]ec2types.Tag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, ec2types.Tag{Key: awssdk.String(key), Value: awssdk.String(tags[key])})
	}
	return list
}

// createTags are the tags of a new object: the user's and the mark, whose claim
// is written later so that a second try with the same token is the same request.
func createTags(user map[string]string, mark cloud.Mark) []ec2types.Tag {
	mark.Claim = ""
	tags := maps.Clone(user)
	if tags == nil {
		tags = map[string]string{}
	}
	maps.Copy(tags, mark.Tags())
	return tagList(tags)
}
