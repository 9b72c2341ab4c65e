package google

import (
	"regexp"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// markVersion begins a description that is a mark.
const markVersion = "gpulock/v1"

// markForm is what describe writes and nothing else: a person's text that only
// resembles a mark must not make an object ours. The parts have the forms that
// the provider's arguments have; none of them can hold a blank.
var markForm = regexp.MustCompile(`\A` + markVersion +
	` type=([a-z][a-z0-9_]{0,63})(?: lock=([a-z](?:[-a-z0-9]{0,61}[a-z0-9])?))?` +
	` owner=([A-Za-z0-9._/@-]{1,128}) name=([a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)\z`)

// describe is the mark as a description, "" for none; a claim has no place in it.
func describe(mark cloud.Mark) string {
	mark.Claim = ""
	if mark.Empty() {
		return ""
	}
	parts := []string{markVersion, "type=" + mark.Type}
	if mark.Lock != "" {
		parts = append(parts, "lock="+mark.Lock)
	}
	return strings.Join(append(parts, "owner="+mark.Owner, "name="+mark.Name), " ")
}

// readMark is the mark in a description, empty where there is none of ours.
func readMark(description string) cloud.Mark {
	match := markForm.FindStringSubmatch(description)
	if match == nil {
		return cloud.Mark{}
	}
	return cloud.Mark{Type: match[1], Lock: match[2], Owner: match[3], Name: match[4]}
}

// checkMark refuses a mark that would not be found again.
func checkMark(op string, mark cloud.Mark) error {
	mark.Claim = ""
	if readMark(describe(mark)) == mark {
		return nil
	}
	return &cloud.Error{
		Code: cloud.Invalid, Op: op,
		Message: cloud.Clean("the mark cannot be written into a description: " + describe(mark)),
	}
}
