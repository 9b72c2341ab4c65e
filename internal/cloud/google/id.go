package google

import (
	"context"
	"regexp"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// collection is the sort of a native object, as ids spell it.
type collection string

const (
	reservations collection = "reservations"
	futures      collection = "futureReservations"
)

var (
	// zoneForm is a zone (us-central1-a) or an AI zone (us-south1-ai1b); the first
	// group is the region.
	zoneForm   = regexp.MustCompile(`^([a-z]+(?:-[a-z]+)+\d+)-(?:[a-z]|ai\d+[a-z])$`)
	regionForm = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)+\d+$`)
	// nameForm is RFC 1035's (discovery document, Reservation.name).
	nameForm = regexp.MustCompile(`^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$`)
	// pathForm is a native id, alone or as the end of a link of any host and
	// version of the API, with or without the scheme.
	pathForm  = regexp.MustCompile(`^(?:(?:https?:)?//[^/?#\s]+/(?:[^?#\s]+/)?|compute/[a-z0-9.]+/)?projects/([^/]+)/zones/([^/]+)/(reservations|futureReservations)/([^/]+)$`)
	shortForm = regexp.MustCompile(`^(?:([^/]+)/)?([^/]+)/([^/]+)$`)
)

const idForms = "projects/PROJECT/zones/us-central1-a/reservations/NAME, the same with futureReservations, " +
	"the self link of one, PROJECT/us-central1-a/NAME or us-central1-a/NAME"

// name is a native id taken apart: projects/P/zones/Z/COLLECTION/N.
type name struct {
	project, zone string
	collection    collection
	id            string
}

// String is the native id.
func (n name) String() string {
	return "projects/" + n.project + "/zones/" + n.zone + "/" + string(n.collection) + "/" + n.id
}

// region is the zone's.
func (n name) region() string { return regionOf(n.zone) }

// check tells what is wrong with the parts; "" is nothing.
func (n name) check() string {
	switch {
	case !projectForm.MatchString(n.project) && !numberForm.MatchString(n.project):
		return "\"" + n.project + "\" is not a project"
	case !zoneForm.MatchString(n.zone):
		return "\"" + n.zone + "\" is not a zone"
	case !nameForm.MatchString(n.id):
		return "\"" + n.id + "\" is not a name"
	}
	return ""
}

// parseName is strict: it takes native ids only, which name the project by its
// id.
func parseName(nativeID string) (name, error) {
	match := pathForm.FindStringSubmatch(nativeID)
	if match == nil || !strings.HasPrefix(nativeID, "projects/") {
		return name{}, badID(nativeID, "it has none of the forms")
	}
	n := name{project: match[1], zone: match[2], collection: collection(match[3]), id: match[4]}
	if why := n.check(); why != "" {
		return name{}, badID(nativeID, why)
	}
	if numberForm.MatchString(n.project) {
		return name{}, badID(nativeID, "it names the project by its number")
	}
	return n, nil
}

func badID(id, why string) error {
	return &cloud.Error{
		Code:    cloud.Invalid,
		Message: cloud.Clean("\"" + id + "\" is not the id of a reservation or a future reservation: " + why + "; forms are " + idForms),
	}
}

// regionOf is the region of a zone, "" where it is not of the form of one.
func regionOf(zone string) string {
	if match := zoneForm.FindStringSubmatch(zone); match != nil {
		return match[1]
	}
	return ""
}

// ParseID implements cloud.Importer. A short form is always of a reservation.
func (c *Cloud) ParseID(ctx context.Context, account, id string) (cloud.Ref, error) {
	n, err := parseID(strings.TrimSpace(id))
	if err != nil {
		return cloud.Ref{}, err
	}
	// A short form lies in the account's project, a number needs the project's id.
	named := n.project
	if named == "" {
		named = account
	}
	if n.project == "" || numberForm.MatchString(n.project) {
		if n.project, err = c.AccountID(ctx, named); err != nil {
			return cloud.Ref{}, err
		}
	}
	return cloud.Ref{Account: c.holderOf(ctx, account, n.project), NativeID: n.String()}, nil
}

// parseID reads any form; the project of the shortest one is empty.
func parseID(id string) (name, error) {
	if match := pathForm.FindStringSubmatch(id); match != nil {
		n := name{project: match[1], zone: match[2], collection: collection(match[3]), id: match[4]}
		return n, checkID(id, n)
	}
	match := shortForm.FindStringSubmatch(id)
	if match == nil {
		return name{}, badID(id, "it has none of the forms")
	}
	n := name{project: match[1], zone: match[2], collection: reservations, id: match[3]}
	return n, checkID(id, n)
}

func checkID(id string, n name) error {
	if n.project == "" {
		// Not known yet, and any will do.
		n.project = "1"
	}
	if why := n.check(); why != "" {
		return badID(id, why)
	}
	return nil
}

// holderOf is the account that reaches a project where none was asked for: the
// default one if it is that project, else the project itself.
func (c *Cloud) holderOf(ctx context.Context, asked, project string) string {
	if asked != "" {
		return asked
	}
	if id, err := c.AccountID(ctx, ""); err == nil && id == project {
		return ""
	}
	return project
}
