package googlesim

import "slices"

// Fact is one thing about Google Cloud that this simulator imitates. A test
// holds, for each, one raw request that is accepted and one that is rejected
// because of it.
type Fact struct {
	// ID is "google-", the section of the fact sheet, and a word.
	ID string
	// Sentence says what is imitated.
	Sentence string
	// Source is where it was learned; UNVERIFIED marks a choice.
	Source string
}

// Facts lists what is imitated; a file with further ones adds a line.
func Facts() []Fact {
	return slices.Concat(
		wireFacts(), insertFacts(), shareFacts(), lifeFacts(), updateFacts(), operationFacts(), errorFacts(), listFacts(),
		placesFacts(), futureFacts(), adviceFacts(), usersFacts(), formFacts(),
	)
}

// Sources that are named more than once.
const (
	discovery = "discovery document compute/v1, revision 20261106"
	recorded  = "traffic recorded in GoogleCloudPlatform/k8s-config-connector, computereservation"
	probe     = "probe of the Go SDK"
)

func wireFacts() []Fact {
	return []Fact{
		{"google-1-prefix", "Methods are below /compute/v1/, after any prefix; the path is the method's.", probe + "; " + discovery},
		{"google-2-int64", "64-bit numbers go out as strings and come in as strings or numbers.", probe + "; " + recorded + "; terraform-provider-google sends numbers"},
		{"google-2-snake-case", "Fields come in lowerCamelCase or snake_case.", "protobuf JSON mapping; for bodies of Compute Engine UNVERIFIED"},
		{"google-2-unknown-name", "A field that does not exist is refused by its name and place.", "googleapis/google-cloud-ruby#26951; google-cloud-python logs of other APIs"},
		{"google-2-unknown-parameter", "A query parameter that does not exist is refused.", "error texts of Google's front end in public logs; for Compute Engine UNVERIFIED"},
		{"google-2-type", "A value of another type is refused with the type that is wanted.", "error texts of Google's front end in public logs; for Compute Engine UNVERIFIED"},
		{"google-2-no-body", "A method without a body takes none, {}, null and an empty string.", "@google-cloud/compute 7.8 with google-gax, fallback rest, sends the empty string to wait and cancel; null UNVERIFIED"},
		{"google-2-output-only", "Output-only fields in a request are dropped.", discovery + "; that they are no error UNVERIFIED"},
		{"google-2-timestamps", "Own times have milliseconds and an offset, a user's time comes back in UTC.", "view-reservations page; " + recorded},
		{"google-2-fraction", "A user's times have no fraction of a second or one of three digits.", "as recorded of future reservations (google-5-fraction); for other times UNVERIFIED"},
		{"google-2-links", "zone, selfLink and targetLink are full URLs; kind is compute#reservation.", recorded},
	}
}

func insertFacts() []Fact {
	return []Fact{
		{"google-3.1-name", "A name has 1 to 63 characters of RFC 1035.", discovery},
		{"google-3.1-zone", "The zone in a body may be any path that ends in the zone of the request.", "terraform-provider-google on the wire; " + recorded},
		{"google-3.1-project", "The project in a path may be its ID or its number; one that does not exist is 404 notFound.", discovery + "; mantl/mantl#1002"},
		{"google-3.2-count", "A reservation has 1 to 1000 machines.", discovery + " (resize); for insert UNVERIFIED"},
		{"google-3.2-one-source", "Of instanceProperties and sourceInstanceTemplate exactly one is given.", "magic-modules Reservation.yaml"},
		{"google-3.2-machine-type", "The machine type is one of the zone, by its name or URL.", "text as for instances, UNVERIFIED"},
		{"google-3.2-delete-time", "deleteAfterDuration is never shown and becomes deleteAtTime; both together are refused.", "magic-modules#14181"},
		{"google-3.2-delete-future", "deleteAtTime is in the future.", discovery + "; text UNVERIFIED"},
		{"google-3.2-aggregate", "Aggregate reservations are for TPUs only.", discovery + " (vmFamily)"},
		{"google-3.2-policies", "Placement policies are given by URL and are of the region.", discovery + "; text UNVERIFIED"},
		{"google-3.2-dense", "Dense deployment is for A3 Mega and later.", "AI Hypercomputer pages; without a future reservation UNVERIFIED"},
		{"google-3.3-defaults", "A read shows the defaults of what was not given.", recorded},
		{"google-3.3-accelerators", "N1 takes T4, P4, V100 or P100 GPUs; other series have those of their type.", recorded + "; accelerator-optimized-machines page"},
		{"google-3.3-expansion", "A read shows the accelerators and disks that the machine type brings.", "view-reservations page, which has samples without them too"},
		{"google-3.3-disks", "Local SSDs that one attaches have 375 GB each.", recorded + "; local-ssd page"},
		{"google-3.3-platform", "minCpuPlatform is a platform of the machine series.", "min-cpu-platform page; text UNVERIFIED"},
		{"google-3.3-exists", "A name that is taken is 409 alreadyExists, also without a requestId.", "public Terraform logs of other resources"},
	}
}

