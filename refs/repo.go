package refs

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// The places of git-trace's data, relative to a git directory. See docs/format.md.
const (
	EventsRef      = "refs/traces/events"
	CheckpointsRef = "refs/traces/checkpoints"
	RecordsRef     = "refs/traces/records"
	tracesDir      = "traces"
	sideObjects    = "objects"
)

// Errors of discovery that callers branch on.
var (
	ErrNotRepository = errors.New("not a git repository (or any of the parent directories)")
	ErrBare          = errors.New("this operation must be run in a work tree")
	ErrUnsafe        = errors.New("repository is owned by somebody else")
)

// Repo is one work tree of one repository. It is a value of paths and facts read at discovery; it holds nothing open.
type Repo struct {
	GitDir    string // absolute; of this work tree (…/.git/worktrees/NAME in a linked one)
	CommonDir string // absolute; shared by all work trees
	WorkTree  string // absolute, symlinks resolved; empty in a bare repository
	Format    ObjectFormat
	RefFormat string // extensions.refStorage: "files", "reftable", or another value that only git reads

	// Fsync makes WriteLoose and RefLock.Commit wait until their files are on the disk. Git's default is not to.
	Fsync bool

	// Grafts is a file with other parents of some commits for git children (GIT_GRAFT_FILE); empty for none.
	Grafts string
	// LeftOut takes the commits that could not be read whole; may be nil.
	LeftOut *LeftOut

	index         string      // UseIndex
	unasked       *settled    // StartNothing; nil if git children may start configured programs
	commonFromEnv bool        // GIT_COMMON_DIR named CommonDir, so a git child needs it too
	packed        *packedRefs // the last reading; nil without one
}

// Bare reports whether the repository has no work tree here.
func (r *Repo) Bare() bool { return r.WorkTree == "" }

// HookLog returns the file with the messages of hooks, which cannot print.
func (r *Repo) HookLog() string { return filepath.Join(r.TracesDir(), "hook.log") }

// Top returns the directory from which paths in the repository count.
func (r *Repo) Top() string {
	if r.Bare() {
		return r.GitDir
	}
	return r.WorkTree
}

// Linked reports whether this is a linked work tree (git-worktree(1)).
func (r *Repo) Linked() bool { return r.GitDir != r.CommonDir }

// WorktreeName returns the name git gave a linked work tree, or "" for the main one.
func (r *Repo) WorktreeName() string {
	if !r.Linked() {
		return ""
	}
	return filepath.Base(r.GitDir)
}

// WorkTrees lists the directories of all work trees of the repository (gitrepository-layout(5)), the main one first. It
// starts no process, and does not look whether they are there.
func (r *Repo) WorkTrees() []string {
	var out []string
	add := func(dir string) {
		if dir != "" && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	if filepath.Base(r.CommonDir) == ".git" {
		add(filepath.Dir(r.CommonDir))
	}
	add(r.WorkTree)
	links, _ := filepath.Glob(filepath.Join(QuoteGlob(r.CommonDir), "worktrees", "*", "gitdir"))
	for _, link := range links {
		text, err := ReadFile(link)
		name := strings.TrimSpace(string(text))
		if !filepath.IsAbs(name) { // since git 2.48, if the person wants it
			name = filepath.Join(filepath.Dir(link), name)
		}
		if err == nil && filepath.Base(name) == ".git" {
			add(filepath.Dir(name))
		}
	}
	return out
}

// TracesDir returns the directory shared by all work trees: <common git dir>/traces.
func (r *Repo) TracesDir() string { return filepath.Join(r.CommonDir, tracesDir) }

// MaintenanceLock returns the lock file of processes that seal, pack and expire.
func (r *Repo) MaintenanceLock() string { return filepath.Join(r.TracesDir(), "maintenance.lock") }

// WorktreeTracesDir returns the directory of this work tree's own state: <git dir>/traces.
func (r *Repo) WorktreeTracesDir() string { return filepath.Join(r.GitDir, tracesDir) }

// SideObjects returns the object directory of snapshot trees and blobs. Git's gc therefore does not prune them or warn
// the user about them.
func (r *Repo) SideObjects() string { return filepath.Join(r.TracesDir(), sideObjects) }

// MainObjects returns the repository's own object directory.
func (r *Repo) MainObjects() string { return filepath.Join(r.CommonDir, "objects") }
