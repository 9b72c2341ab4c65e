package sim_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestDurationText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want time.Duration
		bad  bool
	}{
		`"31m"`:    {want: 31 * time.Minute},
		`"1h30m"`:  {want: 90 * time.Minute},
		`"250ms"`:  {want: 250 * time.Millisecond},
		`"2d"`:     {want: 48 * time.Hour},
		`"1.5d"`:   {want: 36 * time.Hour},
		`"1d12h"`:  {want: 36 * time.Hour},
		`"-1d12h"`: {want: -36 * time.Hour},
		`"0s"`:     {want: 0},
		`""`:       {bad: true},
		`"d"`:      {bad: true},
		`"1dd"`:    {bad: true},
		`"1d5"`:    {bad: true},
		`"soon"`:   {bad: true},
		`5`:        {bad: true},
		`true`:     {bad: true},
		`{}`:       {bad: true},
	}
	for text, tt := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var got sim.Duration
			err := json.Unmarshal([]byte(text), &got)
			if tt.bad != (err != nil) || time.Duration(got) != tt.want {
				t.Errorf("%v, %v; want %v", time.Duration(got), err, tt.want)
			}
		})
	}
}

func TestDurationRoundTrip(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, time.Nanosecond, 90 * time.Minute, -time.Hour, 240 * time.Hour} {
		data, err := json.Marshal(sim.Duration(d))
		if err != nil {
			t.Fatal(err)
		}
		var back sim.Duration
		if err := json.Unmarshal(data, &back); err != nil || time.Duration(back) != d {
			t.Errorf("%v became %s and %v, %v", d, data, time.Duration(back), err)
		}
	}
}

func TestRetryAfterText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`3`: "3", `"3s"`: "3", `0.2`: "1", `"1500ms"`: "2", `"2m"`: "120"} {
		var got sim.RetryAfter
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if data, err := json.Marshal(got); err != nil || string(data) != want {
			t.Errorf("%s became %s, %v; want %s", text, data, err, want)
		}
	}
	for _, text := range []string{`true`, `"soon"`, `null`, `[]`} {
		got := sim.RetryAfter(time.Hour)
		if err := got.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

func TestUseIsANumberOrAList(t *testing.T) {
	t.Parallel()
	for text, count := range map[string]int{`0`: 0, `7`: 7, `[]`: 0, `["a","b"]`: 2} {
		var use sim.Use
		if err := json.Unmarshal([]byte(text), &use); err != nil || use.Count() != count {
			t.Errorf("%s: %+v, %v", text, use, err)
		}
		if data, err := json.Marshal(use); err != nil || string(data) != text {
			t.Errorf("%s came back as %s, %v", text, data, err)
		}
	}
	for _, text := range []string{`-1`, `1.5`, `"x"`, `[1]`, `{}`} {
		var use sim.Use
		if err := json.Unmarshal([]byte(text), &use); err == nil {
			t.Errorf("%s was taken as %+v", text, use)
		}
	}
}

func TestUnknownIsEmptyText(t *testing.T) {
	t.Parallel()
	var instant sim.Instant
	var number sim.Number
	for name, v := range map[string]any{"instant": &instant, "number": &number} {
		data, err := json.Marshal(v)
		if err != nil || string(data) != `""` {
			t.Errorf("%s: %s, %v", name, data, err)
		}
		if err := json.Unmarshal(data, v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := json.Unmarshal([]byte(`"x"`), v); err == nil {
			t.Errorf("%s took nonsense", name)
		}
	}
	if err := json.Unmarshal([]byte(`503`), &number); err != nil || number != 503 {
		t.Errorf("number %d, %v", number, err)
	}
	if err := json.Unmarshal([]byte(`"2031-05-10T09:00:00+02:00"`), &instant); err != nil || instant.Hour() != 7 {
		t.Errorf("instant %v, %v", instant, err)
	}
}
