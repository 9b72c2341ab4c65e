package azuresim

import (
	"maps"
	"net/http"
	"slices"
)

// tenant is the one that every subscription is of.
const tenant = "11111111-1111-4111-8111-111111111111"

// firstSubscription is there also in a world in which none was named.
const firstSubscription = "00000000-0000-0000-0000-000000000001"

func subscriptionMethods() []method {
	return []method{
		{id: "Subscriptions_List", verb: http.MethodGet, path: "subscriptions", run: listSubscriptions},
		{id: "Subscriptions_Get", verb: http.MethodGet, path: pathSubscription, run: getSubscription},
	}
}

type subscriptionWire struct {
	ID             string `json:"id"`
	SubscriptionID string `json:"subscriptionId"`
	TenantID       string `json:"tenantId"`
	DisplayName    string `json:"displayName"`
	State          string `json:"state"`
	Source         string `json:"authorizationSource"`
	ManagedBy      []any  `json:"managedByTenants"`
}

func subscriptionJSON(id string) subscriptionWire {
	return subscriptionWire{"/subscriptions/" + id, id, tenant, "Simulated subscription", "Enabled", "RoleBased", []any{}}
}

func getSubscription(q *query) (result, *apiError) {
	return result{body: subscriptionJSON(q.subscription)}, nil
}

// listSubscriptions lists those that hold something.
func listSubscriptions(q *query) (result, *apiError) {
	known := map[string]bool{firstSubscription: true}
	for _, kind := range []string{resourceGroupType, groupType, reservationType} {
		for _, obj := range q.tx.Objects(cloudName, kind) {
			known[obj.Account] = true
		}
	}
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		list = append(list, subscriptionJSON(id))
	}
	return result{body: map[string]any{"value": list, "count": map[string]any{"type": "Total", "value": len(list)}}}, nil
}
