// Package collected stores the telemetry of clients about conversations: <common git dir>/traces/otlp/TRACE.jsonl,
// redacted, one span or event on each line. A record is made from it if the client writes no session file. If the last
// line has no line end, it was not acknowledged, and the next line ends it.
package collected

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/refs"
)

// Dir returns the directory of a repository. It does not create the directory.
func Dir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "otlp") }

const end = ".jsonl"

// Path returns the file of a conversation.
func Path(repo *refs.Repo, trace events.TraceID) string {
	return filepath.Join(Dir(repo), filepath.Base(string(trace))+end)
}

// Lines returns the lines of a file without repeated keys; none if there is no file.
func Lines(path string) ([][]byte, error) {
	raw, err := refs.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read collected events: %w", err)
	}
	var out [][]byte
	seen := map[string]bool{}
	for line := range bytes.Lines(raw) {
		d := rawjson.NewDecoder(line)
		if d.Skip(); d.Err() != nil || !bytes.HasSuffix(line, []byte("}\n")) {
			continue
		}
		if key := rawjson.MemberText(line, "key"); !seen[key] {
			seen[key] = true
			out = append(out, line)
		}
	}
	return out, nil
}

// Counted adds the number of redacted texts to the JSON object of a span or event.
func Counted(line []byte, n int) []byte {
	if n == 0 {
		return line
	}
	return append(append(bytes.TrimSuffix(line, []byte("}")), `,"redactions":`...), strconv.Itoa(n)+"}"...)
}

// Redactions returns the number of redacted texts in lines.
func Redactions(lines [][]byte) int {
	all := 0
	for _, line := range lines {
		n, _ := strconv.Atoi(string(rawjson.Member(line, "redactions")))
		all += n
	}
	return all
}

// lock takes the lock that must be held while files are changed.
func lock(dir string) (*refs.FileLock, error) {
	if err := refs.MakeDirs(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keep collected events: %w", err)
	}
	return refs.Flock(filepath.Join(dir, "lock"), 10*time.Second)
}

// Append appends lines to a file and flushes them to the disk.
func Append(path string, lines [][]byte) error {
	held, err := lock(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer held.Unlock()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("keep collected events: %w", err)
	}
	var all []byte
	last := make([]byte, 1)
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		if _, err := file.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			all = append(all, '\n') // a process was killed while it wrote
		}
	}
	for _, line := range lines {
		all = append(append(all, line...), '\n')
	}
	_, err = file.Write(all)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("keep collected events: %w", err)
	}
	return nil
}

// Purge removes the lines for which the function `drop` returns true, and files without remaining lines. It returns the
// number of files that it changed or, if `dry` is set, would change.
func Purge(repo *refs.Repo, drop func(trace events.TraceID, line string) bool, dry bool) (n int, err error) {
	entries, err := os.ReadDir(Dir(repo))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	held, err := lock(Dir(repo))
	if err != nil {
		return 0, err
	}
	defer held.Unlock()
	for _, entry := range entries {
		trace, is := strings.CutSuffix(entry.Name(), end)
		if !is {
			continue
		}
		path := filepath.Join(Dir(repo), entry.Name())
		lines, failed := Lines(path)
		kept := slices.DeleteFunc(slices.Clone(lines), func(line []byte) bool {
			return drop(events.TraceID(trace), string(line))
		})
		if err = errors.Join(err, failed); failed != nil || len(kept) == len(lines) {
			continue
		}
		switch n++; {
		case dry:
		case len(kept) == 0:
			err = errors.Join(err, os.Remove(path))
		default:
			err = errors.Join(err, refs.WriteFileAtomic(path, bytes.Join(kept, nil), 0o600))
		}
	}
	return n, err
}
