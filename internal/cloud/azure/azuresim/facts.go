package azuresim

import "slices"

// Fact is one thing about Azure that this simulator imitates. A test holds, for
// each, one raw request that is accepted and one that is rejected because of it.
type Fact struct {
	// ID is "azure-", a number of its subject, and a word.
	ID string
	// Sentence says what is imitated.
	Sentence string
	// Source is where it was learned; UNVERIFIED marks a choice.
	Source string
}

// Facts lists what is imitated; a file with further ones adds a line.
func Facts() []Fact {
	return slices.Concat(
		wireFacts(), groupFacts(), reservationFacts(), deleteFacts(), operationFacts(), errorFacts(),
		scheduleFacts(), catalogFacts(), loginFacts(), priceFacts(),
	)
}

// Sources that are named more than once.
const (
	recorded = "azure-cli recording test_capacity_reservation_operations, 2026-09"
	client   = "armcompute v8.4"
	modify   = "azure-compute-docs, capacity-reservation-modify"
	overview = "azure-compute-docs, capacity-reservation-overview"
	making   = "azure-compute-docs, capacity-reservation-create"
	manager  = "error texts of Azure Resource Manager in public logs"
	newton   = "error texts of Azure Compute in public logs (Newtonsoft.Json)"
	foreign  = "hashicorp/terraform-provider-azurerm on the wire, 2026-08"
)

func wireFacts() []Fact {
	return []Fact{
		{"azure-1-token", "A request needs a bearer token: 401 AuthenticationFailed.", manager},
		{"azure-2-api-version", "A request needs an api-version of the form of a date: MissingApiVersionParameter.", manager},
		{"azure-2-casing", "Segments of paths match in any casing, and ids keep the caller's.", recorded + "; " + client + ", examples"},
		{"azure-2-query", "Query parameters may be percent-encoded and in any casing; those that mean nothing are passed over.", "probe of the Go SDK; that they are passed over UNVERIFIED"},
		{"azure-2-field-casing", "Names of fields are read in any casing, and null is absent.", "Newtonsoft.Json's default; for Compute UNVERIFIED"},
		{"azure-2-unknown-field", "A field that does not exist is refused by its name and path.", newton},
		{"azure-2-type", "A value of another type is refused.", newton},
		{"azure-2-content", "A body that is no JSON object is 400 InvalidRequestContent.", manager},
		{"azure-2-read-only", "Read-only fields in a request are passed over.", client + ", example CapacityReservationGroup_Update_MaximumSet_Gen"},
		{"azure-2-path", "Unknown types and namespaces are 404 InvalidResourceType and InvalidResourceNamespace.", manager},
		{"azure-2-verb", "A verb that a path does not have is 405 with an empty code.", "error texts of Azure Compute in public logs"},
		{"azure-2-headers", "Answers have request ids, the correlation id of the request, what is left of the rate, and the cloud's date.", recorded},
		{"azure-2-subscription", "A subscription is a GUID: 400 InvalidSubscriptionId.", manager},
		{"azure-2-resource-group", "A resource group that is not there is 404 ResourceGroupNotFound.", manager},
		{"azure-2-resource-group-life", "Resource groups are put, patched, asked for, listed and deleted with all they have.", "armresources v1.2, ResourceGroupsClient; texts UNVERIFIED"},
	}
}

func groupFacts() []Fact {
	return []Fact{
		{"azure-3-put", "A new group is answered 201 Creating and is Targeted by default.", recorded},
		{"azure-3-location", "A location may have spaces and capitals; it is required, known and fixed.", manager},
		{"azure-3-name", "A name has 1 to 64 characters, begins with a letter or digit and lacks some signs.", "hashicorp/terraform-provider-azurerm, capacity_reservation_group_resource.go; code UNVERIFIED"},
		{"azure-3-zones", "Zones are those of the location.", manager},
		{"azure-3-type", "The type is Targeted, Open or Block.", client + ", ReservationType; text UNVERIFIED"},
		{"azure-3-fixed", "Zones and type cannot change.", client + ", CapacityReservationGroupProperties; code UNVERIFIED"},
		{"azure-3-patch", "PATCH changes tags and sharing only.", client + ", CapacityReservationGroupsClient.Update"},
		{"azure-3-sharing", "A group is shared with subscriptions by id, a block is not.", client + ", CapacityReservationGroupProperties.SharingProfile; texts UNVERIFIED"},
		{"azure-3-tags", "Sent tags replace all that were there; names compare without case and lack some signs.", recorded + "; azure-docs, tag-resources; codes UNVERIFIED"},
		{"azure-3-page", "Lists come in pages with an absolute nextLink.", client + ", pagers; page size UNVERIFIED"},
		{"azure-3-listed", "Lists and the PUT of a group have the resource group in capitals.", recorded},
		{"azure-3-expand", "$expand=instanceView shows the instance views; lists take virtualMachines/$ref.", client + "; text of the refusal UNVERIFIED"},
		{"azure-3-ids-only", "resourceIdsOnly lists ids, of shared groups too.", client + ", ResourceIDOptionsForGetCapacityReservationGroups"},
		{"azure-3-state", "provisioningState of groups and etag in bodies come with api-version 2026-04-01, types with 2025-04-01.", recorded + " and test_capacity_reservation_list_delete, 2022-11"},
	}
}

