package googlesim

func adviceFacts() []Fact {
	return []Fact{
		{"google-5-advice", "advice.calendarMode names a zone and a period for one specification, or why each zone is none.", discovery + "; texts UNVERIFIED"},
	}
}
