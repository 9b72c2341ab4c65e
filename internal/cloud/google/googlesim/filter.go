package googlesim

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// condition is a filter that was understood: whether a thing passes it.
type condition func(wire any) bool

// filtered keeps the rows that the request's filter lets pass (facts
// google-7-filter). Fields that a thing does not have let it not pass; that a
// field which no thing can have is no error is UNVERIFIED.
func (q *query) filtered(rows []row) ([]row, *apiError) {
	expression := q.params.Get("filter")
	if strings.TrimSpace(expression) == "" {
		return rows, nil
	}
	pass, ok := parseFilter(expression)
	if !ok {
		return nil, invalid("filter", expression, "Invalid list filter expression.")
	}
	var kept []row
	for _, r := range rows {
		if pass(r.wire) {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// parseFilter reads one of the two kinds of expressions, which do not mix.
func parseFilter(expression string) (condition, bool) {
	tokens, ok := filterTokens(expression)
	if !ok {
		return nil, false
	}
	p := &filterParser{tokens: tokens}
	for i, t := range tokens {
		// An operator stands after a field, so one at the start is a field.
		if i > 0 && !t.quoted && (t.text == "eq" || t.text == "ne") && isField(tokens[i-1]) {
			p.legacy = true
		}
	}
	if p.legacy {
		return p.regular()
	}
	c := p.sequence(0)
	return c, c != nil && p.at == len(p.tokens)
}

type filterToken struct {
	text   string
	quoted bool
}

func isField(t filterToken) bool { return !t.quoted && fieldForm.MatchString(t.text) }

var (
	fieldForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)
	tokenForm = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()]|!=|<=|>=|[=<>:]|[^\s()=<>:!"']+)`)
)

func filterTokens(expression string) ([]filterToken, bool) {
	var all []filterToken
	rest := strings.TrimSpace(expression)
	for rest != "" {
		token := tokenForm.FindString(rest)
		if token == "" {
			return nil, false
		}
		rest = strings.TrimSpace(rest[len(token):])
		if token[0] == '"' || token[0] == '\'' {
			all = append(all, filterToken{unescaped(token[1 : len(token)-1]), true})
			continue
		}
		all = append(all, filterToken{token, false})
	}
	return all, len(all) > 0
}

var escape = regexp.MustCompile(`\\(.)`)

func unescaped(s string) string { return escape.ReplaceAllString(s, "$1") }

type filterParser struct {
	tokens []filterToken
	at     int
	legacy bool
}

func (p *filterParser) peek() string {
	if p.at >= len(p.tokens) || p.tokens[p.at].quoted {
		return ""
	}
	return p.tokens[p.at].text
}

func (p *filterParser) accept(text string) bool {
	if p.peek() != text {
		return false
	}
	p.at++
	return true
}

// maxFilterDepth bounds parentheses.
const maxFilterDepth = 50

// sequence is terms joined by AND, which may be left out. OR binds tighter
// (AIP-160). Nil is a syntax error, here and below.
func (p *filterParser) sequence(depth int) condition {
	all := p.alternatives(depth)
	for all != nil && p.at < len(p.tokens) && p.peek() != ")" {
		p.accept("AND")
		next := p.alternatives(depth)
		if next == nil {
			return nil
		}
		before := all
		all = func(wire any) bool { return before(wire) && next(wire) }
	}
	return all
}

func (p *filterParser) alternatives(depth int) condition {
	one := p.term(depth)
	for one != nil && p.accept("OR") {
		next := p.term(depth)
		if next == nil {
			return nil
		}
		before := one
		one = func(wire any) bool { return before(wire) || next(wire) }
	}
	return one
}

func (p *filterParser) term(depth int) condition {
	if depth > maxFilterDepth {
		return nil
	}
	if p.accept("NOT") {
		inner := p.term(depth + 1)
		if inner == nil {
			return nil
		}
		return func(wire any) bool { return !inner(wire) }
	}
	if p.accept("(") {
		inner := p.sequence(depth + 1)
		if !p.accept(")") {
			return nil
		}
		return inner
	}
	return p.restriction()
}

// restriction is FIELD OPERATOR VALUE.
func (p *filterParser) restriction() condition {
	if p.at+2 >= len(p.tokens) || !isField(p.tokens[p.at]) {
		return nil
	}
	field, operator, value := p.tokens[p.at].text, p.tokens[p.at+1], p.tokens[p.at+2]
	if operator.quoted || (!value.quoted && strings.ContainsAny(value.text, "()=<>:")) {
		return nil
	}
	compare, known := comparisons()[operator.text]
	if !known {
		return nil
	}
	p.at += 3
	return func(wire any) bool {
		have, there := fieldOf(wire, field)
		if operator.text == ":" && !value.quoted && value.text == "*" {
			return there
		}
		if !there {
			return operator.text == "!="
		}
		return compare(have, value.text)
	}
}

// comparisons compare instants and numbers as such and everything else as text.
// ":" asks whether a text, a list or the keys of a map have the value; that it
// finds a part of a text is UNVERIFIED.
func comparisons() map[string]func(have any, want string) bool {
	return map[string]func(have any, want string) bool{
		"=":  func(have any, want string) bool { return order(have, want) == 0 },
		"!=": func(have any, want string) bool { return order(have, want) != 0 },
		"<":  func(have any, want string) bool { return order(have, want) < 0 },
		">":  func(have any, want string) bool { return order(have, want) > 0 },
		"<=": func(have any, want string) bool { return order(have, want) <= 0 },
		">=": func(have any, want string) bool { return order(have, want) >= 0 },
		":":  has,
	}
}

func order(have any, want string) int {
	text := plain(have)
	at, err := time.Parse(time.RFC3339Nano, text)
	wanted, failed := time.Parse(time.RFC3339Nano, want)
	if err == nil && failed == nil {
		return at.Compare(wanted)
	}
	a, failedA := strconv.ParseFloat(text, 64)
	b, failedB := strconv.ParseFloat(want, 64)
	switch {
	case failedA != nil || failedB != nil:
		return strings.Compare(text, want)
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func has(have any, want string) bool {
	switch value := have.(type) {
	case map[string]any:
		_, there := value[want]
		return there
	case []any:
		for _, item := range value {
			if plain(item) == want {
				return true
			}
		}
		return false
	}
	return strings.Contains(strings.ToLower(plain(have)), strings.ToLower(want))
}

// plain is a JSON value as text.
func plain(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	data, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(data)
}

// regular reads "FIELD eq RE", or several of them in parentheses, which must
// all pass. The expression matches the whole value.
func (p *filterParser) regular() (condition, bool) {
	var all []condition
	for p.at < len(p.tokens) {
		open := p.accept("(")
		if !open && (len(all) > 0 || p.at > 0) {
			return nil, false
		}
		c := p.match(open)
		if c == nil || (open && !p.accept(")")) {
			return nil, false
		}
		all = append(all, c)
	}
	return func(wire any) bool {
		for _, c := range all {
			if !c(wire) {
				return false
			}
		}
		return true
	}, len(all) > 0
}

func (p *filterParser) match(inParentheses bool) condition {
	if p.at+2 >= len(p.tokens) || !isField(p.tokens[p.at]) {
		return nil
	}
	field, operator := p.tokens[p.at].text, p.tokens[p.at+1].text
	if operator != "eq" && operator != "ne" {
		return nil
	}
	p.at += 2
	literal := ""
	for p.at < len(p.tokens) && (!inParentheses || p.peek() != ")") {
		literal += p.tokens[p.at].text
		p.at++
	}
	expression, err := regexp.Compile("^(?:" + literal + ")$")
	if err != nil {
		return nil
	}
	return func(wire any) bool {
		have, there := fieldOf(wire, field)
		return (there && expression.MatchString(plain(have))) == (operator == "eq")
	}
}
