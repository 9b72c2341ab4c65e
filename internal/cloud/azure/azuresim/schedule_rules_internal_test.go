package azuresim

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestReadBlock(t *testing.T) {
	t.Parallel()
	const morning, noon = "2027-03-01T11:29:59Z", "2027-03-01T11:30:00Z"
	for name, test := range map[string]struct {
		now        string
		start, end string
		wrong      string
		opens      string
		closes     string
	}{
		"a day":                 {noon, "2027-03-10", "2027-03-11", "", "2027-03-10T12:00:00Z", "2027-03-11T11:30:00Z"},
		"as it is read back":    {noon, "2027-03-10T12:00:00Z", "2027-03-11T11:30:00Z", "", "2027-03-10T12:00:00Z", "2027-03-11T11:30:00Z"},
		"in another zone":       {noon, "2027-03-10T13:00:00+01:00", "2027-03-11", "", "2027-03-10T12:00:00Z", "2027-03-11T11:30:00Z"},
		"fourteen days":         {noon, "2027-03-10", "2027-03-24", "", "2027-03-10T12:00:00Z", "2027-03-24T11:30:00Z"},
		"fifteen days":          {noon, "2027-03-10", "2027-03-25", targetEnd, "", ""},
		"three weeks":           {noon, "2027-03-10", "2027-03-31", "", "2027-03-10T12:00:00Z", "2027-03-31T11:30:00Z"},
		"three weeks and one":   {noon, "2027-03-10", "2027-04-01", targetEnd, "", ""},
		"twenty-six weeks":      {noon, "2027-03-10", "2027-09-08", "", "2027-03-10T12:00:00Z", "2027-09-08T11:30:00Z"},
		"twenty-seven weeks":    {noon, "2027-03-10", "2027-09-15", targetEnd, "", ""},
		"no day":                {noon, "2027-03-10", "2027-03-10", targetEnd, "", ""},
		"backwards":             {noon, "2027-03-10", "2027-03-09", targetEnd, "", ""},
		"today in time":         {morning, "2027-03-01", "2027-03-02", "", "2027-03-01T12:00:00Z", "2027-03-02T11:30:00Z"},
		"today too late":        {noon, "2027-03-01", "2027-03-02", targetStart, "", ""},
		"yesterday":             {morning, "2027-02-28", "2027-03-02", targetStart, "", ""},
		"56 days ahead":         {noon, "2027-04-26", "2027-04-27", "", "2027-04-26T12:00:00Z", "2027-04-27T11:30:00Z"},
		"57 days ahead":         {noon, "2027-04-27", "2027-04-28", targetStart, "", ""},
		"another time of day":   {noon, "2027-03-10T00:00:00Z", "2027-03-11", targetStart, "", ""},
		"an end at noon":        {noon, "2027-03-10", "2027-03-11T12:00:00Z", targetEnd, "", ""},
		"no date":               {noon, "soon", "2027-03-11", targetStart, "", ""},
		"no start":              {noon, "", "2027-03-11", targetStart, "", ""},
		"no end":                {noon, "2027-03-10", "", targetEnd, "", ""},
		"a date that is not":    {noon, "2027-02-30", "2027-03-11", targetStart, "", ""},
		"an American day":       {noon, "03/10/2027", "2027-03-11", targetStart, "", ""},
		"an end of another day": {noon, "2027-03-10", "2027-03-11T11:30:00+01:00", targetEnd, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, wrong := window{start: test.start, end: test.end}.readBlock(at(test.now))
			if test.wrong != "" {
				if wrong == nil || wrong.target != test.wrong {
					t.Fatalf("got %+v, %+v; want a flaw of %s", got, wrong, test.wrong)
				}
				return
			}
			if wrong != nil {
				t.Fatal(wrong)
			}
			want := schedule{Start: at(test.opens), End: at(test.closes), SentStart: test.start, SentEnd: test.end}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBlockHasNoCommitment(t *testing.T) {
	t.Parallel()
	days := 30
	_, wrong := window{"2027-03-10", "2027-03-11", &days}.readBlock(at("2027-03-01T12:00:00Z"))
	if wrong == nil || wrong.target != targetCommitment {
		t.Error(wrong)
	}
}

func TestBlockCounts(t *testing.T) {
	t.Parallel()
	var fine []int
	for count := range 130 {
		if checkBlockCount(count) == nil {
			fine = append(fine, count)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 4, 8, 16, 32, 64}, fine); diff != "" {
		t.Error(diff)
	}
}

func TestReadFuture(t *testing.T) {
	t.Parallel()
	now, thirty, none := at("2027-03-01T12:00:00Z"), 35, 0
	for name, test := range map[string]struct {
		window window
		wrong  string
		want   schedule
	}{
		"far": {
			window: window{start: "2027-06-01T12:00:00Z"},
			want:   schedule{Start: at("2027-06-01T12:00:00Z"), CommitmentDays: 30, ModifiableUntil: at("2027-04-06T12:00:00Z")},
		},
		"near":            {window: window{start: "2027-04-26T12:00:00Z"}, want: schedule{Start: at("2027-04-26T12:00:00Z"), CommitmentDays: 30}},
		"a date":          {window: window{start: "2027-03-08"}, want: schedule{Start: at("2027-03-08T12:00:00Z"), CommitmentDays: 30}},
		"days":            {window: window{start: "2027-03-08T12:00:00Z", days: &thirty}, want: schedule{Start: at("2027-03-08T12:00:00Z"), CommitmentDays: 35}},
		"an offset":       {window: window{start: "2027-03-08T13:00:00.5+01:00"}, want: schedule{Start: at("2027-03-08T12:00:00Z").Add(time.Second / 2), CommitmentDays: 30}},
		"too soon":        {window: window{start: "2027-03-08T11:59:59Z"}, wrong: targetStart},
		"half a year":     {window: window{start: "2027-08-31T12:00:00Z"}, want: schedule{Start: at("2027-08-31T12:00:00Z"), CommitmentDays: 30, ModifiableUntil: at("2027-07-06T12:00:00Z")}},
		"too late":        {window: window{start: "2027-08-31T12:00:01Z"}, wrong: targetStart},
		"an end":          {window: window{start: "2027-03-10", end: "2027-03-11"}, wrong: targetEnd},
		"no start":        {window: window{days: &thirty}, wrong: targetStart},
		"no days":         {window: window{start: "2027-03-10", days: &none}, wrong: targetCommitment},
		"not a date":      {window: window{start: "in a week"}, wrong: targetStart},
		"without a clock": {window: window{start: "2027-03-10T12:00:00"}, wrong: targetStart},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, wrong := test.window.readFuture(now, blockLead*day, usualCommitment)
			if test.wrong != "" {
				if wrong == nil || wrong.target != test.wrong {
					t.Fatalf("got %+v, %+v; want a flaw of %s", got, wrong, test.wrong)
				}
				return
			}
			if wrong != nil {
				t.Fatal(wrong)
			}
			test.want.SentStart = test.window.start
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The examples of the specification have these dates.
func TestModifiableUntilOfTheExamples(t *testing.T) {
	t.Parallel()
	got := modifiableUntil(at("2026-08-01T12:00:00Z"), at("2026-03-01T00:00:00Z"), blockLead*day)
	if diff := cmp.Diff(at("2026-06-06T12:00:00Z"), got); diff != "" {
		t.Error(diff)
	}
}

func TestFlawsNameTheRule(t *testing.T) {
	t.Parallel()
	_, wrong := window{start: "2027-03-01", end: "2027-03-02"}.readBlock(at("2027-03-01T12:00:00Z"))
	if wrong == nil || !strings.Contains(wrong.text, "before 11:30 AM UTC") {
		t.Error(wrong)
	}
}
