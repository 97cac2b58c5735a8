package driver

import (
	"bytes"
	"os"
	"regexp"
	"sync"
	"testing"
	"time"
)

// Terminal is a person's terminal while a client runs interactively: it shows the screen, and sends keys.
type Terminal struct {
	t      testing.TB
	person *os.File
	limit  time.Duration

	mu    sync.Mutex
	shown []byte // output since the last key
	ended bool
}

// queries lists control sequences with which clients ask a terminal at their start, and the answers.
var queries = []struct{ asked, answer string }{
	{"\x1b[c", "\x1b[?62;22c"},
	{"\x1b[6n", "\x1b[1;1R"},
	{"\x1b[?u", "\x1b[?0u"},
	{"\x1b]10;?", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"},
	{"\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
}

// watch reads the screen until all writers have ended.
func (s *Terminal) watch() {
	buf := make([]byte, 1<<16)
	for {
		n, err := s.person.Read(buf)
		s.mu.Lock()
		s.shown = append(s.shown, buf[:n]...)
		s.ended = err != nil
		s.mu.Unlock()
		if err != nil {
			return
		}
		for _, q := range queries {
			if bytes.Contains(buf[:n], []byte(q.asked)) {
				_, _ = s.person.WriteString(q.answer) // if the client has ended, it needs no answer
			}
		}
	}
}

// readiness is the time from a client's first output until it reacts to keys.
const readiness = 500 * time.Millisecond

// Press sends keys: "\r" is Enter, "\x1b" Esc.
func (s *Terminal) Press(keys string) {
	s.t.Helper()
	time.Sleep(readiness)
	s.mu.Lock()
	s.shown = nil
	s.mu.Unlock()
	if _, err := s.person.WriteString(keys); err != nil {
		s.t.Errorf("press %q: %v", keys, err)
	}
}

// See waits until the text shown since the last key matches a pattern, and reports whether it did. The text has no
// white space, because clients draw white space by moving the cursor.
func (s *Terminal) See(pattern string) bool {
	s.t.Helper()
	want := regexp.MustCompile(pattern)
	for end := time.Now().Add(s.limit); ; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		text, ended := plain(s.shown), s.ended
		s.mu.Unlock()
		switch {
		case want.MatchString(text):
			return true
		case ended || time.Now().After(end):
			s.t.Errorf("%q was not shown; shown was %s", pattern, text[max(0, len(text)-1500):])
			return false
		}
	}
}

// File waits until a file exists.
func (s *Terminal) File(path string) bool {
	s.t.Helper()
	if err := waitFile(s.t.Context(), path, s.limit); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		text := plain(s.shown)
		s.t.Errorf("%v; shown was %s", err, text[max(0, len(text)-1500):])
		return false
	}
	return true
}

var drawing = regexp.MustCompile(`\x1b\[[0-9;:?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|` +
	`\x1bP[^\x1b]*\x1b\\|\x1b.|\s`)

// `plain` returns the shown text without colours, cursor movements and white space.
func plain(shown []byte) string { return string(drawing.ReplaceAll(shown, nil)) }
