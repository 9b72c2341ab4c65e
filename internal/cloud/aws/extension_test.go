package aws_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	extend          = "PurchaseCapacityBlockExtension"
	extensionOffers = "DescribeCapacityBlockExtensionOfferings"
	extensionsOf    = "DescribeCapacityBlockExtensionHistory"
)

// extensionOfferXML prolongs the stub's block by two days.
func extensionOfferXML(id, fee, hours string) string {
	return `<item><capacityBlockExtensionOfferingId>` + id + `</capacityBlockExtensionOfferingId><instanceType>p5.48xlarge</instanceType>` +
		`<instanceCount>2</instanceCount><availabilityZone>us-east-1a</availabilityZone><startDate>2031-03-03T11:30:00Z</startDate>` +
		`<capacityBlockExtensionStartDate>2031-03-10T11:30:00Z</capacityBlockExtensionStartDate>` +
		`<capacityBlockExtensionEndDate>2031-03-12T11:30:00Z</capacityBlockExtensionEndDate>` +
		`<capacityBlockExtensionDurationHours>` + hours + `</capacityBlockExtensionDurationHours>` +
		`<upfrontFee>` + fee + `</upfrontFee><currencyCode>USD</currencyCode><tenancy>default</tenancy></item>`
}

func extensionXML(id, status, purchased string) string {
	return `<item><capacityReservationId>` + short + `</capacityReservationId><instanceType>p5.48xlarge</instanceType>` +
		`<capacityBlockExtensionOfferingId>` + id + `</capacityBlockExtensionOfferingId>` +
		`<capacityBlockExtensionDurationHours>48</capacityBlockExtensionDurationHours>` +
		`<capacityBlockExtensionStatus>` + status + `</capacityBlockExtensionStatus>` +
		`<capacityBlockExtensionPurchaseDate>` + purchased + `</capacityBlockExtensionPurchaseDate>` +
		`<capacityBlockExtensionEndDate>2031-03-12T11:30:00Z</capacityBlockExtensionEndDate>` +
		`<upfrontFee>42.5</upfrontFee><currencyCode>USD</currencyCode></item>`
}

func inSet(action, set, next string, items ...string) answer {
	return answer{body: `<` + action + `Response><requestId>r</requestId><` + set + `>` + strings.Join(items, "") + `</` + set + `><nextToken>` +
		next + `</nextToken></` + action + `Response>`}
}

func extensionOffered(next string, items ...string) answer {
	return inSet(extensionOffers, "capacityBlockExtensionOfferingSet", next, items...)
}

func extended(action, next string, items ...string) answer {
	return inSet(action, "capacityBlockExtensionSet", next, items...)
}

func prolonged(id string, state cloud.State, at time.Time) cloud.Extension {
	return cloud.Extension{
		OfferID: id, By: 2 * day, State: state, PurchasedAt: at, EndsAt: blockEnd.Add(2 * day),
		Upfront: money.Money{Micros: 42_500_000, Currency: "USD"},
	}
}

