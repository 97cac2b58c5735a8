package capsule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// Schema names the form of a capsule; docs/schema/capsule-1.schema.json describes it.
const Schema = "git-trace.capsule/1"

// Limits for a capsule.
const (
	mostFiles   = 500
	mostFile    = 1 << 20  // size of one content in bytes
	mostBytes   = 64 << 20 // size of a capsule in bytes
	mostCommand = 4 << 10
)

// Capsule is an episode, a prompt or a whole conversation, with everything that a reader needs.
type Capsule struct {
	Schema    string          `json:"schema"`
	Trace     events.TraceID  `json:"trace"`
	Prompt    *int            `json:"prompt"` // null for the whole conversation
	FirstStep int             `json:"first_step"`
	Commit    *string         `json:"commit"` // the commit that was checked out before the episode
	Record    json.RawMessage `json:"record"` // a TraceRecord with the steps of the episode, counted from 1
	Files     []File          `json:"files"`
	Left      []Left          `json:"left"`
	Test      *Test           `json:"test"` // the last test that the agent ran; null for none
	Redacted  int             `json:"redacted"`
}

// File is a touched file.
type File struct {
	Path       string  `json:"path"`
	Executable bool    `json:"executable"`
	Before     *string `json:"before"` // the content before; null for none
	After      *string `json:"after"`
	Redacted   bool    `json:"redacted"` // the contents were changed by redaction
}

// `Left` is a touched path that the capsule does not contain.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Test is a command that runs tests.
type Test struct {
	Command string `json:"command"`
	Step    int    `json:"step"`
	Passed  bool   `json:"passed"`
}

// ErrCapsule is the error for a file that is not a valid capsule.
var ErrCapsule = errors.New("not a capsule")

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCapsule, fmt.Sprintf(format, args...))
}

// Read reads a capsule and its record. It does not trust any part of the file.
func Read(r io.Reader) (*Capsule, *records.Record, error) {
	raw, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read capsule: %w", refs.PathCause(err))
	}
	if len(raw) > mostBytes {
		return nil, nil, wrong("it is larger than %d MiB", mostBytes>>20)
	}
	c := &Capsule{}
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, nil, wrong("%s", err)
	}
	if c.Schema != Schema {
		return nil, nil, wrong("its schema is %.40q", c.Schema)
	}
	record, err := records.DecodeForeign(c.Record)
	if err != nil {
		return nil, nil, wrong("%s", err)
	}
	if faults := record.CheckForeign(); len(faults) > 0 {
		return nil, nil, wrong("its episode is not a record: %s", faults[0])
	}
	return c, record, c.check()
}

func (c *Capsule) check() error {
	if len(c.Files) > mostFiles {
		return wrong("it has more than %d files", mostFiles)
	}
	if !c.Trace.Valid() {
		return wrong("its conversation is %.80q", c.Trace)
	}
	if c.Commit != nil {
		if _, err := refs.ParseOID(*c.Commit); err != nil {
			return wrong("its commit is %.80q", *c.Commit)
		}
	}
	if t := c.Test; t != nil && (t.Command == "" || len(t.Command) > mostCommand || !utf8.ValidString(t.Command) ||
		strings.ContainsRune(t.Command, 0)) {
		return wrong("its test is not a command")
	}
	seen := map[string]bool{}
	for i := range c.Files {
		f := &c.Files[i]
		if !plain(f.Path) {
			return wrong("it has a file with the path %.200q", f.Path)
		}
		if seen[strings.ToLower(f.Path)] {
			return wrong("it has %.200q twice", f.Path)
		}
		seen[strings.ToLower(f.Path)] = true
		if size(f.Before) > mostFile || size(f.After) > mostFile {
			return wrong("%.200q is larger than %d MiB", f.Path, mostFile>>20)
		}
	}
	return nil
}

func size(text *string) int {
	if text == nil {
		return 0
	}
	return len(*text)
}

// `plain` reports whether a path names a file below a directory on every system.
func plain(name string) bool {
	if !utf8.ValidString(name) || name == "." || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) ||
		strings.ContainsAny(name, ":\\") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") || snapshot.OddName(part) {
			return false
		}
	}
	return true
}

// Write writes the capsule as one JSON document.
func (c *Capsule) Write(w io.Writer) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("write capsule: %w", err)
	}
	if out.Len() > mostBytes {
		return wrong("it is larger than %d MiB: name a prompt", mostBytes>>20)
	}
	_, err := w.Write(out.Bytes())
	return err
}
