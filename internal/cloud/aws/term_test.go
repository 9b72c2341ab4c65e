package aws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	describeOfferings = "DescribeHostReservationOfferings"
	preview           = "GetHostReservationPurchasePreview"
	purchaseTerm      = "PurchaseHostReservation"
)

// booked is a host reservation in XML.
func booked(state string) string {
	return `<hostReservationId>hr-1</hostReservationId><offeringId>hro-1</offeringId><hostIdSet><item>` + host + `</item></hostIdSet>` +
		`<instanceFamily>p4d</instanceFamily><paymentOption>PartialUpfront</paymentOption><duration>31536000</duration><count>1</count>` +
		`<currencyCode>USD</currencyCode><upfrontPrice>85700.000</upfrontPrice><hourlyPrice>9.783</hourlyPrice>` +
		`<start>2031-03-01T11:30:00Z</start><end>2032-03-01T11:30:00Z</end><state>` + state + `</state>`
}

func bookings(items ...string) answer {
	return listing(describeTerms, "hostReservationSet", "", items...)
}

// offering is one of a year, partly paid upfront, in XML.
func offering(id, upfront, hourly string) string {
	return `<offeringId>` + id + `</offeringId><instanceFamily>p4d</instanceFamily><paymentOption>PartialUpfront</paymentOption>` +
		`<duration>31536000</duration><upfrontPrice>` + upfront + `</upfrontPrice><hourlyPrice>` + hourly + `</hourlyPrice>` +
		`<currencyCode>USD</currencyCode>`
}

func offerings(next string, items ...string) answer {
	return listing(describeOfferings, "offeringSet", next, items...)
}

// sells has offerings sold at 85700 USD upfront.
func (s *stub) sells(items ...string) {
	total := `<currencyCode>USD</currencyCode><totalHourlyPrice>9.783</totalHourlyPrice><totalUpfrontPrice>85700.000</totalUpfrontPrice>` +
		`<purchase><item><hostReservationId>hr-1</hostReservationId></item></purchase>`
	s.on(describeOfferings, offerings("", items...))
	s.on(preview, answer{body: `<Get>` + total + `</Get>`})
	s.on(purchaseTerm, answer{body: `<Purchase>` + total + `</Purchase>`})
}

func termPurchase() *cloud.TermPurchase {
	return &cloud.TermPurchase{
		Term: cloud.TermPlan{Months: 12, Payment: "partial_upfront"}, Token: strings.Repeat("1", 64),
		Limit: &money.Money{Micros: 90_000_000_000, Currency: "USD"}, Tags: map[string]string{"gpulock:owner": "o"},
	}
}

func TestTermIsBought(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.hostAnd(hostObject("available"))
	s.on(describeTerms, bookings(), bookings(), bookings(), bookings(booked("payment-pending")))
	s.sells(offering("hro-dear", "99999.0", "9.783"), offering("hro-1", "85700.000", "9.783"))
	got, err := s.cloud().Update(t.Context(), hostRef(), cloud.Change{Term: termPurchase()})
	if err != nil || got.Kind != cloud.Term || got.CommittedUntil.IsZero() {
		t.Fatalf("got %+v, %v", got, err)
	}
	s.wantActions(describeHosts, describeTerms, describeOfferings, preview, purchaseTerm,
		describeTerms, describeHosts, describeTerms, describeHosts, describeTerms)
	wantForm(t, s.sent(describeOfferings, 0).form, map[string]string{
		"Filter.1.Name": "instance-family", "Filter.1.Value.1": "p4d", "Filter.2.Name": "payment-option", "Filter.2.Value.1": "PartialUpfront",
		"MinDuration": "31536000", "MaxDuration": "31536000", "MaxResults": "500",
	})
	wantForm(t, s.sent(preview, 0).form, map[string]string{"OfferingId": "hro-1", "HostIdSet.1": host})
	wantForm(t, s.sent(purchaseTerm, 0).form, map[string]string{
		"OfferingId": "hro-1", "HostIdSet.1": host, "ClientToken": strings.Repeat("1", 64), "LimitPrice": "90000.00", "CurrencyCode": "USD",
		"TagSpecification.1.ResourceType": "host-reservation",
		"TagSpecification.1.Tag.1.Key":    "gpulock:owner", "TagSpecification.1.Tag.1.Value": "o",
	})
}

func TestTermWithoutLimit(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.hostAnd(hostObject("available"))
	s.on(describeTerms, bookings(), bookings(booked("active")))
	s.sells(offering("hro-1", "85700.000", "9.783"))
	wanted := termPurchase()
	wanted.Limit, wanted.Tags, wanted.Token = nil, nil, ""
	if _, err := s.cloud().Update(t.Context(), hostRef(), cloud.Change{Term: wanted}); err != nil {
		t.Fatal(err)
	}
	sent := s.sent(purchaseTerm, 0).form
	if sent.Get("ClientToken") == "" {
		t.Error("no token")
	}
	wantForm(t, sent, map[string]string{
		"OfferingId": "hro-1", "HostIdSet.1": host, "CurrencyCode": "USD", "ClientToken": sent.Get("ClientToken"),
	})
}

