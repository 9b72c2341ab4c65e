package azuresim_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func wireProofs() map[string]proof {
	return map[string]proof{
		"azure-1-token": {
			accepted: func(s *stage) {
				s.accepted(s.raw(http.MethodGet, s.url+inGroup+"?api-version=2024-11-01", "", "bearer anything"), http.StatusOK)
			},
			rejected: func(s *stage) {
				for token, text := range map[string]string{
					"": "is missing", "Basic eDp5": "invalid format", "Bearer ": "invalid format",
				} {
					got := s.raw(http.MethodGet, s.url+inGroup+"?api-version=2024-11-01", "", token)
					s.refused(got, http.StatusUnauthorized, "AuthenticationFailed")
					if !strings.Contains(got.body, text) || !strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Bearer ") {
						s.t.Error(got)
					}
				}
			},
		},
		"azure-2-api-version": {
			accepted: func(s *stage) {
				s.version = "2019-07-01-preview"
				s.accepted(s.get(inGroup), http.StatusOK)
			},
			rejected: func(s *stage) {
				s.refused(s.raw(http.MethodGet, s.url+"/", "", ""), http.StatusBadRequest, "MissingApiVersionParameter")
				s.refused(s.raw(http.MethodGet, s.url+inGroup, "", "Bearer x"), http.StatusBadRequest, "MissingApiVersionParameter")
				s.version = "latest"
				s.refused(s.get(inGroup), http.StatusBadRequest, "InvalidApiVersionParameter")
			},
		},
		"azure-2-casing": {
			accepted: func(s *stage) {
				odd := strings.NewReplacer("resourceGroups", "resourcegroups", "/rg/", "/Rg/", "/g1", "/G1", "r1", "R1").Replace(one)
				s.done(s.send(http.MethodPut, strings.TrimSuffix(odd, "/capacityReservations/R1"), groupBody()))
				s.says(s.done(s.send(http.MethodPut, odd, reservationBody())), strings.Replace(odd, "resourcegroups", "resourceGroups", 1), "id")
				s.says(s.accepted(s.get(strings.ToUpper(one)), http.StatusOK), "R1", "name")
			},
			rejected: func(s *stage) {
				s.create()
				s.done(s.send(http.MethodDelete, strings.ToUpper(one), ""))
				s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
			},
		},
		"azure-2-query": {
			accepted: func(s *stage) {
				s.create()
				got := s.raw(http.MethodGet, s.url+one+"?API-VERSION=2026-04-01&%24Expand=instanceView&color=red", "", "Bearer x")
				s.says(got, 2, "properties", "instanceView", "utilizationInfo", "currentCapacity")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.get(one+"?%24expand=instance%20view"), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-2-path": {
			accepted: func(s *stage) { s.accepted(s.get("/subscriptions/"+subscription), http.StatusOK) },
			rejected: func(s *stage) {
				s.refused(s.get(inGroup+"/providers/Microsoft.Compute/quantumMachines/q"), http.StatusNotFound, "InvalidResourceType")
				s.refused(s.get(inGroup+"/providers/Microsoft.Nothing/things/t"), http.StatusNotFound, "InvalidResourceNamespace")
				s.refused(s.get("/somewhere"), http.StatusNotFound, "MissingSubscription")
				s.refused(s.get("/subscriptions/"+subscription+"/somewhere"), http.StatusNotFound, "NotFound")
			},
		},
		"azure-2-verb": {
			accepted: func(s *stage) { s.accepted(s.get("/subscriptions"), http.StatusOK) },
			rejected: func(s *stage) {
				got := s.refused(s.send(http.MethodPost, one, "{}"), http.StatusMethodNotAllowed, "")
				s.says(got, "The requested resource does not support http method 'POST'.", "error", "message")
			},
		},
		"azure-2-headers": {accepted: headersAccepted, rejected: func(s *stage) {
			got := s.get(one)
			if got.header.Get("x-ms-request-id") == "" || got.header.Get("x-ms-error-code") != "ResourceNotFound" {
				s.t.Error(got.header)
			}
		}},
		"azure-2-subscription": {
			accepted: func(s *stage) {
				got := s.accepted(s.get("/SUBSCRIPTIONS/"+strings.ToUpper("abcdefab-0000-0000-0000-00000000000f")), http.StatusOK)
				s.says(got, "Enabled", "state")
			},
			rejected: func(s *stage) {
				s.refused(s.get("/subscriptions/mine/resourceGroups"), http.StatusBadRequest, "InvalidSubscriptionId")
			},
		},
	}
}

