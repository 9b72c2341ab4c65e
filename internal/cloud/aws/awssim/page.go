package awssim

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// limits are an operation's bounds of MaxResults.
type limits struct{ low, high int }

// row is a list's entry with its place in the list's lasting order.
type row struct {
	key  int64
	node node
}

// cursor is a NextToken from inside.
type cursor struct {
	// Query is a hash of who asked what: a token is good for nothing else.
	Query string `json:"q"`
	After int64  `json:"a"`
}

// page cuts a list as the request asks and adds the token for the rest.
func (q *query) page(name string, rows []row, bounds limits) ([]node, *apiError) {
	size, err := q.pageSize(bounds)
	if err != nil {
		return nil, err
	}
	after, err := q.cursor()
	if err != nil {
		return nil, err
	}
	if q.req.Effects.Empty {
		return []node{el(name)}, nil
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.key <= after })
	slices.SortStableFunc(rows, func(a, b row) int { return int(a.key - b.key) })
	var next []node
	if len(rows) > size {
		rows = rows[:size]
		next = optional("nextToken", q.token(rows[size-1].key))
	}
	list := el(name)
	for _, r := range rows {
		list.kids = append(list.kids, r.node)
	}
	q.shuffle(list.kids)
	return append([]node{list}, next...), nil
}

func (q *query) shuffle(nodes []node) {
	if q.req.Effects.Shuffle {
		q.tx.Rand().Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	}
}

func (q *query) pageSize(bounds limits) (int, *apiError) {
	size, given, err := q.form.whole("MaxResults")
	if err != nil {
		return 0, err
	}
	if given && (size < bounds.low || size > bounds.high) {
		return 0, invalid("MaxResults", strconv.Itoa(size),
			"Expecting a value between "+strconv.Itoa(bounds.low)+" and "+strconv.Itoa(bounds.high)+".")
	}
	if !given {
		size = bounds.high
	}
	if smaller := q.tx.PageMax(cloudName); smaller > 0 {
		size = min(size, smaller)
	}
	return size, nil
}

// token makes a NextToken; it says nothing to those who read it.
func (q *query) token(after int64) string {
	data, err := json.Marshal(cursor{Query: q.digest("NextToken", "MaxResults"), After: after})
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// cursor reads NextToken. An empty one is refused like a foreign one (fact
// aws-2-paging).
func (q *query) cursor() (int64, *apiError) {
	value, given := q.form["NextToken"]
	if !given {
		return 0, nil
	}
	var c cursor
	data, err := base64.RawURLEncoding.DecodeString(value)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil || c.Query != q.digest("NextToken", "MaxResults") {
		code := codeInvalidValue
		if q.sim.options.PaginationTokenCode {
			code = "InvalidPaginationToken"
		}
		return 0, fail(code, "Value (%s) for parameter NextToken is invalid. The token is invalid.", printable(value))
	}
	return c.After, nil
}

// digest is a hash of the caller and the parameters, some left out.
func (q *query) digest(without ...string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(q.form)) {
		if !slices.Contains(without, name) {
			h.Write([]byte(strconv.Quote(name) + "=" + strconv.Quote(q.form[name]) + "\n"))
		}
	}
	h.Write([]byte(q.who.Account + q.region))
	return hex.EncodeToString(h.Sum(nil))
}
