package sim_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestServeWhatCannotBe(t *testing.T) {
	t.Parallel()
	first, err := sim.Serve(sim.ServeOptions{}, named("a"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() })
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, opts := range map[string]sim.ServeOptions{
		"port in use":       {Listen: first.URL("a")[len("http://"):]},
		"directory no file": {TLSDir: blocked},
	} {
		if server, err := sim.Serve(opts, named("b")); err == nil {
			_ = server.Close()
			t.Errorf("%s: no error", name)
		}
	}
}

func TestStateFileThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, path := range map[string]string{
		"no directory": filepath.Join(dir, "none", "w.json"),
		"a directory":  dir,
	} {
		if _, err := sim.New(sim.Options{StatePath: path}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDropWithoutAConnection(t *testing.T) {
	t.Parallel()
	world, err := sim.New(sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	handler := world.Register(toy{})
	if err := world.AddFaults(sim.Fault{Cloud: "toy", Operation: "*", Drop: sim.DropBefore}); err != nil {
		t.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/list", nil))
	if recorder.Code != http.StatusBadGateway {
		t.Errorf("status %d", recorder.Code)
	}
}