// TestTermPurchase: what is bought once is bought once, and the error says
// whether it may have been.
func TestTermPurchase(t *testing.T) {
	t.Parallel()
	has, none := bookings(booked("active")), bookings()
	good := []answer{offerings("", offering("hro-1", "85700.000", "9.783"))}
	limit := func(micros int64, currency string) *cloud.TermPurchase {
		p := termPurchase()
		p.Limit = &money.Money{Micros: micros, Currency: currency}
		return p
	}
	tests := map[string]struct {
		wanted   *cloud.TermPurchase
		terms    []answer
		offers   []answer
		buys     []answer // nil: accepted
		code     cloud.Code
		accepted bool
		sent     int
		says     string
	}{
		"has it already":     {terms: []answer{has}},
		"has another length": {terms: []answer{bookings(strings.Replace(booked("active"), "31536000", "94608000", 1))}, code: cloud.Conflict, says: "36 months already, until 2032-03-01"},
		"not sold":           {terms: []answer{none}, offers: []answer{offerings("")}, code: cloud.Unsupported, says: "12 months"},
		"sold for others":    {terms: []answer{none}, offers: []answer{offerings("", strings.Replace(offering("hro-2", "1", "1"), "p4d", "m5", 1))}, code: cloud.Unsupported},
		"no listing":         {terms: []answer{none}, offers: []answer{{}}, code: cloud.Internal},
		"at the limit":       {wanted: limit(85_700_000_000, "USD"), terms: []answer{none, has}, offers: good, sent: 1},
		"over the limit":     {wanted: limit(85_699_990_000, "USD"), terms: []answer{none}, offers: good, code: cloud.Invalid, says: "85700.00 USD, limit: 85699.99 USD"},
		"another currency":   {wanted: limit(85_700_000_000, "CNY"), terms: []answer{none}, offers: good, code: cloud.Invalid, says: "CNY"},
		"a wrong plan":       {wanted: &cloud.TermPurchase{Term: cloud.TermPlan{Months: 24, Payment: "no_upfront"}}, terms: []answer{none}, code: cloud.Invalid, says: "24 months"},
		"refused by the limit": {
			terms: []answer{none}, offers: good, buys: []answer{refused(400, "PriceLimitExceeded", "too dear")},
			code: cloud.Invalid, sent: 1, says: "PriceLimitExceeded: too dear",
		},
		"lost, then found by its token": {terms: []answer{none, has}, offers: good, buys: []answer{{drop: true}, {body: `<P><purchase><item/></purchase></P>`}}, sent: 2},
		"lost, but bought":              {terms: []answer{none, has}, offers: good, buys: []answer{{drop: true}}, sent: 5},
		"lost, and not bought":          {terms: []answer{none}, offers: good, buys: []answer{{drop: true}}, code: cloud.Internal, accepted: true, sent: 5},
		"hollow, but bought":            {terms: []answer{none, has}, offers: good, buys: []answer{{}}, sent: 1},
		"hollow":                        {terms: []answer{none}, offers: good, buys: []answer{{}}, code: cloud.Internal, accepted: true, sent: 1},
		"covered by an earlier try":     {terms: []answer{none, has}, offers: good, buys: []answer{refused(400, "HostAlreadyCoveredByReservation", "no")}, sent: 1},
		"covered, but not shown":        {terms: []answer{none}, offers: good, buys: []answer{refused(400, "HostAlreadyCoveredByReservation", "no")}, code: cloud.Conflict, sent: 1},
		"token of one that failed":      {terms: []answer{none, bookings(booked("payment-failed"))}, offers: good, code: cloud.Conflict, sent: 1, says: "earlier try is payment-failed"},
		"token used otherwise":          {terms: []answer{none}, offers: good, buys: []answer{refused(400, "IdempotentParameterMismatch", "no")}, code: cloud.Conflict, sent: 1},
		"never shown":                   {terms: []answer{none}, offers: good, code: cloud.Internal, accepted: true, sent: 1},
		"throttled":                     {terms: []answer{none}, offers: good, buys: []answer{refused(503, "RequestLimitExceeded", "no")}, code: cloud.Throttled, sent: 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.hostAnd(hostObject("available"))
			s.sells()
			s.on(describeTerms, test.terms...)
			s.on(describeOfferings, test.offers...)
			if test.buys != nil {
				s.on(purchaseTerm, test.buys...)
			}
			wanted := test.wanted
			if wanted == nil {
				wanted = termPurchase()
			}
			_, err := s.cloud().Update(t.Context(), hostRef(), cloud.Change{Term: wanted})
			wantFailure(t, err, test.code, test.accepted, test.says)
			if n := s.times(purchaseTerm); n != test.sent {
				t.Errorf("sent %d times, want %d", n, test.sent)
			}
			for n := range test.sent {
				if s.sent(purchaseTerm, n).body != s.sent(purchaseTerm, 0).body {
					t.Errorf("try %d differs", n)
				}
			}
		})
	}
}