func reservationFacts() []Fact {
	return []Fact{
		{"azure-4-create", "A new reservation is answered 201 Creating, without provisioningTime; then it is Succeeded.", recorded},
		{"azure-4-update", "PATCH and a further PUT are answered 200 Updating, with the new capacity.", recorded},
		{"azure-4-parent", "A group that is not there is 404 ParentResourceNotFound.", "public log of hashicorp/terraform-provider-azurerm"},
		{"azure-4-location", "The location is that of the group.", making + "; text UNVERIFIED"},
		{"azure-4-sku", "Name and capacity of sku are required, the capacity from 0 on.", client + ", CapacityReservation.SKU; texts UNVERIFIED"},
		{"azure-4-zone", "It has one zone of its group, or none in a group without.", overview + "; texts UNVERIFIED"},
		{"azure-4-one-per-size", "A group has one reservation for each size and zone.", making + "; code and text UNVERIFIED"},
		{"azure-4-not-supported", "A size that cannot be reserved is NotSupported.", "azure-cli#18943; status UNVERIFIED"},
		{"azure-4-fixed", "Size and zone cannot change.", overview + "; code UNVERIFIED"},
		{"azure-4-stock", "A create is all or nothing, and a shrink always succeeds.", making + "; " + modify},
		{"azure-4-failed-growth", "A refused growth is state Failed with the new capacity; currentCapacity is the old one, until it is set back.", modify},
		{"azure-4-failed-create", "A refused create leaves a reservation in state Failed that holds nothing.", "UNVERIFIED, see Options.NoLeftover"},
		{"azure-4-etag", "The entity tag counts writes.", recorded},
		{"azure-4-view", "$expand=instanceView shows what is really reserved and which machines use it.", client + ", example CapacityReservation_Get"},
		{"azure-4-open", "An Open reservation counts its use by subscription.", client + ", example OpenCapacityReservation_Get"},
		{"azure-4-busy", "While an operation runs a reservation cannot be changed: 409 Conflict.", "usual of virtual machines; for reservations UNVERIFIED"},
	}
}

func deleteFacts() []Fact {
	return []Fact{
		{"azure-4-delete", "DELETE is answered 202, whatever the capacity, and 204 for what is not there.", recorded + "; " + overview},
		{"azure-4-delete-used", "What machines are associated with, deallocated ones too, cannot be deleted.", client + ", CapacityReservationsClient.BeginDelete; code, status and text UNVERIFIED"},
		{"azure-4-group-full", "A group with reservations cannot be deleted: 409 CannotDeleteResource.", client + ", CapacityReservationGroupsClient.Delete; Azure/terraform-provider-azapi#894"},
		{"azure-4-group-lag", "For some 5 s after its last reservation went a group still counts as full, though a GET shows none.", "azure-rest-api-specs#18767"},
		{"azure-4-group-sync", "DELETE of a group was answered 200, and its PUT without an operation.", "azure-cli recording test_capacity_reservation_list_delete, 2022-11; see Options.GroupAtOnce"},
	}
}

func operationFacts() []Fact {
	return []Fact{
		{"azure-5-headers", "Azure-AsyncOperation tells of an operation by an absolute URL; DELETE has Location too.", recorded},
		{"azure-5-status", "An operation is InProgress, then Succeeded with an endTime.", recorded},
		{"azure-5-failure", "A failed operation is answered 200 with an error in the body.", "probe of the Go SDK; ARM resource provider contract, async operations"},
		{"azure-5-location", "A poll of Location is 202, then the result or the error.", "ARM resource provider contract, async operations; see Options.Style"},
		{"azure-5-body", "Without a header the state in the resource tells.", foreign + "; see Options.Style"},
	}
}

func errorFacts() []Fact {
	return []Fact{
		{"azure-6-error", "An error is {error: {code, message, target, details}}, its code in x-ms-error-code too.", client + ", APIError"},
		{"azure-6-not-found", "A resource that is not there is 404 ResourceNotFound.", manager},
		{"azure-6-sku", "A size that is not offered or restricted is 409 SkuNotAvailable.", "Azure/azuresandbox#70; Azure/karpenter-provider-azure"},
		{"azure-6-size", "A size that does not exist is 400 InvalidParameter with the sizes of the region.", "error texts of Azure Compute in public logs"},
		{"azure-6-stock", "A stock-out ends the operation: AllocationFailed, ZonalAllocationFailed, or an Overconstrained code.", "learn.microsoft.com, allocation-failure; Azure/karpenter-provider-azure; Azure/ARO-RP"},
		{"azure-6-quota", "A family and a region have quotas in vCPUs: 409 OperationNotAllowed.", "Azure/ARO-RP, pkg/util/azureerrors; Azure/azure-sdk-for-go-extensions"},
		{"azure-6-throttle", "Too many requests are 429 with Retry-After, from a bucket for each subscription and kind.", "azure-docs, request-limits-and-throttling"},
	}
}
