package correlate

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Bounds of the search for commits that no hook was heard of.
const (
	missedTail  = 64 << 10 // of the reflog, in bytes
	missedLimit = 32
)

// missed lists the commits made here since the last anchored one, oldest first, of which no hook was heard: cut off on a
// loaded machine, killed, or switched off for one command. The reflog of HEAD tells them from commits that only came in.
// Without a reflog, or before the first anchored commit, there are none.
func missed(repo *refs.Repo, anchored []refs.OID, head refs.OID) []refs.OID {
	if len(anchored) == 0 {
		return nil
	}
	var out []refs.OID
	for _, entry := range reflogTail(filepath.Join(repo.GitDir, "logs", "HEAD")) {
		switch {
		case slices.Contains(anchored, entry.oid):
			out = out[:0]
		case entry.made && entry.oid != head && !slices.Contains(out, entry.oid):
			out = append(out, entry.oid)
		}
	}
	return out[max(0, len(out)-missedLimit):]
}

// reflogEntry is one move of HEAD: where to, and whether a commit was made by it.
type reflogEntry struct {
	oid  refs.OID
	made bool
}

// reflogTail reads the last entries of a reflog: "OLD NEW WHO\tACTION: TEXT".
func reflogTail(name string) []reflogEntry {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > missedTail {
		if _, err := f.Seek(-missedTail, io.SeekEnd); err != nil {
			return nil
		}
	}
	raw, err := io.ReadAll(io.LimitReader(f, missedTail))
	if err != nil {
		return nil
	}
	var out []reflogEntry
	for line := range bytes.Lines(raw) {
		moved, message, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		fields := strings.Fields(moved)
		if len(fields) < 2 {
			continue
		}
		oid, err := refs.ParseOID(fields[1])
		if err != nil {
			continue // the first line of the tail may be cut
		}
		action, _, _ := strings.Cut(message, ":")
		word, _, _ := strings.Cut(action, " ")
		made := word == "commit" || word == "cherry-pick" || word == "revert" || replays(action)
		out = append(out, reflogEntry{oid, made})
	}
	return out
}

// replays tells whether the action of a reflog entry is a step of a rebase that makes a commit: "rebase (pick)", or
// "pull --rebase (pick)" and the like.
func replays(action string) bool {
	if !strings.HasPrefix(action, "rebase (") && !strings.HasPrefix(action, "pull ") {
		return false
	}
	_, step, found := strings.Cut(action, " (")
	return found && step != "start)" && step != "finish)" && step != "abort)"
}
