package google

import (
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const testProject = "proj-alpha"

func TestParseID(t *testing.T) {
	t.Parallel()
	const native = "projects/proj-alpha/zones/us-central1-a/reservations/train"
	tests := map[string]struct {
		account string
		want    cloud.Ref
	}{
		"us-central1-a/train":             {"", cloud.Ref{NativeID: native}},
		" us-central1-a/train\n":          {"", cloud.Ref{NativeID: native}},
		"proj-alpha/us-central1-a/train":  {"", cloud.Ref{NativeID: native}},
		native:                            {"", cloud.Ref{NativeID: native}},
		"us-south1-ai1b/train":            {"", cloud.Ref{NativeID: "projects/proj-alpha/zones/us-south1-ai1b/reservations/train"}},
		"europe-west12-b/train":           {"proj-beta", cloud.Ref{Account: "proj-beta", NativeID: "projects/proj-beta/zones/europe-west12-b/reservations/train"}},
		"proj-beta/us-central1-a/train":   {"", cloud.Ref{Account: "proj-beta", NativeID: "projects/proj-beta/zones/us-central1-a/reservations/train"}},
		"acme.com:proj-x/us-central1-a/n": {"", cloud.Ref{Account: "acme.com:proj-x", NativeID: "projects/acme.com:proj-x/zones/us-central1-a/reservations/n"}},
		"projects/proj-beta/zones/us-central1-a/futureReservations/f": {"proj-alpha", cloud.Ref{
			Account: "proj-alpha", NativeID: "projects/proj-beta/zones/us-central1-a/futureReservations/f",
		}},
		"https://www.googleapis.com/compute/v1/" + native:       {"", cloud.Ref{NativeID: native}},
		"https://compute.googleapis.com/compute/beta/" + native: {"", cloud.Ref{NativeID: native}},
		"http://127.0.0.1:1/prefix/compute/alpha/" + native:     {"", cloud.Ref{NativeID: native}},
		"//compute.googleapis.com/" + native:                    {"", cloud.Ref{NativeID: native}},
		"compute/v1/" + native:                                  {"", cloud.Ref{NativeID: native}},
		"https://compute.googleapis.com/compute/v1/projects/proj-alpha/zones/us-central1-a/futureReservations/f": {
			"", cloud.Ref{NativeID: "projects/proj-alpha/zones/us-central1-a/futureReservations/f"},
		},
	}
	c := New(Config{Project: testProject})
	for id, tt := range tests {
		got, err := c.ParseID(t.Context(), tt.account, id)
		if err != nil || got != tt.want {
			t.Errorf("ParseID(%q, %q) = %+v, %v; want %+v", tt.account, id, got, err, tt.want)
		}
	}
}

func TestParseIDRefuses(t *testing.T) {
	t.Parallel()
	c := New(Config{Project: testProject})
	for _, id := range []string{
		"", "no such form!", "////", "aws:aws:aws", "train", "us-central1/train", "us-central1-a/Train", "us-central1-a/",
		"us-central1-a/train-", "/us-central1-a/train", "us-central1-a/train/", "p/us-central1-a/train",
		"arn:aws:ec2:us-east-1:123456789012:capacity-reservation/cr-0123456789abcdef0", "us-east-1/cr-0123456789abcdef0",
		"/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/g/capacityReservations/r",
		"us-central1-a/train/x", "cn-hangzhou/crp-1", "ap-guangzhou/host-1",
		"projects/proj-alpha/zones/us-central1-a/instances/train", "projects/proj-alpha/regions/us-central1/reservations/train",
		"projects/proj-alpha/zones/us-central1-a/reservations/train/reservationBlocks/b",
		"projects/proj-alpha/zones/us-central1-a/reservations/train?alt=json",
		"x/projects/proj-alpha/zones/us-central1-a/reservations/train", "/projects/proj-alpha/zones/us-central1-a/reservations/train",
		"https://console.cloud.google.com/compute/reservations/details/us-central1-a/train",
		"projects/PROJ/zones/us-central1-a/reservations/train", "projects/proj-alpha/zones/us-central1/reservations/train",
	} {
		if ref, err := c.ParseID(t.Context(), "", id); cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("ParseID(%q) = %+v, %v; want %s", id, ref, err, cloud.Invalid)
		}
	}
}

func TestParseName(t *testing.T) {
	t.Parallel()
	const good = "projects/acme.com:proj-x/zones/us-central1-a/futureReservations/f"
	want := name{project: "acme.com:proj-x", zone: "us-central1-a", collection: futures, id: "f"}
	got, err := parseName(good)
	if err != nil || got != want || got.String() != good || got.region() != "us-central1" {
		t.Errorf("parseName(%q) = %+v (%s, %s), %v", good, got, got, got.region(), err)
	}
	for _, id := range []string{
		"", "us-central1-a/train", "projects/123456/zones/us-central1-a/reservations/train",
		"https://www.googleapis.com/compute/v1/projects/proj-alpha/zones/us-central1-a/reservations/train",
		"compute/v1/projects/proj-alpha/zones/us-central1-a/reservations/train",
		"projects/proj-alpha/zones/us-central1-a/reservations/train ",
	} {
		if got, err := parseName(id); cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("parseName(%q) = %+v, %v; want %s", id, got, err, cloud.Invalid)
		}
	}
}

func TestRegionOf(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"us-central1-a": "us-central1", "europe-west12-b": "europe-west12", "northamerica-northeast1-c": "northamerica-northeast1",
		"us-central1-ai1a": "us-central1", "u-france-east1-a": "u-france-east1",
		"": "", "us-central1": "", "us-east-1a": "", "us-central1-A": "", "us-central1-aa": "", "global": "", "us-central1-a\n": "",
	} {
		if got := regionOf(zone); got != want {
			t.Errorf("regionOf(%q) = %q, want %q", zone, got, want)
		}
	}
}

// FuzzParseID: whatever is taken becomes a native id, which stands for itself.
func FuzzParseID(f *testing.F) {
	for _, seed := range []string{
		"us-central1-a/train", "proj-alpha/us-central1-a/train", "//h/projects/proj-alpha/zones/us-central1-a/reservations/n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		n, err := parseID(id)
		if err != nil {
			return
		}
		if n.project == "" || numberForm.MatchString(n.project) {
			n.project = testProject
		}
		again, err := parseName(n.String())
		if err != nil || again != n {
			t.Errorf("%q becomes %s, which is read as %+v, %v", id, n, again, err)
		}
	})
}
