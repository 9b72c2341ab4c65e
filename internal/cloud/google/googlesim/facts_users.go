package googlesim

func usersFacts() []Fact {
	return []Fact{
		{"google-3.3-users", "A machine that uses a reservation tells its full name in resourceStatus.reservationConsumptionInfo.consumedReservation.", discovery + "; the form of the name UNVERIFIED, see Options.ConsumedByNumber"},
		{"google-3.3-users-filter", "Machines can be filtered by what reservation they use, a nested field.", discovery + " (filter); page on viewing reservations, which lists the machines of one; for this field UNVERIFIED"},
		{"google-3.3-users-project", "A list has the machines of its own project only, also of those that use another's reservation.", discovery + "; page on viewing reservations"},
	}
}
