package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a span of time as the control API writes it: a string in Go's
// syntax, in which "d" may stand for 24 hours.
type Duration time.Duration

// ParseDuration reads Go's syntax, with a leading part in days allowed.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseFloat(days, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration", text)
	}
	whole := time.Duration(n * 24 * float64(time.Hour))
	if rest == "" {
		return whole, nil
	}
	part, err := time.ParseDuration(rest)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration", text)
	}
	if n < 0 {
		part = -part
	}
	return whole + part, nil
}

// MarshalJSON writes Go's syntax.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// UnmarshalJSON accepts a string only: a bare number has no unit.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return errors.New(`a duration is a string such as "31m"`)
	}
	parsed, err := ParseDuration(text)
	if err != nil {
		return err
	}
	*d = Duration(parsed)
	return nil
}

// RetryAfter is the value of a Retry-After header: seconds as a number, or a
// Duration as a string.
type RetryAfter time.Duration

// MarshalJSON writes whole seconds.
func (r RetryAfter) MarshalJSON() ([]byte, error) {
	return json.Marshal(r.seconds())
}

// UnmarshalJSON accepts a number of seconds or a duration string.
func (r *RetryAfter) UnmarshalJSON(data []byte) error {
	var seconds float64
	if json.Unmarshal(data, &seconds) == nil && !bytes.Equal(data, []byte("null")) {
		*r = RetryAfter(seconds * float64(time.Second))
		return nil
	}
	var d Duration
	if err := d.UnmarshalJSON(data); err != nil {
		return errors.New("retry_after is a number of seconds or a duration string")
	}
	*r = RetryAfter(d)
	return nil
}

// seconds rounds up: a client told to wait less than it must would be refused.
func (r RetryAfter) seconds() int64 {
	d := time.Duration(r)
	return int64((d + time.Second - 1) / time.Second)
}
