package azure

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// object decodes a body into a model of the client library.
func object[T any](t *testing.T, body string) *T {
	t.Helper()
	v := new(T)
	if err := json.Unmarshal([]byte(body), v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

const ownMark = `"gpulock:owner":"team/prod","gpulock:name":"train","gpulock:managed-by":"gpu_reservation"`

// reservationBody is a reservation on demand with further properties.
func reservationBody(properties string) string {
	return fmt.Sprintf(`{"id":%q,"name":"Train","location":"East US","zones":["1"],
		"sku":{"name":%q,"capacity":4},"tags":{%s,"gpulock:claim":"c-1","Team":"ml","hidden-title":"x"},
		"properties":{"timeCreated":"2031-02-01T08:00:00+01:00",%s}}`, azureSpelling, testSize, ownMark, properties)
}

func groupBody(kind, tags, properties string) string {
	return fmt.Sprintf(`{"name":"Train","location":"eastus","zones":["1"],"tags":{%s},"properties":{"reservationType":%q%s}}`, tags, kind, properties)
}

const settled = `"provisioningState":"Succeeded","provisioningTime":"2031-02-01T08:01:00Z"`

// view is an instance view of so many held instances.
func view(held int, more string) string {
	return fmt.Sprintf(`"instanceView":{"utilizationInfo":{"currentCapacity":%d,"virtualMachinesAllocated":[{"id":"/a"},{"id":"/b"}]}%s}`, held, more)
}

func reservationState(state string) string {
	return `,"reservationStateInfo":{"reservationState":"` + state + `"}`
}

func decoded(t *testing.T, r, g string, now time.Time) cloud.Reservation {
	t.Helper()
	var group *armcompute.CapacityReservationGroup
	if g != "" {
		group = object[armcompute.CapacityReservationGroup](t, g)
	}
	got, err := decode("", object[armcompute.CapacityReservation](t, r), group, now)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestDecode(t *testing.T) {
	t.Parallel()
	share := `,"sharingProfile":{"subscriptionIds":[{"id":"/subscriptions/` + otherSub + `"},{"id":"/subscriptions/00000000-0000-0000-0000-00000000000A"},{"id":"odd"}]}`
	want := cloud.Reservation{
		Ref: cloud.Ref{NativeID: testID}, AccountID: testSub, Region: "eastus", Zone: "1", Kind: cloud.OnDemand, InstanceType: testSize,
		Count: 4, InUse: 2, Match: cloud.Targeted, State: cloud.Held, NativeState: "Succeeded",
		CreatedAt: time.Date(2031, 2, 1, 7, 0, 0, 0, time.UTC), StartsAt: time.Date(2031, 2, 1, 7, 0, 0, 0, time.UTC),
		Mark:       cloud.Mark{Owner: "team/prod", Name: "train", Type: "gpu_reservation", Claim: "c-1"},
		NativeName: "train", Tags: map[string]string{"Team": "ml"},
		ShareWith: []string{"00000000-0000-0000-0000-00000000000a", otherSub}, Unresolved: []string{"odd"},
		Native: map[string]string{"resource_group": "gpu", "group_id": ""},
	}
	got := decoded(t, reservationBody(settled+","+view(4, "")), groupBody("Targeted", ownMark, share), testNow)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in a group of its own (-want +got):\n%s", diff)
	}
	// Whom a given group is shared with is not the reservation's.
	want.ShareWith, want.Unresolved = nil, nil
	want.Native["group_id"] = testGroup
	for name, g := range map[string]string{
		"another's": groupBody("Targeted", `"team":"infra"`, share), "half a mark": groupBody("Targeted", `"gpulock:owner":"o"`, share),
		"of another name": groupBody("Targeted", `"gpulock:owner":"team/prod","gpulock:name":"other","gpulock:managed-by":"gpu_reservation"`, share),
	} {
		got := decoded(t, reservationBody(settled+","+view(4, "")), g, testNow)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in a group that is %s (-want +got):\n%s", name, diff)
		}
	}
}

// TestDecodeBare: an entry of a list, and a group that could not be read, say less
// and must not be taken for more.
func TestDecodeBare(t *testing.T) {
	t.Parallel()
	got := decoded(t, fmt.Sprintf(`{"id":%q}`, testID), "", time.Time{})
	if got.State != cloud.Unrecognized || got.Zone != "" || got.Kind != cloud.OnDemand || got.Native[optGroup] != testGroup {
		t.Errorf("of an id alone: %+v", got)
	}
	if _, err := decode("", object[armcompute.CapacityReservation](t, `{"id":"/x"}`), nil, time.Time{}); cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("without an id: %v", err)
	}
}

