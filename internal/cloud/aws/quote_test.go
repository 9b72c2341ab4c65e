package aws_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	quoteOf  = "CreateCapacityReservationCancellationQuote"
	quotesOf = "DescribeCapacityReservationCancellationQuotes"
	quoteID  = "crcq-0123456789abcdef0"
)

// quoteXML is a quote with one term of so many hours for each of eight instances.
func quoteXML(state string, hours int) string {
	return quoteWith(state, fmt.Sprintf(`<item><cancellationType>commitment-wind-down</cancellationType><chargeCommitmentDurationHours>%d`+
		`</chargeCommitmentDurationHours><chargeEndDate>2031-05-17T12:00:00Z</chargeEndDate><committedInstanceCount>8</committedInstanceCount>`+
		`<reservationState>cancelling</reservationState></item>`, hours))
}

func quoteWith(state, terms string) string {
	return `<capacityReservationCancellationQuoteId>` + quoteID + `</capacityReservationCancellationQuoteId>` +
		`<capacityReservationId>` + short + `</capacityReservationId><quoteState>` + state + `</quoteState>` +
		`<expirationTime>2031-03-02T12:00:00Z</expirationTime><cancellationTermSet>` + terms + `</cancellationTermSet>`
}

func quoted(inner string) answer {
	return answer{body: `<CreateCapacityReservationCancellationQuoteResponse><requestId>r</requestId><capacityReservationCancellationQuote>` +
		inner + `</capacityReservationCancellationQuote></CreateCapacityReservationCancellationQuoteResponse>`}
}

