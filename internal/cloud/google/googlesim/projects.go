package googlesim

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// projectCreated is when all projects came into being: before any test.
const projectCreated = "2020-01-01T00:00:00Z"

// resourceManagerService is Cloud Resource Manager, which knows what project a
// number belongs to.
func resourceManagerService() service {
	return service{"v3/", []method{{
		id: "cloudresourcemanager.projects.get", verb: http.MethodGet, path: "projects/{name}",
		about: aboutProject, run: getCloudProject,
	}}, plainError}
}

// aboutProject lets faults name a project by its id or its number.
func aboutProject(c *call, tx *sim.Tx, req *sim.Request) {
	name := c.vars["name"]
	req.NativeID, req.Names = "projects/"+name, []string{name}
	id, known := "", false
	if projectForm.MatchString(name) {
		id, known = projectID(tx, name)
	}
	if !known {
		return
	}
	number := projectNumber(id)
	c.project, req.Account = id, id
	req.Names = []string{id, "projects/" + id, number, "projects/" + number}
}

// cloudProject is a Project of Resource Manager in JSON (recorded traffic of
// k8s-config-connector, basic/compute/v1alpha1/computefuturereservation).
type cloudProject struct {
	Name        string `json:"name"`
	ProjectID   string `json:"projectId"`
	State       any    `json:"state"`
	DisplayName string `json:"displayName"`
	CreateTime  string `json:"createTime"`
	UpdateTime  string `json:"updateTime"`
	ETag        string `json:"etag"`
}

// getCloudProject is cloudresourcemanager.projects.get. A project that is not
// there is one that the caller may not see (facts google-1-project and
// google-1-unknown-project).
func getCloudProject(q *query) (any, *apiError) {
	if q.project == "" {
		return nil, &apiError{
			status: http.StatusForbidden, reason: reasonForbidden, message: "The caller does not have permission",
			canonical: "PERMISSION_DENIED",
		}
	}
	number := projectNumber(q.project)
	sum := sha256.Sum256([]byte(q.project))
	p := cloudProject{
		Name: "projects/" + number, ProjectID: q.project, State: "ACTIVE", DisplayName: q.project,
		CreateTime: projectCreated, UpdateTime: projectCreated, ETag: `W/"` + base64.RawStdEncoding.EncodeToString(sum[:8]) + `"`,
	}
	if slices.Contains(strings.Split(q.params.Get("$alt"), ";"), "enum-encoding=int") {
		p.State = 1
	}
	return p, nil
}

func projectMethods() []method {
	return []method{{
		id: "compute.projects.get", verb: http.MethodGet, path: "projects/{project}", group: groupReads, run: getProject,
	}}
}

// projectWire is a Project of Compute Engine in JSON. Its id is a number of
// Compute Engine's own and not the project's.
type projectWire struct {
	Kind                  string      `json:"kind"`
	ID                    string      `json:"id"`
	CreationTimestamp     string      `json:"creationTimestamp"`
	Name                  string      `json:"name"`
	SelfLink              string      `json:"selfLink"`
	Quotas                []quotaWire `json:"quotas"`
	DefaultServiceAccount string      `json:"defaultServiceAccount"`
	DefaultNetworkTier    string      `json:"defaultNetworkTier"`
	XPNProjectStatus      string      `json:"xpnProjectStatus"`
	CloudArmorTier        string      `json:"cloudArmorTier"`
}

// getProject is compute.projects.get (fact google-8-project-quota).
func getProject(q *query) (any, *apiError) {
	path := "projects/" + q.project
	q.req.NativeID = path
	return projectWire{
		Kind: "compute#project", ID: catalogID(path), CreationTimestamp: stamp(catalogTime()), Name: q.project,
		SelfLink: link(path), Quotas: quotasWire(q.tx, q.project, ""),
		DefaultServiceAccount: projectNumber(q.project) + "-compute@developer.gserviceaccount.com",
		DefaultNetworkTier:    "PREMIUM", XPNProjectStatus: "UNSPECIFIED_XPN_PROJECT_STATUS", CloudArmorTier: "CA_STANDARD",
	}, nil
}
