package googlesim

// recordedFuture is a source that is named more than once.
const recordedFuture = "traffic recorded in GoogleCloudPlatform/k8s-config-connector, computefuturereservation"

func placesFacts() []Fact {
	return []Fact{
		{"google-1-project", "Resource Manager gives a project by id or number, by number in its name; enums as text or, if asked, as numbers.", recordedFuture},
		{"google-1-unknown-project", "A project that does not exist is one the caller may not see: 403 PERMISSION_DENIED without errors[].", recordedFuture + " (v1); for v3 UNVERIFIED"},
		{"google-7-zones", "A zone has the machine types and accelerators that it has.", discovery + "; which ones: page on GPU regions and zones"},
		{"google-7-description", "A machine type says its GPUs in accelerators and in its description.", "recorded list in google-cloud-sdk's tests (A100)"},
		{"google-7-fraction", "A fractional G4 type has guestAcceleratorCount 1 and the fraction in its description alone.", "SpareCores sc_crawler, GCP test"},
		{"google-7-paging", "Lists and aggregated lists of types page and filter like others.", discovery},
		{"google-8-region-quotas", "A region has the quotas of its GPUs with what reservations use of them.", discovery + "; page on reservations; owner left out as in samples"},
		{"google-8-project-quota", "GPUS_ALL_REGIONS is a quota of the project.", discovery},
		{"google-8-no-h100", "There is no quota metric for H100 and later on demand.", discovery + " (Quota.metric)"},
	}
}
