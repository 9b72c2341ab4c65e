package googlesim

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// service is one of the APIs behind the URL, told apart by the start of the
// path. A further one adds a line to services, which a simulator reads once.
type service struct {
	// root comes before the paths of the methods; anything may come before it.
	root    string
	methods []method
	// envelope is the body of an error.
	envelope func(*apiError) any
}

// services lists them, the one that answers for all other paths first.
func services() []service {
	return []service{computeService(), resourceManagerService()}
}

// computeRoot is the servicePath of the discovery document.
const computeRoot = "compute/v1/"

func computeService() service { return service{computeRoot, computeMethods(), computeError} }

// computeMethods lists what Compute Engine offers here; a file with further
// methods adds a line.
func computeMethods() []method {
	return slices.Concat(
		operationMethods(),
		reservationMethods(),
		instanceMethods(),
		blockMethods(),
		futureMethods(),
		projectMethods(),
		placeMethods(),
		goodsMethods(),
		adviceMethods(),
	)
}

// method is a method of a discovery document.
type method struct {
	// id is the discovery method id, the operation name in the control API.
	id   string
	verb string
	// path has its variables in braces, each one segment.
	path string
	// query are the parameters beside those that every method has.
	query []string
	// body is nil for methods without one.
	body *object
	// group is the rate quota that it counts against.
	group rateGroup
	// about says what a request is about where the path alone does not; nil
	// is most.
	about func(c *call, tx *sim.Tx, req *sim.Request)
	run   func(q *query) (any, *apiError)
}

// match takes the variables out of a path.
func (m method) match(path string) (map[string]string, bool) {
	want, have := strings.Split(m.path, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	vars := map[string]string{}
	for i, segment := range want {
		name, variable := strings.CutPrefix(segment, "{")
		if !variable {
			if segment != have[i] {
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

// found is the method of a request and the variables of its path.
type found struct {
	service service
	method  method
	vars    map[string]string
}

// route finds the method of a request. Without one, the service is told as far
// as the path says it.
func (s *Simulator) route(r *http.Request) (found, bool) {
	path := r.URL.EscapedPath()
	at := found{service: s.services[0]}
	for _, s := range s.services {
		_, rest, ok := strings.Cut(path, "/"+s.root)
		if !ok {
			continue
		}
		at.service = s
		for _, m := range s.methods {
			if vars, ok := m.match(rest); ok && m.verb == r.Method {
				return found{s, m, vars}, true
			}
		}
	}
	return at, false
}

// rateGroup is a rate quota of Compute Engine: so many requests a minute for
// each project and, for methods of a place, each region. The documented
// default of each is 1,500 (the page on rate quotas). A quota refills at the
// start of each minute there and little by little here.
type rateGroup string

const (
	groupQueries    rateGroup = "Queries"
	groupReads      rateGroup = "Read requests"
	groupLists      rateGroup = "List requests"
	groupOperations rateGroup = "Operation read requests"
)

const requestsPerMinute = 1500

// standardParams are accepted by every method (parameters of the discovery
// document; those with a $ are of the page "System parameters" of the Cloud APIs).
// What a form does not read changes nothing here.
func standardParams() []string {
	return []string{
		"$.xgafv", "$alt", "$callback", "$fields", "$key", "$prettyPrint", "access_token", "alt", "callback", "fields", "key",
		"oauth_token", "prettyPrint", "quotaUser", "uploadType", "upload_protocol", "userIp",
	}
}
