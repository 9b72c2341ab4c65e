package azure

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const azureSpelling = "/subscriptions/" + testSub + "/resourceGroups/GPU/providers/Microsoft.Compute/CapacityReservationGroups/Train/capacityReservations/Train"

func TestParseID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		testID, azureSpelling, strings.ToUpper(testID), " " + testID + "\n", testID + "/",
		strings.TrimPrefix(azureSpelling, "/"),
		"https://management.azure.com" + azureSpelling,
		"https://portal.azure.com/#@example.com/resource" + azureSpelling,
		"https://portal.azure.com/#resource" + azureSpelling,
	} {
		got, err := parseID(id)
		if err != nil || got.String() != testID {
			t.Errorf("%q is read as %q, %v", id, got, err)
		}
	}
	if got, err := parseGroupID(strings.ToUpper(testGroup)); err != nil || got.String() != testGroup {
		t.Errorf("the group is read as %q, %v", got, err)
	}
}

func TestParseIDRefuses(t *testing.T) {
	t.Parallel()
	for id, says := range map[string]string{
		"":                   "has another form",
		"train":              "has another form",
		testGroup:            "ends at the group",
		testID + "/x":        "has another form",
		"/evil.com" + testID: "has another form",
		strings.Replace(testID, testSub, "me", 1):              "is not the id of a subscription",
		strings.Replace(testID, "/gpu/", "/gpu./", 1):          "is not the name of a resource group",
		strings.Replace(testID, "groups/train", "groups/-", 1): "is not the name of a capacity reservation group",
		testID + "-":                       "is not the name of a capacity reservation",
		testID + "?api-version=2026-04-01": "is not the name of a capacity reservation",
		strings.Replace(testID, "capacityreservationgroups", "virtualmachinescalesets", 1): "has another form",
	} {
		_, err := parseID(id)
		if cloud.CodeOf(err) != cloud.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want one that says %q", id, err, says)
		}
	}
	if _, err := parseGroupID(testID); err == nil || !strings.Contains(err.Error(), "reservation in a group") {
		t.Errorf("a reservation's id for a group: %v", err)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	elsewhere := strings.Replace(azureSpelling, testSub, otherSub, 1)
	for _, tt := range []struct {
		account, id string
		want        cloud.Ref
		refused     bool
	}{
		{"", azureSpelling, cloud.Ref{NativeID: testID}, false},
		{"", elsewhere, cloud.Ref{Account: otherSub, NativeID: strings.Replace(testID, testSub, otherSub, 1)}, false},
		{"/subscriptions/" + otherSub, elsewhere, cloud.Ref{Account: "/subscriptions/" + otherSub, NativeID: strings.Replace(testID, testSub, otherSub, 1)}, false},
		{otherSub, azureSpelling, cloud.Ref{}, true},
		{"", "us-central1-a/train", cloud.Ref{}, true},
	} {
		got, err := newCanned(t, nil).driver().ParseID(t.Context(), tt.account, tt.id)
		if diff := cmp.Diff(tt.want, got); diff != "" || (cloud.CodeOf(err) == cloud.Invalid) != tt.refused {
			t.Errorf("%q, %q: %v; (-want +got):\n%s", tt.account, tt.id, err, diff)
		}
	}
}

func TestSubscriptionID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		testSub: testSub, strings.ToUpper("abcdef00-2222-3333-4444-555555555555"): "abcdef00-2222-3333-4444-555555555555",
		"/subscriptions/" + testSub: testSub, "/Subscriptions/" + testSub + "/": testSub,
		"": "", "me": "", testSub + "0": "", "subscriptions/" + testSub: "", "/subscriptions/" + testSub + "/resourceGroups/x": "",
	} {
		if got, ok := subscriptionID(text); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %t", text, got, ok)
		}
	}
}

func TestLocationOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"East US": "eastus", "eastus2": "eastus2", " South  Africa North ": "southafricanorth", "": ""} {
		if got := locationOf(text); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// FuzzParseID: what is read as an id is one whatever its casing, and is written in
// one way.
func FuzzParseID(f *testing.F) {
	for _, seed := range []string{testID, azureSpelling, "https://portal.azure.com/#@x/resource" + azureSpelling, testGroup, "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseID(text)
		if err != nil {
			if cloud.CodeOf(err) != cloud.Invalid {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		again, err := parseID(r.String())
		if err != nil || again != r || r.String() != strings.ToLower(r.String()) {
			t.Errorf("%q is %q, which is %q, %v", text, r, again, err)
		}
	})
}
