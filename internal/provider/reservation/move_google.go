package reservation

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// googleSources are the types of hashicorp/google and hashicorp/google-beta that
// hold one reservation. Both are of schema version 0 (those providers'
// services/compute/resource_compute_reservation.go, which sets none).
func googleSources() []source {
	var all []source
	for _, provider := range []string{"hashicorp/google", "hashicorp/google-beta"} {
		all = append(all, source{provider: provider, typeName: "google_compute_reservation", read: readGoogle})
	}
	return all
}

// googleState is what the type tells, by its names there; a block is a list of one.
// GPUs and disks are left to the first read: the state also has those that the
// machine type brings along.
type googleState struct {
	Name        string `json:"name"`
	Project     string `json:"project"`
	Zone        string `json:"zone"`
	Specific    bool   `json:"specific_reservation_required"`
	DeleteAt    string `json:"delete_at_time"`
	CreatedAt   string `json:"creation_timestamp"`
	Reservation []struct {
		Count      int `json:"count"`
		Properties []struct {
			MachineType string `json:"machine_type"`
		} `json:"instance_properties"`
	} `json:"specific_reservation"`
	Sharing []struct {
		Type       string `json:"share_type"`
		ProjectMap []struct {
			ID      string `json:"id"`
			Project string `json:"project_id"`
		} `json:"project_map"`
		// Projects is an alternative that only google-beta has.
		Projects []string `json:"projects"`
	} `json:"share_settings"`
}

// googleMovable is a project that a native id can have: its id, not its number.
var googleMovable = regexp.MustCompile(`^([a-z0-9.-]+:)?[a-z][-a-z0-9]+$`)

// readGoogle reads the state of the type.
func readGoogle(state []byte) (moved, error) {
	var s googleState
	if err := json.Unmarshal(state, &s); err != nil {
		return moved{}, err
	}
	zone := lastPart(s.Zone)
	switch {
	case !googleMovable.MatchString(s.Project):
		return moved{}, fmt.Errorf("its project %q is not the id of one", s.Project)
	case s.Name == "" || zone == "":
		return moved{}, fmt.Errorf("it has the name %q and the zone %q", s.Name, s.Zone)
	case len(s.Reservation) != 1 || len(s.Reservation[0].Properties) != 1:
		return moved{}, fmt.Errorf("it does not tell the machine type of %s", s.Name)
	}
	sku := s.Reservation[0]
	r := cloud.Reservation{
		Ref:       cloud.Ref{NativeID: fmt.Sprintf("projects/%s/zones/%s/reservations/%s", s.Project, zone, s.Name)},
		AccountID: s.Project, Region: zone[:max(0, strings.LastIndex(zone, "-"))], Zone: zone, Kind: cloud.OnDemand,
		InstanceType: lastPart(sku.Properties[0].MachineType), Count: sku.Count, Match: cloud.Open, NativeName: s.Name,
		ShareWith: s.sharedWith(),
	}
	if s.Specific {
		r.Match = cloud.Targeted
	}
	var err error
	if r.StartsAt, err = googleTime(s.CreatedAt); err != nil {
		return moved{}, err
	}
	r.EndsAt, err = googleTime(s.DeleteAt)
	r.UsableUntil = r.EndsAt
	return moved{reservation: r}, err
}

// sharedWith are the projects that consume along with the owner's.
func (s googleState) sharedWith() []string {
	var names []string
	for _, sharing := range s.Sharing {
		if sharing.Type != "SPECIFIC_PROJECTS" {
			continue
		}
		names = append(names, sharing.Projects...)
		for _, p := range sharing.ProjectMap {
			if names = append(names, p.Project); p.Project == "" {
				names[len(names)-1] = p.ID
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// lastPart is the name at the end of a full or partial link.
func lastPart(link string) string { return link[strings.LastIndex(link, "/")+1:] }

func googleTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, text)
}
