package azuresim

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// methods lists what is offered here; a file with further methods adds a line.
func methods() []method {
	return slices.Concat(
		operationMethods(),
		subscriptionMethods(),
		resourceGroupMethods(),
		groupMethods(),
		reservationMethods(),
		skuMethods(),
		usageMethods(),
		loginMethods(),
		priceMethods(),
	)
}

// method is an operation of a specification.
type method struct {
	// id is the operationId, the operation name in the control API.
	id   string
	verb string
	// path has its variables in braces, each one segment; the others match in
	// any casing.
	path string
	// body is nil for methods that read none.
	body *object
	// open methods need neither a bearer token nor an api-version: those of the
	// login host and of the price list.
	open bool
	// policy is the provider's own throttle policy; it only shows in a header.
	policy string
	// about says what a request is about where the path alone does not; nil
	// is most.
	about func(c *call, tx *sim.Tx, req *sim.Request)
	run   func(q *query) (result, *apiError)
	// word is the body of an error; nil is Azure Resource Manager's.
	word func(e *apiError) any
}

// result is an answer before it is written.
type result struct {
	// status 0 is 200.
	status int
	header http.Header
	// body is written as JSON; nil is none.
	body any
}

// match takes the variables out of a path.
func (m method) match(path string) (map[string]string, bool) {
	want, have := segments(m.path), segments(path)
	if len(want) != len(have) {
		return nil, false
	}
	vars := map[string]string{}
	for i, segment := range want {
		name, variable := strings.CutPrefix(segment, "{")
		if !variable {
			if !strings.EqualFold(segment, have[i]) {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(have[i])
		if err != nil || value == "" {
			return nil, false
		}
		vars[strings.TrimSuffix(name, "}")] = value
	}
	return vars, true
}

func segments(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// Variables of paths, as the specification names them.
const (
	varSubscription  = "subscriptionId"
	varResourceGroup = "resourceGroupName"
	varGroup         = "capacityReservationGroupName"
	varReservation   = "capacityReservationName"
	varLocation      = "location"
)

// Paths that several methods start with.
const (
	pathSubscription  = "subscriptions/{" + varSubscription + "}"
	pathResourceGroup = pathSubscription + "/resourceGroups/{" + varResourceGroup + "}"
	pathCompute       = "providers/Microsoft.Compute"
)

// found is the method of a request and the variables of its path.
type found struct {
	method method
	vars   map[string]string
}

// route finds the method of a request. known tells that the path is one of
// another verb.
func (s *Simulator) route(r *http.Request) (at found, ok, known bool) {
	path := r.URL.EscapedPath()
	for _, m := range s.methods {
		vars, fits := m.match(path)
		if !fits {
			continue
		}
		if m.verb == r.Method {
			return found{m, vars}, true, true
		}
		at.vars, known = vars, true
	}
	return at, false, known
}
