package googlesim

// Sources of future reservations that are named more than once.
const (
	futureTroubles = "page on troubleshooting future reservations"
	futureDelete   = "page on deleting future reservations"
	calendarPages  = "pages on calendar mode"
	unverifiedText = "reason and text UNVERIFIED"
)

func futureFacts() []Fact {
	return []Fact{
		{"google-5-draft", "Without planningStatus a request is a draft; a submitted one never becomes a draft again.", recordedFuture + "; that it is refused UNVERIFIED"},
		{"google-5-start", "The start is at least an hour ahead.", futureTroubles + "; k8s-config-connector#8102"},
		{"google-5-year", "The start is at most a year ahead.", "page on future reservations; " + unverifiedText},
		{"google-5-length", "The period is at least 24 hours long.", futureTroubles},
		{"google-5-duration", "The end is an endTime or a duration, of which the endTime is read back, to the nanosecond.", recordedFuture + "; that both are refused UNVERIFIED"},
		{"google-5-empty-duration", "An empty duration is refused.", "hashicorp/terraform-provider-google#25033; text UNVERIFIED"},
		{"google-5-fraction", "Instants in a request have no fraction of a second or one of three digits.", "k8s-config-connector#7723 (terraform: three or none); which text UNVERIFIED"},
		{"google-5-names", "Only one of reservationName and namePrefix is given, a prefix of at most 20 characters.", discovery + "; " + unverifiedText},
		{"google-5-auto-delete", "The flag for auto-delete is never read back, the delete time is, by default the end.", recordedFuture + "; magic-modules"},
		{"google-5-delete-time", "What is delivered is not deleted before the end of the period.", futureTroubles},
		{"google-5-share", "Sharing is left out where there is none and names up to 100 projects by number.", recordedFuture + "; " + futureTroubles},
		{"google-5-mask", "updateMask takes paths in snake_case or camelCase and none that are unknown.", recordedFuture + "; gcloud; refusal UNVERIFIED"},
		{"google-5-description", "An update needs a mask and blanks the description unless it names it.", recordedFuture + "; that a mask is needed UNVERIFIED"},
		{"google-5-review", "A submitted request is pending, then approved with a lock time, or declined; meanwhile it cannot be changed.", discovery + "; page on modifying future reservations; that stock decides UNVERIFIED"},
		{"google-5-amendment", "A change of an approved request is reviewed; a declined one brings the last known good state back.", discovery + "; unlike here, a part of them may take effect at once, UNVERIFIED"},
		{"google-5-states", "At the lock time a request is procured, at the start provisioned, then fulfilled.", discovery},
		{"google-5-locked", "After the lock time nothing can be changed.", discovery + "; " + unverifiedText},
		{"google-5-cancel", "A request can be canceled until the lock time, a draft never.", discovery + "; for drafts UNVERIFIED; " + unverifiedText},
		{"google-5-canceled-blocks", "A canceled request blocks new ones with the same properties until it is deleted.", futureDelete + "; " + unverifiedText},
		{"google-5-delivery", "At the start the instances are in a reservation that cannot be deleted before the end.", discovery + " (which also knows an INACTIVE one from the approval on); page on deleting reservations"},
		{"google-5-short", "With too little stock at the start the request fails, in part or in whole.", discovery + "; that it is decided at once UNVERIFIED"},
		{"google-5-delete", "Between lock time and end a request cannot be deleted.", futureDelete + "; " + unverifiedText},
		{"google-5-delete-leaves", "Deleting a request leaves the reservation that it was delivered in.", futureDelete},
		{"google-5-calendar-type", "Calendar mode is for A3 and later machine types.", calendarPages + "; " + unverifiedText},
		{"google-5-calendar-count", "Calendar mode is for at most 80 GPU VMs.", calendarPages + "; " + unverifiedText},
		{"google-5-calendar-length", "A period in calendar mode is at most 90 days long.", calendarPages + "; " + unverifiedText},
		{"google-5-calendar-start", "A start in calendar mode is at most 60 days ahead.", calendarPages + "; " + unverifiedText},
		{"google-5-calendar-delete", "A request in calendar mode is canceled before it is deleted.", "page on deleting future reservations in calendar mode; " + unverifiedText},
		{"google-5-calendar-end", "At the end of calendar mode VMs are terminated and the reservation goes.", discovery},
	}
}
