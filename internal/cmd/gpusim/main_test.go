package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// asProgram has the test binary be the program: signals need a process.
const asProgram = "GPUSIM_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start runs the program until "ready" and returns what it printed.
func start(t *testing.T, args ...string) (*exec.Cmd, []string) {
	t.Helper()
	program := exec.CommandContext(t.Context(), os.Args[0], args...)
	program.Env = append(os.Environ(), asProgram+"=1")
	program.Stderr = t.Output()
	stdout, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
		if scanner.Text() == "ready" {
			return program, lines
		}
		lines = append(lines, scanner.Text())
	}
	t.Fatalf("it ended before it was ready: %v", lines)
	return nil, nil
}

func terminate(t *testing.T, program *exec.Cmd) {
	t.Helper()
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// names are the parts before "=" of each line.
func names(lines []string) string {
	var all []string
	for _, line := range lines {
		name, _, _ := strings.Cut(line, "=")
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func value(lines []string, name string) string {
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, name+"="); ok {
			return rest
		}
	}
	return ""
}

func get(t *testing.T, url string) (int, http.Header, string) {
	t.Helper()
	return ask(t, http.DefaultClient, url)
}

// trusting gets a URL whose certificate the given authority signed.
func trusting(t *testing.T, caFile, url string) (int, http.Header, string) {
	t.Helper()
	pem, err := os.ReadFile(caFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatalf("%s holds no certificate", caFile)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	return ask(t, &http.Client{Transport: transport}, url)
}

func ask(t *testing.T, client *http.Client, url string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func TestServesUntilSIGTERM(t *testing.T) {
	t.Parallel()
	program, lines := start(t, "-clock", "2031-01-01T00:00:00Z", "-tls", filepath.Join(t.TempDir(), "pki"))
	if got := names(lines); got != "aws google azure control aws_tls google_tls azure_tls control_tls ca" {
		t.Errorf("printed %q", got)
	}
	if _, err := os.Stat(value(lines, "ca")); err != nil {
		t.Error(err)
	}
	if status, _, body := get(t, value(lines, "control")+"/clock"); status != 200 || !strings.Contains(body, "2031-01-01T00:00:0") {
		t.Errorf("clock: %d %s", status, body)
	}
	if status, header, _ := get(t, value(lines, "aws")+"/"); status != 401 || !strings.Contains(header.Get("Date"), "2031") {
		t.Errorf("aws without a signature: %d %v", status, header)
	}
	// Compute Engine's own form of an error, on the world's clock.
	missing := value(lines, "google") + "/compute/v1/projects/project-one/zones/us-central1-a/operations/none"
	if status, header, body := get(t, missing); status != 404 || !strings.Contains(body, `"notFound"`) || !strings.Contains(header.Get("Date"), "2031") {
		t.Errorf("an operation that google does not have: %d %v %s", status, header, body)
	}
	checkAzure(t, lines)
	terminate(t, program)
}

// checkAzure looks for Resource Manager's form of an error on the world's clock,
// and for the same over TLS.
func checkAzure(t *testing.T, lines []string) {
	t.Helper()
	for _, name := range []string{"azure", "azure_tls"} {
		groups := value(lines, name) + "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups?api-version=2021-04-01"
		status, header, body := trusting(t, value(lines, "ca"), groups)
		if status != 401 || !strings.Contains(body, `"AuthenticationFailed"`) || !strings.Contains(header.Get("Date"), "2031") {
			t.Errorf("%s without a token: %d %v %s", name, status, header, body)
		}
	}
}

func TestStateOutlivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scenario := filepath.Join(dir, "scenario.json")
	text := `{"objects":[{"cloud":"aws","type":"capacity-reservation","native_id":"cr-0123456789abcdef0","region":"us-east-1",
		"zone":"us-east-1a","instance_type":"p4d.24xlarge","count":2,"in_use":1,"status":"","tags":{},"starts_at":"","ends_at":""}]}`
	if err := os.WriteFile(scenario, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-state", filepath.Join(dir, "world.json"), "-scenario", scenario}
	program, lines := start(t, args...)
	_, _, before := get(t, value(lines, "control")+"/objects")
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // It was killed: the error says so.
	program, lines = start(t, args...)
	_, _, after := get(t, value(lines, "control")+"/objects")
	if before != after || strings.Count(after, `"native_id"`) != 1 ||
		!strings.Contains(after, "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0123456789abcdef0") {
		t.Errorf("before %s\nafter %s", before, after)
	}
	terminate(t, program)
}

// TestKillAtAnyInstant kills the program while requests rewrite its state:
// what was answered is in the file, and the file is whole.
func TestKillAtAnyInstant(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "world.json")
	answered := 0
	for round := range 6 {
		answered += hammerAndKill(t, path, int64(5+7*round))
		world, err := sim.New(sim.Options{StatePath: path})
		if err != nil {
			t.Fatal(err)
		}
		calls, err := world.Calls(0)
		if err != nil {
			t.Fatal(err)
		}
		if len(calls) < answered {
			t.Errorf("round %d: %d calls in the file, %d were answered", round, len(calls), answered)
		}
	}
}

// hammerAndKill counts what was answered before the program died of SIGKILL,
// which comes with the n-th answer and in the midst of other requests.
func hammerAndKill(t *testing.T, path string, n int64) int {
	t.Helper()
	program, lines := start(t, "-state", path)
	url := value(lines, "aws") + "/"
	var count atomic.Int64
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			for {
				resp, err := http.Post(url, "text/plain", strings.NewReader("x"))
				if err != nil {
					return
				}
				_ = resp.Body.Close()
				if count.Add(1) == n {
					_ = program.Process.Kill()
				}
			}
		})
	}
	clients.Wait()
	_ = program.Wait() // It was killed: the error says so.
	return int(count.Load())
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		args []string
		code int
		says string
	}{
		"unknown flag":     {[]string{"-wings"}, exitUsage, "-wings"},
		"argument":         {[]string{"now"}, exitUsage, `"now"`},
		"help":             {[]string{"-h"}, 0, "-listen"},
		"clock":            {[]string{"-clock", "noon"}, exitFailed, "noon"},
		"address":          {[]string{"-listen", "here"}, exitFailed, "here"},
		"broken state":     {[]string{"-state", broken}, exitFailed, broken},
		"missing scenario": {[]string{"-scenario", filepath.Join(dir, "none")}, exitFailed, "none"},
		"broken scenario":  {[]string{"-scenario", broken}, exitFailed, broken},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// It ends by itself; a context that is over makes a mistake here
			// a failure and not a hang.
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var stdout, stderr bytes.Buffer
			if code := run(ctx, tt.args, &stdout, &stderr); code != tt.code {
				t.Errorf("exit %d, want %d", code, tt.code)
			}
			if !strings.Contains(stderr.String(), tt.says) {
				t.Errorf("stderr %q does not say %q", stderr.String(), tt.says)
			}
		})
	}
}
