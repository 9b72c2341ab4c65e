package aws_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// bought is a create of a block by an offer that was looked up before.
func bought() cloud.CreateRequest {
	w, o := week(), offer("cb-1", 98_320_000)
	w.OfferID = o.ID
	return cloud.CreateRequest{Spec: w, Offer: &o, Token: "t", Mark: cloud.Mark{Owner: "o", Name: "n", Claim: "never-sent"}}
}

func TestPurchaseSends(t *testing.T) {
	t.Parallel()
	tags := tagSet("aws:ec2capacityreservation:incrementalRequestedQuantity", "2")
	s := newStub(t)
	s.on(purchase, purchased(blockObject("payment-pending", counts(0, 0), tags)))
	req := bought()
	req.Spec.Tags = map[string]string{"team": "ml"}
	req.Spec.Native = map[string]string{"platform": "Ubuntu Pro"}
	got, err := s.cloud().Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if got.Ref != ref() || got.State != cloud.Pending || got.Count != 2 || got.Length != 7*day || got.PaidUpfront.String() != "98.32 USD" {
		t.Errorf("got %+v", got)
	}
	wantForm(t, s.sent(purchase, 0).form, map[string]string{
		"CapacityBlockOfferingId": "cb-1", "InstancePlatform": "Ubuntu Pro",
		"TagSpecification.1.ResourceType": "capacity-reservation",
		"TagSpecification.1.Tag.1.Key":    "gpulock:length", "TagSpecification.1.Tag.1.Value": "168h",
		"TagSpecification.1.Tag.2.Key": "gpulock:name", "TagSpecification.1.Tag.2.Value": "n",
		"TagSpecification.1.Tag.3.Key": "gpulock:owner", "TagSpecification.1.Tag.3.Value": "o",
		"TagSpecification.1.Tag.4.Key": "gpulock:paid-upfront", "TagSpecification.1.Tag.4.Value": "98.32 USD",
		"TagSpecification.1.Tag.5.Key": "team", "TagSpecification.1.Tag.5.Value": "ml",
	})
	s.wantActions(purchase)
}

// TestPurchaseLooksUp: without the offer at hand it is looked up, and bought only
// if it is listed for this very wish.
func TestPurchaseLooksUp(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(offers, offered("", offerXML("cb-0", "1"), offerXML("cb-1", "98.32")), offered(""))
	s.on(purchase, purchased(blockObject("payment-pending")), refused(400, "InvalidCapacityBlockOfferingIdExpired", "too late"),
		refused(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set."))
	req := bought()
	req.Offer = nil
	c := s.cloud()
	got, err := c.Create(t.Context(), req)
	if err != nil || got.PaidUpfront.String() != "98.32 USD" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := c.Create(t.Context(), req); cloud.CodeOf(err) != cloud.Invalid || cloud.MaybeAccepted(err) {
		t.Errorf("an expired offer: %v", err)
	}
	if _, err := c.Create(t.Context(), req); cloud.CodeOf(err) != cloud.NoCapacity || cloud.MaybeAccepted(err) {
		t.Errorf("an offer that is not on sale: %v", err)
	}
	s.wantActions(offers, purchase, offers, purchase, offers, purchase)
	if s.sent(purchase, 0).form.Get("DryRun") != "" || s.sent(purchase, 1).form.Get("DryRun") != "true" {
		t.Errorf("not one purchase and one dry run")
	}
}

// TestPurchaseOfWhatDoesNotFit: nothing is sent.
func TestPurchaseOfWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*cloud.CreateRequest){
		"another offer":  func(r *cloud.CreateRequest) { r.Offer.ID = "cb-2" },
		"another type":   func(r *cloud.CreateRequest) { r.Offer.InstanceType = "p5e.48xlarge" },
		"another region": func(r *cloud.CreateRequest) { r.Offer.Region = "us-west-2" },
		"another zone":   func(r *cloud.CreateRequest) { r.Spec.Zone = "us-east-1b" },
		"more":           func(r *cloud.CreateRequest) { r.Offer.Count = 3 },
		"longer":         func(r *cloud.CreateRequest) { r.Offer.Length = 8 * day },
		"too early":      func(r *cloud.CreateRequest) { r.Spec.StartAt = blockStart.Add(time.Second) },
		"too late":       func(r *cloud.CreateRequest) { r.Spec.EndAt = blockEnd.Add(-time.Second) },
		"a term":         func(r *cloud.CreateRequest) { r.Offer.Kind = cloud.Term },
		"no id":          func(r *cloud.CreateRequest) { r.Spec.OfferID = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			req := bought()
			spoil(&req)
			_, err := s.cloud().Create(t.Context(), req)
			if cloud.CodeOf(err) != cloud.Invalid || cloud.MaybeAccepted(err) {
				t.Errorf("got %v", err)
			}
			s.wantActions()
		})
	}
}

