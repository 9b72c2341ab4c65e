package reservation

// googleNotes are what Google Cloud adds to the descriptions that clouds share.
func googleNotes() map[string]string {
	return map[string]string{
		"name": "On Google Cloud it is the name of the native object, so that it cannot change in place and must be free in its project " +
			"and zone.",
		"account":        "On Google Cloud it is the id or the number of a project.",
		"zone":           "Required on Google Cloud.",
		"instance_count": "On Google Cloud at most 1000, of kind `block` 80; kinds `scheduled` and `block` change until they are locked.",
		"kind": "On Google Cloud `scheduled` is a future reservation and `block` one in calendar mode, of A3 and newer machine types for " +
			"1 to 90 days, paid by the hour; there is no `dedicated_host` and no `term`.",
		"offer_id":       "Google Cloud sells nothing by offer.",
		"term":           "Not on Google Cloud.",
		"match_criteria": "Fixed at creation on Google Cloud.",
		"share_with": "On Google Cloud ids or numbers of projects of the same organization, at most 100; changes in place, of kinds " +
			"`scheduled` and `block` until they are locked. Whether it is shared at all is fixed at the creation of kind `on_demand`.",
		"tags": "Google Cloud's reservations carry no labels: an error there, and `default_tags` are left out.",
		"window": "On Google Cloud the windows of kinds `scheduled` and `block` are exact, and move until the reservation is locked some " +
			"time before its start.",
		"window.start_at": "On Google Cloud kind `scheduled` starts an hour to a year ahead when it is set, kind `block` at most 60 days.",
		"window.duration": "On Google Cloud a day or more of kind `scheduled`, 1 to 90 days of kind `block`.",
		"window.end_at": "On Google Cloud the reservation is deleted then; instances keep running, but for those of kind `block`, which are " +
			"stopped or deleted.",
		"on_destroy": "On Google Cloud kinds `scheduled` and `block` are cancelled free until they are locked and cannot be given up from " +
			"then to their end.",
		"on_release_in_use":      "On Google Cloud only an `open` reservation can be deleted while it is in use; its instances keep running.",
		"estimated_usd_per_hour": "Google Cloud: null for kind `block`, and with attached GPUs or disks.",
		"native_id": "On Google Cloud it is `projects/PROJECT/zones/ZONE/reservations/NAME`, or `futureReservations` for kinds `scheduled` " +
			"and `block`.",
		"account_id": "On Google Cloud it is the id of the project.",
		"claim_id":   "So it is on Google Cloud, where the owner is the only guard.",

		"view.id": "On Google Cloud short forms are `google:us-central1-a/NAME` and `google:PROJECT/us-central1-a/NAME`.",

		"view.share_with": "On Google Cloud ids of projects, and the numbers of those whose id is not told.",
		"view.region":     "Google Cloud has no default: all regions are looked through.",

		"offers.offers":               "Google Cloud sells nothing by offer, so that kind `block` is not looked for there; on-demand prices are those of the catalog.",
		"offers.region":               "Google Cloud has no default: name it, or `zones`.",
		"offers.quota":                "On Google Cloud the metric, such as `NVIDIA_L4_GPUS`; null for H100 and newer, of which Compute Engine tells none.",
		"offers.unit":                 "`GPU` on Google Cloud.",
		"offers.spot":                 "Null on Google Cloud, which tells no price of whole machines.",
		"offers.price_source":         "Always `catalog` on Google Cloud.",
		"offers.spot_placement_score": "Google Cloud has none.",
	}
}
