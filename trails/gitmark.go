package trails

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// gitMark is where git stood at a boundary. Two marks tell whether git itself wrote to the work tree in between: then a
// content that this path had before, or that HEAD has, was put there by git and keeps its owner.
type gitMark struct {
	Head    refs.OID `json:"head,omitzero"`
	Branch  string   `json:"branch,omitempty"`
	Log     int64    `json:"log,omitempty"`     // size of the reflog of HEAD; 0 when it has none
	Stash   refs.OID `json:"stash,omitzero"`    // refs/stash
	Orig    int64    `json:"orig,omitempty"`    // mtime of ORIG_HEAD, ns
	Replays string   `json:"replays,omitempty"` // operations under way, as the names of their marker files
}

// replayFiles are the marker files of operations that git carries out in steps (gitrevisions(7), git-rebase(1)).
var replayFiles = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"}

// readMark reads the mark without starting a process. Whatever cannot be read counts as absent.
func readMark(repo *refs.Repo) gitMark {
	var m gitMark
	m.Head, m.Branch, _ = repo.Head()
	if info, err := os.Stat(headLog(repo)); err == nil {
		m.Log = info.Size()
	}
	m.Stash, _ = repo.ReadRef("refs/stash")
	if info, err := os.Stat(filepath.Join(repo.GitDir, "ORIG_HEAD")); err == nil {
		m.Orig = info.ModTime().UnixNano()
	}
	var replays []string
	for _, name := range replayFiles {
		if _, err := os.Lstat(filepath.Join(repo.GitDir, name)); err == nil {
			replays = append(replays, name)
		}
	}
	m.Replays = strings.Join(replays, " ")
	return m
}

// wroteWorkTree tells whether git wrote to the work tree between two marks. A plain commit moves HEAD without touching a
// file, so the reflog, where there is one, decides by the word that git put there.
func wroteWorkTree(repo *refs.Repo, before, now gitMark) bool {
	if before.Stash != now.Stash || before.Orig != now.Orig || before.Replays != now.Replays {
		return true
	}
	if before.Head == now.Head && before.Log == now.Log {
		return false
	}
	if now.Log == 0 || now.Log < before.Log {
		return before.Head != now.Head
	}
	return !onlyCommits(repo, before.Log)
}

// onlyCommits tells whether every entry of HEAD's reflog from byte offset on says "commit". Merges and the steps of a
// cherry-pick or rebase say something else.
func onlyCommits(repo *refs.Repo, offset int64) bool {
	f, err := os.Open(headLog(repo))
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return false
	}
	tail, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return false
	}
	for line := range bytes.Lines(tail) {
		_, message, found := bytes.Cut(line, []byte("\t"))
		if !found {
			continue
		}
		word, _, _ := bytes.Cut(message, []byte(":"))
		switch string(word) {
		case "commit", "commit (initial)", "commit (amend)":
		default:
			return false
		}
	}
	return true
}

func headLog(repo *refs.Repo) string { return filepath.Join(repo.GitDir, "logs", "HEAD") }

// replayed returns the commits whose changes an operation under way is putting into the work tree: what a merge, a
// cherry-pick, a revert, a rebase or a stash brings in comes from their blobs.
func replayed(repo *refs.Repo, before, now gitMark) []refs.OID {
	var out []refs.OID
	add := func(oid refs.OID, err error) {
		if err == nil && !oid.IsZero() {
			out = append(out, oid)
		}
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD"} {
		raw, err := os.ReadFile(filepath.Join(repo.GitDir, name))
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(raw)) {
			if oid, err := refs.ParseOID(field); err == nil {
				add(oid, nil)
			}
		}
	}
	if now.Stash != before.Stash {
		add(now.Stash, nil)
		add(before.Stash, nil)
	}
	if now.Head != before.Head {
		add(before.Head, nil)
	}
	return out
}