func TestTermOffers(t *testing.T) {
	t.Parallel()
	offer := func(id string, upfront, hourly int64, months int, payment string) cloud.Offer {
		return cloud.Offer{
			ID: id, Kind: cloud.Term, Region: region, Zone: zone, InstanceType: "p4d.24xlarge", Count: 1,
			Length: time.Duration(months/12*365*24) * time.Hour, Upfront: money.Money{Micros: upfront, Currency: "USD"},
			PerHour: &money.Money{Micros: hourly, Currency: "USD"}, Term: &cloud.TermPlan{Months: months, Payment: payment},
		}
	}
	year := cloud.TermPlan{Months: 12, Payment: "partial_upfront"}
	nothing := strings.NewReplacer("<upfrontPrice>1</upfrontPrice>", "", "PartialUpfront", "NoUpfront", "31536000", "94608000").
		Replace(offering("hro-3", "1", "6.5"))
	tests := map[string]struct {
		term    *cloud.TermPlan
		offerID string
		answers []answer
		want    []cloud.Offer
		code    cloud.Code
		form    map[string]string
	}{
		"none": {term: &year, answers: []answer{offerings("")}, want: []cloud.Offer{}},
		"cheapest over the term first": {
			term:    &year,
			answers: []answer{offerings("more", offering("hro-1", "100", "2")), offerings("", offering("hro-2", "200", "1"))},
			want: []cloud.Offer{
				offer("hro-2", 200_000_000, 1_000_000, 12, "partial_upfront"), offer("hro-1", 100_000_000, 2_000_000, 12, "partial_upfront"),
			},
		},
		"what was not asked for": {term: &year, answers: []answer{offerings("", nothing)}, want: []cloud.Offer{}},
		"every term": {
			answers: []answer{offerings("", nothing)}, want: []cloud.Offer{offer("hro-3", 0, 6_500_000, 36, "no_upfront")},
			form: map[string]string{"Filter.1.Name": "instance-family", "Filter.1.Value.1": "p4d", "MaxResults": "500"},
		},
		"one": {
			term: &year, offerID: "hro-1", answers: []answer{offerings("", offering("hro-1", "100", "2"))},
			want: []cloud.Offer{offer("hro-1", 100_000_000, 2_000_000, 12, "partial_upfront")},
			form: map[string]string{"OfferingId": "hro-1", "MaxResults": "500"},
		},
		"one of another shape": {term: &year, offerID: "hro-3", answers: []answer{offerings("", nothing)}, code: cloud.Invalid},
		"one that is none":     {term: &year, offerID: "hro-9", answers: []answer{refused(400, "InvalidHostReservationOfferingId.NotFound", "no")}, code: cloud.Invalid},
		"no price":             {term: &year, answers: []answer{offerings("", offering("hro-1", "much", "2"))}, code: cloud.Internal},
		"no price an hour":     {term: &year, answers: []answer{offerings("", offering("hro-1", "1", "0.00000001"))}, code: cloud.Internal},
		"no set":               {term: &year, answers: []answer{{}}, code: cloud.Internal},
		"a wrong plan":         {term: &cloud.TermPlan{Months: 1, Payment: "no_upfront"}, code: cloud.Invalid},
		"no such page":         {term: &year, answers: []answer{offerings("more"), offerings("more")}, code: cloud.Internal},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describeOfferings, test.answers...)
			w := termWish()
			w.Term, w.OfferID = test.term, test.offerID
			got, err := s.cloud().Offers(t.Context(), w)
			if cloud.CodeOf(err) != test.code {
				t.Fatalf("got %v (%s), want %q", err, cloud.CodeOf(err), test.code)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if test.form != nil {
				wantForm(t, s.sent(describeOfferings, 0).form, test.form)
			}
		})
	}
}

func TestOffersOfAKindWithout(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	for _, kind := range []cloud.Kind{cloud.OnDemand, cloud.DedicatedHost, ""} {
		w := wish()
		w.Kind = kind
		if got, err := s.cloud().Offers(t.Context(), w); cloud.CodeOf(err) != cloud.Unsupported {
			t.Error(fmt.Sprint(kind, got, err))
		}
	}
	s.wantActions()
}
