// Package phase is the provider's function phase: where an instant stands in a
// window. It computes and asks nobody; it knows no cloud and no configuration.
package phase

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The phases of a window.
const (
	Scheduled = "scheduled"
	Active    = "active"
	Ended     = "ended"
)

// Function is provider::gpu::phase.
type Function struct{}

var _ function.Function = Function{}

// NewFunction returns the function.
func NewFunction() function.Function { return Function{} }

// Metadata implements function.Function.
func (Function) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "phase"
}

// The positions of the arguments.
const (
	startsAt int64 = iota
	endsAt
	at
)

func argument(position int64) string {
	return [...]string{"starts_at", "ends_at", "at"}[position]
}

// Definition implements function.Function.
func (Function) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Where an instant stands in a window",
		MarkdownDescription: "Tells whether a window is `scheduled` (it starts after `at`), `active` or `ended` (it ended at or " +
			"before `at`). States hold no such phase, because it changes by itself; this function computes it from " +
			"`starts_at` and `ends_at` of a reservation and an instant of your choice. Times are RFC 3339 with an offset. " +
			"It works offline and gives the same answer every time. With `plantimestamp()`, what the same run creates is " +
			"still `scheduled`: it starts after the plan.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name: argument(startsAt), AllowNullValue: true,
				MarkdownDescription: "When the window starts; null for one that has started already.",
			},
			function.StringParameter{
				Name: argument(endsAt), AllowNullValue: true,
				MarkdownDescription: "When the window ends; null for one without an end.",
			},
			function.StringParameter{
				Name:                argument(at),
				MarkdownDescription: "The instant to look at, such as `plantimestamp()`.",
			},
		},
		Return: function.StringReturn{},
	}
}

// Run implements function.Function.
func (Function) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var texts [3]types.String
	resp.Error = req.Arguments.Get(ctx, &texts[startsAt], &texts[endsAt], &texts[at])
	if resp.Error != nil {
		return
	}
	var times [3]time.Time
	for i, text := range texts {
		t, err := parse(int64(i), text)
		if err != nil {
			resp.Error = function.ConcatFuncErrors(resp.Error, err)
		}
		times[i] = t
	}
	if resp.Error != nil {
		return
	}
	start, end := times[startsAt], times[endsAt]
	if !end.IsZero() && end.Before(start) {
		resp.Error = function.NewArgumentFuncError(endsAt, fmt.Sprintf(
			"ends_at %q is before starts_at %q", texts[endsAt].ValueString(), texts[startsAt].ValueString()))
		return
	}
	resp.Error = resp.Result.Set(ctx, types.StringValue(Of(start, end, times[at])))
}

// parse reads an argument; null is the zero time, except as the instant to look
// at. An end that is spelled as the zero time is no end that never comes.
func parse(position int64, text types.String) (time.Time, *function.FuncError) {
	if text.IsNull() && position != at {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text.ValueString())
	if err != nil || position == endsAt && t.IsZero() {
		// The command line ends the sentence.
		return time.Time{}, function.NewArgumentFuncError(position, fmt.Sprintf(
			"%s %q is not an RFC 3339 time such as \"2031-05-10T09:00:00Z\"", argument(position), text.ValueString()))
	}
	return t, nil
}

// Of is the phase of the window from start to end at an instant. A zero start
// has passed, a zero end never comes.
func Of(start, end, at time.Time) string {
	switch {
	case at.Before(start):
		return Scheduled
	case !end.IsZero() && !at.Before(end):
		return Ended
	}
	return Active
}
