package reservation_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// latency is what each request of the refresh benchmark takes on the way.
const latency = 50 * time.Millisecond

// BenchmarkRefresh plans 1,000 reservations of one account, which reads each of
// them, and beside them in the same run 1,000 terraform_data, which is what the
// command line itself needs. It reports both, their ratio, and the calls that
// the cloud saw.
func BenchmarkRefresh(b *testing.B) {
	const n = 1000
	var slow atomic.Bool
	bench := acctest.NewBench(b, "aws", acctest.BenchOptions{
		Binary: true, Simulated: inMemory, NoLog: true,
		Around: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if slow.Load() {
					time.Sleep(latency) // the network that is being simulated
				}
				next.ServeHTTP(w, r)
			})
		},
	})
	fill(b, bench, n)
	plain := acctest.NewBench(b, "aws", acctest.BenchOptions{Binary: true, Simulated: inMemory, NoLog: true})
	plain.Config(fmt.Sprintf("resource \"terraform_data\" \"a\" {\n  count = %d\n  input = count.index\n}\n", n))
	plain.Apply().Success(b)
	slow.Store(true)

	var ours, theirs, oursCPU, theirsCPU time.Duration
	calls := 0
	for b.Loop() {
		mark := bench.Mark()
		reservations := bench.PlanEmpty()
		calls = len(bench.Calls(mark, ""))
		data := plain.PlanEmpty()
		ours, oursCPU = ours+reservations.Duration, oursCPU+reservations.CPU
		theirs, theirsCPU = theirs+data.Duration, theirsCPU+data.CPU
	}
	b.ReportMetric(ours.Seconds()/float64(b.N), "s-reservations")
	b.ReportMetric(theirs.Seconds()/float64(b.N), "s-terraform_data")
	b.ReportMetric(ours.Seconds()/theirs.Seconds(), "ratio")
	b.ReportMetric(oursCPU.Seconds()/float64(b.N), "cpu-s-reservations")
	b.ReportMetric(theirsCPU.Seconds()/float64(b.N), "cpu-s-terraform_data")
	b.ReportMetric(float64(calls), "calls")
}

// fill makes n reservations at the cloud, without the limits of its API, and a
// state that holds them: one real state of one reservation, repeated.
func fill(tb testing.TB, bench *acctest.Bench, n int) {
	tb.Helper()
	bench.Do(bench.World.SetRate(sim.Rate{Cloud: "aws", PerSecond: 100_000, Burst: 100_000}))
	config := func(count int) string {
		return bench.Provider() + block("a", `name = "r-${count.index}"`, fmt.Sprintf("count = %d", count))
	}
	bench.Config(config(1))
	bench.Apply().Success(tb)
	bench.Config(config(n))

	driver := aws.New(aws.Config{
		Region: "us-east-1", Endpoint: bench.URL("aws"), Credentials: &aws.Credentials{AccessKeyID: "simulated", SecretAccessKey: "simulated"},
	})
	made := make([]cloud.Reservation, n)
	var group errgroup.Group
	group.SetLimit(8)
	for i := 1; i < n; i++ {
		group.Go(func() error {
			mark := cloud.Mark{Owner: bench.Owner, Name: fmt.Sprintf("r-%d", i), Type: "gpu_reservation"}
			spec := cloud.Spec{
				Kind: cloud.OnDemand, Zone: acctest.AWSZone(), InstanceType: acctest.AWSType(), Count: 1, Match: cloud.Targeted,
			}
			var err error
			made[i], err = driver.Create(tb.Context(), cloud.CreateRequest{Spec: spec, Mark: mark, Token: mark.Name})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		tb.Fatal(err)
	}
	bench.Do(bench.World.ClearRates())
	repeat(tb, filepath.Join(bench.Dir(), "terraform.tfstate"), made)
}

// repeat writes an instance for each further reservation into a state that has
// the first one.
func repeat(tb testing.TB, file string, made []cloud.Reservation) {
	tb.Helper()
	var state struct {
		Version          int               `json:"version"`
		TerraformVersion string            `json:"terraform_version"`
		Serial           int               `json:"serial"`
		Lineage          string            `json:"lineage"`
		Outputs          json.RawMessage   `json:"outputs"`
		Resources        []json.RawMessage `json:"resources"`
		CheckResults     json.RawMessage   `json:"check_results"`
	}
	read(tb, file, &state)
	var resource map[string]json.RawMessage
	decode(tb, state.Resources[0], &resource)
	var instances []json.RawMessage
	decode(tb, resource["instances"], &instances)
	first := string(instances[0])
	var one struct {
		Attributes struct {
			NativeID string `json:"native_id"`
			ClaimID  string `json:"claim_id"`
			StartsAt string `json:"starts_at"`
		} `json:"attributes"`
	}
	decode(tb, instances[0], &one)
	short := func(arn string) string { return arn[strings.LastIndex(arn, "/")+1:] }
	for i, r := range made[1:] {
		// None of these texts is a part of another one.
		instances = append(instances, json.RawMessage(strings.NewReplacer(
			`"index_key": 0`, fmt.Sprintf(`"index_key": %d`, i+1), `"r-0"`, fmt.Sprintf("%q", r.Mark.Name),
			short(one.Attributes.NativeID), short(r.Ref.NativeID), fmt.Sprintf("%q", one.Attributes.ClaimID), "null",
			fmt.Sprintf("%q", one.Attributes.StartsAt), fmt.Sprintf("%q", r.StartsAt.UTC().Format(time.RFC3339Nano)),
		).Replace(first)))
	}
	resource["instances"] = encode(tb, instances)
	state.Resources[0] = encode(tb, resource)
	if err := os.WriteFile(file, encode(tb, state), 0o600); err != nil {
		tb.Fatal(err)
	}
}

func read(tb testing.TB, file string, into any) {
	tb.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	decode(tb, raw, into)
}

func decode(tb testing.TB, raw []byte, into any) {
	tb.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		tb.Fatal(err)
	}
}

func encode(tb testing.TB, from any) []byte {
	tb.Helper()
	raw, err := json.MarshalIndent(from, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}
