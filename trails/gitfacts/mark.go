package gitfacts

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Mark is the state of git at one moment. Two marks show whether git itself wrote to the work tree between them.
type Mark struct {
	Head    refs.OID
	Branch  string
	Storage string     // storage format of the refs, unless it is files; Log and Orig depend on it
	Log     int64      // length of HEAD's reflog; 0 if there is none
	Stashes []refs.OID // newest first
	Orig    int64      // number of the last change of ORIG_HEAD
	Replays string     // marker files of the operations in progress
	// Done is the last change of the step list of the operation in progress: its mtime in ns.
	Done int64
	// Autostash is the stash that the operation in progress will apply at its end (git-rebase(1), --autostash).
	Autostash refs.OID
	// Squash is the last commit of a branch that was squashed into the work tree and is not committed yet.
	Squash  refs.OID
	Message int64 // mtime of git's prepared message for the next commit, in ns
	Index   int64 // mtime of the index, in ns
}

// Markers of operations that git carries out in steps: refs (gitrevisions(7)) and directories (git-rebase(1)).
var (
	replayRefs = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"}
	replayDirs = []string{"rebase-merge", "rebase-apply"}
)

// stepFiles lists files that git writes in each step of an operation: the finished steps, the next one, the remaining
// ones.
var stepFiles = []string{"rebase-merge/done", "rebase-apply/next", "sequencer/todo"}

// messageFiles lists the files in which git prepares the message of a later commit: after a squashed merge, after a
// pick with -n, and after any operation that stopped at a conflict.
var messageFiles = []string{"MERGE_MSG", "SQUASH_MSG"}

// ReadMark reads the mark without starting a process. A file that cannot be read counts as missing.
func ReadMark(repo *refs.Repo) Mark {
	written := func(name string) int64 {
		info, err := os.Stat(filepath.Join(repo.GitDir, name))
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	var m Mark
	m.Head, m.Branch, _ = repo.Head()
	m.Storage = storage(repo)
	m.Log = repo.LogPosition("HEAD")
	m.Stashes = stashes(repo)
	m.Squash = readSquash(repo)
	m.Orig, m.Index = repo.RefWritten("ORIG_HEAD"), written("index")
	for _, name := range messageFiles {
		m.Message = max(m.Message, written(name))
	}
	var replays []string
	for _, name := range replayRefs {
		if repo.HasRef(name) {
			replays = append(replays, name)
		}
	}
	for _, name := range replayDirs {
		if _, err := os.Lstat(filepath.Join(repo.GitDir, name)); err == nil {
			replays = append(replays, name)
		}
	}
	m.Replays = strings.Join(replays, " ")
	if m.Replays != "" {
		for _, name := range stepFiles {
			m.Done = max(m.Done, written(name))
		}
		m.Autostash = readAutostash(repo)
	}
	return m
}

// Equal reports whether two marks are the same.
func (m Mark) Equal(other Mark) bool { return reflect.DeepEqual(m, other) }

// storage returns the storage format of the refs, or "" for files.
func storage(repo *refs.Repo) string {
	if repo.RefFormat == "files" {
		return ""
	}
	return repo.RefFormat
}

// autostashFiles lists a rebase's files for its autostash. A merge has a ref for it.
var autostashFiles = []string{"rebase-merge/autostash", "rebase-apply/autostash"}

func readAutostash(repo *refs.Repo) refs.OID {
	for _, name := range autostashFiles {
		raw, err := refs.ReadFile(filepath.Join(repo.GitDir, name))
		if err != nil {
			continue
		}
		if oid, err := refs.ParseOID(string(bytes.TrimSpace(raw))); err == nil {
			return oid
		}
	}
	oid, err := repo.ReadRef("MERGE_AUTOSTASH")
	if err != nil {
		return refs.OID{}
	}
	return oid
}

// readSquash finds the branch that was squashed (git-merge(1), --squash). The prepared message lists its commits like
// git log, newest first.
func readSquash(repo *refs.Repo) refs.OID {
	const enough = 512 // bytes that contain the id of the first commit
	head, err := refs.ReadStart(filepath.Join(repo.GitDir, "SQUASH_MSG"), enough)
	if err != nil {
		return refs.OID{}
	}
	for line := range bytes.Lines(head) {
		if id, found := bytes.CutPrefix(line, []byte("commit ")); found {
			oid, _ := refs.ParseOID(string(bytes.TrimSpace(id))) // the zero id means that it is unknown
			return oid
		}
	}
	return refs.OID{}
}

// namedIn lists the commit ids in a file of the git directory, in order.
func namedIn(repo *refs.Repo, name string) []refs.OID {
	raw, err := refs.ReadFile(filepath.Join(repo.GitDir, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	var out []refs.OID
	for field := range strings.FieldsSeq(string(raw)) {
		if oid, err := refs.ParseOID(field); err == nil {
			out = append(out, oid)
		}
	}
	return out
}

// Wrote reports whether git wrote to the work tree between the marks. A plain commit moves HEAD without writing a file,
// so the reflog decides if there is one. If the prepared message of an operation is gone, a commit used it. The step
// list of the operation shows earlier writes.
func (w *Work) Wrote() bool {
	before, now := w.Before, w.Now
	moved := before.Storage != now.Storage // git-refs(1), migrate
	if !slices.Equal(before.Stashes, now.Stashes) || before.Replays != now.Replays || before.Done != now.Done {
		return true
	}
	if now.Message != before.Message && now.Message != 0 {
		return true
	}
	if w.onlyRefs() {
		return false
	}
	if !moved && before.Orig != now.Orig {
		return true
	}
	if before.Head == now.Head && (moved || before.Log == now.Log) {
		return false
	}
	if moved || now.Log == 0 || now.Log < before.Log {
		return before.Head != now.Head
	}
	moves, whole := w.Moves()
	return !whole || slices.ContainsFunc(moves, func(m Move) bool { return !m.LeavesFiles() })
}

// onlyRefs reports whether git only moved HEAD (git-reset(1), --soft). A command that also updates files writes the
// index too. If the index's time has only whole seconds, it proves nothing.
func (w *Work) onlyRefs() bool {
	return w.Before.Index == w.Now.Index && w.Now.Index%int64(time.Second) != 0
}

// MayHaveApplied reports whether a stash may have been applied. Its only trace is a new index, so this is never
// certain.
func (w *Work) MayHaveApplied() bool {
	return len(w.Now.Stashes) > 0 && w.Before.Index != w.Now.Index
}
