package googlesim

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// call is a request as far as it was understood.
type call struct {
	found
	params url.Values
	form   form
	// body has only fields that exist, in lowerCamelCase.
	body map[string]any
	// raw is the body without a coding.
	raw     []byte
	project string
	region  string
	zone    string
}

// query is a call inside the transaction that serves it.
type query struct {
	*call
	sim *Simulator
	tx  *sim.Tx
	req *sim.Request
}

func serviceOf(req *sim.Request) service {
	if c, ok := req.Detail.(*call); ok {
		return c.service
	}
	return computeService()
}

// Accept implements sim.Cloud.
func (s *Simulator) Accept(tx *sim.Tx, in *sim.Inbound) (*sim.Request, *sim.Answer) {
	c := &call{params: in.HTTP.URL.Query()}
	c.form = formOf(in.HTTP, c.params)
	req := &sim.Request{Detail: c}
	at, known := s.route(in.HTTP)
	c.found = at
	if !known {
		answer := refuse(c.service, &apiError{
			status: http.StatusNotFound, reason: reasonMethodNotFound, message: notFoundPage(in.HTTP.URL.Path),
		})
		return req, &answer
	}
	req.Operation = c.method.id
	if err := c.accept(tx, in, req, s.responses); err != nil {
		answer := c.form.wrap(refuse(c.service, err))
		return req, &answer
	}
	return req, nil
}

// notFoundPage is Google's page for a path that no API has.
func notFoundPage(path string) string {
	return "<!DOCTYPE html>\n<html lang=en>\n  <title>Error 404 (Not Found)!!1</title>\n" +
		"  <p><b>404.</b> <ins>That’s an error.</ins>\n  <p>The requested URL <code>" + htmlText(path) +
		"</code> was not found on this server.  <ins>That’s all we know.</ins>\n"
}

func htmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;").Replace(printable(s))
}

func (c *call) accept(tx *sim.Tx, in *sim.Inbound, req *sim.Request, known func() responses) *apiError {
	var err *apiError
	if c.raw, err = unzipped(in); err != nil {
		return err
	}
	if err := c.place(tx, req); err != nil {
		return err
	}
	req.Bucket = c.bucket()
	if err := c.checkParams(); err != nil {
		return err
	}
	if err := c.checkForm(known); err != nil {
		return err
	}
	c.body, err = parseBody(c.raw, c.method.body)
	if err != nil {
		return err
	}
	c.describe(tx, req)
	return nil
}

// place reads project, zone and region from the path.
func (c *call) place(tx *sim.Tx, req *sim.Request) *apiError {
	name, given := c.vars["project"]
	if !given {
		return nil
	}
	if !projectForm.MatchString(name) {
		return c.noProject()
	}
	project, known := projectID(tx, name)
	if !known {
		return notFound("projects/" + name)
	}
	c.project, req.Account = project, project
	if region, given := c.vars["region"]; given {
		if _, known := regions()[region]; !known {
			return invalid("region", region, "Unknown region.")
		}
		c.region, req.Region = region, region
	}
	zone, given := c.vars["zone"]
	if !given {
		return nil
	}
	region, known := regionOf(zone)
	if !known {
		return invalid("zone", zone, "Unknown zone.")
	}
	c.zone, c.region = zone, region
	req.Zone, req.Region = zone, region
	return nil
}

// noProject refuses what cannot be a project (fact google-4-project).
func (c *call) noProject() *apiError {
	return &apiError{
		status: http.StatusBadRequest, reason: "invalidParameter", canonical: "INVALID_ARGUMENT",
		message: "Invalid resource field value in the request.",
		details: []any{errorInfo{
			Type: errorInfoType, Reason: "RESOURCE_PROJECT_INVALID", Domain: "googleapis.com",
			Metadata: map[string]string{"service": "compute.googleapis.com", "method": c.method.id},
		}},
	}
}

func (c *call) bucket() sim.Bucket {
	if c.method.group == "" {
		return sim.Bucket{}
	}
	return sim.Bucket{
		Name:      strings.Join([]string{string(c.method.group), c.project, c.region}, "\x00"),
		PerSecond: requestsPerMinute / 60.0, Burst: requestsPerMinute,
	}
}

