package reservation

// azureNotes are what Azure adds to the descriptions that clouds share.
func azureNotes() map[string]string {
	return map[string]string{
		"name": "On Azure it is the name of the capacity reservation and of the group that is made with it, so that it cannot change in " +
			"place and must be free in its resource group, or in `azure.group_id`.",
		"account": "On Azure it is the id of a subscription.",
		"region":  "Required on Azure, where it is a location in its short form, such as `eastus`.",
		"zone": "On Azure it is `1`, `2` or `3`, which each subscription counts in its own way; without it the reservation is for the " +
			"whole region, and Azure picks the place.",
		"instance_count": "On Azure kind `block` has 1, 2, 4, 8, 16, 32 or 64, and a change replaces it; a refused growth is set back to what " +
			"is held in the same apply.",
		"kind": "On Azure each is a capacity reservation in a group: `scheduled` is a Future reservation, without an end, and `block` a Block " +
			"reservation of 1 to 14 days or 3 to 26 weeks; there is no `dedicated_host` and no `term`.",
		"offer_id": "Azure sells nothing by offer.",
		"term":     "Not on Azure.",
		"match_criteria": "Fixed at creation on Azure; `open` is its group type Open, and kinds `scheduled` and `block` are `targeted` only " +
			"there.",
		"share_with": "On Azure ids of subscriptions, for the whole group; changes in place. Not for kind `block`, and not with " +
			"`azure.group_id`, where it is the group's own matter.",
		"tags": "On Azure at most 45, on the reservation and not on its group.",
		"window": "On Azure kind `on_demand` has no window and kind `scheduled` no end; that of kind `block` is exact and does not " +
			"move.",
		"window.start_at": "On Azure kind `scheduled` starts a week to six months ahead when it is set, and moves until Azure fixes it; kind " +
			"`block` starts at 12:00 UTC of a day at most 56 days ahead, and a change replaces it.",
		"window.end_at":   "On Azure only of kind `block`: 11:30 UTC of its last day. A change replaces it.",
		"window.duration": "On Azure only of kind `block`, in whole days or weeks: it ends 30 minutes less after its start. A change replaces it.",
		"on_destroy": "On Azure kind `block` is never given up between its success and its end, and kind `scheduled` not from its commitment " +
			"until `azure.minimum_commitment_days` after its start.",
		"on_release_in_use": "Azure releases nothing that machines are associated with, stopped ones included; shrinking below use it would " +
			"accept.",
		"estimated_usd_per_hour": "Azure: null for kind `block`.",
		"native_id":              "On Azure it is the lower-case id of the capacity reservation.",
		"account_id":             "On Azure it is the id of the subscription, in lower case.",

		"view.id":         "On Azure it is the id in any casing.",
		"view.share_with": "On Azure ids of subscriptions; those of a group that this provider did not make are not told.",
		"view.region":     "Azure has no default: the whole subscription is looked through.",

		"offers.offers":               "Azure sells nothing by offer, so that kind `block` is not looked for there.",
		"offers.region":               "Azure has no default: name it.",
		"offers.quota":                "On Azure the family, such as `standardncadsa100v4family`, and the `cores` of the region.",
		"offers.unit":                 "`vCPU` on Azure.",
		"offers.spot_placement_score": "Azure has none here.",
	}
}
