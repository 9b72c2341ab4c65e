package azure

import (
	"testing"
	"time"
)

func TestInstants(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		"2031-05-10T09:00:00.5+02:00": time.Date(2031, 5, 10, 7, 0, 0, 500_000_000, time.UTC),
		"2031-05-10T09:00:00":         time.Date(2031, 5, 10, 9, 0, 0, 0, time.UTC),
		"2031-05-10":                  time.Date(2031, 5, 10, 0, 0, 0, 0, time.UTC),
		"":                            {}, "soon": {},
	} {
		if got := instantOf(text); !got.Equal(want) {
			t.Errorf("%q is %s", text, got)
		}
	}
	if got := blockStart("2031-05-10"); got != time.Date(2031, 5, 10, 12, 0, 0, 0, time.UTC) {
		t.Error(got)
	}
	if got := blockEnd("2031-05-10"); got != time.Date(2031, 5, 10, 11, 30, 0, 0, time.UTC) {
		t.Error(got)
	}
	if got := blockEnd(""); !got.IsZero() {
		t.Error(got)
	}
}

func TestWrittenTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 5, 10, 1, 0, 0, 500_000_100, time.FixedZone("", 2*3600))
	if got := instant(at); got != "2031-05-09T23:00:00.5000001Z" {
		t.Error(got)
	}
	if got := instantOf(instant(at)); !got.Equal(at) {
		t.Errorf("%s is sent as %s", at, got)
	}
	if got := instant(at.Truncate(time.Second)); got != "2031-05-09T23:00:00Z" {
		t.Error(got)
	}
	if got := dateOf(at); got != "2031-05-09" {
		t.Error(got)
	}
	if instant(time.Time{}) != "" || !sendableTime(time.Time{}).IsZero() {
		t.Error("no time is none")
	}
	for d, want := range map[time.Duration]string{3 * day: "3d", 36 * time.Hour: "36h0m0s", -day: "-24h0m0s", 0: "0s"} {
		if got := days(d); got != want {
			t.Errorf("%s is %s", d, got)
		}
	}
}