// checkParams refuses what the method does not have (fact
// google-2-unknown-parameter).
func (c *call) checkParams() *apiError {
	for _, name := range slices.Sorted(maps.Keys(c.params)) {
		if slices.Contains(standardParams(), name) || slices.Contains(c.method.query, name) {
			continue
		}
		return badRequest(`Invalid JSON payload received. Unknown name "`+printable(name)+`": Cannot bind query parameter. Field '`+
			printable(name)+`' could not be found in request message.`, "")
	}
	return nil
}

// base is where an API's resources say they live.
const base = "https://www.googleapis.com/"

// link is the full URL of a path below projects/.
func link(path string) string { return base + computeRoot + path }

// zonePath is the path of a zone's collection or, with a name, of an object.
func zonePath(project, zone string, more ...string) string {
	return strings.Join(append([]string{"projects", project, "zones", zone}, more...), "/")
}

// target is the path of the object that a request is about, and "" for a list.
func (c *call) target() string {
	segments := strings.Split(c.method.path, "/")
	last := -1
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			last = i
		}
	}
	if last < 4 {
		return ""
	}
	for i, segment := range segments[:last+1] {
		switch {
		case segment == "{project}":
			segments[i] = c.project
		case strings.HasPrefix(segment, "{"):
			segments[i] = c.vars[strings.Trim(segment, "{}")]
		}
	}
	return strings.Join(segments[:last+1], "/")
}

// describe fills in what the call log shows and faults match on. An operation
// stands for what it works on too.
func (c *call) describe(tx *sim.Tx, req *sim.Request) {
	if c.method.about != nil {
		c.method.about(c, tx, req)
		return
	}
	path := c.target()
	if name, ok := c.body["name"].(string); ok && path == "" && req.Zone != "" && c.method.verb == http.MethodPost {
		path = zonePath(c.project, c.zone, c.collection(), name)
	}
	req.NativeID, req.InstanceType = path, bodyType(c.body)
	if path == "" {
		return
	}
	req.Names = []string{link(path)}
	obj, known := tx.Object(cloudName, path)
	if !known {
		return
	}
	req.Names = append(req.Names, obj.NativeID)
	if obj.Type != operationType {
		req.InstanceType = obj.InstanceType
		return
	}
	var op operation
	if obj.Decode(&op) == nil {
		req.Names, req.InstanceType = append(req.Names, op.Target), obj.InstanceType
	}
}

// collection is the last segment of a method's path.
func (c *call) collection() string {
	return c.method.path[strings.LastIndexByte(c.method.path, '/')+1:]
}

var machineTypeField = regexp.MustCompile(`(?:^|/)([a-z0-9-]+)$`)

// bodyType finds the machine type that a body asks for, wherever its resource
// has instanceProperties.
func bodyType(body map[string]any) string {
	for key, value := range body {
		inner, ok := value.(map[string]any)
		if !ok {
			continue
		}
		if name, ok := inner["machineType"].(string); ok && key == "instanceProperties" {
			if m := machineTypeField.FindStringSubmatch(name); m != nil {
				return m[1]
			}
		}
		if name := bodyType(inner); name != "" {
			return name
		}
	}
	return ""
}

// Serve implements sim.Cloud.
func (s *Simulator) Serve(tx *sim.Tx, req *sim.Request) sim.Answer {
	c, ok := req.Detail.(*call)
	if !ok {
		return s.Refuse(req, sim.Refusal{
			Status: http.StatusInternalServerError, Code: reasonBackend, Message: "a request without a call",
		})
	}
	result, err := c.method.run(&query{call: c, sim: s, tx: tx, req: req})
	if err != nil {
		return c.form.wrap(refuse(c.service, err))
	}
	body, failed := c.form.encode(result)
	if failed != nil {
		return c.form.wrap(refuse(c.service, internal(failed)))
	}
	return c.form.wrap(sim.Answer{Status: http.StatusOK, Header: jsonHeader(), Body: body, NativeID: req.NativeID})
}

// Throttled implements sim.Cloud (fact google-4-rate).
func (s *Simulator) Throttled(req *sim.Request) sim.Refusal {
	status := s.options.RateStatus
	if status == 0 {
		status = http.StatusForbidden
	}
	group, project := string(groupQueries), ""
	if c, ok := req.Detail.(*call); ok {
		group, project = string(c.method.group), c.project
	}
	return sim.Refusal{
		Status: status, Code: reasonRateLimit,
		Message: "Quota exceeded for quota metric '" + group + "' and limit '" + group + " per minute' of service " +
			"'compute.googleapis.com' for consumer 'project_number:" + projectNumber(project) + "'.",
	}
}
