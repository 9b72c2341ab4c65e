package chaostest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest/chaostest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func newStage(t *testing.T) *chaostest.Stage {
	t.Helper()
	stage, err := chaostest.NewStage("aws", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stage.Close)
	return stage
}

func first() chaostest.Wish { return chaostest.FirstWish("aws", chaostest.OnDemand, time.Time{}) }

// held is a stage whose state holds the first wish, and that object.
func held(t *testing.T) (*chaostest.Stage, sim.ObjectRow) {
	t.Helper()
	stage := newStage(t)
	if out := stage.Hand.Apply(first(), nil); !out.OK {
		t.Fatal(out.Text)
	}
	live, err := stage.Audit.Live()
	if err != nil || len(live) != 1 {
		t.Fatalf("live: %+v, %v", live, err)
	}
	return stage, live[0]
}

// Each promise that is broken behind the provider's back is seen with the next
// request, and one that is permitted is not.
func TestAudit(t *testing.T) {
	t.Parallel()
	cancelled, one := "cancelled", 1
	for name, test := range map[string]struct {
		may  chaostest.Permission
		do   sim.ObjectPatch
		want string
	}{
		"released":   {chaostest.Permission{}, sim.ObjectPatch{Status: &cancelled}, "released early"},
		"permitted":  {chaostest.Permission{Release: func(sim.ObjectRow, []sim.ObjectRow) bool { return true }}, sim.ObjectPatch{Status: &cancelled}, ""},
		"shrunk":     {chaostest.Permission{Count: 2}, sim.ObjectPatch{Count: &one}, "shrunk early"},
		"may shrink": {chaostest.Permission{Count: 1}, sim.ObjectPatch{Count: &one}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stage, _ := held(t)
			wish := first()
			wish.Count = 2
			if out := stage.Hand.Apply(wish, nil); !out.OK {
				t.Fatal(out.Text)
			}
			live, err := stage.Audit.Live()
			if err != nil || len(live) != 1 {
				t.Fatalf("live: %+v, %v", live, err)
			}
			test.do.NativeID = live[0].NativeID
			stage.Audit.Permit(test.may)
			if err := stage.World.Patch(test.do); err != nil {
				t.Fatal(err)
			}
			stage.Hand.Plan(wish)
			check(t, stage.Audit.Failures(), test.want)
			check(t, stage.Audit.Failures(), "")
		})
	}
}

func TestAudit_boughtTwice(t *testing.T) {
	t.Parallel()
	stage, mine := held(t)
	other := &chaostest.Inline{Cloud: stage.Hand.Cloud, Gate: stage.Gate, Clock: stage.Hand.Clock, Owner: "chaos/other"}
	if out := other.Apply(first(), nil); !out.OK {
		t.Fatal(out.Text)
	}
	check(t, stage.Audit.Failures(), "")
	live, err := stage.Audit.Live()
	if err != nil || len(live) != 2 {
		t.Fatalf("live: %+v, %v", live, err)
	}
	owner := mine.Tags["gpulock:owner"]
	if err := stage.World.Patch(sim.ObjectPatch{NativeID: live[1].NativeID, Tags: map[string]*string{"gpulock:owner": &owner}}); err != nil {
		t.Fatal(err)
	}
	stage.Hand.Plan(first())
	check(t, stage.Audit.Failures(), "bought twice")
}

// What is bought once too often, or for too long, is seen whatever became of it.
func TestAudit_purchases(t *testing.T) {
	t.Parallel()
	stage := newStage(t)
	now, err := stage.Audit.Now()
	if err != nil {
		t.Fatal(err)
	}
	wish := chaostest.FirstWish("aws", chaostest.Block, now)
	buy := func(name string, may chaostest.Permission, want string) {
		stage.Audit.Permit(may)
		wish.Name = name
		hand := &chaostest.Inline{Cloud: stage.Hand.Cloud, Gate: stage.Gate, Clock: stage.Hand.Clock, Owner: "chaos/" + name}
		if out := hand.Apply(wish, nil); !out.OK {
			t.Fatal(out.Text)
		}
		found := stage.Audit.Failures()
		check(t, found[:min(1, len(found))], want)
	}
	buy("a", chaostest.Permission{Buys: 1, Length: wish.Duration}, "")
	buy("b", chaostest.Permission{Buys: 2, Length: wish.Duration - time.Hour}, "bought too long")
	buy("c", chaostest.Permission{Buys: 2, Length: wish.Duration}, "bought too often")
	if err := stage.Audit.Pass(90 * 24 * time.Hour); err != nil {
		t.Fatal(err)
	}
	stage.Audit.Permit(chaostest.Permission{Buys: 2, Length: wish.Duration})
	stage.Hand.Plan(first())
	found := stage.Audit.Failures()
	check(t, found, "bought too often")
	if strings.Contains(strings.Join(found, " "), "released early") {
		t.Errorf("what came to its end counts as released: %v", found)
	}
	if err := stage.Audit.Begin(); err != nil {
		t.Fatal(err)
	}
	stage.Hand.Plan(first())
	check(t, stage.Audit.Failures(), "")
}

