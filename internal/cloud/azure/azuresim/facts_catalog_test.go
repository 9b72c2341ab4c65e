package azuresim_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

const (
	provider = "/subscriptions/" + subscription + "/providers/Microsoft.Compute"
	skusPath = provider + "/skus"
)

// sku is an entry of the list of sizes as a careful reader has it.
type sku struct {
	ResourceType, Name, Family, Tier, Size string
	Locations                              []string
	LocationInfo                           []struct {
		Location    string
		Zones       []string
		ZoneDetails []struct {
			Name         []string
			Capabilities []struct{ Name, Value string }
		}
	}
	Capabilities []struct{ Name, Value string }
	Restrictions []struct {
		Type, ReasonCode string
		Values           []string
		RestrictionInfo  struct{ Locations, Zones []string }
	}
}

func (k sku) capability(name string) string {
	for _, c := range k.Capabilities {
		if c.Name == name {
			return c.Value
		}
	}
	return "none"
}

func filtered(filter string) string { return skusPath + "?$filter=" + url.QueryEscape(filter) }

// skus reads all pages of a list.
func (s *stage) skus(path string) []sku {
	s.t.Helper()
	var all []sku
	got := s.accepted(s.get(path), http.StatusOK)
	for {
		var page struct {
			Value    []sku
			NextLink string
		}
		s.ok(json.Unmarshal([]byte(got.body), &page))
		all = append(all, page.Value...)
		if page.NextLink == "" {
			return all
		}
		got = s.accepted(s.raw(http.MethodGet, page.NextLink, "", "Bearer token"), http.StatusOK)
	}
}

// sku reads one size of a location.
func (s *stage) sku(name, location string) sku {
	s.t.Helper()
	for _, k := range s.skus(filtered("location eq '" + location + "'")) {
		if k.Name == name {
			return k
		}
	}
	s.t.Errorf("%s is not in %s", name, location)
	return sku{}
}

func (s *stage) has(k sku, capability, want string) {
	s.t.Helper()
	if got := k.capability(capability); got != want {
		s.t.Errorf("%s of %s is %s, want %s", capability, k.Name, got, want)
	}
}

// usage is a row of the quotas of eastus.
func (s *stage) usage(name string) reply {
	s.t.Helper()
	got := s.accepted(s.get(provider+"/locations/eastus/usages"), http.StatusOK)
	var list struct {
		Value []json.RawMessage
	}
	s.ok(json.Unmarshal([]byte(got.body), &list))
	for _, row := range list.Value {
		one := reply{body: string(row)}
		if one.at("name", "value") == name {
			return one
		}
	}
	s.t.Errorf("no quota %s", name)
	return reply{}
}

