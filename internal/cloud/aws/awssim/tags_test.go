package awssim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func (s *stage) tagsOf(id string) map[string]string {
	s.t.Helper()
	rows, err := s.world.Objects()
	s.ok(err)
	for _, row := range rows {
		if strings.HasSuffix(row.NativeID, id) {
			return row.Tags
		}
	}
	s.t.Fatalf("%s is not there", id)
	return nil
}

func TestDeleteTags(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		params string
		left   map[string]string
	}{
		"by key":              {"&Tag.1.Key=a", map[string]string{"b": "2", "e": "", "aws:s": "1"}},
		"by key and value":    {"&Tag.1.Key=a&Tag.1.Value=1", map[string]string{"b": "2", "e": "", "aws:s": "1"}},
		"other value":         {"&Tag.1.Key=a&Tag.1.Value=2", map[string]string{"a": "1", "b": "2", "e": "", "aws:s": "1"}},
		"empty value, filled": {"&Tag.1.Key=a&Tag.1.Value=", map[string]string{"a": "1", "b": "2", "e": "", "aws:s": "1"}},
		"empty value, empty":  {"&Tag.1.Key=e&Tag.1.Value=", map[string]string{"a": "1", "b": "2", "aws:s": "1"}},
		"two":                 {"&Tag.1.Key=a&Tag.2.Key=e", map[string]string{"b": "2", "aws:s": "1"}},
		"one that is not":     {"&Tag.1.Key=zzz", map[string]string{"a": "1", "b": "2", "e": "", "aws:s": "1"}},
		"all":                 {"", map[string]string{"aws:s": "1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			id := s.create()
			s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + id + "&Tag.1.Key=a&Tag.1.Value=1&Tag.2.Key=b&Tag.2.Value=2&Tag.3.Key=e"))
			s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Tags: map[string]*string{"aws:s": new("1")}}))
			s.says(s.accepted(s.ec2("Action=DeleteTags&ResourceId.1="+id+tt.params)), "<return>true</return>")
			if diff := cmp.Diff(tt.left, s.tagsOf(id)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTagsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.create()
	tests := map[string]struct{ body, code string }{
		"reserved":             {"CreateTags&ResourceId.1=" + id + "&Tag.1.Key=aws:x", "InvalidParameterValue"},
		"reserved in capitals": {"CreateTags&ResourceId.1=" + id + "&Tag.1.Key=AWS:x", "InvalidParameterValue"},
		"delete reserved":      {"DeleteTags&ResourceId.1=" + id + "&Tag.1.Key=aws:x", "InvalidParameterValue"},
		"no key":               {"CreateTags&ResourceId.1=" + id + "&Tag.1.Value=x", "MissingParameter"},
		"empty key":            {"CreateTags&ResourceId.1=" + id + "&Tag.1.Key=", "InvalidParameterValue"},
		"long key":             {"CreateTags&ResourceId.1=" + id + "&Tag.1.Key=" + strings.Repeat("k", 129), "InvalidParameterValue"},
		"long value":           {"CreateTags&ResourceId.1=" + id + "&Tag.1.Key=k&Tag.1.Value=" + strings.Repeat("v", 257), "InvalidParameterValue"},
		"key twice":            {"CreateTags&ResourceId.1=" + id + "&Tag.1.Key=k&Tag.2.Key=k", "InvalidParameterValue"},
		"no tag":               {"CreateTags&ResourceId.1=" + id, "MissingParameter"},
		"no resource":          {"CreateTags&Tag.1.Key=k", "MissingParameter"},
		"unknown resource":     {"CreateTags&ResourceId.1=cr-0123456789abcdef0&Tag.1.Key=k", "InvalidCapacityReservationId.NotFound"},
		"other resource":       {"CreateTags&ResourceId.1=i-0123456789abcdef0&Tag.1.Key=k", "InvalidID"},
		"one of two unknown":   {"CreateTags&ResourceId.1=" + id + "&ResourceId.2=cr-0123456789abcdef0&Tag.1.Key=k", "InvalidCapacityReservationId.NotFound"},
	}
	for name, tt := range tests {
		if got := s.ec2("Action=" + tt.body); got.code() != tt.code {
			t.Errorf("%s: %d %s, want %s", name, got.status, got.code(), tt.code)
		}
	}
	if left := s.tagsOf(id); len(left) != 0 {
		t.Errorf("a refused call left %v", left)
	}
	s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + id + "&Tag.1.Key=" + strings.Repeat("%C3%A9", 128) + "&Tag.1.Value=" + strings.Repeat("v", 256)))
}

func TestTooManyTaggedResources(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.create()
	var body strings.Builder
	for n := range 1001 {
		fmt.Fprintf(&body, "&ResourceId.%d=%s", n+1, id)
	}
	s.refused(s.ec2("Action=CreateTags&Tag.1.Key=k"+body.String()), "InvalidParameterValue")
}

func TestDescribeTags(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.create(), s.create()
	s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + a + "&ResourceId.2=" + b + "&Tag.1.Key=k&Tag.1.Value=v"))
	s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + a + "&Tag.1.Key=n&Tag.1.Value=w"))
	tests := map[string]int{
		"": 3, "&Filter.1.Name=key&Filter.1.Value.1=k": 2, "&Filter.1.Name=value&Filter.1.Value.1=w": 1,
		"&Filter.1.Name=resource-id&Filter.1.Value.1=" + b: 1, "&Filter.1.Name=resource-type&Filter.1.Value.1=instance": 0,
		"&Filter.1.Name=tag:k&Filter.1.Value.1=*": 2, "&Filter.1.Name=tag:k&Filter.1.Value.1=w": 0,
	}
	for params, want := range tests {
		if got := strings.Count(s.accepted(s.ec2("Action=DescribeTags"+params)).body, "<item>"); got != want {
			t.Errorf("%s: %d, want %d", params, got, want)
		}
	}
}
