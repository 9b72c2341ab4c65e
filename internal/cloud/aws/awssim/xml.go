package awssim

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// node is an XML element.
type node struct {
	name string
	text string
	kids []node
}

func el(name string, kids ...node) node     { return node{name: name, kids: kids} }
func item(kids ...node) node                { return el("item", kids...) }
func text(name, value string) node          { return node{name: name, text: value} }
func number(name string, value int) node    { return text(name, strconv.Itoa(value)) }
func boolean(name string, value bool) node  { return text(name, strconv.FormatBool(value)) }
func instant(name string, t time.Time) node { return text(name, stamp(t)) }

// optional leaves the element out where there is no value.
func optional(name, value string) []node {
	if value == "" {
		return nil
	}
	return []node{text(name, value)}
}

// stamp writes UTC with up to milliseconds, trailing zeros dropped
// (fact aws-2-timestamp-out).
func stamp(t time.Time) string {
	return t.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z")
}

// document renders the whole answer.
func (n node) document(namespace string) []byte {
	var out bytes.Buffer
	out.WriteString(xml.Header)
	if namespace == "" {
		n.write(&out, "")
	} else {
		n.write(&out, ` xmlns="`+namespace+`"`)
	}
	return out.Bytes()
}

func (n node) write(out *bytes.Buffer, attributes string) {
	if n.text == "" && len(n.kids) == 0 {
		fmt.Fprintf(out, "<%s%s/>", n.name, attributes)
		return
	}
	fmt.Fprintf(out, "<%s%s>", n.name, attributes)
	// A buffer takes every write.
	_ = xml.EscapeText(out, []byte(n.text))
	for _, kid := range n.kids {
		kid.write(out, "")
	}
	fmt.Fprintf(out, "</%s>", n.name)
}

// entryName is what a list's entries are called: item, but for the one list
// whose model gives no name and falls back on the protocol's.
func entryName(list string) string {
	if list == "accelerators" {
		return "member"
	}
	return "item"
}

// tree makes elements of a JSON value whose keys are element names already.
func tree(name string, value any) node {
	switch v := value.(type) {
	case map[string]any:
		n := el(name)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.kids = append(n.kids, tree(key, v[key]))
		}
		return n
	case []any:
		n := el(name)
		for _, entry := range v {
			n.kids = append(n.kids, tree(entryName(name), entry))
		}
		return n
	case bool:
		return boolean(name, v)
	case json.Number:
		return text(name, v.String())
	case string:
		return text(name, v)
	}
	return el(name)
}
