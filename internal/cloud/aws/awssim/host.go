package awssim

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// hostType is the tag resource type, which the control API calls type.
const hostType = "dedicated-host"

// States of a dedicated host (section 6); pending is a reservation's word too.
const (
	hostAvailable       = "available"
	hostUnderAssessment = "under-assessment"
	hostFailed          = "permanent-failure"
	hostReleased        = "released"
	hostReleasedFailed  = "released-permanent-failure"
)

const (
	// releasedVisible is how long a released host is listed. AWS says that it
	// is, not for how long: UNVERIFIED.
	releasedVisible = time.Hour
	// limitDelay is how long a released host still counts toward the limit;
	// AWS says "a few minutes".
	limitDelay = 3 * time.Minute
)

// host is what the world's header does not know of a dedicated host. The
// header's instance type is the family where the host takes all its sizes.
type host struct {
	AutoPlacement string `json:"auto_placement"`
	Recovery      string `json:"recovery"`
	Maintenance   string `json:"maintenance"`
	ZoneID        string `json:"zone_id"`
	ClientToken   string `json:"client_token,omitempty"`
	// Batch is the native id of the first host of the same request.
	Batch    string    `json:"batch"`
	Released time.Time `json:"released,omitzero"`
	// Failure is what a pending host breaks for.
	Failure string `json:"failure,omitempty"`
}

func hostARN(region, account, id string) string {
	return "arn:aws:ec2:" + region + ":" + account + ":dedicated-host/" + id
}

// hostFamily is the instance family: "p4d" of p4d.24xlarge and of itself.
func hostFamily(instanceType string) string {
	name, _, _ := strings.Cut(instanceType, ".")
	return name
}

// takesFamily tells a host for every size of its family from one for a size.
func takesFamily(obj *sim.Object) bool { return obj.InstanceType == hostFamily(obj.InstanceType) }

func gone(obj *sim.Object) bool {
	return obj.Status == hostReleased || obj.Status == hostReleasedFailed
}

// kept is how much of a place's stock an object keeps from others: a host is
// one unit of its type, or of its family, until it is released.
func kept(obj *sim.Object) int {
	if obj.Type != hostType {
		return occupied(obj)
	}
	if gone(obj) {
		return 0
	}
	return 1
}

// dueHost lets happen what time brings to a host.
func dueHost(tx *sim.Tx, obj *sim.Object) {
	var h host
	// A payload that cannot be read was put there by hand: nothing to do.
	if err := obj.Decode(&h); err != nil {
		return
	}
	switch {
	case gone(obj):
		tx.Remove(obj)
	case obj.Status == statePending && h.Failure != "":
		obj.Status = hostFailed
	case obj.Status == statePending:
		obj.Status = hostAvailable
	}
}

var hostIDForm = regexp.MustCompile(`^h-[0-9a-f]{17}$`)

// findHost gets a host of the caller's account and region by its id.
func (q *query) findHost(id string) (*sim.Object, *apiError) {
	if !hostIDForm.MatchString(id) {
		return nil, fail("InvalidHostID.Malformed", "The dedicated host ID %s is malformed", printable(id))
	}
	obj, ok := q.mine(id)
	if !ok {
		return nil, fail(codeHostNotFound, "The dedicated host ID '%s' was not found", id)
	}
	return obj, nil
}

// mine finds an object of the caller's account and region.
func (q *query) mine(id string) (*sim.Object, bool) {
	obj, ok := q.tx.Object(cloudName, id)
	return obj, ok && obj.Account == q.who.Account && obj.Region == q.region
}

// hostMachine is the hardware under a family's hosts.
type hostMachine struct{ sockets, cores, vcpus, gpus int }

// hostMachine is read off the family's largest size, which fills a host.
// Sockets are UNVERIFIED: two from 96 vCPUs on.
func (c *catalog) hostMachine(family string) hostMachine {
	var m hostMachine
	for name := range c.Types {
		if hostFamily(name) == family && c.vcpus(name) > m.vcpus {
			m = hostMachine{
				sockets: 1, cores: c.whole(name, "vCpuInfo", "defaultCores"), vcpus: c.vcpus(name),
				gpus: c.whole(name, "gpuInfo", "gpus", "count"),
			}
		}
	}
	if m.vcpus >= 96 {
		m.sockets = 2
	}
	return m
}