// A configuration says the same to the command line and in process.
func TestWish_HCL(t *testing.T) {
	t.Parallel()
	wish := chaostest.FirstWish("aws", chaostest.Scheduled, time.Date(2026, 3, 1, 10, 30, 0, 0, time.UTC))
	wish.OnDestroy, wish.Charge = "cancel_with_charge", 5
	want := `resource "gpu_reservation" "a" {
  allow_replacement = true
  cloud = "aws"
  instance_count = 4
  instance_type = "g4dn.2xlarge"
  kind = "scheduled"
  max_cancellation_usd = 5
  name = "a"
  on_destroy = "cancel_with_charge"
  tags = {"team":"t0"}
  window = {"start_at":"2026-04-30T10:00:00Z"}
  zone = "us-east-1a"
  lifecycle {
    create_before_destroy = false
  }
}
`
	if got := wish.HCL(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func check(t *testing.T, failures []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(failures) > 0:
		t.Errorf("failures: %v", failures)
	case want != "" && !strings.Contains(strings.Join(failures, "; "), want):
		t.Errorf("failures: %v, want one that says %q", failures, want)
	}
}

// forgetful is a hand that claims to have destroyed.
type forgetful struct{ chaostest.Hand }

func (forgetful) Destroy(chaostest.Wish, *chaostest.Fault) chaostest.Outcome {
	return chaostest.Outcome{OK: true}
}

// restless is a hand with another owner, and so with another state, each time.
type restless struct {
	hand **chaostest.Inline
}

func (r restless) Apply(w chaostest.Wish, fault *chaostest.Fault) chaostest.Outcome {
	was := *r.hand
	hand := &chaostest.Inline{Cloud: was.Cloud, Gate: was.Gate, Clock: was.Clock, Owner: was.Owner + "x"}
	*r.hand = hand
	return hand.Apply(w, fault)
}

func (r restless) Destroy(w chaostest.Wish, f *chaostest.Fault) chaostest.Outcome {
	return (*r.hand).Destroy(w, f)
}
func (r restless) Plan(w chaostest.Wish) string { return (*r.hand).Plan(w) }

// A round finds what such a hand does wrong, so it can fail.
func TestRound_finds(t *testing.T) {
	t.Parallel()
	stage := newStage(t)
	err := (&chaostest.Round{Kind: chaostest.OnDemand, Hand: forgetful{stage.Hand}, Audit: stage.Audit, Rand: chaostest.Dice(1, 1)}).Run()
	if err == nil || !strings.Contains(err.Error(), "leaked") || !strings.Contains(err.Error(), "create of 1 × g4dn.xlarge") {
		t.Errorf("a leak was not found, or not with what was done: %v", err)
	}
}

// A table finds it too.
func TestTable_finds(t *testing.T) {
	t.Parallel()
	stage := newStage(t)
	table := &chaostest.Table{Hand: restless{&stage.Hand}, Audit: stage.Audit}
	create := chaostest.Operations("aws")[0]
	requests, err := table.Requests(create)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for k := 1; k <= requests && len(found) == 0; k++ {
		if err := table.Case(create, chaostest.Fault{K: k, Committed: true, Act: chaostest.KillGroup}); err != nil {
			found = append(found, err.Error())
		}
	}
	if len(found) == 0 || !strings.Contains(found[0], "2 objects are live") {
		t.Errorf("a double purchase was not found: %v", found)
	}
	if err := table.Case(create, chaostest.Fault{K: 99, Act: chaostest.Drop}); err == nil || !strings.Contains(err.Error(), "no request 99") {
		t.Errorf("a fault that struck nothing was not found: %v", err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	all := chaostest.Faults(3)
	if len(all) != 3*2*8 {
		t.Errorf("%d faults, want 48", len(all))
	}
	if got := chaostest.Faults(2, chaostest.Drop)[3].String(); got != "lost answer at request 2, after the cloud acted" {
		t.Errorf("fault = %q", got)
	}
	if got := (chaostest.Fault{Operation: "Buy", Act: chaostest.Drop}).String(); got != "lost answer at Buy, before the cloud acted" {
		t.Errorf("fault = %q", got)
	}
	if got := (chaostest.Fault{K: 1, Act: chaostest.Throttle, Times: 6}).String(); !strings.HasSuffix(got, "before the cloud acted, 6 times") {
		t.Errorf("fault = %q", got)
	}
}

// gated is a gate before a cloud that counts what reaches it.
func gated(t *testing.T) (gate *chaostest.Gate, url string, reached *[]string) {
	t.Helper()
	gate, reached = chaostest.NewGate(newStage(t).Audit), &[]string{}
	server := httptest.NewServer(gate.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*reached = append(*reached, string(body))
		w.WriteHeader(http.StatusTeapot)
	})))
	t.Cleanup(server.Close)
	return gate, server.URL, reached
}

