package chaostest

import (
	"net/http"
	"net/url"
	"strings"
)

// operationOf is the operation that a request of the Query protocol asks for.
func operationOf(body []byte) string {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	return form.Get("Action")
}

// The purchases that take no token.
const (
	buyBlock     = "PurchaseCapacityBlock"
	buyExtension = "PurchaseCapacityBlockExtension"
)

// once tells the operations that are never sent twice, so that a lost answer is an
// error for a person to see and not for the same run to mend.
func once(operation string) bool { return operation == buyBlock || operation == buyExtension }

// answer puts another answer in the place of the cloud's. The forms are those of
// EC2's Query protocol (EC2 API Reference, "Error codes for the Amazon EC2 API").
func answer(w http.ResponseWriter, act Act) {
	switch act {
	case InternalError:
		write(w, http.StatusInternalServerError, "text/xml", ec2Error("InternalError", "An internal error has occurred"))
	case BadGateway:
		write(w, http.StatusBadGateway, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>")
	case Throttle:
		write(w, http.StatusServiceUnavailable, "text/xml", ec2Error("RequestLimitExceeded", "Request limit exceeded."))
	case Hollow:
		w.WriteHeader(http.StatusOK)
	default:
		drop(w)
	}
}

func ec2Error(code, message string) string {
	return "<Response><Errors><Error><Code>" + code + "</Code><Message>" + message +
		"</Message></Error></Errors><RequestID>00000000-0000-0000-0000-000000000000</RequestID></Response>"
}

func write(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	// A client that left does not matter.
	_, _ = strings.NewReader(body).WriteTo(w)
}
