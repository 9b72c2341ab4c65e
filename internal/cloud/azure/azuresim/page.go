package azuresim

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// maxPage is the largest page. Compute's lists had fewer entries wherever they were
// recorded; 100 is UNVERIFIED.
const maxPage = 100

const paramSkip = "$skipToken"

type listWire struct {
	Value    []any  `json:"value"`
	NextLink string `json:"nextLink,omitempty"`
}

// cursor is a $skipToken from inside.
type cursor struct {
	// Query is a hash of who asked what: a token is good for nothing else.
	Query string `json:"q"`
	After string `json:"a"`
}

// page answers a list of objects, by id (fact azure-3-page).
func (q *query) page(objects []*sim.Object, write func(*sim.Object) (any, *apiError)) (result, *apiError) {
	after, err := q.cursor()
	if err != nil {
		return result{}, err
	}
	objects = slices.Clone(objects)
	slices.SortFunc(objects, func(a, b *sim.Object) int { return strings.Compare(a.NativeID, b.NativeID) })
	objects = slices.DeleteFunc(objects, func(o *sim.Object) bool { return o.NativeID <= after })
	if q.req.Effects.Empty {
		objects = nil
	}
	list := listWire{Value: []any{}}
	size := maxPage
	if smaller := q.tx.PageMax(cloudName); smaller > 0 {
		size = min(size, smaller)
	}
	if len(objects) > size {
		objects = objects[:size]
		if list.NextLink, err = q.nextLink(objects[size-1].NativeID); err != nil {
			return result{}, err
		}
	}
	for _, obj := range objects {
		wire, err := write(obj)
		if err != nil {
			return result{}, err
		}
		list.Value = append(list.Value, wire)
	}
	shuffle(q, list.Value)
	return result{body: list}, nil
}

// question is a hash of the list and what it is asked for, but for the page.
func (q *query) question() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		q.method.id, strings.ToLower(q.path), q.param("$expand"), q.param("resourceIdsOnly"), q.param("$filter"),
	}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// nextLink is the request again with a token, absolute.
func (q *query) nextLink(after string) (string, *apiError) {
	data, err := json.Marshal(cursor{q.question(), after})
	if err != nil {
		return "", internal(err)
	}
	params := url.Values{}
	for key, values := range q.params {
		params[key] = values
	}
	params.Set(paramSkip, base64.RawURLEncoding.EncodeToString(data))
	return q.base + q.path + "?" + params.Encode(), nil
}

func (q *query) cursor() (string, *apiError) {
	value := q.param(paramSkip)
	if value == "" {
		return "", nil
	}
	var c cursor
	data, err := base64.RawURLEncoding.DecodeString(value)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil || c.Query != q.question() {
		return "", fail(codeInvalidParameter, "The value of parameter $skipToken is invalid.").at(paramSkip)
	}
	return c.After, nil
}
