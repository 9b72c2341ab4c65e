package sim_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func named(name string) sim.Named {
	return sim.Named{Name: name, TLSNames: []string{name + ".example"}, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) })}
}

func fetch(t *testing.T, client *http.Client, url string) string {
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
	return string(body)
}

func TestServeEachOnItsOwnListener(t *testing.T) {
	t.Parallel()
	server, err := sim.Serve(sim.ServeOptions{}, named("one"), named("two"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range server.Endpoints() {
		if got := fetch(t, http.DefaultClient, e.URL); got != e.Name {
			t.Errorf("%s answers %q", e.URL, got)
		}
		if !regexp.MustCompile(`^http://127\.0\.0\.1:\d+$`).MatchString(e.URL) {
			t.Errorf("URL %s", e.URL)
		}
	}
	if server.URL("two") == "" || server.URL("three") != "" {
		t.Error("URL by name")
	}
	if err := errors.Join(server.Close(), server.Close()); err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL("one"), "http://")); err == nil {
		_ = conn.Close()
		t.Error("it still listens after Close")
	}
}

func TestServeConsecutivePorts(t *testing.T) {
	t.Parallel()
	// Ports that were free a moment ago may be taken by another test: look
	// for a run of three until one serves.
	for base := 21000; base < 60000; base += 37 {
		server, err := sim.Serve(sim.ServeOptions{Listen: net.JoinHostPort("127.0.0.1", strconv.Itoa(base))},
			named("a"), named("b"), named("c"))
		if err != nil {
			continue
		}
		for i, e := range server.Endpoints() {
			if want := "http://127.0.0.1:" + strconv.Itoa(base+i); e.URL != want {
				t.Errorf("%s at %s, want %s", e.Name, e.URL, want)
			}
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		return
	}
	t.Fatal("no three free ports in a row")
}

func TestServeTLS(t *testing.T) {
	t.Parallel()
	server, err := sim.Serve(sim.ServeOptions{TLSDir: t.TempDir() + "/new"}, named("one"), named("two"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	pem, err := os.ReadFile(server.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatal("no certificate in the file")
	}
	for _, e := range server.Endpoints() {
		for _, host := range []string{"", "localhost", "one.example", "two.example"} {
			client := &http.Client{Transport: &http.Transport{
				TLSClientConfig:   &tls.Config{RootCAs: pool, ServerName: host, MinVersion: tls.VersionTLS12},
				ForceAttemptHTTP2: true,
			}}
			if got := fetch(t, client, e.TLSURL); got != e.Name {
				t.Errorf("%s as %s answers %q", e.TLSURL, host, got)
			}
		}
	}
}

func TestServeBadAddress(t *testing.T) {
	t.Parallel()
	for _, listen := range []string{"nowhere", "127.0.0.1:x", "127.0.0.1:70000", "192.0.2.1:0"} {
		if server, err := sim.Serve(sim.ServeOptions{Listen: listen}, named("a")); err == nil {
			_ = server.Close()
			t.Errorf("%s was accepted", listen)
		}
	}
}
