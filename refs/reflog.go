package refs

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// Bounds for one reading of a reflog.
const (
	maxLogBytes   = 1 << 20
	maxLogEntries = 8192
	lineBytes     = 4 << 10 // entries in a file are hardly ever longer
	maxTailBytes  = 64 << 10
)

// LogEntry is an entry of a reflog (git-reflog(1)).
type LogEntry struct {
	New     OID    // the new value of the ref; zero if it was deleted
	Message string // "commit (amend): subject"; may be empty
}

// LogPosition returns the position of the end of a ref's reflog, or 0 if there is none. It grows with each entry.
// Positions in different ref storages cannot be compared.
func (r *Repo) LogPosition(name string) int64 {
	if r.fileRef(name) {
		info, err := os.Stat(r.logPath(name))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	entries := r.tableLog(name, 0, 1)
	if len(entries) == 0 {
		return 0
	}
	return entries[0].position
}

// LogSince reads the entries of a ref's reflog after a position, oldest first. The result `whole` is false if some
// entries could not be read, and of a reflog in a file also if an entry has no message.
func (r *Repo) LogSince(name string, position int64) (entries []LogEntry, whole bool) {
	if !r.fileRef(name) {
		found := r.tableLog(name, position, maxLogEntries)
		return plain(found), len(found) > 0 && len(found) < maxLogEntries
	}
	f, err := os.Open(r.logPath(name))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if _, err := f.Seek(position, io.SeekStart); err != nil {
		return nil, false
	}
	return readLog(f, maxLogBytes)
}

// LastLog reads the last entries of a ref's reflog, oldest first. The parameter `most` is the largest number of
// entries.
func (r *Repo) LastLog(name string, most int) []LogEntry {
	if !r.fileRef(name) {
		return plain(r.tableLog(name, 0, most))
	}
	f, err := os.Open(r.logPath(name))
	if err != nil {
		return nil
	}
	defer f.Close()
	size := int64(min(maxTailBytes, most*lineBytes))
	if info, err := f.Stat(); err == nil && info.Size() > size {
		if _, err := f.Seek(-size, io.SeekEnd); err != nil {
			return nil
		}
	}
	entries, _ := readLog(f, size) // the first line may be incomplete
	return entries[max(0, len(entries)-most):]
}

// readLog reads lines of the form "OLD NEW WHO\tMESSAGE".
func readLog(in io.Reader, limit int64) (entries []LogEntry, whole bool) {
	text, err := io.ReadAll(io.LimitReader(in, limit))
	if err != nil {
		return nil, false
	}
	whole = true
	for line := range bytes.Lines(text) {
		head, message, found := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
		fields := bytes.Fields(head)
		if len(fields) < 2 {
			whole = false
			continue
		}
		oid, err := ParseOID(string(fields[1]))
		if err != nil {
			whole = false
			continue
		}
		whole = whole && found
		entries = append(entries, LogEntry{New: oid, Message: string(message)})
	}
	return entries, whole
}

// logPath returns the path of the file of a reflog.
func (r *Repo) logPath(name string) string {
	dir := r.CommonDir
	if perWorktree(name) {
		dir = r.GitDir
	}
	return filepath.Join(dir, "logs", filepath.FromSlash(name))
}

type tableEntry struct {
	LogEntry
	position int64
}

// tableLog reads the newest entries after a position. The parameter `most` is the largest number of entries. An entry
// that cannot be read counts as missing.
func (r *Repo) tableLog(name string, position int64, most int) []tableEntry {
	stack, err := r.tables(name)
	if err != nil {
		return nil
	}
	defer stack.Close()
	found, err := stack.Log(name, uint64(position), most)
	if err != nil {
		return nil
	}
	entries := make([]tableEntry, len(found))
	for i, e := range found {
		entries[i].position, entries[i].Message = int64(e.Update), e.Message
		if oid, err := OIDFromBytes(e.New); err == nil {
			entries[i].New = oid
		}
	}
	return entries
}

func plain(found []tableEntry) []LogEntry {
	entries := make([]LogEntry, len(found))
	for i, e := range found {
		entries[i] = e.LogEntry
	}
	return entries
}