// onceAnswers are answers to a purchase that must not be sent again, and what is known
// after them.
func onceAnswers() map[string]struct {
	answer   answer
	code     cloud.Code
	accepted bool
} {
	page := map[string]string{"Content-Type": "text/html"}
	return map[string]struct {
		answer   answer
		code     cloud.Code
		accepted bool
	}{
		"lost":            {answer{drop: true}, cloud.Internal, true},
		"service error":   {refused(500, "InternalError", "An internal error has occurred"), cloud.Internal, true},
		"unavailable":     {refused(503, "Unavailable", "no"), cloud.Internal, true},
		"unknown 5xx":     {refused(500, "SomethingNew", "no"), cloud.Internal, true},
		"proxy page 502":  {answer{status: 502, body: "<html></html>", header: page}, cloud.Internal, true},
		"proxy page 429":  {answer{status: 429, body: "<html></html>", header: page}, cloud.Throttled, true},
		"proxy page 403":  {answer{status: 403, body: "<html></html>", header: page}, cloud.PermissionDenied, true},
		"empty 200":       {answer{}, cloud.Internal, true},
		"foreign 200":     {answer{body: "<html><body>welcome</body></html>"}, cloud.Internal, true},
		"garbled 200":     {answer{body: "<PurchaseCapacityBlockResponse><capacityReservation><state>act"}, cloud.Internal, true},
		"throttled":       {refused(503, "RequestLimitExceeded", "Request limit exceeded."), cloud.Throttled, false},
		"sold out":        {refused(500, "InsufficientInstanceCapacity", "Insufficient capacity."), cloud.NoCapacity, false},
		"refused":         {refused(400, "InvalidParameterValue", "no"), cloud.Invalid, false},
		"refused anew":    {refused(400, "SomethingNew", "no"), cloud.Invalid, false},
		"may not":         {refused(403, "UnauthorizedOperation", "no"), cloud.PermissionDenied, false},
		"over some limit": {refused(400, "InstanceLimitExceeded", "no"), cloud.QuotaExceeded, false},
	}
}

func TestPurchaseIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, test := range onceAnswers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(purchase, test.answer)
			_, err := s.cloud().Create(t.Context(), bought())
			e := classed(t, err)
			if e.Code != test.code || e.Accepted != test.accepted || cloud.MaybeAccepted(err) != test.accepted {
				t.Errorf("got %s, accepted %v (%v); want %s, %v", e.Code, e.Accepted, err, test.code, test.accepted)
			}
			if e.Code == cloud.Throttled && e.RetryAfter != 7*time.Second {
				t.Errorf("retry after %v", e.RetryAfter)
			}
			s.wantActions(purchase)
			if now := s.clock.Now(); !now.Equal(start) {
				t.Errorf("waited until %v", now)
			}
		})
	}
}

// TestBlockChanges: tags and the mark, and nothing that EC2 would have to modify.
func TestBlockChanges(t *testing.T) {
	t.Parallel()
	end := blockEnd.Add(day)
	for name, change := range map[string]cloud.Change{
		"count":  {Count: ptr(3)},
		"match":  {Match: ptr(cloud.Open)},
		"end":    {EndAt: &end},
		"no end": {EndAt: &time.Time{}},
		"option": {Native: map[string]string{"platform": "Windows"}},
		"term":   {Term: &cloud.TermPurchase{}},
	} {
		s := newStub(t)
		s.on(describe, described("", blockObject("scheduled", counts(2, 2))))
		if _, err := s.cloud().Update(t.Context(), ref(), change); cloud.CodeOf(err) != cloud.Unsupported || cloud.MaybeAccepted(err) {
			t.Errorf("%s: %v", name, err)
		}
		s.wantActions(describe)
	}
	ours := []string{"gpulock:paid-upfront", "98.32 USD", "gpulock:length", "168h"}
	s := newStub(t)
	s.on(describe, described("", blockObject("payment-pending", tagSet(ours...))),
		described("", blockObject("payment-pending", tagSet(append(ours, "team", "ml", "gpulock:claim", "c")...))))
	s.on("CreateTags", returned("CreateTags"))
	change := cloud.Change{
		SetTags: map[string]string{"team": "ml"}, Mark: &cloud.Mark{Claim: "c"},
	}
	got, err := s.cloud().Update(t.Context(), ref(), change)
	if err != nil || got.Mark.Claim != "c" || got.Length != 7*day {
		t.Errorf("got %+v, %v", got, err)
	}
	s.wantActions(describe, "CreateTags", describe)
}