// ask sends a request and returns the status, 0 where no answer came.
func ask(t *testing.T, url, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := new(http.Transport).RoundTrip(req)
	if err != nil {
		return 0
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}

func TestGate_answers(t *testing.T) {
	t.Parallel()
	for act, status := range map[chaostest.Act]int{
		chaostest.Drop: 0, chaostest.InternalError: 500, chaostest.BadGateway: 502, chaostest.Throttle: 503, chaostest.Hollow: 200,
	} {
		for _, committed := range []bool{false, true} {
			gate, url, reached := gated(t)
			gate.Arm(&chaostest.Fault{K: 2, Committed: committed, Act: act, Times: 2}, nil)
			var got []int
			for _, body := range []string{"1", "2", "3", "4"} {
				got = append(got, ask(t, url, body))
			}
			if want := []int{418, status, status, 418}; !slices.Equal(got, want) {
				t.Errorf("%s: answers %v, want %v", act, got, want)
			}
			want := []string{"1", "4"}
			if committed {
				want = []string{"1", "2", "3", "4"}
			}
			if !slices.Equal(*reached, want) {
				t.Errorf("%s, committed %t: %v reached the cloud, want %v", act, committed, *reached, want)
			}
			if out := gate.Disarm(); out.Requests != 4 || !out.Struck {
				t.Errorf("%s: %+v", act, out)
			}
		}
	}
}

// A fault that is aimed at an operation strikes its first request and those after
// it, and tells so; the fault itself can be used again.
func TestGate_aims(t *testing.T) {
	t.Parallel()
	gate, url, _ := gated(t)
	fault := chaostest.Fault{Operation: "Buy", Act: chaostest.InternalError, Times: 2}
	for range 2 {
		gate.Arm(&fault, nil)
		var got []int
		for _, body := range []string{"Action=Look", "Action=Buy&Id=1", "Action=Look", "Action=Buy&Id=1"} {
			got = append(got, ask(t, url, body))
		}
		if want := []int{418, 500, 500, 418}; !slices.Equal(got, want) {
			t.Errorf("answers %v, want %v", got, want)
		}
		if out := gate.Disarm(); !out.Struck || out.Operation != "Buy" {
			t.Errorf("%+v", out)
		}
	}
}

// A request that strikes a process is withheld until the command is over.
func TestGate_withholds(t *testing.T) {
	t.Parallel()
	gate, url, reached := gated(t)
	struck := make(chan struct{})
	gate.Arm(&chaostest.Fault{K: 1, Act: chaostest.Interrupt, Times: 5}, func() { close(struck) })
	answers := make(chan int)
	go func() { answers <- ask(t, url, "withheld") }()
	<-struck
	if got := ask(t, url, "passes"); got != 418 {
		t.Errorf("the request after it was answered %d", got)
	}
	if out := gate.Disarm(); out.Requests != 2 || !out.Struck {
		t.Errorf("%+v", out)
	}
	if got := <-answers; got != 0 {
		t.Errorf("the withheld request was answered %d", got)
	}
	if want := []string{"passes"}; !slices.Equal(*reached, want) {
		t.Errorf("%v reached the cloud, want %v", *reached, want)
	}
	gate.Arm(nil, nil)
	if got := ask(t, url, "later"); got != 418 {
		t.Errorf("with no fault: %d", got)
	}
}
