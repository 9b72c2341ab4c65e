package azuresim_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// shared is a sharingProfile.
func shared(ids ...string) fields {
	list := []fields{}
	for _, id := range ids {
		list = append(list, fields{"id": "/subscriptions/" + id})
	}
	return fields{"subscriptionIds": list}
}

func groupProofs() map[string]proof {
	return map[string]proof{
		"azure-3-put": {
			accepted: func(s *stage) {
				got := s.accepted(s.putGroup(), http.StatusCreated)
				s.says(s.says(got, "Creating", "properties", "provisioningState"), "Targeted", "properties", "reservationType")
				s.says(s.done(got), "Microsoft.Compute/capacityReservationGroups", "type")
				s.accepted(s.putGroup("tags.a", "b"), http.StatusOK)
				s.says(s.get(own), "Succeeded", "properties", "provisioningState")
			},
			rejected: func(s *stage) {
				late := newStageWith(s.t, azuresim.Options{LateGroups: true})
				got := late.putGroup()
				late.refused(late.get(own), http.StatusNotFound, "ResourceNotFound")
				late.refused(late.put(), http.StatusNotFound, "ParentResourceNotFound")
				late.done(got)
				late.done(late.put())
				s.fault(sim.Fault{OperationError: &sim.OperationError{Code: "InternalExecutionError"}, Times: 1})
				s.failed(s.putGroup(), "InternalExecutionError")
				s.refused(s.send(http.MethodPut, own, `{"zones":[]}`), http.StatusBadRequest, "LocationRequired")
			},
		},
		"azure-3-location": {
			accepted: func(s *stage) {
				s.done(s.putGroup("location", "East US"))
				s.says(s.accepted(s.get(own), http.StatusOK), "eastus", "location")
			},
			rejected: func(s *stage) {
				s.refused(s.putGroup("location", nil), http.StatusBadRequest, "LocationRequired")
				s.refused(s.putGroup("location", "us-east-1"), http.StatusBadRequest, "LocationNotAvailableForResourceType")
				s.done(s.putGroup())
				s.refused(s.putGroup("location", "eastus2"), http.StatusConflict, "InvalidResourceLocation")
			},
		},
		"azure-3-name": {
			accepted: func(s *stage) {
				for _, name := range []string{"1", "a.b-c_d", strings.Repeat("x", 64), "A"} {
					s.done(s.send(http.MethodPut, groups+"/"+name, groupBody()))
				}
				s.accepted(s.get(groups+"/a"), http.StatusOK)
			},
			rejected: func(s *stage) {
				for _, name := range []string{"-a", "a.", "a-", "a%20b", "a%2Fb", "a&b", strings.Repeat("x", 65), "_a"} {
					s.refused(s.send(http.MethodPut, groups+"/"+name, groupBody()), http.StatusBadRequest, "InvalidResourceName")
				}
			},
		},
		"azure-3-zones": {
			accepted: func(s *stage) {
				s.done(s.send(http.MethodPut, own, `{"location":"westus"}`))
				s.says(s.accepted(s.get(own), http.StatusOK), nil, "zones")
			},
			rejected: func(s *stage) {
				s.refused(s.putGroup("zones", []string{"4"}), http.StatusBadRequest, "AvailabilityZoneNotSupported")
				s.refused(s.putGroup("location", "westus"), http.StatusBadRequest, "LocationNotSupportAvailabilityZones")
			},
		},
		"azure-3-type": {
			accepted: func(s *stage) {
				s.done(s.putGroup("properties.reservationType", "Open"))
				s.says(s.accepted(s.get(own), http.StatusOK), "Open", "properties", "reservationType")
			},
			rejected: func(s *stage) {
				s.refused(s.putGroup("properties.reservationType", "DeferredSpot"), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-3-fixed": {
			accepted: func(s *stage) {
				s.done(s.putGroup("properties.reservationType", "Open"))
				s.accepted(s.putGroup("zones", []string{"2", "1"}), http.StatusOK)
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.putGroup("zones", []string{"1"}), http.StatusConflict, "PropertyChangeNotAllowed")
				s.refused(s.putGroup("properties.reservationType", "Open"), http.StatusConflict, "PropertyChangeNotAllowed")
				s.refused(s.send(http.MethodPatch, own, `{"properties":{"reservationType":"Block"}}`), http.StatusConflict, "PropertyChangeNotAllowed")
			},
		},
		"azure-3-patch": {
			accepted: func(s *stage) {
				s.done(s.putGroup("tags.a", "b", "properties.sharingProfile", shared(other)))
				s.says(s.send(http.MethodPatch, own, `{"properties":{"instanceView":{}}}`), "b", "tags", "a")
				got := s.accepted(s.send(http.MethodPatch, own, `{"tags":{"c":"d"},"properties":{"sharingProfile":{"subscriptionIds":[]}}}`), http.StatusOK)
				s.says(s.says(got, nil, "tags", "a"), nil, "properties", "sharingProfile", "subscriptionIds", 0)
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodPatch, own, `{}`), http.StatusNotFound, "ResourceNotFound")
				s.done(s.putGroup())
				s.refused(s.send(http.MethodPatch, own, `{"location":"eastus"}`), http.StatusBadRequest, "BadRequest")
				s.refused(s.send(http.MethodPatch, own, `{"zones":["1"]}`), http.StatusBadRequest, "BadRequest")
			},
		},
		"azure-3-sharing": {
			accepted: func(s *stage) {
				s.done(s.putGroup("properties.sharingProfile", shared(other, other)))
				got := s.accepted(s.get(own+"?$expand=instanceView"), http.StatusOK)
				s.says(got, "/subscriptions/"+other, "properties", "sharingProfile", "subscriptionIds", 0, "id")
				s.says(got, nil, "properties", "sharingProfile", "subscriptionIds", 1)
				s.says(got, "/subscriptions/"+other, "properties", "instanceView", "sharedSubscriptionIds", 0, "id")
			},
			rejected: func(s *stage) {
				s.refused(s.putGroup("properties.sharingProfile", shared("mine")), http.StatusBadRequest, "InvalidParameter")
				s.refused(s.putGroup("properties.sharingProfile", shared(other), "properties.reservationType", "Block"), http.StatusBadRequest, "InvalidParameter")
				var many []string
				for i := range 101 {
					many = append(many, fmt.Sprintf("00000000-0000-0000-0000-%012d", i))
				}
				s.refused(s.putGroup("properties.sharingProfile", shared(many...)), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-3-tags": {accepted: tagsAccepted, rejected: tagsRejected},
		"azure-3-state": {
			accepted: func(s *stage) {
				s.create()
				s.says(s.get(one), `"1"`, "etag")
				s.version = "2024-11-01"
				s.says(s.get(own), nil, "properties", "provisioningState")
				s.says(s.get(own), nil, "properties", "reservationType")
				s.done(s.says(s.send(http.MethodPut, groups+"/g2", groupBody()), nil, "properties"))
				if got := s.says(s.accepted(s.get(one), http.StatusOK), nil, "etag"); got.header.Get("ETag") != `"1"` {
					s.t.Error(got.header)
				}
			},
			rejected: func(s *stage) {
				s.version = "2022-08-01"
				s.refused(s.get(own), http.StatusNotFound, "ResourceNotFound")
			},
		},
	}
}

func tagsAccepted(s *stage) {
	s.create("tags", fields{"Team": "ml", "gpulock:owner": "a/b"})
	s.done(s.patch("tags", fields{"team": "x"}))
	s.says(s.get(one), "map[team:x]", "tags")
	s.done(s.patch("sku.capacity", 1))
	s.says(s.get(one), "map[team:x]", "tags")
	s.done(s.put("tags", fields{}))
	s.says(s.accepted(s.get(one), http.StatusOK), nil, "tags")
}

func tagsRejected(s *stage) {
	many := fields{}
	for i := range 51 {
		many[fmt.Sprintf("t%d", i)] = ""
	}
	for code, tags := range map[string]fields{
		"TooManyTags":              many,
		"InvalidTagNameLength":     {strings.Repeat("k", 513): ""},
		"InvalidTagNameCharacters": {"a/b": ""},
		"InvalidTagValueLength":    {"a": strings.Repeat("v", 257)},
		"InvalidRequestContent":    {"a": "1", "A": "2"},
	} {
		s.refused(s.putGroup("tags", tags), http.StatusBadRequest, code)
	}
}

// names lists names of a page.
func (s *stage) names(got reply, want ...string) reply {
	s.t.Helper()
	list, _ := s.accepted(got, http.StatusOK).at("value").([]any)
	var have []string
	for i := range list {
		id, _ := got.at("value", i, "id").(string)
		have = append(have, id[strings.LastIndexByte(id, '/')+1:])
	}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		s.t.Errorf("listed %v, want %v", have, want)
	}
	return got
}

func groupListProofs() map[string]proof {
	return map[string]proof{
		"azure-3-page": {
			accepted: func(s *stage) {
				for _, name := range []string{"c", "a", "b"} {
					s.done(s.send(http.MethodPut, groups+"/"+name, groupBody()))
				}
				s.ok(s.world.SetPaging(sim.Paging{Cloud: "azure", Max: 2}))
				next, _ := s.names(s.get(groups+"?%24expand=virtualMachines%2F%24ref"), "a", "b").at("nextLink").(string)
				if !strings.HasPrefix(next, s.url+groups+"?") {
					s.t.Fatalf("nextLink %q", next)
				}
				s.says(s.names(s.raw(http.MethodGet, next, "", "Bearer x"), "c"), nil, "nextLink")
			},
			rejected: func(s *stage) {
				s.refused(s.get(groups+"?$skipToken=x"), http.StatusBadRequest, "InvalidParameter")
				for _, name := range []string{"a", "b"} {
					s.done(s.send(http.MethodPut, groups+"/"+name, groupBody()))
				}
				s.ok(s.world.SetPaging(sim.Paging{Cloud: "azure", Max: 1}))
				next, _ := s.get(groups).at("nextLink").(string)
				_, query, _ := strings.Cut(next, "?")
				s.refused(s.raw(http.MethodGet, s.url+everywhere+"?"+query, "", "Bearer x"), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-3-listed": {
			accepted: func(s *stage) {
				capitals := strings.Replace(own, "/rg/", "/RG/", 1)
				s.says(s.done(s.putGroup()), capitals, "id")
				s.says(s.get(own), own, "id")
				s.says(s.done(s.put()), one, "id")
				s.says(s.get(groups), capitals, "value", 0, "id")
				s.says(s.get(everywhere), one, "value", 0, "properties", "capacityReservations", 0, "id")
				s.says(s.get(reservations), strings.Replace(one, "/rg/", "/RG/", 1), "value", 0, "id")
				s.says(s.accepted(s.get(one), http.StatusOK), one, "id")
			},
			rejected: func(s *stage) { s.refused(s.get(reservations), http.StatusNotFound, "ResourceNotFound") },
		},
		"azure-3-expand": {
			accepted: func(s *stage) {
				s.create()
				s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"vm-1"}}})
				s.says(s.get(own), nil, "properties", "instanceView")
				got := s.get(own + "?$expand=instanceView")
				s.says(got, "r1", "properties", "instanceView", "capacityReservations", 0, "name")
				s.says(got, 2, "properties", "instanceView", "capacityReservations", 0, "utilizationInfo", "currentCapacity")
				s.says(s.get(own), machine("vm-1"), "properties", "virtualMachinesAssociated", 0, "id")
				s.says(s.get(groups), nil, "value", 0, "properties", "virtualMachinesAssociated")
				const machines = "?$expand=virtualMachineScaleSetVMs/$ref"
				s.says(s.get(groups+machines), machine("vm-1"), "value", 0, "properties", "virtualMachinesAssociated", 0, "id")
				s.says(s.get(reservations), nil, "value", 0, "properties", "virtualMachinesAssociated")
				s.says(s.accepted(s.get(reservations+machines), http.StatusOK), machine("vm-1"), "value", 0, "properties", "virtualMachinesAssociated", 0, "id")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.get(groups+"?$expand=instanceView"), http.StatusBadRequest, "InvalidParameter")
				s.refused(s.get(reservations+"?$expand=instanceView"), http.StatusBadRequest, "InvalidParameter")
				s.refused(s.get(own+"?$expand=virtualMachines/$ref"), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-3-ids-only": {
			accepted: func(s *stage) {
				s.done(s.putGroup())
				theirs := strings.Replace(groups, subscription, other, 1) + "/theirs"
				s.done(s.send(http.MethodPut, theirs, groupBody("properties.sharingProfile", shared(strings.ToUpper(subscription)))))
				s.names(s.get(everywhere), "g1")
				s.names(s.get(everywhere+"?resourceIdsOnly=CreatedInSubscription"), "g1")
				s.names(s.get(everywhere+"?resourceIdsOnly=SharedWithSubscription"), "theirs")
				s.says(s.names(s.get(everywhere+"?resourceIdsOnly=All"), "g1", "theirs"), nil, "value", 0, "properties")
			},
			rejected: func(s *stage) {
				s.refused(s.get(everywhere+"?resourceIdsOnly=Mine"), http.StatusBadRequest, "InvalidParameter")
			},
		},
	}
}