func quotes(inner ...string) answer {
	items := ""
	for _, q := range inner {
		items += `<item>` + q + `</item>`
	}
	return answer{body: `<DescribeCapacityReservationCancellationQuotesResponse><requestId>r</requestId>` +
		`<capacityReservationCancellationQuoteSet>` + items + `</capacityReservationCancellationQuoteSet>` +
		`</DescribeCapacityReservationCancellationQuotesResponse>`}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	pending, active := quoteWith("pending", ""), quoteXML("active", 168)
	want := cloud.Quote{
		ID: quoteID, InstanceHours: 168 * 8, BilledUntil: future.Add(7 * day), ExpiresAt: start.Add(day),
	}
	term := func(hours, count string) string {
		return `<item><cancellationType>commitment-wind-down</cancellationType>` + hours + count + `</item>`
	}
	hours, count := `<chargeCommitmentDurationHours>24</chargeCommitmentDurationHours>`, `<committedInstanceCount>2</committedInstanceCount>`
	throttled := refused(503, "RequestLimitExceeded", "no")
	tests := map[string]struct {
		made   answer
		looks  []answer
		code   cloud.Code
		says   string
		asked  int
		unlike func(*cloud.Quote)
	}{
		"at once":        {quoted(active), nil, "", "", 0, nil},
		"after a while":  {quoted(pending), []answer{quotes(pending), quotes(), quotes(active)}, "", "", 3, nil},
		"free":           {quoted(quoteXML("active", 0)), nil, "", "", 0, func(q *cloud.Quote) { q.InstanceHours = 0 }},
		"two terms":      {quoted(quoteWith("active", term(hours, count)+term(hours, count))), nil, "", "", 0, func(q *cloud.Quote) { q.InstanceHours, q.BilledUntil = 96, time.Time{} }},
		"never":          {quoted(pending), []answer{quotes(pending)}, cloud.Internal, "still pending", 61, nil},
		"expired":        {quoted(quoteXML("expired", 1)), nil, cloud.Conflict, "expired", 0, nil},
		"unknown state":  {quoted(quoteXML("dreaming", 1)), nil, cloud.Conflict, "dreaming", 0, nil},
		"no terms":       {quoted(quoteWith("active", "")), nil, cloud.Internal, "cancellationTermSet", 0, nil},
		"no hours":       {quoted(quoteWith("active", term("", count))), nil, cloud.Internal, "hours", 0, nil},
		"no count":       {quoted(quoteWith("active", term(hours, ""))), nil, cloud.Internal, "count", 0, nil},
		"another charge": {quoted(strings.Replace(active, "commitment-wind-down", "once", 1)), nil, cloud.Internal, "wind-down", 0, nil},
		"no body":        {answer{}, nil, cloud.Internal, "capacityReservationCancellationQuoteId", 0, nil},
		"no set":         {quoted(pending), []answer{{}}, cloud.Internal, "QuoteSet", 1, nil},
		"throttled":      {quoted(pending), []answer{throttled}, cloud.Throttled, "", 5, nil},
		"refused":        {refused(400, "SomethingNew", "not now"), nil, cloud.Conflict, "not now", 0, nil},
		"unsupported":    {refused(400, "UnsupportedOperation", "not now"), nil, cloud.Conflict, "not now", 0, nil},
		"may not":        {refused(403, "UnauthorizedOperation", "no"), nil, cloud.PermissionDenied, "", 0, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describe, described("", futureObject("scheduled")))
			s.on(quoteOf, test.made)
			s.on(quotesOf, test.looks...)
			got, err := s.cloud().Quote(t.Context(), ref())
			if asked := strings.Count(strings.Join(s.actions(), " "), quotesOf); asked != test.asked {
				t.Errorf("looked at it %d times, want %d", asked, test.asked)
			}
			form := s.sent(quoteOf, 0).form
			if form.Get("CapacityReservationId") != short || form.Get("ClientToken") == "" {
				t.Errorf("sent %v", form)
			}
			if test.looks != nil {
				wantForm(t, s.sent(quotesOf, 0).form, map[string]string{"CapacityReservationCancellationQuoteId.1": quoteID})
			}
			if test.code != "" {
				wantError(t, err, test.code, test.says)
				return
			}
			want := want
			if test.unlike != nil {
				test.unlike(&want)
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestQuoteOfWhatHasNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		object string
		date   time.Time
		code   cloud.Code
	}{
		"a block":         {blockObject("active"), start, cloud.Unsupported},
		"on demand":       {object("active"), start, cloud.Unsupported},
		"being assessed":  {futureObject("assessing"), start, cloud.Conflict},
		"late":            {futureObject("delayed"), future, cloud.Conflict},
		"past its term":   {futureObject("active"), future.Add(14 * day), cloud.Conflict},
		"already given":   {futureObject("cancelling"), future, cloud.Conflict},
		"never delivered": {futureObject("unsupported"), future, cloud.Conflict},
	} {
		s := newStub(t)
		s.date = test.date
		s.on(describe, described("", test.object))
		if _, err := s.cloud().Quote(t.Context(), ref()); cloud.CodeOf(err) != test.code {
			t.Errorf("%s: %v, want %s", name, err, test.code)
		}
		s.wantActions(describe)
	}
	s := newStub(t)
	s.on(describe, refused(400, "InvalidCapacityReservationId.NotFound", "no"))
	if _, err := s.cloud().Quote(t.Context(), ref()); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("unknown: %v", err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	state := func(native string, more ...string) answer { return described("", futureObject(native, more...)) }
	refusedQuote, before := refused(400, "SomethingNew", "?"), state("active", counts(8, 8))
	tests := map[string]struct {
		cancel, after []answer
		code          cloud.Code
		users         int
	}{
		"given up":             {[]answer{returned(cancel)}, []answer{state("cancelling")}, "", 0},
		"given up free":        {[]answer{returned(cancel)}, []answer{state("cancelled")}, "", 0},
		"shown late":           {[]answer{returned(cancel)}, []answer{state("active"), state("cancelling")}, "", 0},
		"given up meanwhile":   {[]answer{refusedQuote}, []answer{state("cancelling")}, "", 0},
		"a lost answer":        {[]answer{{drop: true}, refusedQuote}, []answer{state("cancelling")}, "", 0},
		"unknown by now":       {[]answer{refused(400, "InvalidCapacityReservationId.NotFound", "no")}, nil, "", 0},
		"stale":                {[]answer{refusedQuote}, []answer{state("scheduled")}, cloud.Conflict, 0},
		"not in this state":    {[]answer{refused(400, "IncorrectState", "?")}, []answer{state("active", counts(8, 8))}, cloud.Conflict, 0},
		"in use":               {[]answer{refusedQuote}, []answer{state("active", counts(8, 7))}, cloud.InUse, 1},
		"may not":              {[]answer{refused(403, "UnauthorizedOperation", "no")}, nil, cloud.PermissionDenied, 0},
		"not known what came":  {[]answer{{}}, []answer{state("scheduled")}, cloud.Internal, 0},
		"accepted, not so yet": {[]answer{returned(cancel)}, []answer{state("scheduled")}, cloud.Conflict, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(cancel, test.cancel...)
			s.on(describe, append([]answer{before}, test.after...)...)
			s.on("DescribeInstances", answer{body: `<DescribeInstancesResponse><reservationSet><item><instancesSet><item>` +
				`<instanceId>i-1</instanceId></item></instancesSet></item></reservationSet></DescribeInstancesResponse>`})
			err := s.cloud().Cancel(t.Context(), ref(), cloud.Quote{ID: quoteID})
			if cloud.CodeOf(err) != test.code {
				t.Errorf("got %v (%s), want %q", err, cloud.CodeOf(err), test.code)
			}
			if test.users > 0 && len(classed(t, err).Users) != test.users {
				t.Errorf("users %v", classed(t, err).Users)
			}
			wantForm(t, s.sent(cancel, 0).form, map[string]string{
				"CapacityReservationId": short, "QuoteId": quoteID, "ApplyCancellationCharges": "commitment-wind-down",
			})
		})
	}
}

// TestCancelWithoutACall: what is gone is success, what has no quotes is refused,
// and neither is asked to be given up.
func TestCancelWithoutACall(t *testing.T) {
	t.Parallel()
	quote := cloud.Quote{ID: quoteID}
	for name, test := range map[string]struct {
		describe answer
		quote    cloud.Quote
		code     cloud.Code
	}{
		"a second time": {described("", futureObject("cancelling")), quote, ""},
		"unknown":       {refused(400, "InvalidCapacityReservationId.NotFound", "no"), quote, ""},
		"not read":      {refused(403, "UnauthorizedOperation", "no"), quote, cloud.PermissionDenied},
		"a block":       {described("", blockObject("active")), quote, cloud.Unsupported},
		"on demand":     {described("", object("active")), quote, cloud.Unsupported},
		"no quote":      {described("", futureObject("active")), cloud.Quote{}, cloud.Invalid},
	} {
		s := newStub(t)
		s.on(describe, test.describe)
		if err := s.cloud().Cancel(t.Context(), ref(), test.quote); cloud.CodeOf(err) != test.code {
			t.Errorf("%s: %v, want %q", name, err, test.code)
		}
		s.wantActions(describe)
	}
}

// TestReleaseOfTheCommitted: only what is free is given up, what is scheduled by
// a quote of zero hours.
func TestReleaseOfTheCommitted(t *testing.T) {
	t.Parallel()
	state := func(native string) answer { return described("", futureObject(native)) }
	needsQuote := refused(400, "SomethingNew", "needs a quote")
	tests := map[string]struct {
		cancel, describe []answer
		quote            answer
		date             time.Time
		code             cloud.Code
		says             string
		cancels          int
	}{
		"being assessed": {[]answer{returned(cancel)}, []answer{state("cancelled")}, answer{}, start, "", "", 1},
		"late":           {[]answer{returned(cancel)}, []answer{state("cancelled")}, answer{}, future, "", "", 1},
		"past its commitment, refused": {
			[]answer{needsQuote}, []answer{state("active")}, answer{}, future.Add(15 * day), cloud.Unsupported, "needs a quote", 1,
		},
		"in its commitment": {
			[]answer{refused(400, "IncorrectState", "no")}, []answer{state("active")}, answer{}, future, cloud.Unsupported, "2031-05-24T12:00:00Z", 1,
		},
		"scheduled and free": {
			[]answer{needsQuote, returned(cancel)}, []answer{state("scheduled"), state("cancelled")}, quoted(quoteXML("active", 0)), start, "", "", 2,
		},
		"scheduled and paid": {
			[]answer{needsQuote}, []answer{state("scheduled")}, quoted(quoteXML("active", 84)), start, cloud.Unsupported, "672 instance hours", 1,
		},
		"scheduled without a quote": {
			[]answer{needsQuote}, []answer{state("scheduled")}, refused(400, "IncorrectState", "no"), start, cloud.Unsupported, "2031-05-24", 1,
		},
		"scheduled, quote not read": {
			[]answer{needsQuote}, []answer{state("scheduled")}, answer{}, start, cloud.Internal, "", 1,
		},
		"scheduled, quote not taken": {
			[]answer{needsQuote}, []answer{state("scheduled")}, quoted(quoteXML("active", 0)), start, cloud.Conflict, "not taken", 2,
		},
		"scheduled, given up meanwhile": {
			[]answer{needsQuote}, []answer{state("scheduled"), state("cancelled")}, quoted(quoteXML("active", 0)), start, "", "", 2,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.date = test.date
			s.on(cancel, test.cancel...)
			s.on(describe, test.describe...)
			s.on(quoteOf, test.quote)
			err := s.cloud().Release(t.Context(), ref())
			if cloud.CodeOf(err) != test.code || (err != nil && !strings.Contains(err.Error(), test.says)) {
				t.Errorf("got %v (%s), want %q that says %q", err, cloud.CodeOf(err), test.code, test.says)
			}
			if cancels := strings.Count(strings.Join(s.actions(), " "), cancel); cancels != test.cancels {
				t.Errorf("cancelled %d times, want %d", cancels, test.cancels)
			}
			if form := s.sent(cancel, 0).form; form.Get("QuoteId") != "" {
				t.Errorf("a plain cancel has %v", form)
			}
		})
	}
}

