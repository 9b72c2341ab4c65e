package azuresim

import (
	"strings"
	"testing"
	"time"
)

func TestNextState(t *testing.T) {
	t.Parallel()
	start, until := at("2027-06-01T12:00:00Z"), at("2027-04-06T12:00:00Z")
	fast := life{Review: time.Second, Commit: time.Minute}
	now := at("2027-03-01T12:00:00Z")
	for name, test := range map[string]struct {
		s     schedule
		state string
		at    time.Time
		want  string
		due   time.Time
	}{
		"approved until it is fixed":        {schedule{Start: start, ModifiableUntil: until, Life: fast}, futurePending, now, futureApproved, until},
		"approved after it is fixed":        {schedule{Start: start, ModifiableUntil: until, Life: fast}, futurePending, until.Add(day), futureApproved, until.Add(day)},
		"approved when it cannot be moved":  {schedule{Start: start, Life: fast}, futurePending, now, futureApproved, now.Add(time.Minute)},
		"approved, by half of what is left": {schedule{Start: now.Add(10 * day)}, futurePending, now, futureApproved, now.Add(5 * day)},
		"declined":                          {schedule{Start: start, Life: life{Declined: true}}, futurePending, now, futureDeclined, time.Time{}},
		"reviewed too late":                 {schedule{Start: start, Life: fast}, futurePending, start, futureDeclined, time.Time{}},
		"committed":                         {schedule{Start: start, Life: fast}, futureApproved, now, futureCommitted, start},
		"live stays":                        {schedule{Start: start, Life: fast}, futureLive, start, futureLive, time.Time{}},
		"declined stays":                    {schedule{Start: start, Life: fast}, futureDeclined, now, futureDeclined, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, due := test.s.next(test.state, test.at)
			if got != test.want || !due.Equal(test.due) {
				t.Errorf("got %s at %s, want %s at %s", got, due, test.want, test.due)
			}
		})
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		delivered, count int
		want             string
	}{{0, 2, futureFailed}, {1, 2, futurePartly}, {2, 2, futureLive}} {
		if got := outcome(test.delivered, test.count); got != test.want {
			t.Errorf("%d of %d is %s, want %s", test.delivered, test.count, got, test.want)
		}
	}
}

func TestSeriesNames(t *testing.T) {
	t.Parallel()
	for size, want := range map[string]string{
		"Standard_NC24ads_A100_v4": "NCadsA100v4", "Standard_ND96isr_H100_v5": "NDisrH100v5", "Standard_NV4as_v4": "NVasv4",
	} {
		if got := series(size); got != want {
			t.Errorf("%s: %s, want %s", size, got, want)
		}
	}
}

func TestPriceLocations(t *testing.T) {
	t.Parallel()
	for display, want := range map[string]string{
		"East US 2": "US East 2", "West Europe": "EU West", "Southeast Asia": "Southeast Asia", "South Central US": "US South Central",
	} {
		if got := priceLocation(display); got != want {
			t.Errorf("%s: %s, want %s", display, got, want)
		}
	}
}

// TestSizesArePlausible: a size has what every size has, in locations that there
// are, and what is reservable a type.
func TestSizesArePlausible(t *testing.T) {
	t.Parallel()
	if table := sizesByName(); len(table) != len(sizes()) {
		t.Error("a size is given twice")
	}
	for _, s := range sizes() {
		if s.family == "" || s.vcpus == 0 || s.memoryGB == 0 || len(s.zones) == 0 || s.reservable != (len(s.reservationTypes) > 0) {
			t.Errorf("%+v", s)
		}
		for location := range s.zones {
			if _, known := locations()[location]; !known {
				t.Errorf("%s is in %s, which is no location", s.name, location)
			}
		}
	}
}

// TestPricesArePlausible: a price is of a size and a location that there are.
func TestPricesArePlausible(t *testing.T) {
	t.Parallel()
	prices, err := loadPrices()
	if err != nil || len(prices) == 0 {
		t.Fatal(err)
	}
	table := sizesByName()
	for _, p := range prices {
		if _, known := table[strings.ToLower(p.size)]; !known || p.micros <= 0 || locations()[p.location].display == "" {
			t.Errorf("%+v", p)
		}
	}
}
