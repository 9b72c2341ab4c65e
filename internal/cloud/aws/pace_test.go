package aws_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws/awssim"
)

// wait is how long one call about offers takes to be allowed again: 0.15 a second.
const wait = time.Second * 100 / 15

// wantPassed demands that the stub's clock stands so long after its start.
func (s *stub) wantPassed(want time.Duration) {
	s.t.Helper()
	if got := s.clock.Now().Sub(start); (got - want).Abs() > time.Millisecond {
		s.t.Errorf("%v passed, want %v", got, want)
	}
}

// drained is a driver that has used up its calls about offers.
func (s *stub) drained() *aws.Cloud {
	s.t.Helper()
	s.on(offers, offered(""))
	c := s.cloud()
	for range 10 {
		if _, err := c.Offers(s.t.Context(), week()); err != nil {
			s.t.Fatal(err)
		}
	}
	s.wantPassed(0)
	return c
}

// TestOffersPaced: what draws on the bucket of offers waits for it together, per
// region.
func TestOffersPaced(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	c := s.drained()
	s.on(extensionOffers, refused(400, "InvalidCapacityReservationId.NotFound", "no"))
	s.on(purchase, refused(400, "InvalidParameterValue", "no"))
	if _, err := c.Offers(t.Context(), week()); err != nil {
		t.Error(err)
	}
	s.wantPassed(wait)
	if _, err := c.ExtensionOffers(t.Context(), ref(), 7*day); cloud.CodeOf(err) != cloud.NotFound {
		t.Error(err)
	}
	s.wantPassed(2 * wait)
	w, o := week(), offer("cb-1", 1)
	w.OfferID = o.ID
	if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: w, Offer: &o}); cloud.CodeOf(err) != cloud.Invalid {
		t.Error(err)
	}
	s.wantPassed(3 * wait)
	elsewhere := week()
	elsewhere.Region = "us-west-2"
	if _, err := c.Offers(t.Context(), elsewhere); err != nil {
		t.Error(err)
	}
	s.wantPassed(3 * wait)
}

// TestOffersPacedWithinDeadline: a wait past the deadline is not begun, and the
// call is not sent.
func TestOffersPacedWithinDeadline(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	c := s.drained()
	ctx := clock.Until(t.Context(), start.Add(5*time.Second))
	_, err := c.Offers(ctx, week())
	wantFailure(t, err, cloud.Throttled, false, "not sent")
	if e := classed(t, err); e.RetryAfter < wait {
		t.Errorf("retry after %v, want %v at least", e.RetryAfter, wait)
	}
	w, o := week(), offer("cb-1", 1)
	w.OfferID = o.ID
	_, err = c.Create(ctx, cloud.CreateRequest{Spec: w, Offer: &o})
	wantFailure(t, err, cloud.Throttled, false, "not sent")
	s.wantPassed(0)
	if sent := s.times(offers); sent != 10 {
		t.Errorf("sent %d times, want 10", sent)
	}
	if _, err := c.Offers(t.Context(), week()); err != nil {
		t.Error(err)
	}
	s.wantPassed(wait)
}

// TestOffersBelieveTheCloud: who is throttled has nothing left, whatever was
// counted here; a purchase is not repeated.
func TestOffersBelieveTheCloud(t *testing.T) {
	t.Parallel()
	throttled := refused(503, "RequestLimitExceeded", "Request limit exceeded.")
	s := newStub(t)
	s.on(purchase, throttled)
	s.on(offers, throttled, offered(""))
	c := s.cloud()
	w, o := week(), offer("cb-1", 1)
	w.OfferID = o.ID
	_, err := c.Create(t.Context(), cloud.CreateRequest{Spec: w, Offer: &o})
	wantFailure(t, err, cloud.Throttled, false, "Request limit exceeded")
	s.wantPassed(0)
	if sent := s.times(purchase); sent != 1 {
		t.Errorf("sent %d times, want 1", sent)
	}
	if _, err := c.Offers(t.Context(), week()); err != nil {
		t.Error(err)
	}
	if sent, passed := s.times(offers), s.clock.Now().Sub(start); sent != 2 || passed < 2*wait {
		t.Errorf("sent %d times in %v, want 2 in %v at least", sent, passed, 2*wait)
	}
}

// TestOffersNeverThrottled: two searches for each of twelve blocks fit the bucket
// that AWS documents.
func TestOffersNeverThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := httptest.NewServer(awssim.New(w.sim))
	t.Cleanup(server.Close)
	c := aws.New(aws.Config{
		Endpoint: server.URL, Clock: w.jump, Credentials: &aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"},
	})
	wish := wishesAt(w.jump.Now())[cloud.Block]
	for range 24 {
		if _, err := c.Offers(t.Context(), wish); err != nil {
			t.Fatal(err)
		}
	}
	calls, err := w.sim.Calls(0)
	if err != nil || len(calls) != 24 {
		t.Errorf("%d calls, %v; want 24", len(calls), err)
	}
}