func shareFacts() []Fact {
	return []Fact{
		{"google-3.2-share-numbers", "A project map comes back with numbers as keys and values.", recorded},
		{"google-3.2-share-empty", "SPECIFIC_PROJECTS names at least one project.", "mockgcp of GoogleCloudPlatform/k8s-config-connector; text UNVERIFIED"},
		{"google-3.2-share-map", "A project map goes with SPECIFIC_PROJECTS only.", discovery + "; text UNVERIFIED"},
		{"google-3.2-share-limit", "At most 100 projects can share.", "troubleshoot-future-reservations page"},
		{"google-4-policy", "An organization policy can forbid shared reservations: 412 conditionNotMet.", "hashicorp/terraform-provider-google#11076"},
	}
}

func lifeFacts() []Fact {
	return []Fact{
		{"google-3.3-stock", "A stock-out ends the operation; the request itself is accepted.", "GoogleCloudPlatform/terraform-docs-samples#974"},
		{"google-3.3-all-or-nothing", "A failed insert leaves no reservation.", "googleapis/nodejs-compute#377, for machines; for reservations UNVERIFIED"},
		{"google-3.3-auto-delete", "At deleteAtTime the reservation is gone.", discovery},
		{"google-3.3-delete-used", "A targeted reservation cannot be deleted while machines use it.", "reservations-delete page; both forms of the refusal UNVERIFIED for reservations"},
		{"google-3.3-delete-automatic", "An automatically consumed one can, and its machines run on.", "reservations-delete page"},
		{"google-3.3-delete-twice", "A reservation that is gone is 404 notFound.", recorded},
		{"google-3.3-resize", "The count changes to 1 to 1000.", discovery},
		{"google-3.3-resize-used", "A targeted reservation cannot become smaller than its use; an automatic one can.", "troubleshooting-reservation-updates page; status UNVERIFIED"},
		{"google-3.3-resize-stock", "A growth without stock ends the operation and changes nothing.", "as for insert; UNVERIFIED"},
		{"google-3.3-busy", "While an operation runs the reservation cannot be changed: resourceNotReady.", "usual of Compute Engine; for reservations UNVERIFIED"},
		{"google-3.5-blocks", "Blocks are listed for dense reservations, and none for others.", "magic-modules Reservation post_read; " + discovery},
	}
}

func updateFacts() []Fact {
	return []Fact{
		{"google-3.4-add-project", "A path shareSettings.projectMap.PROJECT with the project in the body adds it.", recorded},
		{"google-3.4-remove-project", "The same path without it in the body removes it, by number.", recorded + "; that an ID is refused UNVERIFIED"},
		{"google-3.4-last-project", "The last project cannot be removed.", "mockgcp of GoogleCloudPlatform/k8s-config-connector; text UNVERIFIED"},
		{"google-3.4-service-share", "reservationSharingPolicy.serviceShareType can be updated.", "gcloud compute reservations update"},
		{"google-3.4-delete-time", "deleteAtTime can be updated; without a value it is switched off.", "gcloud compute reservations update; reservations-modify page"},
		{"google-3.4-paths", "Paths come from paths, several times, and from updateMask with commas; others are refused.", discovery + "; text UNVERIFIED"},
		{"google-3.4-immutable", "Fields outside the paths do not change.", "magic-modules Reservation.yaml (immutable)"},
		{"google-3.4-share-type", "The share type cannot change.", "mockgcp of GoogleCloudPlatform/k8s-config-connector"},
	}
}

