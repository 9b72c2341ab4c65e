package azure

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// inTheWay is how long is waited for what stands in the way of a write. A group is
// refused to be deleted for some seconds after its last reservation went
// (azure-rest-api-specs, issue 18767), for which the azurerm provider waits up to a
// minute.
const inTheWay = time.Minute

// write sends a write in one try and waits for what it began. Whether it is sent
// again is for the caller, after a look.
func (cl *clients) write(ctx context.Context, op string, send func(context.Context) error) error {
	b, err := begin(ctx, cl, op, send)
	if err != nil {
		return err
	}
	return cl.await(ctx, b)
}

// rewrite sends a write that changes nothing where it is done already, a deletion, so
// that it is sent again without a look if it failed on the way or something stood in
// its way, and waits for what it began.
func (cl *clients) rewrite(ctx context.Context, op string, send func(context.Context) error) error {
	until := cl.cloud.clock.Now().Add(inTheWay)
	for {
		b, err := repeated(ctx, cl, op, func() (begun, error) { return begin(ctx, cl, op, send) })
		if err == nil {
			err = cl.await(ctx, b)
		}
		if !obstructed(err) || !cl.cloud.clock.Now().Before(until) {
			return err
		}
		if err := cl.pause(ctx, op, pollEvery); err != nil {
			return err
		}
	}
}

// retries bound how often and how long a write is sent again, with a look before each
// try.
type retries struct {
	*clients
	op    string
	until time.Time
	lost  int
}

func (cl *clients) retries(op string) *retries {
	return &retries{clients: cl, op: op, until: cl.cloud.clock.Now().Add(inTheWay)}
}

// after waits before the next look where one may help, and returns why not
// otherwise: what stood in the way is waited for, and what failed on the way may have
// arrived.
func (r *retries) after(ctx context.Context, err error) error {
	var failed *cloud.Error
	switch {
	case obstructed(err) && r.cloud.clock.Now().Before(r.until):
		return r.pause(ctx, r.op, pollEvery)
	case lost(err) && errors.As(err, &failed) && !r.spent():
		return r.pause(ctx, r.op, max(pollPause(r.lost), failed.RetryAfter))
	}
	return err
}

// spent counts a try that was lost, and tells whether it was the last one.
func (r *retries) spent() bool {
	r.lost++
	return r.lost >= maxTries
}

// lost tells a write of which it is not known whether it arrived, or which did not.
func lost(err error) bool {
	var e *cloud.Error
	return errors.As(err, &e) && onTheWay(e)
}

// obstructions are codes of a refusal because of another request.
var obstructions = []string{codeNested, "Conflict", "AnotherOperationInProgress", "OperationPreempted"}

// lasting is a conflict with what is there, which no wait mends. The texts of such
// conflicts are UNVERIFIED.
var lasting = regexp.MustCompile(`(?i)\balready exists?\b|\bexists? already\b|\balready been (?:used|taken)\b`)

// obstructed tells a refusal that another request stands in the way of this one, or
// what was only just deleted. Codes are compared as everywhere, without regard to case.
func obstructed(err error) bool {
	var e *cloud.Error
	if !errors.As(err, &e) {
		return false
	}
	if e.Op == opGroupDelete && late(e) {
		return true
	}
	return e.Code == cloud.Conflict && !lasting.MatchString(e.Message) && slices.ContainsFunc(obstructions, func(code string) bool { return strings.EqualFold(code, e.Native) })
}

var (
	insideText  = regexp.MustCompile(`(?i)\bnested\b|\bchild(?:ren)?\b|\bcapacity ?reservations\b`)
	machineWord = regexp.MustCompile(`(?i)\bmachines?\b|virtualMachine|\bvms?\b`)
)

// late tells a refusal to delete a group for what is in it. With which code it comes
// is UNVERIFIED, so that the text counts: the driver deletes a group when it has no
// reservation any more, and only a list is late. Machines are no such list.
func late(e *cloud.Error) bool {
	return e.HTTPStatus == http.StatusConflict && insideText.MatchString(e.Message) && !machineWord.MatchString(e.Message)
}