// TestQuoteOutlastsTheDeadline: a quote that is made too slowly is no quote.
func TestQuoteOutlastsTheDeadline(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(describe, described("", futureObject("scheduled")))
	s.on(quoteOf, quoted(quoteWith("pending", "")))
	s.on(quotesOf, quotes(quoteWith("pending", "")))
	_, err := s.cloud().Quote(clock.Until(t.Context(), start.Add(12*time.Second)), ref())
	if cloud.CodeOf(err) != cloud.Internal || s.clock.Now().After(start.Add(12*time.Second)) {
		t.Errorf("got %v at %v", err, s.clock.Now())
	}
}

func TestBlockIsNotReleased(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state, code string
		want        cloud.Code
	}{
		"not paid yet":         {"payment-pending", "SomethingNew", cloud.Unsupported},
		"before its start":     {"scheduled", "IncorrectState", cloud.Unsupported},
		"running":              {"active", "UnsupportedOperation", cloud.Unsupported},
		"denied its existence": {"active", "InvalidParameterValue", cloud.Unsupported},
		"over":                 {"expired", "IncorrectState", ""},
		"never paid":           {"payment-failed", "IncorrectState", ""},
		"may not":              {"active", "UnauthorizedOperation", cloud.PermissionDenied},
		"not known":            {"active", "InternalError", cloud.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describe, described("", blockObject(test.state)))
			status := 400
			if test.want == cloud.Internal {
				status = 500
			}
			s.on(cancel, refused(status, test.code, "a block"))
			err := s.cloud().Release(t.Context(), ref())
			if cloud.CodeOf(err) != test.want {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if test.want == cloud.Unsupported && !strings.Contains(err.Error(), "2031-03-10T11:30:00Z") {
				t.Errorf("%v does not tell the end", err)
			}
			if quoted := slices.Contains(s.actions(), quoteOf); quoted {
				t.Error("a block has no quote")
			}
		})
	}
}