func operationFacts() []Fact {
	return []Fact{
		{"google-4-operation", "A mutation answers with an operation that runs, then is done at progress 100.", recorded},
		{"google-4-operation-type", "operationType is insert, resize, delete or compute.allocations.update.", recorded},
		{"google-4-wait", "wait is a POST that answers with the operation, done or not.", discovery},
		{"google-4-operation-list", "Operations of a zone are listed and filtered.", discovery},
		{"google-4-failure", "A failed operation is done, with error and httpErrorStatusCode; the latter can be missing.", "computerouternatprivate recorded in GoogleCloudPlatform/k8s-config-connector; " + probe},
		{"google-4-request-id", "A requestId that comes again gets the first operation, whatever came of it.", "discovery document; retention UNVERIFIED"},
		{"google-4-request-id-form", "A requestId is a UUID that is not zero.", discovery + "; text UNVERIFIED"},
		{"google-4-request-id-body", "Another body with the same requestId is refused.", "UNVERIFIED, see Options.StrictRequestID"},
		{"google-4-date", "Answers are dated by the cloud's clock.", "RFC 9110; scope of this simulation"},
	}
}

func errorFacts() []Fact {
	return []Fact{
		{"google-4-error", "An error is {error: {code, message, errors: [{reason, domain, message}]}}, without status.", recorded},
		{"google-4-invalid", "A bad value is 400 invalid and names the field.", "GoogleCloudPlatform/k8s-config-connector#8102"},
		{"google-4-project", "What cannot be a project is 400 invalidParameter with RESOURCE_PROJECT_INVALID.", "trailofbits/algo#14854; its metadata has the service's own name of the method"},
		{"google-4-unknown-zone", "A zone that does not exist is 400 invalid.", "inspec/inspec-gcp#301"},
		{"google-4-stock", "A stock-out is ZONE_RESOURCE_POOL_EXHAUSTED, 503.", "googlefonts/fontbakery-dashboard#81; scylladb/scylla-cluster-tests#12477"},
		{"google-4-stock-details", "With details it tells which zones have stock.", "kubernetes/k8s.io#9834"},
		{"google-8-quota", "A reservation draws on quotas as its machines would: 403 quotaExceeded.", "troubleshooting-reservation-creation and troubleshooting-bulk-vm-creation pages"},
		{"google-8-quota-operation", "The refusal can come in the operation as QUOTA_EXCEEDED with quotaInfo.", "hashicorp/terraform-provider-google compute_operation_test.go; status UNVERIFIED"},
		{"google-8-metrics", "GPUs draw on a quota of their own where the metric exists, and on GPUS_ALL_REGIONS.", discovery + " (Quota.metric); CPU metrics UNVERIFIED"},
		{"google-8-reservations", "A region has a quota of reservations.", discovery + " (Quota.metric)"},
		{"google-4-rate", "Too many requests a minute are 403 rateLimitExceeded, or 429.", "api-rate-limits page; hashicorp/terraform-provider-google error_retry_predicates.go"},
		{"google-4-error-info", "A code in capitals is the reason of an ErrorInfo in the details.", "hashicorp/terraform-provider-google error_retry_predicates.go"},
	}
}

func listFacts() []Fact {
	return []Fact{
		{"google-3.1-page", "maxResults is 0 to 500 and pageToken goes on; foreign tokens are refused.", discovery},
		{"google-3.1-order", "Lists are by name, or by creationTimestamp desc.", discovery},
		{"google-7-filter", "Filters are AIP-160 expressions.", discovery},
		{"google-7-filter-regular", "Or eq and ne with a regular expression for the whole value; the two do not mix.", discovery},
		{"google-3.1-aggregated", "An aggregated list has every zone, with a warning where there is nothing.", discovery + "; that all zones come UNVERIFIED"},
		{"google-3.1-permissions", "testIamPermissions answers what of the permissions one has.", discovery},
	}
}
