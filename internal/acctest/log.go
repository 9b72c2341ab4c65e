package acctest

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// Log collects what a provider logged. The zero value is empty; it is safe for
// concurrent use.
type Log struct {
	mu      sync.Mutex
	partial []byte
	lines   []LogLine
}

// LogLine is one line of a provider's log.
type LogLine struct {
	// Level is upper case: "WARN", "ERROR", …
	Level string
	// Message is the text without its fields.
	Message string
	// Fields are the structured fields of a served provider. A binary's log
	// reaches the test as text, so there Fields is nil and Message holds them.
	Fields map[string]any
}

// Lines returns the lines of one level, or all for "".
func (l *Log) Lines(level string) []LogLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []LogLine
	for _, line := range l.lines {
		if level == "" || line.Level == level {
			out = append(out, line)
		}
	}
	return out
}

// Warnings returns the WARN lines.
func (l *Log) Warnings() []LogLine { return l.Lines("WARN") }

// Write takes the JSON lines of a served provider. It never fails: a line that
// is not JSON is kept as a message without a level.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, p...)
	for {
		end := bytes.IndexByte(l.partial, '\n')
		if end < 0 {
			return len(p), nil
		}
		l.lines = append(l.lines, decodeLine(l.partial[:end]))
		l.partial = l.partial[end+1:]
	}
}

func decodeLine(raw []byte) LogLine {
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return LogLine{Message: string(raw)}
	}
	line := LogLine{Level: strings.ToUpper(take(fields, "@level")), Message: take(fields, "@message"), Fields: fields}
	return line
}

// take removes a text field and returns it.
func take(fields map[string]any, key string) string {
	text, ok := fields[key].(string)
	if !ok {
		return ""
	}
	delete(fields, key)
	return text
}

// addText takes the log file that the command line wrote for a binary. Its
// lines look like
//
//	2026-01-02T15:04:05.000Z [WARN]  provider.terraform-provider-gpu: text: key=value
func (l *Log) addText(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for raw := range strings.Lines(text) {
		_, rest, found := strings.Cut(raw, " [")
		level, message, closed := strings.Cut(rest, "]")
		if !found || !closed {
			l.continueLine(raw)
			continue
		}
		l.lines = append(l.lines, LogLine{Level: level, Message: strings.TrimSpace(message)})
	}
}

// continueLine appends a line without a level to the message above it.
func (l *Log) continueLine(raw string) {
	if len(l.lines) == 0 {
		l.lines = append(l.lines, LogLine{})
	}
	last := &l.lines[len(l.lines)-1]
	last.Message += "\n" + strings.TrimRight(raw, "\n")
}