func TestExtensionOffers(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(extensionOffers, extensionOffered("more", extensionOfferXML("cbe-2", "20", "48"), extensionOfferXML("cbe-3", "1", "72")),
		extensionOffered("", extensionOfferXML("cbe-1", "10", "48")))
	got, err := s.cloud().ExtensionOffers(t.Context(), ref(), 2*day)
	want := func(id string, micros int64) cloud.Offer {
		o := offer(id, micros)
		o.StartAt, o.EndAt, o.Length = blockEnd, blockEnd.Add(2*day), 2*day
		return o
	}
	if diff := cmp.Diff([]cloud.Offer{want("cbe-1", 10_000_000), want("cbe-2", 20_000_000)}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	form := map[string]string{"CapacityReservationId": short, "CapacityBlockExtensionDurationHours": "48", "MaxResults": "1000"}
	wantForm(t, s.sent(extensionOffers, 0).form, form)
	form["NextToken"] = "more"
	wantForm(t, s.sent(extensionOffers, 1).form, form)
}

// TestNotExtended: what is refused for the state of the object is a conflict,
// whether it is listed or bought.
func TestNotExtended(t *testing.T) {
	t.Parallel()
	unnamed := refused(400, "SomethingNew", "not now")
	unknown := refused(400, "InvalidCapacityReservationId.NotFound", "no")
	tests := map[string]struct {
		answer, describe answer
		code             cloud.Code
	}{
		"not paid yet":       {unnamed, described("", blockObject("payment-pending")), cloud.Conflict},
		"over":               {unnamed, described("", blockObject("expired")), cloud.Conflict},
		"no block":           {unnamed, described("", object("active")), cloud.Conflict},
		"another reason":     {unnamed, described("", blockObject("active")), cloud.Invalid},
		"unknown":            {unknown, unknown, cloud.NotFound},
		"unknown by now":     {unnamed, unknown, cloud.NotFound},
		"not read":           {unnamed, refused(403, "UnauthorizedOperation", "no"), cloud.Invalid},
		"no capacity":        {refused(500, "InsufficientInstanceCapacity", "no"), answer{}, cloud.NoCapacity},
		"no body":            {answer{}, answer{}, cloud.Internal},
		"a state of its own": {refused(400, "IncorrectState", "no"), answer{}, cloud.Conflict},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(extensionOffers, test.answer)
			s.on(extend, test.answer)
			s.on(describe, test.describe)
			c := s.cloud()
			_, err := c.ExtensionOffers(t.Context(), ref(), day)
			if e := classed(t, err); e.Code != test.code || e.Accepted {
				t.Errorf("listed: %+v, want %s", e, test.code)
			}
			_, err = c.Extend(t.Context(), ref(), cloud.Offer{ID: "cbe-1"})
			if e := classed(t, err); e.Code != test.code || e.Accepted != (test.code == cloud.Internal) {
				t.Errorf("bought: %+v, want %s", e, test.code)
			}
		})
	}
	s := newStub(t)
	for _, by := range []time.Duration{time.Hour, 15 * day, 0, -day} {
		if _, err := s.cloud().ExtensionOffers(t.Context(), ref(), by); cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("by %v: %v", by, err)
		}
	}
	s.wantActions()
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	foreign := strings.Replace(extensionXML("cbe-9", "payment-succeeded", "2031-02-28T00:00:00Z"), short, "cr-0aaaaaaaaaaaaaaa0", 1)
	s.on(extensionsOf,
		extended(extensionsOf, "more", extensionXML("cbe-3", "payment-pending", "2031-03-03T00:00:00Z"), foreign),
		extended(extensionsOf, "more2", extensionXML("cbe-1", "payment-failed", "2031-03-01T00:00:00Z")),
		extended(extensionsOf, "",
			extensionXML("cbe-2", "payment-succeeded", "2031-03-02T00:00:00Z"), extensionXML("cbe-4", "dreaming", "2031-03-04T00:00:00Z")))
	got, err := s.cloud().Extensions(t.Context(), ref())
	at := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	want := []cloud.Extension{
		prolonged("cbe-1", cloud.Refused, at), prolonged("cbe-2", cloud.Held, at.Add(day)),
		prolonged("cbe-3", cloud.Pending, at.Add(2*day)), prolonged("cbe-4", cloud.Unrecognized, at.Add(3*day)),
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	wantForm(t, s.sent(extensionsOf, 0).form, map[string]string{"CapacityReservationId.1": short})
	wantForm(t, s.sent(extensionsOf, 2).form, map[string]string{"CapacityReservationId.1": short, "NextToken": "more2"})
	for name, answers := range map[string][]answer{
		"no set":      {{}},
		"no page 2":   {extended(extensionsOf, "more", extensionXML("cbe-1", "payment-failed", "2031-03-01T00:00:00Z")), {}},
		"no price":    {extended(extensionsOf, "", strings.Replace(extensionXML("cbe-1", "payment-failed", "2031-03-01T00:00:00Z"), "42.5", "", 1))},
		"going round": {extended(extensionsOf, "more"), extended(extensionsOf, "more")},
	} {
		s.on(extensionsOf, answers...)
		if got, err := s.cloud().Extensions(t.Context(), ref()); cloud.CodeOf(err) != cloud.Internal || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	s.on(extensionsOf, extended(extensionsOf, ""))
	s.on(describe, described("", blockObject("active")), refused(400, "InvalidCapacityReservationId.NotFound", "no"))
	if got, err := s.cloud().Extensions(t.Context(), ref()); err != nil || got == nil || len(got) > 0 {
		t.Errorf("none: %v, %v", got, err)
	}
	if _, err := s.cloud().Extensions(t.Context(), ref()); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("unknown: %v", err)
	}
}

func TestExtend(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(extend, extended(extend, "", extensionXML("cbe-1", "payment-pending", "2031-03-02T00:00:00Z")))
	got, err := s.cloud().Extend(t.Context(), ref(), cloud.Offer{ID: "cbe-1"})
	want := prolonged("cbe-1", cloud.Pending, time.Date(2031, 3, 2, 0, 0, 0, 0, time.UTC))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	wantForm(t, s.sent(extend, 0).form, map[string]string{"CapacityReservationId": short, "CapacityBlockExtensionOfferingId": "cbe-1"})
	s.on(extend, extended(extend, "", extensionXML("cbe-2", "payment-pending", "2031-03-02T00:00:00Z")))
	if _, err := s.cloud().Extend(t.Context(), ref(), cloud.Offer{ID: "cbe-1"}); !cloud.MaybeAccepted(err) {
		t.Errorf("an answer about another offer: %v", err)
	}
}

func TestExtendIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, test := range onceAnswers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(extend, test.answer)
			s.on(describe, described("", blockObject("active")))
			_, err := s.cloud().Extend(t.Context(), ref(), cloud.Offer{ID: "cbe-1"})
			if e := classed(t, err); e.Code != test.code || e.Accepted != test.accepted {
				t.Errorf("got %+v; want %s, %v", e, test.code, test.accepted)
			}
			if sent := strings.Count(strings.Join(s.actions(), " "), extend); sent != 1 {
				t.Errorf("sent %d times", sent)
			}
		})
	}
}
