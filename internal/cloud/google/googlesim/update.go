package googlesim

import (
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// updatePaths are the paths that reservations.update takes: from paths, which
// may come several times, and from updateMask, a list with commas. Both spell
// fields in lowerCamelCase or snake_case.
func (q *query) updatePaths() ([]string, *apiError) {
	var all []string
	for _, value := range append(slices.Clone(q.params["paths"]), q.params["updateMask"]...) {
		for path := range strings.SplitSeq(value, ",") {
			if path = strings.TrimSpace(path); path != "" {
				all = append(all, path)
			}
		}
	}
	if len(all) == 0 {
		return nil, required("updateMask")
	}
	return all, nil
}

// edit is an update on its way.
type edit struct {
	*query
	next reservation
	ends time.Time
}

// updateReservation is reservations.update (facts google-3.4). A path whose
// field the body does not have clears it.
func updateReservation(q *query) (*sim.Object, *apiError) {
	obj, r, err := q.changeable()
	if err != nil {
		return nil, err
	}
	paths, err := q.updatePaths()
	if err != nil {
		return nil, err
	}
	e := &edit{query: q, next: r, ends: obj.EndsAt}
	for _, path := range paths {
		if err := e.apply(path); err != nil {
			return nil, err
		}
	}
	if err := e.next.Sharing.check("resource.shareSettings"); err != nil {
		return nil, err
	}
	obj.Status = statusUpdating
	return q.operate(obj, r.ID, "compute.allocations.update", "reservation.update", change{Updated: &e.next, Ends: e.ends}, nil)
}

func (e *edit) apply(path string) *apiError {
	name, rest, _ := strings.Cut(path, ".")
	switch camel(name) {
	case "shareSettings":
		field, project, _ := strings.Cut(rest, ".")
		if camel(field) == "projectMap" && project != "" {
			return e.share(path, project)
		}
	case "reservationSharingPolicy":
		if camel(rest) == "serviceShareType" {
			return e.shareService()
		}
	case "deleteAtTime":
		return e.deleteAtTime()
	case "schedulingType", "earlyAccessMaintenance":
		e.echo(camel(name))
		return nil
	case "enableEmergentMaintenance":
		return nil
	}
	return invalid("updateMask", path, "The path cannot be updated.")
}

// share adds or removes one project. Which of them is told by whether the body
// has it; to remove takes the project's number.
func (e *edit) share(path, project string) *apiError {
	if e.next.Sharing.Type != shareProjects {
		return invalid("updateMask", path, "The reservation is not shared with specific projects.")
	}
	settings, _ := e.body["shareSettings"].(map[string]any)
	if kind, given := settings["shareType"].(string); given && kind != shareProjects {
		return invalid("resource.shareSettings.shareType", kind, "Changing shareType is not supported.")
	}
	entries, _ := settings["projectMap"].(map[string]any)
	given, err := readProjects(e.tx, "resource.shareSettings.projectMap", entries)
	if err != nil {
		return err
	}
	number, good := numberOf(e.tx, project)
	if !good {
		return invalid("updateMask", path, "It does not name a project.")
	}
	others := slices.DeleteFunc(slices.Clone(e.next.Sharing.Projects), func(p string) bool { return p == number })
	if slices.Contains(given, number) {
		e.next.Sharing.Projects = append(others, number)
		slices.Sort(e.next.Sharing.Projects)
		return nil
	}
	if number != project {
		return invalid("updateMask", path, "A project is removed by its number.")
	}
	e.next.Sharing.Projects = others
	return nil
}

func (e *edit) shareService() *apiError {
	e.next.ServiceShare = serviceShareTypes()[0]
	policy, _ := e.body["reservationSharingPolicy"].(map[string]any)
	if share, given := policy["serviceShareType"].(string); given {
		e.next.ServiceShare = share
	}
	return nil
}

func (e *edit) deleteAtTime() *apiError {
	value, given := e.body["deleteAtTime"].(string)
	if !given {
		e.ends = time.Time{}
		return nil
	}
	ends, err := e.futureInstant("resource.deleteAtTime", value)
	if err == nil {
		e.ends = ends
	}
	return err
}

func (e *edit) echo(name string) {
	if e.next.Echoed == nil {
		e.next.Echoed = map[string]any{}
	}
	delete(e.next.Echoed, name)
	if value, given := e.body[name]; given {
		e.next.Echoed[name] = value
	}
}

func updatedReservation(tx *sim.Tx, obj *sim.Object, op *operation, _ time.Time) *failure {
	c := changeOf(op)
	obj.EndsAt = c.Ends
	// What was decoded can be encoded.
	_ = obj.Encode(c.Updated)
	settled(tx, obj)
	return nil
}
