package azure

import (
	"regexp"
	"slices"
	"strings"
)

// How a refusal spells the machines that stand in the way is not documented, so
// they are taken from it in any form.
var (
	// pathText is a path, such as the id of a machine, alone or in a scale set; what
	// comes before it is no part of an address.
	pathText = regexp.MustCompile(`(?:^|[^A-Za-z0-9_./-])(/[A-Za-z0-9_][^\s'",;<>()\[\]]*)`)
	// ownPath is that of what the machines use.
	ownPath = regexp.MustCompile(`(?i)/capacityReservation(?:Group)?s/`)
	// machinesText is where a text comes to speak of machines.
	machinesText = regexp.MustCompile(`(?i)\bmachines?\b(?:\(s\))?`)
	// quotedNames are names right behind that, or behind the colon of its sentence.
	quotedNames = regexp.MustCompile(`^(?:[^:.'"]*:)?[\s(\[{]*((?:['"][^'"]+['"](?:\s*,\s*and\s+|\s+and\s+|\s*[,;]\s*)?)+)`)
	quotedName  = regexp.MustCompile(`['"]([^'"]+)['"]`)
	// listedNames are words behind a colon, and nothing but words up to the end of the
	// sentence.
	listedNames = regexp.MustCompile(`^[^:.'"]*:[\s(\[{]*(` + wordList + `)\s*(?:[.;)\]}]|$)`)
	// looseNames are words right behind, of which only those count that look like names.
	looseNames = regexp.MustCompile(`^\s+(` + wordList + `)`)
	nameLike   = regexp.MustCompile(`[0-9_-]`)
	wordBreak  = regexp.MustCompile(`\s*,\s*and\s+|\s+and\s+|\s*,\s*`)
)

const (
	word     = `[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?`
	wordList = word + `(?:(?:\s*,\s*and\s+|\s+and\s+|\s*,\s*)` + word + `)*`
)

// machinesIn are the machines that a message names, in its order: by their ids, or
// else by their names.
func machinesIn(message string) []string {
	var ids []string
	for _, match := range pathText.FindAllStringSubmatch(message, -1) {
		if id := strings.TrimRight(match[1], ".:"); !ownPath.MatchString(id + "/") {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		ids = namesIn(message)
	}
	var each []string
	for _, id := range ids {
		if !slices.ContainsFunc(each, func(have string) bool { return strings.EqualFold(have, id) }) {
			each = append(each, id)
		}
	}
	return each
}

// namesIn are the names behind the first mention of machines that has any.
func namesIn(message string) []string {
	for _, at := range machinesText.FindAllStringIndex(message, -1) {
		rest := message[at[1]:]
		if match := quotedNames.FindStringSubmatch(rest); match != nil {
			var names []string
			for _, quoted := range quotedName.FindAllStringSubmatch(match[1], -1) {
				names = append(names, quoted[1])
			}
			return names
		}
		if match := listedNames.FindStringSubmatch(rest); match != nil {
			return wordBreak.Split(match[1], -1)
		}
		if match := looseNames.FindStringSubmatch(rest); match != nil {
			words := wordBreak.Split(match[1], -1)
			if !slices.ContainsFunc(words, func(w string) bool { return !nameLike.MatchString(w) }) {
				return words
			}
		}
	}
	return nil
}