func TestDecodeStates(t *testing.T) {
	t.Parallel()
	failed := `"provisioningState":"Failed"`
	type shown struct {
		State       cloud.State
		Native      string
		Count, Lack int
		Unsettled   bool
	}
	for name, tt := range map[string]struct {
		properties string
		want       shown
	}{
		"being made":         {`"provisioningState":"Creating"`, shown{cloud.Pending, "Creating", 4, 0, false}},
		"growing":            {`"provisioningState":"Updating","provisioningTime":"2031-02-01T08:00:00Z",` + view(2, ""), shown{cloud.Held, "Updating", 2, 0, false}},
		"being deleted":      {`"provisioningState":"Deleting",` + view(4, ""), shown{cloud.Leaving, "Deleting", 4, 0, false}},
		"never made":         {failed + "," + view(0, ""), shown{cloud.Refused, "Failed", 4, 0, false}},
		"never made, a list": {failed, shown{cloud.Refused, "Failed", 4, 0, false}},
		"why": {
			failed + `,"instanceView":{"statuses":[{"code":"ProvisioningState/failed/AllocationFailed","message":"m"}]}`,
			shown{cloud.Refused, "Failed: AllocationFailed", 4, 0, false},
		},
		"grown in vain":              {failed + `,"provisioningTime":"2031-02-01T08:00:00Z",` + view(2, ""), shown{cloud.Held, "Failed", 2, 0, true}},
		"grown in vain from nothing": {failed + `,"provisioningTime":"2031-02-01T08:00:00Z",` + view(0, ""), shown{cloud.Held, "Failed", 0, 0, true}},
		"grown in vain, in a list":   {failed + `,"provisioningTime":"2031-02-01T08:00:00Z"`, shown{cloud.Held, "Failed", 4, 0, true}},
		"settled":                    {settled + "," + view(4, ""), shown{cloud.Held, "Succeeded", 4, 0, false}},
		"casing":                     {`"provisioningState":"succeeded"`, shown{cloud.Held, "succeeded", 4, 0, false}},
		"a state of tomorrow":        {`"provisioningState":"Migrating"`, shown{cloud.Unrecognized, "Migrating", 4, 0, false}},
		"asked for":                  {settled + "," + view(0, reservationState("Pending")), shown{cloud.Pending, "Pending", 4, 0, false}},
		"approved":                   {settled + "," + view(0, reservationState("Approved")), shown{cloud.Held, "Approved", 4, 0, false}},
		"committed":                  {settled + "," + view(0, reservationState("Committed")), shown{cloud.Held, "Committed", 4, 0, false}},
		"live":                       {settled + "," + view(4, reservationState("Live")), shown{cloud.Held, "Live", 4, 0, false}},
		"partly":                     {settled + "," + view(3, reservationState("PartiallyFulfilled")), shown{cloud.Held, "PartiallyFulfilled", 4, 1, false}},
		"declined":                   {settled + "," + view(0, reservationState("Declined")), shown{cloud.Refused, "Declined", 4, 0, false}},
		"not fulfilled":              {settled + "," + view(0, reservationState("FulfillmentFailed")), shown{cloud.Refused, "FulfillmentFailed", 4, 0, false}},
		"moved while asked for":      {`"provisioningState":"Updating",` + view(0, reservationState("Pending")), shown{cloud.Pending, "Pending", 4, 0, false}},
		"a reservation's tomorrow":   {settled + "," + view(0, reservationState("Waitlisted")), shown{cloud.Unrecognized, "Waitlisted", 4, 0, false}},
	} {
		r := decoded(t, reservationBody(tt.properties), groupBody("Targeted", ownMark, ""), testNow)
		got := shown{r.State, r.NativeState, r.Count, r.Missing, r.Unsettled}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	r := decoded(t, reservationBody(settled), groupBody("DeferredSpot", ownMark, ""), testNow)
	if r.State != cloud.Unrecognized || r.NativeState != "DeferredSpot Succeeded" {
		t.Errorf("of a type of tomorrow: %s, %s", r.State, r.NativeState)
	}
}

// TestDecodeView: the group's view tells what the reservation does not.
func TestDecodeView(t *testing.T) {
	t.Parallel()
	g := groupBody("Open", ownMark, `,"instanceView":{"capacityReservations":[{"name":"other"},{"name":"TRAIN","utilizationInfo":{
		"currentCapacity":2,"usedReservedCountBySubscription":{"a":2,"b":1}}}]}`)
	r := decoded(t, reservationBody(`"provisioningState":"Failed","provisioningTime":"2031-02-01T08:00:00Z"`), g, testNow)
	if r.Match != cloud.Open || r.Count != 2 || r.InUse != 3 || !r.Unsettled {
		t.Errorf("%+v", r)
	}
}

func TestDecodeSchedules(t *testing.T) {
	t.Parallel()
	dates := `,"scheduleProfile":{"start":"2031-03-10","end":"2031-03-12"}`
	instants := `,"scheduleProfile":{"start":"2031-03-10T12:00:00Z","end":"2031-03-12T11:30:00+00:00"}`
	future := `,"scheduleProfile":{"start":"2031-05-01T12:00:00Z","minimumCommitmentDays":30}`
	start, end := time.Date(2031, 3, 10, 12, 0, 0, 0, time.UTC), time.Date(2031, 3, 12, 11, 30, 0, 0, time.UTC)
	may := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	type shown struct {
		Kind                cloud.Kind
		State               cloud.State
		Start, End, Settled time.Time
		Days                string
	}
	for name, tt := range map[string]struct {
		properties, group string
		now               time.Time
		want              shown
	}{
		"a block as it was sent":  {settled + dates, "Block", testNow, shown{cloud.Block, cloud.Held, start, end, end, ""}},
		"a block as it comes":     {settled + instants, "Block", testNow, shown{cloud.Block, cloud.Held, start, end, end, ""}},
		"without its group":       {settled + instants, "", testNow, shown{cloud.Block, cloud.Held, start, end, end, ""}},
		"a block that is made":    {`"provisioningState":"Creating"` + dates, "Block", testNow, shown{cloud.Block, cloud.Pending, start, end, time.Time{}, ""}},
		"a block that is refused": {`"provisioningState":"Failed"` + dates, "Block", end, shown{cloud.Block, cloud.Refused, start, end, time.Time{}, ""}},
		"a block before its end":  {settled + instants, "Block", end.Add(-time.Second), shown{cloud.Block, cloud.Held, start, end, end, ""}},
		"a block at its end":      {settled + instants, "Block", end, shown{cloud.Block, cloud.Ended, start, end, time.Time{}, ""}},
		"a block that goes":       {`"provisioningState":"Deleting"` + instants, "Block", end, shown{cloud.Block, cloud.Leaving, start, end, time.Time{}, ""}},
		"a block, no clock":       {settled + instants, "Block", time.Time{}, shown{cloud.Block, cloud.Held, start, end, end, ""}},
		"a date":                  {settled + future + "," + view(0, reservationState("Approved")), "Targeted", testNow, shown{cloud.Scheduled, cloud.Held, may, time.Time{}, time.Time{}, "30"}},
		"a date, committed": {
			settled + future + "," + view(0, reservationState("Committed")), "Targeted", testNow,
			shown{cloud.Scheduled, cloud.Held, may, time.Time{}, may.AddDate(0, 0, 30), "30"},
		},
		"a date, declined": {settled + future + "," + view(0, reservationState("Declined")), "Targeted", testNow, shown{cloud.Scheduled, cloud.Refused, may, time.Time{}, time.Time{}, "30"}},
	} {
		g := ""
		if tt.group != "" {
			g = groupBody(tt.group, ownMark, "")
		}
		r := decoded(t, reservationBody(tt.properties), g, tt.now)
		got := shown{r.Kind, r.State, r.StartsAt, r.EndsAt, r.CommittedUntil, r.Native[optCommitmentDays]}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if r.UsableUntil != r.EndsAt {
			t.Errorf("%s: usable until %s", name, r.UsableUntil)
		}
	}
}

// TestDecodeFixed: by the clock of the cloud, where that is known.
func TestDecodeFixed(t *testing.T) {
	t.Parallel()
	until := func(text string) string {
		return settled + `,"scheduleProfile":{"start":"2031-05-01T12:00:00Z","minimumCommitmentDays":30,"modifiableUntil":"` + text + `"},`
	}
	past := until(testNow.Format(time.RFC3339))
	both, start := []cloud.Attribute{cloud.AttrCount, cloud.AttrStart}, []cloud.Attribute{cloud.AttrStart}
	for name, tt := range map[string]struct {
		properties string
		now        time.Time
		want       []cloud.Attribute
	}{
		"open":           {until("2031-04-01T00:00:00Z") + view(0, reservationState("Approved")), testNow, nil},
		"just over":      {past + view(0, reservationState("Approved")), testNow, both},
		"no clock":       {past + view(0, reservationState("Approved")), time.Time{}, nil},
		"committed":      {past + view(0, reservationState("Committed")), time.Time{}, both},
		"free again":     {past + view(0, reservationState("Live")), testNow.AddDate(1, 0, 0), start},
		"declined":       {past + view(0, reservationState("Declined")), testNow, nil},
		"near":           {settled + `,"scheduleProfile":{"start":"2031-05-01T12:00:00Z"},` + view(0, reservationState("Pending")), testNow, start},
		"of no date":     {settled + "," + view(4, ""), testNow, nil},
		"of fixed dates": {settled + `,"scheduleProfile":{"start":"2031-03-10","end":"2031-03-12"}`, testNow, nil},
	} {
		r := decoded(t, reservationBody(tt.properties), groupBody("Targeted", ownMark, ""), tt.now)
		if diff := cmp.Diff(tt.want, r.Fixed); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMachines(t *testing.T) {
	t.Parallel()
	r := object[armcompute.CapacityReservation](t, `{"properties":{"virtualMachinesAssociated":[{"id":"/a"},{"id":"/c"}],
		"instanceView":{"utilizationInfo":{"virtualMachinesAllocated":[{"id":"/b"}]}}}}`)
	if diff := cmp.Diff([][]string{{"/a", "/c"}, {"/b"}}, [][]string{machinesOf(r), allocatedOf(r)}); diff != "" {
		t.Error(diff)
	}
	bare := object[armcompute.CapacityReservation](t, `{}`)
	if len(machinesOf(bare))+len(allocatedOf(bare)) != 0 {
		t.Error("an empty reservation has machines")
	}
}
