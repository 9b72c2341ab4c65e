package google

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Values of shareType, and the paths of what changes.
const (
	shareProjects = "SPECIFIC_PROJECTS"

	pathProject = "shareSettings.projectMap."
)

// sharedWith are the projects that consume along with the owner's. Compute Engine
// shows numbers; those that Resource Manager does not tell the id of are
// unresolved.
func (c *Cloud) sharedWith(ctx context.Context, settings *computepb.ShareSettings) (ids, unresolved []string, err error) {
	for _, shown := range slices.Sorted(maps.Keys(settings.GetProjectMap())) {
		id, err := c.known(ctx, shown)
		switch {
		case err != nil:
			return nil, nil, err
		case id == "":
			unresolved = append(unresolved, shown)
		default:
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), unresolved, nil
}

// known is the id of a project by id or number, empty where Resource Manager does
// not tell it. That answer is kept too, so that a refresh asks once for each
// project and not for each reservation.
func (c *Cloud) known(ctx context.Context, shown string) (string, error) {
	if !numberForm.MatchString(shown) {
		return shown, nil
	}
	c.mu.Lock()
	untold := c.untold[shown]
	c.mu.Unlock()
	if untold {
		return "", nil
	}
	p, err := c.lookUp(ctx, shown)
	if nobodys(err) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.untold[shown] = true
		return "", nil
	}
	return p.id, err
}

// nobodys tells that a project is not there, or not for us to know of. A login that
// failed says nothing of it.
func nobodys(err error) bool {
	var e *cloud.Error
	return errors.As(err, &e) && (e.Code == cloud.NotFound || (e.Code == cloud.PermissionDenied && e.Authenticated))
}

// shareList are the projects of a wish as ids; a number that cannot be resolved
// stays one, which Compute Engine takes too.
func (c *Cloud) shareList(ctx context.Context, names []string) ([]string, error) {
	all := make([]string, 0, len(names))
	for _, given := range names {
		id, err := c.known(ctx, given)
		if err != nil {
			return nil, err
		}
		if id == "" {
			id = given
		}
		all = append(all, id)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// sameProjects tells whether an object is shared with just these.
func sameProjects(want []string, r cloud.Reservation) bool {
	have := slices.Sorted(slices.Values(slices.Concat(r.ShareWith, r.Unresolved)))
	return slices.Equal(slices.Sorted(slices.Values(want)), have)
}

// shareSettings are those of a create; nil without projects.
func shareSettings(projects []string) *computepb.ShareSettings {
	if len(projects) == 0 {
		return nil
	}
	settings := &computepb.ShareSettings{
		ShareType: proto.String(shareProjects), ProjectMap: map[string]*computepb.ShareSettingsProjectConfig{},
	}
	for _, p := range projects {
		settings.ProjectMap[p] = &computepb.ShareSettingsProjectConfig{ProjectId: proto.String(p)}
	}
	return settings
}

// reshare brings the projects to those of a change, one in each request, and adds
// before it removes: a shared reservation needs at least one. A project is added
// by its id and removed by its number.
func (a onDemandReservations) reshare(ctx context.Context, t target, before cloud.Reservation, names []string) error {
	want, err := a.c.shareList(ctx, names)
	if err != nil {
		return err
	}
	have := slices.Concat(before.ShareWith, before.Unresolved)
	extra := without(have, want)
	untold := without(before.Unresolved, want)
	found, err := a.share(ctx, t, without(want, have), have, len(untold) > 0)
	switch {
	case err != nil:
		return err
	case found == len(untold): // they are what was asked for, under their numbers
		extra = without(extra, untold)
	case found > 0:
		return &cloud.Error{Code: cloud.Conflict, Op: opPatch, Message: "which of the projects " + strings.Join(untold, ", ") + " are to be kept " +
			"cannot be told without the permission resourcemanager.projects.get on them, so none was taken out; name them by their numbers"}
	}
	return a.unshare(ctx, t, extra)
}

// share adds projects. Where some that are there are not told, it counts those
// that were there already: adding them changes nothing.
func (a onDemandReservations) share(ctx context.Context, t target, projects, have []string, counted bool) (found int, err error) {
	there := len(have)
	for _, p := range projects {
		if err := a.patchShare(ctx, t, shareSettings([]string{p}), pathProject+p); err != nil {
			return 0, err
		}
		if !counted || numberForm.MatchString(p) {
			continue
		}
		now, err := a.get(ctx, t)
		if err != nil {
			return 0, cloud.AfterWrite(err)
		}
		if n := len(now.ShareWith) + len(now.Unresolved); n > there {
			there = n
		} else {
			found++
		}
	}
	return found, nil
}

func (a onDemandReservations) unshare(ctx context.Context, t target, projects []string) error {
	for _, p := range projects {
		number, err := a.c.numberOf(ctx, p)
		if err != nil {
			return err
		}
		gone := &computepb.ShareSettings{ShareType: proto.String(shareProjects)}
		if err := a.patchShare(ctx, t, gone, pathProject+number); err != nil {
			return err
		}
	}
	return nil
}

// without are those that others do not have.
func without(some, others []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(p string) bool { return slices.Contains(others, p) })
}

// numberOf is a project's number by either of its names.
func (c *Cloud) numberOf(ctx context.Context, project string) (string, error) {
	if numberForm.MatchString(project) {
		return project, nil
	}
	p, err := c.lookUp(ctx, project)
	return p.number, err
}

func (a onDemandReservations) patchShare(ctx context.Context, t target, settings *computepb.ShareSettings, paths ...string) error {
	return a.patch(ctx, t, &computepb.Reservation{Name: proto.String(t.name.id), ShareSettings: settings}, paths...)
}