// perHost is how many instances of a size fit a host of its family.
func (c *catalog) perHost(instanceType string) int {
	m := c.hostMachine(hostFamily(instanceType))
	n := m.vcpus / max(c.vcpus(instanceType), 1)
	if gpus := c.whole(instanceType, "gpuInfo", "gpus", "count"); gpus > 0 {
		n = min(n, m.gpus/gpus)
	}
	return n
}

// hostTypes lists the sizes of a family that can be on hosts, smallest first.
func (c *catalog) hostTypes(family string) []string {
	var names []string
	for name := range c.Types {
		if hostFamily(name) == family && c.onHosts(name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := c.vcpus(a) - c.vcpus(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return names
}

func (c *catalog) onHosts(instanceType string) bool {
	return slices.Contains(c.lookup(instanceType, "dedicatedHostsSupported"), "true")
}

// recoverable tells whether a family's hosts can have host recovery: of the
// accelerated ones these only (fact aws-6-recovery).
func (c *catalog) recoverable(family string) bool {
	for name := range c.Types {
		if hostFamily(name) == family && c.accelerated(name) {
			return slices.Contains([]string{"g3", "g5g", "inf1", "p3"}, family)
		}
	}
	return true
}

func (c *catalog) accelerated(instanceType string) bool {
	return slices.ContainsFunc([]string{"gpuInfo", "neuronInfo", "inferenceAcceleratorInfo"}, func(name string) bool {
		return c.Types[instanceType][name] != nil
	})
}

// launchType is what instances on a host are: its type, or the smallest of its
// family.
func (c *catalog) launchType(obj *sim.Object) string {
	if obj.Type != hostType || !takesFamily(obj) {
		return obj.InstanceType
	}
	if sizes := c.hostTypes(obj.InstanceType); len(sizes) > 0 {
		return sizes[0]
	}
	return obj.InstanceType
}

// seedHost completes a host of a scenario.
func (s *Simulator) seedHost(tx *sim.Tx, obj *sim.Object) error {
	_, zoneID, known := s.catalog.zone(obj.Region, obj.Zone)
	if !known || len(s.catalog.hostTypes(hostFamily(obj.InstanceType))) == 0 {
		return fail(codeInvalidValue, "no such place for a host: %s %s %s", obj.Region, obj.Zone, obj.InstanceType)
	}
	if obj.Count > 1 || obj.InUse.Count() > s.catalog.perHost(s.catalog.launchType(obj)) {
		return fail(codeInvalidValue, "count is 1 for a host, and in_use is what fits it")
	}
	obj.Count, obj.Account = 1, staticAccount
	id := obj.NativeID
	if m := hostARNForm.FindStringSubmatch(id); m != nil && m[1] == obj.Region {
		obj.Account, id = m[2], m[3]
	}
	if id == "" {
		id = "h-" + tx.Hex(17)
	}
	if !hostIDForm.MatchString(id) {
		return fail("InvalidHostID.Malformed", "native_id %s is neither an ARN of %s nor h- and 17 digits", printable(obj.NativeID), obj.Region)
	}
	obj.NativeID, obj.Aliases = hostARN(obj.Region, obj.Account, id), []string{id}
	if obj.Status == "" {
		obj.Status = hostAvailable
	}
	if obj.StartsAt.IsZero() {
		obj.StartsAt = tx.Now()
	}
	return obj.Encode(host{AutoPlacement: "off", Recovery: "off", Maintenance: "off", ZoneID: zoneID, Batch: obj.NativeID})
}

var hostARNForm = regexp.MustCompile(`^arn:aws:ec2:([a-z0-9-]+):(\d{12}):dedicated-host/(h-[0-9a-f]{17})$`)

// hostIDsOf lists the hosts and terms that a request names, for the call log.
func hostIDsOf(f form) []string {
	return slices.Concat(f.list("HostId"), f.list("HostIdSet"), f.list("HostReservationIdSet"))
}
