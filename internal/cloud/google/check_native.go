package google

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	vertexAllow    = "allow_all"
	vertexDisallow = "disallow_all"

	interfaceNVMe = "nvme"
	interfaceSCSI = "scsi"

	deploymentDense = "dense"
)

// maxDisks is the most local disks of any machine type (Compute Engine, "About
// Local SSD disks"); fewer for most, which the cloud decides.
const maxDisks = 32

var (
	// platformForm is a name such as "Intel Sapphire Rapids".
	platformForm = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*(?: [A-Za-z0-9()-]+)+$`)
	// policyForm is the path of a resource policy, alone or at the end of a link;
	// the groups are project, region and name.
	policyForm = regexp.MustCompile(`^(?:(?:https?:)?//[^/?#\s]+/(?:[^?#\s]+/)?)?projects/([^/\s]+)/regions/([^/\s]+)/resourcePolicies/([^/\s]+)$`)
)

// setting is a native option: check completes it and finds fault with its value.
type setting struct {
	name  string
	check func(*cloud.Spec, *problems)
}

func attrOption(name string) cloud.Attribute { return cloud.Attribute("google." + name) }

// checkNative refuses what is not an option of the kind and completes the rest;
// an empty one is not given.
func checkNative(s *cloud.Spec, f form, p *problems) {
	names := make([]string, 0, len(f.options))
	for _, o := range f.options {
		names = append(names, o.name)
	}
	slices.Sort(names)
	if s.Native == nil {
		s.Native = map[string]string{}
	}
	maps.DeleteFunc(s.Native, func(_, value string) bool { return value == "" })
	for _, given := range slices.Sorted(maps.Keys(s.Native)) {
		if !slices.Contains(names, given) {
			p.add(attrOption(given), "is not an option of Google Cloud for kind %s; there are: %s", s.Kind, strings.Join(names, ", "))
		}
	}
	for _, o := range f.options {
		o.check(s, p)
	}
}

// preset fills in a default.
func preset(options map[string]string, name, value string) {
	if options[name] == "" {
		options[name] = value
	}
}

// oneOf checks a word.
func oneOf(s *cloud.Spec, p *problems, name string, words ...string) {
	if v := s.Native[name]; v != "" && !slices.Contains(words, v) {
		p.add(attrOption(name), "%q is none of: %s", v, strings.Join(words, ", "))
	}
}

func acceleratorOption() setting {
	return setting{optAcceleratorType, func(s *cloud.Spec, p *problems) {
		at, v, family := attrOption(optAcceleratorType), s.Native[optAcceleratorType], familyOf(s.InstanceType)
		switch {
		case v == "":
		case slices.Contains(bundled, family):
			p.add(at, "machine types of the family %s come with their GPUs; leave it out", family)
		case !nameForm.MatchString(v):
			p.add(at, "%q is not the name of an accelerator type such as nvidia-tesla-t4", v)
		case family == familyN1 && attachable[v] == nil:
			p.add(at, "N1 takes no %s; it takes: %s", v, strings.Join(slices.Sorted(maps.Keys(attachable)), ", "))
		}
	}}
}

func countOption() setting {
	return setting{optAcceleratorCount, func(s *cloud.Spec, p *problems) {
		at, of := attrOption(optAcceleratorCount), s.Native[optAcceleratorType]
		if of == "" {
			if s.Native[optAcceleratorCount] != "" {
				p.add(at, "has no meaning without google.%s", optAcceleratorType)
			}
			return
		}
		preset(s.Native, optAcceleratorCount, "1")
		v := s.Native[optAcceleratorCount]
		counts := attachable[of]
		switch n, err := strconv.Atoi(v); {
		case err != nil || n < 1 || strconv.Itoa(n) != v:
			p.add(at, "%q is not a number of GPUs", v)
		case counts != nil && !slices.Contains(counts, v):
			p.add(at, "an instance has %s of %s, not %s", strings.Join(counts, ", "), of, v)
		}
	}}
}

// checkAttached refuses N1 without GPUs, of which the machine type has none.
func checkAttached(s *cloud.Spec, p *problems) {
	if s.InstanceType != "" && familyOf(s.InstanceType) == familyN1 && s.Native[optAcceleratorType] == "" {
		p.add(attrOption(optAcceleratorType), "%q has no GPU but those attached to it; name one of: %s",
			s.InstanceType, strings.Join(slices.Sorted(maps.Keys(attachable)), ", "))
	}
}

func platformOption() setting {
	return setting{optCPUPlatform, func(s *cloud.Spec, p *problems) {
		if v := s.Native[optCPUPlatform]; v != "" && !platformForm.MatchString(v) {
			p.add(attrOption(optCPUPlatform), "%q is not the name of a CPU platform such as Intel Skylake", v)
		}
	}}
}

func disksOption() setting {
	return setting{optSSDCount, func(s *cloud.Spec, p *problems) {
		v := s.Native[optSSDCount]
		if n, err := strconv.Atoi(v); v != "" && (err != nil || n < 1 || n > maxDisks || strconv.Itoa(n) != v) {
			p.add(attrOption(optSSDCount), "%q is not a number of disks, 1 to %d", v, maxDisks)
		}
	}}
}

// interfaceOption has SCSI for a default, as the API has (discovery document,
// ReservedDisk.interface).
func interfaceOption() setting {
	return setting{optSSDInterface, func(s *cloud.Spec, p *problems) {
		if s.Native[optSSDCount] == "" {
			if s.Native[optSSDInterface] != "" {
				p.add(attrOption(optSSDInterface), "has no meaning without google.%s", optSSDCount)
			}
			return
		}
		preset(s.Native, optSSDInterface, interfaceSCSI)
		oneOf(s, p, optSSDInterface, interfaceNVMe, interfaceSCSI)
	}}
}

// placementOption reduces a link to the name, which is what a read shows: the
// policy is of the project and the region of the reservation. Project is the one
// that is worked in where the wish names none, "" where that is not known yet. An
// id and a number cannot be told to be one project without asking.
func placementOption(project string) setting {
	return setting{optPlacement, func(s *cloud.Spec, p *problems) {
		at, v, own := attrOption(optPlacement), s.Native[optPlacement], cmp.Or(s.Account, project)
		match := policyForm.FindStringSubmatch(v)
		switch {
		case v == "" || nameForm.MatchString(v):
		case match == nil || !isProject(match[1]) || !nameForm.MatchString(match[3]):
			p.add(at, "%q is neither the name of a resource policy nor like projects/P/regions/R/resourcePolicies/NAME", v)
		case s.Region != "" && match[2] != s.Region:
			p.add(at, "the resource policy is in region %s, the reservation in %s", match[2], s.Region)
		case own != "" && match[1] != own:
			p.add(at, "the resource policy is in project %s, the reservation in %s; if that is one project, give just the name of the policy", match[1], own)
		default:
			s.Native[optPlacement] = match[3]
		}
	}}
}

func vertexOption() setting {
	return setting{optVertex, func(s *cloud.Spec, p *problems) {
		preset(s.Native, optVertex, vertexDisallow)
		oneOf(s, p, optVertex, vertexAllow, vertexDisallow)
	}}
}

func deploymentOption() setting {
	return setting{optDeployment, func(s *cloud.Spec, p *problems) { oneOf(s, p, optDeployment, deploymentDense) }}
}
