package googlesim

// Measurements of Google's front end, on APIs other than Compute Engine.
const (
	measured = "measured on Sheets, Docs, Drive, Gmail and Slides: brekkylab/backlot, "
	tips     = "page Improve Performance of Compute Engine"
)

func formFacts() []Fact {
	return []Fact{
		{"google-2-fields", "fields keeps what its paths name: with slashes or dots, sub-selections in parentheses and * for all; a wrong name is 400 invalidParameter.", tips + "; " + discovery + "; reason and text as " + measured + "errors/google.py; for Compute Engine and for maps UNVERIFIED"},
		{"google-2-pretty", "Answers are indented unless prettyPrint is false; errors always are.", discovery + " (default true); " + measured + "#305 and errors/google.py"},
		{"google-2-alt", "alt is json; media is refused, and so is what is none.", discovery + "; " + measured + "#309; proto, which the document has, UNVERIFIED"},
		{"google-2-callback", "callback makes a GET's answer a script with status 200, an error too.", discovery + "; " + measured + "#220; for Compute Engine UNVERIFIED"},
		{"google-2-error-format", "$.xgafv is 1 or 2; both have errors[] here.", discovery + "; " + measured + "#202; that 2 keeps errors[] is Drive's, for Compute Engine UNVERIFIED"},
		{"google-2-key", "key, quotaUser, userIp, access_token and oauth_token change nothing.", discovery + "; that any key will do is the scope of this simulation"},
		{"google-2-gzip", "An answer is gzipped where Accept-Encoding has gzip and the user agent contains gzip.", tips},
		{"google-2-gzip-body", "A request's body may be gzipped; another coding is refused.", "google-api-java-client gzips bodies by default (setDisableGZipContent); the refusals UNVERIFIED"},
	}
}
