package googlesim

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// selection is what a mask keeps of a value (fact google-2-fields).
type selection struct {
	// whole is everything; otherwise the names are what is kept.
	whole bool
	names map[string]*selection
}

// deepest is how far a mask may nest; no answer is as deep.
const deepest = 50

var maskName = regexp.MustCompile(`^(?:\*|[A-Za-z0-9_$-]+)$`)

// maskReader reads a list of paths, each with names between slashes or dots and
// perhaps a list in parentheses at its end.
type maskReader struct {
	rest string
	// wrong is the name that was not understood.
	wrong string
	bad   bool
}

// readMask reads a mask, or says which name is wrong.
func readMask(text string) (mask *selection, wrong string, ok bool) {
	mask = &selection{}
	r := &maskReader{rest: text}
	r.list(mask, 0)
	if !r.bad && r.rest != "" {
		r.fail(r.rest)
	}
	return mask, r.wrong, !r.bad
}

func (r *maskReader) fail(name string) { r.bad, r.wrong = true, name }

// take removes a character that comes next.
func (r *maskReader) take(c string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(r.rest, " "), c)
	if ok {
		r.rest = rest
	}
	return ok
}

func (r *maskReader) list(into *selection, depth int) {
	for {
		r.path(into, depth)
		if r.bad || !r.take(",") {
			return
		}
	}
}

func (r *maskReader) path(into *selection, depth int) {
	for {
		into = into.below(r.name())
		if depth++; depth > deepest {
			r.fail(r.rest)
		}
		if r.bad || (!r.take("/") && !r.take(".")) {
			break
		}
	}
	if r.bad {
		return
	}
	if !r.take("(") {
		into.whole = true
		return
	}
	if r.list(into, depth); !r.bad && !r.take(")") {
		r.fail(r.rest)
	}
}

func (r *maskReader) name() string {
	end := strings.IndexAny(r.rest, ",/.()")
	if end < 0 {
		end = len(r.rest)
	}
	name := strings.TrimSpace(r.rest[:end])
	r.rest = r.rest[end:]
	if !maskName.MatchString(name) {
		r.fail(name)
	}
	return name
}

// below is the selection of a name, made where there is none.
func (s *selection) below(name string) *selection {
	if s.names == nil {
		s.names = map[string]*selection{}
	}
	if s.names[name] == nil {
		s.names[name] = &selection{}
	}
	return s.names[name]
}

// of is what is selected of a field, by its name or by the asterisk.
func (s *selection) of(name string) *selection { return union(s.names[name], s.names["*"]) }

func union(a, b *selection) *selection {
	switch {
	case a == nil || (b != nil && b.whole):
		return b
	case b == nil || a.whole:
		return a
	}
	both := &selection{names: maps.Clone(a.names)}
	for name, inner := range b.names {
		both.names[name] = union(both.names[name], inner)
	}
	return both
}

// pick keeps what is selected; lists are looked through. That what encloses a
// field stays, although nothing of it is left, is UNVERIFIED.
func (s *selection) pick(value any) (kept any, some bool) {
	if s.whole {
		return value, true
	}
	switch v := value.(type) {
	case []any:
		items := make([]any, 0, len(v))
		for _, item := range v {
			if kept, some := s.pick(item); some {
				items = append(items, kept)
			}
		}
		return items, true
	case map[string]any:
		fields := map[string]any{}
		for name, inner := range v {
			of := s.of(name)
			if of == nil {
				continue
			}
			if kept, some := of.pick(inner); some {
				fields[name] = kept
			}
		}
		return fields, true
	}
	return nil, false
}

// responsesText lists, from the discovery documents compute/v1 (revision
// 20261106) and cloudresourcemanager/v3, the message that each method answers
// with, and the fields of each message: "name" is a value, "name:M" a message M or
// a list of them, "name:{M}" a map of them.
//
//go:embed data/responses.txt
var responsesText string

// responses are the messages of answers.
type responses struct {
	methods  map[string]string
	messages map[string]map[string]string
}

func readResponses() responses {
	all := responses{map[string]string{}, map[string]map[string]string{}}
	for line := range strings.Lines(responsesText) {
		words := strings.Fields(line)
		if len(words) == 3 && words[1] == "=" {
			all.methods[words[0]] = words[2]
			continue
		}
		message := map[string]string{}
		for _, word := range words[1:] {
			name, of, _ := strings.Cut(word, ":")
			message[name] = of
		}
		all.messages[words[0]] = message
	}
	return all
}

// misses is the first name of a mask that a message does not have.
func (r responses) misses(s *selection, of string) (string, bool) {
	inner, isMap := strings.CutPrefix(of, "{")
	inner = strings.TrimSuffix(inner, "}")
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		below := s.names[name]
		switch field, has := r.messages[inner][name]; {
		case isMap:
			if wrong, bad := r.misses(below, inner); bad {
				return wrong, true
			}
		case name == "*" && r.messages[inner] != nil:
			if wrong, bad := r.missesEverywhere(below, inner); bad {
				return wrong, true
			}
		case !has:
			return name, true
		default:
			if wrong, bad := r.misses(below, field); bad {
				return wrong, true
			}
		}
	}
	return "", false
}

// missesEverywhere is misses for what an asterisk is followed by: one field that
// has it is enough.
func (r responses) missesEverywhere(s *selection, of string) (string, bool) {
	first, some := "", false
	for _, field := range slices.Sorted(maps.Values(r.messages[of])) {
		wrong, bad := r.misses(s, field)
		if !bad {
			return "", false
		}
		if !some {
			first, some = wrong, true
		}
	}
	return first, some
}
