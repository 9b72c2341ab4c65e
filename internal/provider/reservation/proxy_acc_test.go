package reservation_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
)

// editor changes an answer on its way to the client; an answer of HTML is told by
// its first character.
type editor func(operation string, status int, body string) (int, string)

// proxy stands before a cloud and edits its answers, once told how.
type proxy struct{ edit atomic.Pointer[editor] }

// use edits answers from now on; nil lets them pass.
func (p *proxy) use(edit editor) {
	if edit == nil {
		p.edit.Store(nil)
		return
	}
	p.edit.Store(&edit)
}

// around is for BenchOptions.Around.
func (p *proxy) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		edit := p.edit.Load()
		if edit == nil {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		form, _ := url.ParseQuery(string(body)) // what cannot be read has no operation
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		status, text := (*edit)(form.Get("Action"), answer.Code, answer.Body.String())
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.Header().Del("Content-Length")
		if strings.HasPrefix(text, "<html") {
			w.Header().Set("Content-Type", "text/html")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // a client that is gone wants no answer
	})
}
