package azure

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func attrOption(name string) cloud.Attribute { return cloud.Attribute("azure." + name) }

// checkNative refuses what is not an option of the kind and completes the rest; an
// empty one is not given.
func (c *Cloud) checkNative(s *cloud.Spec, f form, p *problems) {
	if s.Native == nil {
		s.Native = map[string]string{}
	}
	maps.DeleteFunc(s.Native, func(_, value string) bool { return value == "" })
	for _, given := range slices.Sorted(maps.Keys(s.Native)) {
		if !slices.Contains(f.options, given) {
			p.add(attrOption(given), "is not an option of Azure for kind %s; there are: %s", s.Kind, strings.Join(f.options, ", "))
		}
	}
	if s.Native[optGroup] != "" {
		c.checkGroup(s, p)
	} else {
		c.checkResourceGroup(s, p)
	}
	checkCommitment(s.Native[optCommitmentDays], p)
}

// checkResourceGroup completes where the group of its own is made: this provider
// makes no resource groups.
func (c *Cloud) checkResourceGroup(s *cloud.Spec, p *problems) {
	at, given := attrOption(optResourceGroup), cmp.Or(s.Native[optResourceGroup], c.cfg.ResourceGroup)
	switch {
	case given == "":
		p.add(at, "name a resource group that exists, here or as azure.resource_group of the provider, "+
			"or a capacity reservation group that exists as azure.%s", optGroup)
	case strings.Contains(given, "/"):
		p.add(at, "%q is a path; give the resource group's name", given)
	case strings.HasSuffix(given, "."):
		p.add(at, "%q ends in a period, which the name of a resource group cannot", given)
	case !resourceGroupForm.MatchString(given):
		p.add(at, "%q is not the name of a resource group: 1 to 90 letters, digits and _-.()", given)
	}
	if given != "" {
		s.Native[optResourceGroup] = strings.ToLower(given)
	}
}

// checkGroup holds a given group to the account; what it is like only the cloud
// knows. The resource group follows from it.
func (c *Cloud) checkGroup(s *cloud.Spec, p *problems) {
	at := attrOption(optGroup)
	g, err := parseGroupID(s.Native[optGroup])
	if err != nil {
		p.add(at, "%s", err.Error())
		return
	}
	if self, err := c.subscription(s.Account); err == nil && self != g.subscription {
		p.add(at, "the group is in subscription %s, the reservation in %s; set the account to that of the group", g.subscription, self)
	}
	if given := s.Native[optResourceGroup]; given != "" && !strings.EqualFold(given, g.resourceGroup) {
		p.add(attrOption(optResourceGroup), "the group of azure.%s is in the resource group %s; leave this out", optGroup, g.resourceGroup)
	}
	s.Native[optGroup] = g.String()
	delete(s.Native, optResourceGroup)
}

// checkCommitment looks at a number of days; its bounds are not documented.
func checkCommitment(text string, p *problems) {
	if text == "" {
		return
	}
	if n, err := strconv.Atoi(text); err != nil || n < 1 || n > math.MaxInt32 || strconv.Itoa(n) != text {
		p.add(attrOption(optCommitmentDays), "%q is not a number of days", text)
	}
}
