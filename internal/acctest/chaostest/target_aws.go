package chaostest

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Tags of the mark, as the contract spells them on the cloud's objects, and the
// one with which EC2 marks a block.
const (
	tagOwner = "gpulock:owner"
	tagName  = "gpulock:name"
	tagClaim = "gpulock:claim"
	tagBlock = "aws:ec2capacityreservation:capacityReservationType"
)

func awsTarget() target {
	return target{
		name: "aws", block: map[string]string{"region": "us-east-1"},
		operation: queryAction, once: awsOnce, answer: awsAnswer, look: awsLook, first: awsFirst,
		types: [2]string{"g4dn.xlarge", "g4dn.2xlarge"}, zones: [2]string{"us-east-1a", "us-east-1b"},
		lives: awsLives, operations: awsOperations,
	}
}

// awsFirst completes a wish for EC2.
func awsFirst(w Wish, now time.Time) Wish {
	w.Zone, w.InstanceType, w.Tags = "us-east-1a", "g4dn.xlarge", map[string]string{"team": "t0"}
	switch w.Kind {
	case Block:
		// The offer names the zone.
		w.Region, w.Zone, w.InstanceType, w.Duration = "us-east-1", "", "p4d.24xlarge", day
	case Scheduled:
		// 32 vCPUs at least; giving up is free until 56 days before the start.
		w.InstanceType, w.Count, w.StartAt = "g4dn.2xlarge", 4, now.Add(60*day).Truncate(time.Hour)
	case DedicatedHost:
		w.InstanceType = "g4dn.12xlarge"
	case Term:
		w.InstanceType, w.Payment = "g4dn.12xlarge", "no_upfront"
	}
	return w
}

const (
	typeTerm      = "host-reservation"
	statusExpired = "expired"
	statusUnpaid  = "payment-failed"
)

// awsLook reads an object of EC2. The statuses are EC2's; what is paid for a host
// is no capacity of its own.
func awsLook(o sim.ObjectRow, _ time.Time) sight {
	return sight{
		owner: o.Tags[tagOwner], name: o.Tags[tagName], claimed: o.Tags[tagClaim] != "",
		live: o.Type != typeTerm && !slices.Contains([]string{
			"cancelled", "cancelling", statusExpired, "failed", "unsupported", statusUnpaid,
			"released", "released-permanent-failure", "permanent-failure",
		}, o.Status),
		ended:   o.Status == statusExpired || o.Status == statusUnpaid,
		bought:  (o.Type == typeTerm || o.Tags[tagBlock] != "") && o.Status != statusUnpaid,
		bounded: o.Type != typeTerm,
	}
}

// queryAction is the operation that a request of the Query protocol asks for.
func queryAction(_ *http.Request, body []byte) string {
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

func awsOnce(operation string) bool { return operation == buyBlock || operation == buyExtension }

// awsAnswer answers in the forms of EC2's Query protocol (EC2 API Reference,
// "Error codes for the Amazon EC2 API").
func awsAnswer(w http.ResponseWriter, act Act) {
	switch act {
	case InternalError:
		write(w, http.StatusInternalServerError, "text/xml", ec2Error("InternalError", "An internal error has occurred"))
	case Throttle:
		write(w, http.StatusServiceUnavailable, "text/xml", ec2Error("RequestLimitExceeded", "Request limit exceeded."))
	default:
		plain(w, act)
	}
}

func ec2Error(code, message string) string {
	return "<Response><Errors><Error><Code>" + code + "</Code><Message>" + message +
		"</Message></Error></Errors><RequestID>00000000-0000-0000-0000-000000000000</RequestID></Response>"
}
