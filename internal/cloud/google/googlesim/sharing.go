package googlesim

import (
	"maps"
	"slices"
	"strconv"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Share types.
const (
	shareLocal    = "LOCAL"
	shareProjects = "SPECIFIC_PROJECTS"
	shareOrg      = "ORGANIZATION"
)

// maxShared is the most projects to share with (the page on troubleshooting
// future reservations).
const maxShared = 100

// sharing says which projects may consume a reservation.
type sharing struct {
	Type string `json:"type"`
	// Projects are numbers.
	Projects []string `json:"projects,omitempty"`
}

// sharingWire is ShareSettings in JSON: keys and values are project numbers
// (fact google-3.2-share-numbers).
type sharingWire struct {
	ShareType  string                `json:"shareType"`
	ProjectMap map[string]sharedWith `json:"projectMap,omitempty"`
}

type sharedWith struct {
	ProjectID string `json:"projectId"`
}

func (s sharing) wire() sharingWire {
	w := sharingWire{ShareType: s.Type}
	for _, number := range s.Projects {
		if w.ProjectMap == nil {
			w.ProjectMap = map[string]sharedWith{}
		}
		w.ProjectMap[number] = sharedWith{number}
	}
	return w
}

func sharingSchema() object {
	return object{
		"shareType":  {kind: text, enum: []string{shareLocal, shareProjects, shareOrg}},
		"projectMap": {kind: dict, of: object{"projectId": {kind: text}}},
	}
}

// numberOf is the number of a project that is given by id or number, and
// whether it can be one. A number that is not known here is taken as it is.
func numberOf(tx *sim.Tx, project string) (string, bool) {
	if !projectForm.MatchString(project) {
		return "", false
	}
	if digits.MatchString(project) {
		return project, true
	}
	rememberProject(tx, project)
	return projectNumber(project), true
}

// readProjects reads a projectMap. Where key and projectId differ the value is
// refused, UNVERIFIED.
func readProjects(tx *sim.Tx, path string, body map[string]any) ([]string, *apiError) {
	found := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(body)) {
		number, good := numberOf(tx, key)
		if !good {
			return nil, invalid(path, key, "It is neither a project ID nor a project number.")
		}
		config, _ := body[key].(map[string]any)
		if id, given := config["projectId"].(string); given {
			if other, good := numberOf(tx, id); !good || other != number {
				return nil, invalid(path+"["+printable(key)+"].projectId", id, "It must be the project of its key.")
			}
		}
		found[number] = true
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// readSharing checks the shareSettings of a body (facts google-3.2-share).
func (q *query) readSharing(path string, body map[string]any) (sharing, *apiError) {
	s := sharing{Type: shareLocal}
	if kind, given := body["shareType"].(string); given {
		s.Type = kind
	}
	entries, _ := body["projectMap"].(map[string]any)
	if s.Type != shareProjects && len(entries) > 0 {
		return s, invalid(path+".projectMap", strconv.Itoa(len(entries)), "It is only valid with the share type SPECIFIC_PROJECTS.")
	}
	if s.Type != shareLocal && q.sim.options.SharingRefused {
		return s, fail(reasonCondition, "Constraint constraints/compute.sharedReservationsOwnerProjects violated for project %s. "+
			"It is not allowed to create shared reservations.", q.project)
	}
	var err *apiError
	if s.Projects, err = readProjects(q.tx, path+".projectMap", entries); err != nil {
		return s, err
	}
	return s, s.check(path)
}

func (s sharing) check(path string) *apiError {
	if s.Type == shareProjects && len(s.Projects) == 0 {
		return invalid(path+".projectMap", "", "It must name at least one project with the share type SPECIFIC_PROJECTS.")
	}
	if len(s.Projects) > maxShared {
		return invalid(path+".projectMap", strconv.Itoa(len(s.Projects)), "Can only share with at most 100 projects.")
	}
	return nil
}
