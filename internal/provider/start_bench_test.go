package provider_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// The cookie and version by which a command line starts a provider plugin
// (terraform-plugin-go, tf6server).
const (
	pluginCookie   = "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
	pluginProtocol = "PLUGIN_PROTOCOL_VERSIONS=6"
)

const megabyte = 1 << 20

// BenchmarkProviderStart starts the built provider, waits until it answered its
// schema, and reports what it then has in memory, beside the size of the binary.
// make bench builds the binary and names it.
func BenchmarkProviderStart(b *testing.B) {
	binary := os.Getenv("GPU_ACC_PROVIDER_BINARY")
	if binary == "" {
		b.Skip("GPU_ACC_PROVIDER_BINARY names no built provider; run make bench")
	}
	info, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}
	var resident, schema float64
	var took time.Duration
	for b.Loop() {
		s := start(b, binary)
		took += s.took
		resident = max(resident, s.resident)
		schema = float64(s.schema)
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms-to-schema")
	b.ReportMetric(resident/megabyte, "MB-resident")
	b.ReportMetric(float64(info.Size())/megabyte, "MB-binary")
	b.ReportMetric(schema/1024, "KB-schema")
}

type started struct {
	took     time.Duration
	resident float64
	schema   int
}

func start(b *testing.B, binary string) started {
	b.Helper()
	began := time.Now()
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), pluginCookie, pluginProtocol)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // it ends with this benchmark, however it feels
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	size := askSchema(b, line)
	return started{time.Since(began), resident(b, cmd.Process.Pid), size}
}

// askSchema calls GetProviderSchema at the address of a plugin's handshake line,
// "1|6|unix|PATH|grpc|", and returns the size of the answer.
func askSchema(b *testing.B, handshake string) int {
	b.Helper()
	fields := strings.Split(strings.TrimSpace(handshake), "|")
	if len(fields) < 5 || fields[4] != "grpc" {
		b.Fatalf("handshake %q", handshake)
	}
	conn, err := grpc.NewClient(fields[2]+":"+fields[3], grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(raw{}), grpc.MaxCallRecvMsgSize(64*megabyte)))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	var request, answer []byte
	if err := conn.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", &request, &answer); err != nil {
		b.Fatal(err)
	}
	return len(answer)
}

// raw passes messages as they are: the benchmark needs no message's meaning.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error) {
	message, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("marshal %T", v)
	}
	return *message, nil
}

func (raw) Unmarshal(data []byte, v any) error {
	message, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("unmarshal into %T", v)
	}
	*message = append([]byte(nil), data...)
	return nil
}

func (raw) Name() string { return "proto" }

// resident is the memory of a process, in bytes, as Linux tells it.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skipf("resident memory is read from /proc: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib * 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
