package reservation

// awsNotes are what AWS adds to the descriptions that clouds share.
func awsNotes() map[string]string {
	return map[string]string{
		"name":    "Changes in place on AWS.",
		"account": "On AWS it is a key of `accounts` in the provider's `aws` block.",
		"zone":    "Required on AWS but for kind `block`, whose offer names one; given there, only its offers are looked at.",
		"instance_count": "On AWS at most 1000; kind `block` at most 64, and a change replaces it; kinds `dedicated_host` and `term` " +
			"always 1, one host.",
		"kind": "On AWS a `block` is paid at purchase and cannot be given back.",
		"match_criteria": "AWS changes it in place while nothing uses the reservation, and of a host at any time (`open` is its " +
			"auto-placement); kinds `scheduled` and `block` are `targeted` only there.",
		"offer_id":   "On AWS these are `block`.",
		"share_with": "Not on AWS, which shares through AWS Resource Access Manager.",
		"tags":       "The own ones of AWS start with `aws:`.",
		"window": "On AWS kind `scheduled` has an end only if it is to end after its commitment, and of kind `block` `start_at` and " +
			"`end_at` bound the search for an offer, `duration` is its length.",
		"window.start_at": "On AWS kind `scheduled` starts 5 to 120 days ahead when it is set, and a change replaces the reservation; of " +
			"kind `block` it is the earliest start of an offer and counts at purchase only.",
		"window.end_at": "AWS releases the capacity within the hour after it; of kind `block` it is the latest end of an offer there and " +
			"counts at purchase only.",
		"window.duration": "On AWS it is the length to buy of kind `block`, by default from `start_at` to `end_at`: whole days up to 14, then " +
			"whole weeks up to 26. It grows in place by an extension, which is paid at once; one that is first added later is the " +
			"length that the block has.",
		"term": "On AWS it is a host reservation on the dedicated host; it cannot be cancelled, and the host goes on without it once " +
			"it is over.",
		"term.months": "AWS sells `12` and `36`.",
		"on_destroy": "On AWS kinds `block` and `term` can never be given up before their end: abandon them; kind `scheduled` is charged " +
			"for from 8 weeks before its start until its commitment ends.",
		"on_release_in_use": "On AWS the instances keep running; a host with instances is never released.",
		"native_id":         "On AWS it is the ARN.",
		"account_id":        "On AWS it has 12 digits.",
		"usable_until":      "AWS stops the instances of a capacity block 30 minutes before `ends_at`.",

		"view.id":         "On AWS a short form is `aws:us-east-1/cr-0123456789abcdef0`.",
		"view.share_with": "Empty on AWS, which keeps shares in AWS Resource Access Manager.",

		"offers.window.duration":      "AWS sells whole days up to 14, then whole weeks up to 26, and offers only the very length asked for.",
		"offers.unit":                 "`vCPU` on AWS.",
		"offers.quota":                "On AWS `L-417A185B` for the P family, `L-DB2E81BA` for G.",
		"offers.used":                 "AWS does not tell.",
		"offers.spot_placement_score": "AWS scores single types low, so compare zones, not types.",
	}
}
