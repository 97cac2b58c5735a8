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

// Times and sizes of a document.
const (
	settled = 300 * time.Millisecond // the pause in typing before its runs are computed
	fresh   = 5 * time.Second        // the time for which runs are valid: owners change without notice
	mostDoc = 32 << 20               // bytes; there are no answers about larger buffers and files
)

// document is a file in the editor's state.
type document struct {
	path string // absolute; empty if it is not a file

	mu      sync.Mutex
	text    string
	dirty   bool         // changed since it was opened or saved
	changed time.Time    // when it was last typed in; zero before
	under   *computation // the running or last search for exactly this text
}

// computation is one search for the runs of one text.
type computation struct {
	done    chan struct{} // closed at its end
	cancel  context.CancelFunc
	waiting int // who waits for it
	ended   time.Time
	runs    *runs
	err     error
}

// errChanged says that the text changed while its runs were searched for.
var errChanged = errors.New("the text changed meanwhile")

// pathOf returns the file of a URI, empty if it is not a file.
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

// put takes over the text that the editor has now.
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

// saved notes that the buffer has the content of the file.
func (d *document) saved() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirty = false
	d.forget()
}

// forget ends a search and drops its results. The caller holds the lock.
func (d *document) forget() {
	if d.under != nil {
		d.under.cancel()
		d.under = nil
	}
}

// contents returns the content of the file for git-trace, nil for the content on the disk. An editor shows a file in
// another encoding, or one with a mark of its byte order, in other bytes than the disk has: unchanged, it is the
// disk's.
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
	case err != nil: // it was never saved
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

// Reasons for no answer about an open document.
var (
	errTooLarge = errors.New("the buffer or the file is too large")
	errNoFile   = errors.New("it is not a regular file")
)

// onDisk reads the file, if it is a regular one, up to a limit. A person did not choose the file: a link may lead to a
// device without an end, and a pipe waits forever.
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

// lineAt returns the line with a number, from 0, without its end; empty if it is missing.
func lineAt(lines []string, n int) string {
	if n < 0 || n >= len(lines) {
		return ""
	}
	return strings.TrimRight(lines[n], "\r")
}

// runs finds the owners of the lines in the buffer. It waits for a pause in typing. One search serves all requests for
// the same text, and ends when none is waiting.
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

// computation joins the search that is under way, or begins one.
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

// leave says that somebody waits no longer.
func (d *document) leave(c *computation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.waiting--
	if c.waiting == 0 && c.ended.IsZero() {
		c.cancel()
	}
}

// compute searches, one document after the other.
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
		if d.under == c { // another search has replaced it
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
