// Package attribute has what the provider's types share in their schemas: the
// forms of durations, times, amounts and names, with their validators and their
// way to and from the framework's values. It knows no resource and no cloud.
package attribute
