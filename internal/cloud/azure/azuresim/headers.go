package azuresim

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// rate is a token bucket of Azure Resource Manager for each subscription (azure-docs,
// request-limits-and-throttling, limits since 2024; the recordings of 2026-09
// show 199 writes left of 200).
type rate struct {
	// header is the rest of the name of the header that shows what is left.
	header    string
	burst     float64
	perSecond float64
}

func rateOf(verb string) rate {
	switch verb {
	case http.MethodGet, http.MethodHead:
		return rate{"reads", 250, 25}
	case http.MethodDelete:
		return rate{"deletes", 200, 10}
	}
	return rate{"writes", 200, 10}
}

// throttleWait is the Retry-After of a refusal for too many requests, in
// seconds: a bucket has a token again after a fraction of one.
const throttleWait = "1"

// bucket is the throttle bucket of a request. Those of the provider, such as
// PutCapacityReservationSubscriptionMaximum, are not kept beside it: only one can
// be, and this one is smaller by the minute.
func (c *call) bucket() sim.Bucket {
	if c.method.open || c.subscription == "" {
		return sim.Bucket{}
	}
	r := rateOf(c.method.verb)
	return sim.Bucket{Name: r.header + "\x00" + c.subscription, PerSecond: r.perSecond, Burst: r.burst}
}

// Throttled implements sim.Cloud (fact azure-6-throttle).
func (s *Simulator) Throttled(req *sim.Request) sim.Refusal {
	kind, subscription := "reads", req.Account
	if c, ok := req.Detail.(*call); ok {
		c.throttled = true
		kind = rateOf(c.method.verb).header
	}
	if s.options.ComputeThrottles {
		return sim.Refusal{
			Status: http.StatusTooManyRequests, Code: codeThrottledByCompute,
			Message: "The server rejected the request because too many requests have been received for this subscription.",
		}
	}
	return sim.Refusal{
		Status: http.StatusTooManyRequests, Code: codeThrottled,
		Message: "Number of '" + kind + "' requests for subscription '" + subscription + "' exceeded the limit. Please try again after '" +
			throttleWait + "' seconds after additional tokens are available.",
	}
}

// headers are those of every answer. What a bucket has left is not known here:
// the headers show the first request's, as the recordings do.
func (c *call) headers() http.Header {
	h := http.Header{
		"Cache-Control": {"no-cache"}, "Pragma": {"no-cache"}, "Expires": {"-1"}, "X-Content-Type-Options": {"nosniff"},
		"Strict-Transport-Security": {"max-age=31536000; includeSubDomains"},
		"X-Ms-Request-Id":           {c.requestID}, "X-Ms-Correlation-Request-Id": {c.correlation},
	}
	if c.clientID != "" {
		h.Set("x-ms-client-request-id", c.clientID)
	}
	if c.method.open || c.subscription == "" {
		return h
	}
	r := rateOf(c.method.verb)
	h.Set("x-ms-ratelimit-remaining-subscription-"+r.header, strconv.Itoa(int(r.burst)-1))
	if c.method.policy != "" {
		name, left, _ := strings.Cut(c.method.policy, ";")
		h.Set("x-ms-ratelimit-remaining-resource", "Microsoft.Compute/"+name+";"+left)
	}
	return h
}