func catalogProofs() map[string]proof {
	return map[string]proof{
		"azure-7-skus": {
			accepted: listsSizes,
			rejected: func(s *stage) {
				s.refused(s.raw(http.MethodGet, s.url+skusPath+"?api-version=2021-07-01", "", ""), http.StatusUnauthorized, "AuthenticationFailed")
			},
		},
		"azure-7-filter": {
			accepted: filtersByLocation,
			rejected: func(s *stage) {
				s.refused(s.get(filtered("resourceType eq 'virtualMachines'")), http.StatusBadRequest, "InvalidParameter")
				s.refused(s.get(filtered("location eq eastus")), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-7-gpus": {
			accepted: func(s *stage) {
				s.has(s.sku("Standard_NV6ads_A10_v5", "eastus"), "GPUs", "1")
				s.has(s.sku("Standard_NV36ads_A10_v5", "eastus"), "GPUs", "1")
				s.has(s.sku("Standard_NV72ads_A10_v5", "eastus"), "GPUs", "2")
				s.has(s.sku("Standard_NV4ads_V710_v5", "eastus"), "GPUs", "none")
				s.has(s.sku("Standard_DS1_v2", "eastus"), "GPUs", "none")
				s.has(s.sku(kindH100, "eastus"), "GPUs", "8")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.put("sku.name", "Standard_NV7ads_A10_v5"), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-7-reservable": {
			accepted: func(s *stage) {
				k := s.sku(kindA100, "eastus")
				s.has(k, "CapacityReservationSupported", "True")
				s.has(k, "SupportedCapacityReservationTypes", "Open,Targeted")
				s.has(s.sku(kindH100, "eastus"), "SupportedCapacityReservationTypes", "Block")
				none := s.sku("Standard_NC40ads_H100_v5", "eastus")
				s.has(none, "CapacityReservationSupported", "False")
				s.has(none, "SupportedCapacityReservationTypes", "none")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.put("sku.name", "Standard_NC40ads_H100_v5"), http.StatusConflict, "NotSupported")
			},
		},
		"azure-7-restrictions": {
			accepted: restricts,
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.put("sku.name", "Standard_NC6s_v3"), http.StatusConflict, "SkuNotAvailable")
				zonal := []any{"location", "southcentralus", "zones", []string{"3"}}
				group := groups + "/g3"
				s.done(s.send(http.MethodPut, group, groupBody(zonal...)))
				s.refused(s.send(http.MethodPut, group+"/capacityReservations/r", reservationBody(append(zonal, "sku.name", "Standard_NV36ads_A10_v5")...)),
					http.StatusConflict, "SkuNotAvailable")
			},
		},
		"azure-7-hosts": {
			accepted: func(s *stage) {
				if k := s.sku("NVASv4-Type1", "eastus"); k.ResourceType != "hostGroups/hosts" {
					s.t.Errorf("got %+v", k)
				}
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.put("sku.name", "NVASv4-Type1"), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-7-extended": {
			accepted: func(s *stage) { s.accepted(s.get(skusPath+"?includeExtendedLocations=true"), http.StatusOK) },
			rejected: func(s *stage) {
				s.refused(s.get(skusPath+"?includeExtendedLocations=some"), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-7-usages": {
			accepted: func(s *stage) {
				s.quota(familyA100, 100, 0)
				s.create()
				got := s.usage(familyA100)
				s.says(s.says(got, 48, "currentValue"), 100, "limit")
				s.says(s.says(got, "Count", "unit"), "Standard NCADSA100v4 Family vCPUs", "name", "localizedValue")
				s.says(s.says(s.usage("cores"), 48, "currentValue"), "Total Regional vCPUs", "name", "localizedValue")
				s.says(s.usage("lowPriorityCores"), 0, "currentValue")
			},
			rejected: func(s *stage) {
				s.quota(familyA100, 100, 0)
				s.create()
				s.refused(s.patch("sku.capacity", 5), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-7-usage-location": {
			accepted: func(s *stage) { s.accepted(s.get(provider+"/locations/EastUS/usages"), http.StatusOK) },
			rejected: func(s *stage) {
				got := s.refused(s.get(provider+"/locations/us-east-1/usages"), http.StatusBadRequest, "NoRegisteredProviderFound")
				if !strings.Contains(got.body, "eastus, eastus2") {
					s.t.Error(got.body)
				}
			},
		},
	}
}

// listsSizes reads entries of the list.
func listsSizes(s *stage) {
	k := s.sku(kindA100, "eastus")
	if k.ResourceType != "virtualMachines" || k.Family != familyA100 || k.Size != "NC24ads_A100_v4" || k.Tier != "Standard" ||
		!slices.Equal(k.Locations, []string{"eastus"}) || !slices.Equal(k.LocationInfo[0].Zones, []string{"1", "2", "3"}) {
		s.t.Errorf("got %+v", k)
	}
	s.has(k, "vCPUs", "24")
	s.has(k, "MemoryGB", "220")
	s.has(k, "LowPriorityCapable", "True")
	s.has(k, "RdmaEnabled", "False")
	s.has(s.sku("Standard_ND96asr_v4", "eastus"), "RdmaEnabled", "True")
	s.has(s.sku("Standard_NC24rs_v3", "eastus"), "RdmaEnabled", "True")
	s.has(s.sku("Standard_ND128isr_NDR_GB200_v6", "eastus"), "CpuArchitectureType", "Arm64")
	if zone := s.sku("Standard_NV12s_v3", "westus").LocationInfo[0]; zone.Zones == nil || len(zone.Zones)+len(zone.ZoneDetails) > 0 {
		s.t.Errorf("westus has zones: %+v", zone)
	}
}

// filtersByLocation counts what a location has.
func filtersByLocation(s *stage) {
	s.version = "2021-07-01"
	here, all := s.skus(filtered("location eq 'eastus'")), s.skus(skusPath)
	if len(here) == 0 || len(all) < 5*len(here) {
		s.t.Errorf("%d in eastus, %d in all", len(here), len(all))
	}
	if n := len(s.skus(filtered("location eq 'us-east-1'"))); n != 0 {
		s.t.Errorf("%d in no location", n)
	}
	if n := len(s.skus(filtered("location eq 'East US'"))); n != len(here) {
		s.t.Errorf("%d in East US, %d in eastus", n, len(here))
	}
}

// restricts reads the restrictions that there are.
func restricts(s *stage) {
	for _, want := range []struct{ size, location, kind, reason, zones string }{
		{"Standard_NC6s_v3", "eastus", "Location", "NotAvailableForSubscription", ""},
		{"Standard_NV36ads_A10_v5", "southcentralus", "Zone", "NotAvailableForSubscription", "3"},
		{"Standard_ND128isr_NDR_GB200_v6", "eastus", "Location", "QuotaId", ""},
	} {
		all := s.sku(want.size, want.location).Restrictions
		if len(all) != 1 {
			s.t.Fatalf("got %+v", all)
		}
		r := all[0]
		have := []string{r.Values[0], r.RestrictionInfo.Locations[0], r.Type, r.ReasonCode, strings.Join(r.RestrictionInfo.Zones, ",")}
		if diff := cmp.Diff([]string{want.location, want.location, want.kind, want.reason, want.zones}, have); diff != "" {
			s.t.Error(diff)
		}
	}
	if r := s.sku(kindA100, "eastus").Restrictions; r == nil || len(r) > 0 {
		s.t.Errorf("got %+v", r)
	}
}
