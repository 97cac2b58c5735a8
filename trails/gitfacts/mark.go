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

// Mark is the state of git at a moment. Two marks show whether git itself wrote to the work tree in between.
type Mark struct {
	Head    refs.OID
	Branch  string
	Storage string     // the storage of the refs, unless they are files; it decides Log and Orig
	Log     int64      // the length of HEAD's reflog; 0 when there is none
	Stashes []refs.OID // the newest first
	Orig    int64      // number of the last change of ORIG_HEAD
	Replays string     // operations under way, as the names of their marker files
	// Done is the last change of the list of the operation under way, its mtime in ns.
	Done int64
	// Autostash is the stash that the operation under way will bring back (git-rebase(1), --autostash).
	Autostash refs.OID
	// Squash is the last commit of a branch that was squashed into the work tree and waits for its commit.
	Squash  refs.OID
	Message int64 // mtime of the message that git prepared for the next commit, ns
	Index   int64 // mtime of the index, ns
}

// Marks of operations that git carries out in steps: refs (gitrevisions(7)) and directories (git-rebase(1)).
var (
	replayRefs = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"}
	replayDirs = []string{"rebase-merge", "rebase-apply"}
)

// stepFiles are written for each step of an operation: the steps done, the next one, the steps left.
var stepFiles = []string{"rebase-merge/done", "rebase-apply/next", "sequencer/todo"}

// messageFiles are git's files for the message of a commit that it prepares but does not make: for a squashed merge, a
// commit picked with -n, and any operation that stopped at a conflict.
var messageFiles = []string{"MERGE_MSG", "SQUASH_MSG"}

// ReadMark reads the mark without starting a process. A file that cannot be read counts as absent.
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

// Equal reports whether nothing at all has moved between two marks.
func (m Mark) Equal(other Mark) bool { return reflect.DeepEqual(m, other) }

// storage names how refs are stored, if not in files.
func storage(repo *refs.Repo) string {
	if repo.RefFormat == "files" {
		return ""
	}
	return repo.RefFormat
}

// autostashFiles are a rebase's files for its autostash; a merge has a ref for it.
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

// readSquash finds the branch that was squashed (git-merge(1), --squash): the message that git prepared lists the
// commits like git log, the last one first.
func readSquash(repo *refs.Repo) refs.OID {
	const enough = 512 // of the first commit's id
	head, err := refs.ReadStart(filepath.Join(repo.GitDir, "SQUASH_MSG"), enough)
	if err != nil {
		return refs.OID{}
	}
	for line := range bytes.Lines(head) {
		if id, found := bytes.CutPrefix(line, []byte("commit ")); found {
			oid, _ := refs.ParseOID(string(bytes.TrimSpace(id))) // no id: nothing is known
			return oid
		}
	}
	return refs.OID{}
}

// namedIn lists the ids in a file of the git directory that names several commits, in order.
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

// Wrote reports whether git wrote to the work tree between the marks. A plain commit moves HEAD without touching a
// file, so the reflog, if there is one, decides. If an operation's message is gone, a commit used it. The list of the
// operation shows earlier writes.
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

// onlyRefs reports whether git moved HEAD and nothing else (git-reset(1), --soft). A command that writes files of the
// work tree to follow HEAD writes the index too. If times have only seconds, the index is not evidence.
func (w *Work) onlyRefs() bool {
	return w.Before.Index == w.Now.Index && w.Now.Index%int64(time.Second) != 0
}

// MayHaveApplied reports whether a stash may have been applied. That leaves only a new index as a trace, so it is
// only a possibility.
func (w *Work) MayHaveApplied() bool {
	return len(w.Now.Stashes) > 0 && w.Before.Index != w.Now.Index
}
