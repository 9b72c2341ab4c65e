package azure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func testMark() cloud.Mark {
	return cloud.Mark{Owner: "team/prod", Name: "train", Type: "gpu_lock", Lock: "train", Claim: "c-1"}
}

func TestMarkInTags(t *testing.T) {
	t.Parallel()
	tags := map[string]string{
		"GPULOCK:Owner": "team/prod", "gpulock:name": "train", "gpulock:Managed-By": "gpu_lock", "gpulock:lock": "train", "GpuLock:claim": "c-1",
		"Team": "ml", "hidden-title": "x", "ms-resource-usage": "y",
	}
	if diff := cmp.Diff(testMark(), readMark(tags)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"Team": "ml"}, userTags(tags)); diff != "" {
		t.Error(diff)
	}
	if !readMark(nil).Empty() || len(tagsOf(nil)) != 0 {
		t.Error("no tags have a mark")
	}
	value := "v"
	if diff := cmp.Diff(map[string]string{"a": "v", "b": ""}, tagsOf(map[string]*string{"a": &value, "b": nil})); diff != "" {
		t.Error(diff)
	}
}

func TestCreateTags(t *testing.T) {
	t.Parallel()
	user := map[string]string{"team": "ml"}
	want := map[string]string{
		"team": "ml", "gpulock:owner": "team/prod", "gpulock:name": "train", "gpulock:managed-by": "gpu_lock", "gpulock:lock": "train",
	}
	if diff := cmp.Diff(want, createTags(user, testMark())); diff != "" {
		t.Error(diff)
	}
	if len(user) != 1 {
		t.Error("the user's tags were changed")
	}
}

func TestRetagged(t *testing.T) {
	t.Parallel()
	next := testMark()
	next.Lock, next.Claim = "", "c-2"
	have := map[string]string{
		"Team": "ml", "env": "dev", "foreign": "stays", "hidden-link": "h",
		"gpulock:owner": "team/prod", "GPULOCK:NAME": "train", "gpulock:managed-by": "gpu_lock", "gpulock:lock": "train", "gpulock:releasing": "true",
	}
	for name, tt := range map[string]struct {
		change cloud.Change
		want   map[string]string
	}{
		"nothing": {cloud.Change{}, have},
		"a key in another casing": {
			cloud.Change{SetTags: map[string]string{"team": "infra"}, RemoveTags: []string{"Team", "ENV", "absent"}},
			map[string]string{
				"team": "infra", "foreign": "stays", "hidden-link": "h",
				"gpulock:owner": "team/prod", "GPULOCK:NAME": "train", "gpulock:managed-by": "gpu_lock", "gpulock:lock": "train", "gpulock:releasing": "true",
			},
		},
		"what is not the user's": {
			cloud.Change{SetTags: map[string]string{"gpulock:owner": "me", "Hidden-link": "x"}, RemoveTags: []string{"gpulock:owner", "hidden-link"}},
			have,
		},
		"the mark": {
			cloud.Change{Mark: &next},
			map[string]string{
				"Team": "ml", "env": "dev", "foreign": "stays", "hidden-link": "h", "gpulock:owner": "team/prod",
				"gpulock:name": "train", "gpulock:managed-by": "gpu_lock", "gpulock:claim": "c-2", "gpulock:releasing": "true",
			},
		},
	} {
		before := len(have)
		if diff := cmp.Diff(tt.want, retagged(have, tt.change)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(have) != before {
			t.Errorf("%s: the present tags were changed", name)
		}
	}
}

func TestReleasing(t *testing.T) {
	t.Parallel()
	have := map[string]string{"gpulock:owner": "o", "GPULOCK:Releasing": "no", "foreign": "stays"}
	if isReleasing(have) {
		t.Error("it is not yet")
	}
	tags := releasing(have)
	if diff := cmp.Diff(map[string]string{"gpulock:owner": "o", "gpulock:releasing": "true", "foreign": "stays"}, tags); diff != "" || !isReleasing(tags) {
		t.Error(diff)
	}
	if isReleasing(nil) || !isReleasing(map[string]string{"GpuLock:Releasing": "True"}) {
		t.Error("the tag counts in any casing, and not where it is absent")
	}
	sent := sendable(map[string]string{"a": "1", "b": "2"})
	if *sent["a"] != "1" || *sent["b"] != "2" {
		t.Error("tags are sent as they are")
	}
	for _, change := range []cloud.Change{{Mark: &cloud.Mark{}}, {SetTags: tags}, {RemoveTags: []string{"a"}}} {
		if !retags(change) {
			t.Errorf("%+v changes tags", change)
		}
	}
	if retags(cloud.Change{}) {
		t.Error("nothing changes no tags")
	}
}
