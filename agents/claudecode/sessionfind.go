package claudecode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/rawjson"
)

// ProjectSessions lists the session files of conversations in a directory or below it, oldest first. The client's
// folder names do not identify a directory exactly, but the lines in the files do.
func (c *Client) ProjectSessions(dir string, since time.Time) ([]capability.Session, error) {
	root := filepath.Join(c.configDir(), "projects")
	entries, err := os.ReadDir(root)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("list sessions of Claude Code: %w", err)
	}
	project := sessionfile.NewProject(dir)
	var found []capability.Session
	for _, entry := range entries {
		if possible, exact := filedUnder(project, entry.Name()); entry.IsDir() && possible {
			found = append(found, sessionsIn(filepath.Join(root, entry.Name()), project, exact, since)...)
		}
	}
	sessionfile.Sort(found)
	return found, nil
}

// filedUnder reports whether a folder with this name can contain sessions of a project, and whether it is exactly the
// project's folder.
func filedUnder(project sessionfile.Project, folder string) (possible, exact bool) {
	if project.Any() {
		return true, false
	}
	for _, name := range project.Names() {
		exact = exact || folder == projectKey(name)
		possible = possible || exact || strings.HasPrefix(folder, keyStem(name))
	}
	return possible, exact
}

// sessionsIn lists the main session files in one of the client's folders. Two directories can share a folder, so it
// reads each file. A file that names no directory belongs to the project of the folder.
func sessionsIn(folder string, project sessionfile.Project, exact bool, since time.Time) []capability.Session {
	return sessionfile.List(folder, 0, since, func(path string) (capability.Session, bool) {
		name := filepath.Base(path)
		if filepath.Ext(name) != ".jsonl" || strings.HasPrefix(name, "agent-") || !payload.SessionID(stem(name)) {
			return capability.Session{}, false
		}
		dir := heldIn(path)
		return capability.Session{ID: stem(name), Dir: dir}, project.Holds(dir) || dir == "" && exact
	})
}

// heldIn returns the directory in which a session began; "" if its first lines do not name it.
func heldIn(path string) string {
	file, err := transcript.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	in := jsonlines.NewReader(io.LimitReader(file.From(0), peekBytes), 0, 0)
	for range peekObjects {
		object, err := in.Next()
		if err != nil {
			break
		}
		if cwd := memberText(object.Raw, "cwd"); cwd != "" {
			return cwd
		}
	}
	return ""
}

// SessionID returns the session id in the name of a session file.
func (c *Client) SessionID(path string) string {
	if filepath.Ext(path) != ".jsonl" {
		return ""
	}
	return stem(path)
}

// Recognises identifies the client's lines by members that only they have: the session in each line, and an id of the
// line or of another line.
func (c *Client) Recognises(_ string, head []byte) bool {
	in := jsonlines.NewReader(bytes.NewReader(head), 0, 0)
	for range peekObjects {
		object, err := in.Next()
		if err != nil {
			return false
		}
		var session, line, kind, foreign bool
		d := rawjson.NewDecoder(object.Raw)
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "sessionId", "session_id":
				session = true
			case "uuid", "leafUuid", "messageId", "operation":
				line = true
			case "type":
				kind = d.Kind() == rawjson.String
			case "message":
				foreign = foreign || rawjson.Member(d.Raw(), "parts") != nil
			case "systemPayload":
				foreign = true
			}
		}
		if session && line && kind {
			return !foreign // Qwen Code writes a similar envelope
		}
	}
	return false
}

// maxKey is the length beyond which the client shortens the folder name of a directory.
const maxKey = 200

// keyStem returns the common beginning of the folder names of all directories below a directory.
func keyStem(dir string) string {
	key := keyLetters(dir)
	return string(key[:min(len(key), maxKey)]) + "-"
}

// keyLetters replaces everything except letters and digits, for each UTF-16 code unit, like the client.
func keyLetters(dir string) []byte {
	units := utf16.Encode([]rune(dir))
	key := make([]byte, len(units))
	for i, unit := range units {
		key[i] = '-'
		if 'a' <= unit && unit <= 'z' || 'A' <= unit && unit <= 'Z' || '0' <= unit && unit <= '9' {
			key[i] = byte(unit)
		}
	}
	return key
}

// projectKey returns the name of the folder in which the client stores the sessions of a directory. A long name is cut
// and gets a hash.
func projectKey(dir string) string {
	key := keyLetters(dir)
	if len(key) <= maxKey {
		return string(key)
	}
	var hash int32
	for _, unit := range utf16.Encode([]rune(dir)) {
		hash = hash<<5 - hash + int32(unit)
	}
	size := int64(hash)
	if size < 0 {
		size = -size
	}
	return string(key[:maxKey]) + "-" + strconv.FormatInt(size, 36)
}
