package aws

import (
	"slices"
	"testing"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func TestTableOfCodes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range codes {
		if seen[r.native] {
			t.Errorf("%s is in the table twice", r.native)
		}
		seen[r.native] = true
		if r.source == "" || r.code == "" {
			t.Errorf("%s has no source or no class", r.native)
		}
		for _, spelled := range []string{r.native, "Client." + r.native, "Server." + r.native} {
			if code, ok := lookUp(spelled); !ok || code != r.code {
				t.Errorf("lookUp(%s) = %s, %v", spelled, code, ok)
			}
		}
	}
	if _, ok := lookUp("SomethingNew"); ok {
		t.Error("an unknown code is known")
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	want := map[ec2types.CapacityReservationState]cloud.State{
		"active": cloud.Held, "scheduled": cloud.Held, "delayed": cloud.Held,
		"pending": cloud.Pending, "assessing": cloud.Pending, "payment-pending": cloud.Pending,
		"failed": cloud.Refused, "unsupported": cloud.Refused, "payment-failed": cloud.Refused,
		"expired": cloud.Ended, "cancelled": cloud.Gone, "cancelling": cloud.Gone,
		"unavailable": cloud.Unrecognized, "": cloud.Unrecognized, "made-up": cloud.Unrecognized,
	}
	for native, state := range want {
		if got := stateOf(native); got != state {
			t.Errorf("stateOf(%q) = %s, want %s", native, got, state)
		}
	}
	for _, native := range ec2types.CapacityReservationState("").Values() {
		if _, ok := want[native]; !ok {
			t.Errorf("the SDK knows state %q, this test does not", native)
		}
	}
}

func TestHostStates(t *testing.T) {
	t.Parallel()
	want := map[ec2types.AllocationState]cloud.State{
		"available": cloud.Held, "under-assessment": cloud.Held, "pending": cloud.Pending, "configuring": cloud.Pending,
		"released": cloud.Gone, "released-permanent-failure": cloud.Gone, "permanent-failure": cloud.Gone,
		"": cloud.Unrecognized, "made-up": cloud.Unrecognized,
	}
	for native, state := range want {
		if got := hostState(native); got != state {
			t.Errorf("hostState(%q) = %s, want %s", native, got, state)
		}
	}
	for _, native := range ec2types.AllocationState("").Values() {
		if _, ok := want[native]; !ok {
			t.Errorf("the SDK knows state %q, this test does not", native)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	over := []ec2types.ReservationState{"expired", "cancelled", "failed", "unsupported", "payment-failed", "retired"}
	h := ec2types.Host{HostId: new("h-1")}
	for _, state := range append(ec2types.ReservationState("").Values(), "", "made-up") {
		b := ec2types.HostReservation{State: state, HostIdSet: []string{"h-2", "h-1"}}
		if got, want := covers(b, h), !slices.Contains(over, state); got != want {
			t.Errorf("a reservation that is %q covers: %v", state, got)
		}
	}
	if covers(ec2types.HostReservation{State: "active"}, ec2types.Host{}) {
		t.Error("a reservation without an id covers a host without one")
	}
}

func TestQuotaOf(t *testing.T) {
	t.Parallel()
	for instanceType, want := range map[string]string{
		"p5.48xlarge": quotaP, "p4d.24xlarge": quotaP, "p6-b200.48xlarge": quotaP, "p6e-gb200.36xlarge": quotaP,
		"g5.xlarge": quotaGVT, "g6f.large": quotaGVT, "gr6.4xlarge": quotaGVT, "gr6f.4xlarge": quotaGVT, "vt1.3xlarge": quotaGVT,
		"m7i.large": quotaStandard, "c7g.large": quotaStandard, "t3.micro": quotaStandard, "im4gn.large": quotaStandard,
		"trn1.32xlarge": "", "inf2.xlarge": "", "dl1.24xlarge": "", "hpc7a.96xlarge": "", "mac2.metal": "", "u-6tb1.metal": "", "": "",
	} {
		if got := quotaOf(instanceType); got != want {
			t.Errorf("quotaOf(%s) = %q, want %q", instanceType, got, want)
		}
	}
}

func TestFraction(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{
		0: "0", 1: "1", 8: "8", 0.125: "1/8", 0.25: "1/4", 0.5: "1/2", 1.5: "3/2", 0.333333: "1/3", 0.142857: "1/7",
	} {
		if got := fraction(x); got != want {
			t.Errorf("fraction(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestPartitions(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]string{
		"us-east-1": "aws", "eu-central-1": "aws", "mx-central-1": "aws", "cn-north-1": "aws-cn", "us-gov-west-1": "aws-us-gov",
		"us-iso-east-1": "aws-iso", "us-isob-east-1": "aws-iso-b", "eu-isoe-west-1": "aws-iso-e", "us-isof-south-1": "aws-iso-f",
		"eusc-de-east-1": "aws-eusc",
	} {
		if got := partitionOf(region); got != want || !regionForm.MatchString(region) {
			t.Errorf("partitionOf(%s) = %s, want %s; form %v", region, got, want, regionForm.MatchString(region))
		}
	}
}
