package claudecode

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/transcript"
)

// Sessions lists the session files of conversations that were held in a directory or below it, oldest first. The client
// files them by directory, under a name that does not tell the directory; the lines do.
func (c *Client) Sessions(dir string) ([]string, error) {
	root := filepath.Join(first(c.env.Lookup("CLAUDE_CONFIG_DIR"), filepath.Join(c.env.Home, ".claude")), "projects")
	entries, err := os.ReadDir(root)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	key := projectKey(dir)
	var files []sessionFile
	for _, entry := range entries {
		if name := entry.Name(); entry.IsDir() && (name == key || strings.HasPrefix(name, keyStem(dir))) {
			files = append(files, sessionsIn(filepath.Join(root, name), dir, name == key)...)
		}
	}
	slices.SortFunc(files, func(a, b sessionFile) int { return a.changed.Compare(b.changed) })
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = file.path
	}
	return paths, nil
}

type sessionFile struct {
	path    string
	changed time.Time
}

// sessionsIn lists the main session files of one directory of the client. Those under a name that only begins like that of
// dir are looked into.
func sessionsIn(folder, dir string, sure bool) []sessionFile {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var files []sessionFile
	for _, entry := range entries {
		name := entry.Name()
		if filepath.Ext(name) != ".jsonl" || strings.HasPrefix(name, "agent-") || !payload.SessionID(stem(name)) {
			continue
		}
		info, err := entry.Info()
		path := filepath.Join(folder, name)
		if err != nil || !info.Mode().IsRegular() || !sure && !heldBelow(path, dir) {
			continue
		}
		files = append(files, sessionFile{path: path, changed: info.ModTime()})
	}
	return files
}

// heldBelow tells whether a session began in a directory or below it.
func heldBelow(path, dir string) bool {
	file, err := transcript.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	in := jsonlines.NewReader(file.From(0), 0, 0)
	for range peekObjects {
		object, err := in.Next()
		if err != nil {
			return false
		}
		if cwd := memberText(object.Raw, "cwd"); cwd != "" {
			return cwd == dir || strings.HasPrefix(cwd, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
		}
	}
	return false
}

// maxKey is the length beyond which the client shortens the name of a directory.
const maxKey = 200

// keyStem is what the names of all directories below a directory begin with.
func keyStem(dir string) string {
	key := keyLetters(dir)
	return string(key[:min(len(key), maxKey)]) + "-"
}

// keyLetters replaces everything but letters and digits, by UTF-16 code units as the client does.
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

// projectKey is the name under which the client files the sessions of a directory. A long one is cut and gets a hash.
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
