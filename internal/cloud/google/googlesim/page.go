package googlesim

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// listParams are the parameters that every list has.
func listParams(more ...string) []string {
	return append([]string{"filter", "maxResults", "orderBy", "pageToken"}, more...)
}

// maxPage is the largest and the default page (maxResults in the discovery
// document: 0 to 500, default 500).
const maxPage = 500

// row is a list's entry: the object and how it is written.
type row struct {
	obj  *sim.Object
	wire any
}

// listWire is a list in JSON. Items is left out where there are none.
type listWire struct {
	Kind          string       `json:"kind"`
	ID            string       `json:"id"`
	Items         []any        `json:"items,omitempty"`
	NextPageToken string       `json:"nextPageToken,omitempty"`
	SelfLink      string       `json:"selfLink"`
	Warning       *warningWire `json:"warning,omitempty"`
}

type warningWire struct {
	Code    string        `json:"code"`
	Message string        `json:"message"`
	Data    []warningData `json:"data,omitempty"`
}

type warningData struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// render writes objects as an answer has them. Where nothing is filtered, only
// those of the page are written.
func (q *query) render(objects []*sim.Object, write func(*sim.Object) (any, *apiError)) ([]row, string, *apiError) {
	rows := make([]row, 0, len(objects))
	for _, obj := range objects {
		rows = append(rows, row{obj: obj})
	}
	if q.params.Get("filter") != "" {
		if err := fill(rows, write); err != nil {
			return nil, "", err
		}
		return q.cut(rows)
	}
	rows, next, err := q.cut(rows)
	if err != nil {
		return nil, "", err
	}
	return rows, next, fill(rows, write)
}

func fill(rows []row, write func(*sim.Object) (any, *apiError)) *apiError {
	for i := range rows {
		wire, err := write(rows[i].obj)
		if err != nil {
			return err
		}
		rows[i].wire = wire
	}
	return nil
}

// page answers a list below path.
func (q *query) page(kind, path string, rows []row) (any, *apiError) {
	rows, next, err := q.cut(rows)
	if err != nil {
		return nil, err
	}
	return listOf(kind, path, rows, next), nil
}

func listOf(kind, path string, rows []row, next string) any {
	list := listWire{Kind: kind, ID: path, NextPageToken: next, SelfLink: link(path)}
	for _, r := range rows {
		list.Items = append(list.Items, r.wire)
	}
	return list
}

// cursor is a pageToken from inside.
type cursor struct {
	// Query is a hash of who asked what: a token is good for nothing else.
	Query string `json:"q"`
	After int64  `json:"a"`
}

// cut filters, orders and cuts a list as the request asks, and gives the token
// for the rest.
func (q *query) cut(rows []row) ([]row, string, *apiError) {
	size, err := q.pageSize()
	if err != nil {
		return nil, "", err
	}
	after, err := q.cursor()
	if err != nil {
		return nil, "", err
	}
	if rows, err = q.filtered(rows); err != nil {
		return nil, "", err
	}
	if rows, err = q.ordered(rows); err != nil {
		return nil, "", err
	}
	if q.req.Effects.Empty {
		return nil, "", nil
	}
	if after != 0 {
		at := slices.IndexFunc(rows, func(r row) bool { return r.obj.Serial == after })
		rows = rows[q.resume(rows, at, after):]
	}
	next := ""
	if len(rows) > size {
		rows = rows[:size]
		if next, err = q.token(rows[size-1].obj.Serial); err != nil {
			return nil, "", err
		}
	}
	q.shuffle(rows)
	return rows, next, nil
}

// resume is where a page starts. Where the last entry of the page before is
// gone meanwhile, those made after it come.
func (q *query) resume(rows []row, at int, after int64) int {
	if at >= 0 {
		return at + 1
	}
	next := slices.IndexFunc(rows, func(r row) bool { return r.obj.Serial > after })
	if next < 0 {
		return len(rows)
	}
	return next
}

func (q *query) shuffle(rows []row) {
	if q.req.Effects.Shuffle {
		q.tx.Rand().Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
}

func (q *query) pageSize() (int, *apiError) {
	size := maxPage
	if value := q.params.Get("maxResults"); value != "" {
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil || n > maxPage {
			return 0, invalid("maxResults", value, "Acceptable values are 0 to 500, inclusive.")
		}
		if n > 0 {
			size = int(n)
		}
	}
	if smaller := q.tx.PageMax(cloudName); smaller > 0 {
		size = min(size, smaller)
	}
	return size, nil
}

// question is a hash of the list and what it is asked for, but for the page.
func (q *query) question() string {
	parts := []string{q.method.id, q.project, q.zone, q.region, q.params.Get("filter"), q.params.Get("orderBy")}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

func (q *query) token(after int64) (string, *apiError) {
	data, err := json.Marshal(cursor{q.question(), after})
	if err != nil {
		return "", internal(err)
	}
	return base64.RawURLEncoding.EncodeToString(data), nil
}

func (q *query) cursor() (int64, *apiError) {
	value := q.params.Get("pageToken")
	if value == "" {
		return 0, nil
	}
	var c cursor
	data, err := base64.RawURLEncoding.DecodeString(value)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil || c.Query != q.question() {
		return 0, invalid("pageToken", value, "The page token is invalid.")
	}
	return c.After, nil
}

// field follows a dotted path through what an answer has.
func fieldOf(wire any, path string) (any, bool) {
	var value any
	data, err := json.Marshal(wire)
	if err != nil || json.Unmarshal(data, &value) != nil {
		return nil, false
	}
	for name := range strings.SplitSeq(path, ".") {
		message, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = message[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

// ordered sorts as orderBy asks. The default is by name (the description of
// orderBy in the discovery document), and creationTimestamp desc the only
// other order.
func (q *query) ordered(rows []row) ([]row, *apiError) {
	rows = slices.Clone(rows)
	switch order := q.params.Get("orderBy"); order {
	case "", "name":
		slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.obj.NativeID, b.obj.NativeID) })
	case "creationTimestamp desc":
		slices.SortStableFunc(rows, func(a, b row) int { return int(b.obj.Serial - a.obj.Serial) })
	default:
		return nil, invalid("orderBy", order, "Currently, only sorting by name or creationTimestamp desc is supported.")
	}
	return rows, nil
}
