package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// Times, and sizes in bytes, of a document.
const (
	settled = 300 * time.Millisecond // the pause in typing after which its runs are computed
	fresh   = 5 * time.Second        // the time for which runs are valid, because owners change without a notification
	mostDoc = 32 << 20               // larger buffers and files get no answers
)

// document is a file as the editor has it.
type document struct {
	path string // absolute path; empty if it is not a file

	mu      sync.Mutex
	text    string
	dirty   bool         // changed since it was opened or saved
	changed time.Time    // the time of the last edit; zero before
	under   *computation // the running or last search for this text
}

// computation is a search for the runs of one text.
type computation struct {
	done    chan struct{} // closed when the search ends
	cancel  context.CancelFunc
	waiting int // number of requests that wait for it
	ended   time.Time
	runs    *runs
	err     error
}

// errChanged means that the text changed during the search.
var errChanged = errors.New("the text changed meanwhile")

// pathOf returns the path of a URI; empty if it is not a file.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || (u.Host != "" && u.Host != "localhost") {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return ""
	}
	return filepath.Clean(path)
}

// put replaces the text by the editor's new text.
func (d *document) put(text string, typed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if typed && text == d.text {
		return
	}
	d.text, d.dirty = text, typed
	if typed {
		d.changed = time.Now()
	}
	d.forget()
}

// `saved` notes that the file now has the content of the buffer.
func (d *document) saved() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirty = false
	d.forget()
}

// forget stops a search and drops its results. The caller holds the lock.
func (d *document) forget() {
	if d.under != nil {
		d.under.cancel()
		d.under = nil
	}
}

// contents returns the content for git-trace, or nil if the file on disk has it. The bytes of a buffer may differ from
// the file's because of the encoding or a byte order mark. If the buffer is unchanged, such a difference does not
// count.
func (d *document) contents() (content []byte, text string, err error) {
	d.mu.Lock()
	text, dirty := d.text, d.dirty
	d.mu.Unlock()
	if len(text) > mostDoc {
		return nil, text, errTooLarge
	}
	disk, err := d.onDisk()
	switch {
	case errors.Is(err, errNoFile), errors.Is(err, errTooLarge):
		return nil, text, err
	case err != nil: // the buffer was never saved
		return []byte(text), text, nil //nolint:nilerr // without a file, only the buffer counts
	}
	mark := []byte("\ufeff")
	bare := bytes.TrimPrefix(disk, mark)
	switch {
	case string(bare) == text || string(disk) == text:
		return nil, text, nil
	case !dirty && !utf8.Valid(disk) && bytes.Count(disk, []byte("\n")) == strings.Count(text, "\n"):
		return nil, text, nil
	case len(bare) < len(disk) && !strings.HasPrefix(text, string(mark)):
		return append(mark, text...), text, nil
	}
	return []byte(text), text, nil
}

// Reasons why an open document gets no answer.
var (
	errTooLarge = errors.New("the buffer or the file is too large")
	errNoFile   = errors.New("it is not a regular file")
)

// onDisk reads the file, if it is a regular file within the limit. No person chose the file: a link may lead to a
// device without an end, and a read from a pipe may wait forever.
func (d *document) onDisk() ([]byte, error) {
	info, err := os.Lstat(d.path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNoFile
	}
	disk, err := refs.ReadStart(d.path, mostDoc+1)
	if len(disk) > mostDoc {
		return nil, errTooLarge
	}
	return disk, err
}

// lines returns the lines of the buffer.
func (d *document) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Split(d.text, "\n")
}

// lineAt returns the line with a number, counted from 0, without its line end; "" if there is no such line.
func lineAt(lines []string, n int) string {
	if n < 0 || n >= len(lines) {
		return ""
	}
	return strings.TrimRight(lines[n], "\r")
}

// `runs` finds the owners of the lines in the buffer. It waits for a pause in typing. One search serves all requests
// for the same text, and stops when no request waits for it.
func (s *server) runs(ctx context.Context, d *document) (*runs, error) {
	for {
		c, err := s.computation(ctx, d)
		if err != nil {
			return nil, err
		}
		select {
		case <-c.done:
		case <-ctx.Done():
			d.leave(c)
			return nil, ctx.Err()
		}
		d.leave(c)
		if !errors.Is(c.err, errChanged) {
			return c.runs, c.err
		}
	}
}

// computation joins the running search, or starts one.
func (s *server) computation(ctx context.Context, d *document) (*computation, error) {
	for {
		d.mu.Lock()
		if d.under != nil && (d.under.ended.IsZero() || time.Since(d.under.ended) < fresh) {
			d.under.waiting++
			c := d.under
			d.mu.Unlock()
			return c, nil
		}
		wait := time.Until(d.changed.Add(settled))
		if wait <= 0 {
			own, cancel := context.WithCancel(s.ctx)
			c := &computation{done: make(chan struct{}), cancel: cancel, waiting: 1}
			d.under = c
			d.mu.Unlock()
			fault.Go(func() { s.compute(own, d, c) })
			return c, nil
		}
		d.mu.Unlock()
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// `leave` notes that a request no longer waits. After the last one the search stops.
func (d *document) leave(c *computation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.waiting--
	if c.waiting == 0 && c.ended.IsZero() {
		c.cancel()
	}
}

// compute runs the search. Only one document is searched at a time.
func (s *server) compute(ctx context.Context, d *document, c *computation) {
	select {
	case s.turn <- struct{}{}:
		c.runs, c.err = s.blame(ctx, d)
		<-s.turn
	case <-ctx.Done():
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c.ended = time.Now()
	if ctx.Err() != nil {
		c.runs, c.err = nil, errChanged
		if d.under == c { // false if a newer search has replaced it
			d.under = nil
		}
	}
	c.cancel()
	close(c.done)
}

func (s *server) blame(ctx context.Context, d *document) (*runs, error) {
	content, _, err := d.contents()
	if err != nil {
		return nil, err
	}
	args := []string{"blame", "--json=runs"}
	if content != nil {
		args = append(args, "--contents", "-")
	}
	raw, err := s.Ask(ctx, filepath.Dir(d.path), content, append(args, "--", filepath.Base(d.path))...)
	if err != nil {
		return nil, err
	}
	r := &runs{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, err
	}
	r.raw = raw
	return r, nil
}
