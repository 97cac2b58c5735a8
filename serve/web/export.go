package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/answers"
)

// Export is the pages of a range of commits, to be written as files that need no server: without script, without
// data that only this machine has, and redacted again.
type Export struct {
	site  *Site
	still *still

	names map[string]string // addresses of pages, and the files that they become
	queue []string          // addresses that were named and are not drawn yet
}

// still holds the contents of an export, and the texts that its pages may show.
type still struct {
	Range   string // as commands take it
	Tip     refs.OID
	Commits map[string]bool
	Talks   map[string]bool // true for those with a record that may be given away
	Files   map[string]bool
	dirs    map[string]bool // in which a file is; "" is the top
	head    bool            // the tip is what is checked out, so places of today are its own
	redact  Redact
	steps   map[string]string // addresses of prompts and steps, and where they stand
}

// Redact takes secrets and names out of a text.
type Redact func(context.Context, string) (string, error)

// mostExported bounds the pages of an export.
const mostExported = 50_000

var (
	errTooManyPages = errors.New("these are too many pages: name a smaller range")
	errNotEmpty     = errors.New("it is there, and not empty: name another directory")
)

// Plan chooses the content of an export of a range: its commits, the conversations with lines in them, and the
// changed files, as they are at its end. Texts go through redact before a page has them.
func (s *Site) Plan(ctx context.Context, span string, redact Redact) (*Export, error) {
	if span == "" {
		span = "HEAD"
	}
	if err := noOption(span); err != nil {
		return nil, err
	}
	_, end, _, two := endsOf(span)
	if !two {
		end = span
	}
	tip, err := s.files.commit(ctx, cmp.Or(end, "HEAD"))
	if err != nil {
		return nil, err
	}
	st := &still{Range: span, Tip: tip, Commits: map[string]bool{}, Talks: map[string]bool{},
		dirs: map[string]bool{"": true}, redact: redact, steps: map[string]string{}}
	if head, _, err := s.repo.Head(); err == nil {
		st.head = head == tip
	}
	var list answers.Log
	var commits graph.Document
	if err := all(
		func() error { return s.answers.into(ctx, &list, "log", "--json", span) },
		func() error { return s.answers.into(ctx, &commits, "graph", "--json", span) },
		func() (err error) {
			st.Files, err = s.files.touched(ctx, span, tip)
			return err
		},
	); err != nil {
		return nil, err
	}
	for name := range st.Files {
		for at := strings.LastIndexByte(name, '/'); at >= 0; at = strings.LastIndexByte(name[:at], '/') {
			st.dirs[name[:at]] = true
		}
	}
	for i := range commits.Commits {
		st.Commits[commits.Commits[i].Commit.String()] = true
	}
	for _, t := range list.Conversations {
		st.Talks[string(t.Trace)] = t.Usage != nil && !t.Blocked
	}
	site := *s
	site.still = st
	return &Export{site: &site, still: st, names: map[string]string{}}, nil
}

// touched returns the files that commits of a range changed and its end still has.
func (f *files) touched(ctx context.Context, span string, tip refs.OID) (map[string]bool, error) {
	names := func(args ...string) ([]string, error) {
		out, err := f.repo.Git(ctx, nil, args...)
		return strings.Split(strings.Trim(string(out), "\x00\n"), "\x00"), err
	}
	changed, err := names("log", "-z", "--format=", "--name-only", "--no-renames", "-m", "--end-of-options", span, "--")
	if err != nil {
		return nil, fmt.Errorf("range '%s': %w", span, errNotFound)
	}
	there, err := names("ls-tree", "-r", "-z", "--name-only", tip.String())
	if err != nil {
		return nil, err
	}
	still := map[string]bool{}
	for _, name := range there {
		still[name] = true
	}
	out := map[string]bool{}
	for _, name := range changed {
		if name = strings.TrimLeft(name, "\n"); name != "" && still[name] {
			out[name] = true
		}
	}
	return out, nil
}

// Contents are the figures of an export.
type Contents struct{ Commits, Files, Talks, Silent int }

// Contents counts the parts of the export. The texts of silent conversations do not leave.
func (e *Export) Contents() Contents {
	c := Contents{Commits: len(e.still.Commits), Files: len(e.still.Files), Talks: len(e.still.Talks)}
	for _, said := range e.still.Talks {
		if !said {
			c.Silent++
		}
	}
	return c
}

// Range returns the range as it was named, and its last commit.
func (e *Export) Range() (span string, tip refs.OID) { return e.still.Range, e.still.Tip }

// Free reports whether a directory can be written to: it is empty, or not there.
func Free(dir string) error {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(list) > 0:
		return fmt.Errorf("%s: %w", dir, errNotEmpty)
	}
	return nil
}

// Write draws the pages and writes them into the directory, all or none. It returns their number.
func (e *Export) Write(ctx context.Context, dir string) (pages int, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	if err := Free(dir); err != nil {
		return 0, err
	}
	beside, err := os.MkdirTemp(filepath.Dir(dir), ".git-trace-export-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(beside)
	if err := e.draw(ctx, beside); err != nil {
		return 0, err
	}
	if err := e.link(beside); err != nil {
		return 0, err
	}
	style, err := assets.ReadFile("static/page.css")
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(beside, styleFile), style, 0o644); err != nil {
		return 0, err
	}
	if err := os.Chmod(beside, 0o755); err != nil { // a server of pages is another user
		return 0, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	return len(e.names), os.Rename(beside, dir)
}

// draw draws the first page, and each page that a drawn one names.
func (e *Export) draw(ctx context.Context, dir string) error {
	handler := e.site.Handler()
	e.wants("/")
	for len(e.queue) > 0 {
		address := e.queue[0]
		e.queue = e.queue[1:]
		page, err := sheetOf(ctx, handler, address)
		if err != nil {
			return err
		}
		if page.status == http.StatusNotFound { // such as a submodule: it is named, and leads nowhere
			delete(e.names, address)
			continue
		}
		if page.status != http.StatusOK {
			return fmt.Errorf("%s: status %d", address, page.status)
		}
		for _, m := range namesPage.FindAllSubmatch(page.body.Bytes(), -1) {
			e.wants(string(m[2]))
		}
		if len(e.names) > mostExported {
			return errTooManyPages
		}
		name := filepath.Join(dir, filepath.FromSlash(e.names[address]))
		if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		if err := os.WriteFile(name, page.body.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// link makes the pages name the files of each other.
func (e *Export) link(dir string) error {
	for _, file := range e.names {
		name := filepath.Join(dir, filepath.FromSlash(file))
		page, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		up := strings.Repeat("../", strings.Count(file, "/"))
		page = namesPage.ReplaceAllFunc(page, func(found []byte) []byte {
			m := namesPage.FindSubmatch(found)
			to, there := e.file(string(m[2]))
			if !there {
				return nil // a page that is not exported is named, and leads nowhere
			}
			return slices.Concat([]byte(" "), m[1], []byte(`="`+up+to+`"`))
		})
		if err := os.WriteFile(name, page, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sheet is an answer that is kept.
type sheet struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (s *sheet) Header() http.Header { return s.header }

func (s *sheet) WriteHeader(status int) { s.status = status }

func (s *sheet) Write(text []byte) (int, error) { return s.body.Write(text) }

func sheetOf(ctx context.Context, handler http.Handler, address string) (*sheet, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	s := &sheet{header: http.Header{}, status: http.StatusOK}
	handler.ServeHTTP(s, r)
	return s, ctx.Err()
}
