package aider

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
)

// fileName is the default name of the chat history; an option can change it.
const fileName = ".aider.chat.history.md"

// ProjectSessions lists the conversations of the chat history in a directory. Aider has no list of its histories, so
// without a directory it returns none.
func (s sessions) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	if dir == "" {
		return nil, nil
	}
	path := filepath.Join(dir, fileName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (!info.Mode().IsRegular() || info.ModTime().Before(since)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := s.SessionsIn(path)
	if err != nil {
		return nil, err
	}
	var found []capability.Session
	for _, one := range all {
		if !one.Changed.Before(since) {
			found = append(found, one)
		}
	}
	sessionfile.Sort(found)
	return found, nil
}

// SessionsIn lists the conversations of a chat history. A conversation's time of change is the start of the next
// conversation, by this machine's clock, or the file's time for the last one.
func (s sessions) SessionsIn(path string) ([]capability.Session, error) {
	file, err := transcript.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	parts, err := s.index.of(path, file)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	found := make([]capability.Session, len(parts))
	for i, one := range parts {
		found[i] = capability.Session{Path: path, ID: one.id, Dir: dirOf(path), Changed: info.ModTime()}
		if i+1 < len(parts) {
			if at, err := time.ParseInLocation(stamp, parts[i+1].began, time.Local); err == nil {
				found[i].Changed = at
			}
		}
	}
	return found, nil
}

// dirOf returns the directory to which paths in a chat history are relative: the file's directory; "" if the file does
// not have Aider's default name.
func dirOf(path string) string {
	if filepath.Base(path) != fileName {
		return ""
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return ""
	}
	return dir
}

// SessionID returns "", because a file has several conversations.
func (s sessions) SessionID(string) string { return "" }

// headBytes is the number of bytes that must include the first heading.
const headBytes = 4 << 10

// Recognises identifies a chat history by its first heading.
func (s sessions) Recognises(_ string, head []byte) bool {
	for line := range bytes.Lines(head[:min(len(head), headBytes)]) {
		if _, found := begins(line); found {
			return true
		}
	}
	return false
}
