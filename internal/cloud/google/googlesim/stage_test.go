package googlesim_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// stage is a world with Google Cloud in it, on a frozen clock.
type stage struct {
	t     *testing.T
	world *sim.World
	url   string
}

func now() time.Time { return time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC) }

func newStage(t *testing.T) *stage {
	t.Helper()
	return newStageWith(t, googlesim.Options{})
}

func newStageWith(t *testing.T, options googlesim.Options) *stage {
	t.Helper()
	world, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	server, err := sim.Serve(sim.ServeOptions{}, googlesim.NewWithOptions(world, options).Named())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		world.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{t: t, world: world, url: server.URL("google")}
	_, err = world.ChangeClock(sim.ClockChange{Set: new(now()), Freeze: new(true)})
	s.ok(err)
	return s
}

func (s *stage) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// reply is a raw answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a body to a path below projects/ of Compute Engine.
func (s *stage) send(method, path, body string) reply {
	s.t.Helper()
	return s.raw(method, "/compute/v1/projects/"+path, body)
}

func (s *stage) raw(method, path, body string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(body))
	s.ok(err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	s.ok(err)
	return reply{resp.StatusCode, resp.Header, string(data)}
}

// at follows a path of keys through the answer; a number takes that entry of
// a list.
func (r reply) at(path ...any) any {
	var value any
	if json.Unmarshal([]byte(r.body), &value) != nil {
		return nil
	}
	for _, step := range path {
		switch key := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[key]
		case int:
			list, _ := value.([]any)
			if key >= len(list) {
				return nil
			}
			value = list[key]
		}
	}
	return value
}

func (r reply) reason() string {
	reason, _ := r.at("error", "errors", 0, "reason").(string)
	return reason
}

func (s *stage) refused(got reply, status int, reason string) {
	s.t.Helper()
	if got.status != status || got.reason() != reason {
		s.t.Errorf("got %d %s, want %d %s: %s", got.status, got.reason(), status, reason, got.body)
	}
}

func (s *stage) accepted(got reply) reply {
	s.t.Helper()
	if got.status != http.StatusOK {
		s.t.Errorf("got %d %s: %s", got.status, got.reason(), got.body)
	}
	return got
}

// direct serves a request without a connection.
func direct(tb testing.TB, handler http.Handler, method, target, body string) reply {
	tb.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(tb.Context(), method, target, strings.NewReader(body)))
	return reply{recorder.Code, recorder.Header(), recorder.Body.String()}
}

func escapeQuery(s string) string { return url.QueryEscape(s) }