func headersAccepted(s *stage) {
	s.ok(s.world.Advance(time.Hour))
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+inGroup+"?api-version=2024-11-01", nil)
	s.ok(err)
	for name, value := range map[string]string{
		"Authorization": "Bearer x", "x-ms-correlation-request-id": "run-1", "x-ms-client-request-id": "try-1",
		"x-ms-return-client-request-id": "true",
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	s.ok(err)
	s.ok(resp.Body.Close())
	for name, want := range map[string]string{
		"x-ms-correlation-request-id": "run-1", "x-ms-client-request-id": "try-1", "Date": now().Add(time.Hour).Format(http.TimeFormat),
		"x-ms-ratelimit-remaining-subscription-reads": "249",
	} {
		if got := resp.Header.Get(name); got != want {
			s.t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func bodyProofs() map[string]proof {
	return map[string]proof{
		"azure-2-field-casing": {
			accepted: func(s *stage) {
				s.done(s.send(http.MethodPut, own, `{"Location":"eastus","TAGS":null,"Properties":{"ReservationType":"targeted"}}`))
				s.says(s.accepted(s.get(own), http.StatusOK), "Targeted", "properties", "reservationType")
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodPut, own, `{"location":"eastus","Location":"westus"}`), http.StatusBadRequest, "InvalidRequestContent")
			},
		},
		"azure-2-unknown-field": {
			accepted: func(s *stage) {
				s.done(s.putGroup())
				s.accepted(s.get(own), http.StatusOK)
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				got := s.refused(s.put("properties.color", "red"), http.StatusBadRequest, "BadRequest")
				s.says(got, "properties.color", "error", "target")
				s.refused(s.putGroup("color", "red"), http.StatusBadRequest, "BadRequest")
			},
		},
		"azure-2-type": {
			accepted: func(s *stage) {
				s.done(s.putGroup())
				s.done(s.put("sku.capacity", "3"))
				s.says(s.get(one), 3, "sku", "capacity")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				for name, value := range map[string]any{
					"sku.capacity": "many", "sku": "x", "zones": "1", "tags": []string{}, "location": 5, "sku.name": fields{}, "tags.a": 1,
				} {
					s.refused(s.put(name, value), http.StatusBadRequest, "BadRequest")
				}
				s.refused(s.put("sku.capacity", 1.5), http.StatusBadRequest, "BadRequest")
			},
		},
		"azure-2-content": {
			accepted: func(s *stage) {
				s.done(s.send(http.MethodPut, own, "\n"+groupBody()+"\n"))
				s.accepted(s.get(own), http.StatusOK)
			},
			rejected: func(s *stage) {
				for _, body := range []string{"", "[]", "null", "{", "{} {}", `"x"`} {
					s.refused(s.send(http.MethodPut, own, body), http.StatusBadRequest, "InvalidRequestContent")
				}
			},
		},
		"azure-2-read-only": {
			accepted: func(s *stage) {
				s.create("id", "x", "name", "y", "etag", "z", "properties.provisioningState", "Failed", "properties.instanceView", fields{"a": 1})
				s.says(s.shown(), "r1", "name")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.put("properties.state", "Failed"), http.StatusBadRequest, "BadRequest")
			},
		},
	}
}

func resourceGroupProofs() map[string]proof {
	const team = "/subscriptions/" + subscription + "/resourceGroups/Team.One"
	return map[string]proof{
		"azure-2-resource-group": {
			accepted: func(s *stage) {
				s.accepted(s.send(http.MethodHead, inGroup, ""), http.StatusNoContent)
				s.says(s.accepted(s.get(strings.Replace(inGroup, "rg", "GPU", 1)), http.StatusOK), "gpu", "name")
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodPut, strings.Replace(own, "/rg/", "/no/", 1), groupBody()), http.StatusNotFound, "ResourceGroupNotFound")
				for _, path := range []string{own, one, groups, reservations} {
					s.refused(s.get(strings.Replace(path, "/rg/", "/no/", 1)), http.StatusNotFound, "ResourceGroupNotFound")
				}
				s.accepted(s.send(http.MethodHead, inGroup+"x", ""), http.StatusNotFound)
			},
		},
		"azure-2-resource-group-life": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.send(http.MethodPut, team, `{"location":"West US 3","tags":{"a":"b"}}`), http.StatusCreated), "westus3", "location")
				s.accepted(s.send(http.MethodPut, team, `{"location":"westus3"}`), http.StatusOK)
				s.says(s.send(http.MethodPatch, strings.ToLower(team), `{"tags":{"c":"d"}}`), "d", "tags", "c")
				s.says(s.accepted(s.get("/subscriptions/"+subscription+"/resourcegroups"), http.StatusOK), "Team.One", "value", 2, "name")
				s.create()
				got := s.accepted(s.send(http.MethodDelete, inGroup, ""), http.StatusAccepted)
				s.refused(s.send(http.MethodPut, groups+"/g2", groupBody()), http.StatusConflict, "ResourceGroupBeingDeleted")
				s.refused(s.put(), http.StatusConflict, "ResourceGroupBeingDeleted")
				s.accepted(s.raw(http.MethodGet, got.header.Get("Location"), "", "Bearer x"), http.StatusAccepted)
				s.finish()
				s.accepted(s.raw(http.MethodGet, got.header.Get("Location"), "", "Bearer x"), http.StatusNoContent)
				if rows := s.rows(); len(rows) != 1 {
					s.t.Errorf("left: %v", rows)
				}
				s.refused(s.get(inGroup), http.StatusNotFound, "ResourceGroupNotFound")
				s.accepted(s.send(http.MethodPut, inGroup, `{"location":"westus"}`), http.StatusCreated)
				s.change(sim.ObjectPatch{NativeID: strings.ToLower(team), Gone: true})
				s.says(s.get("/subscriptions/"+subscription+"/resourceGroups"), "rg", "value", 1, "name")
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodPut, team, `{"tags":{}}`), http.StatusBadRequest, "LocationRequired")
				s.refused(s.send(http.MethodPut, inGroup, `{"location":"westus"}`), http.StatusBadRequest, "InvalidResourceGroupLocation")
				s.refused(s.send(http.MethodPut, team+".", `{"location":"westus"}`), http.StatusBadRequest, "InvalidResourceGroup")
			},
		},
	}
}
