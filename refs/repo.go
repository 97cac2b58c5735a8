package refs

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// The paths of git-trace's data, relative to a git directory. See docs/format.md.
const (
	EventsRef      = "refs/traces/events"
	CheckpointsRef = "refs/traces/checkpoints"
	RecordsRef     = "refs/traces/records"
	tracesDir      = "traces"
	sideObjects    = "objects"
)

// Errors of discovery that callers check for.
var (
	ErrNotRepository = errors.New("not a git repository (or any of the parent directories)")
	ErrBare          = errors.New("this operation must be run in a work tree")
	ErrUnsafe        = errors.New("repository is owned by somebody else")
)

// Repo is one work tree of one repository. It holds the paths and facts that discovery found, and no open files.
type Repo struct {
	GitDir    string // absolute; only for this work tree (…/.git/worktrees/NAME in a linked one)
	CommonDir string // absolute; the same for all work trees
	WorkTree  string // absolute, without symlinks; empty in a bare repository
	Format    ObjectFormat
	RefFormat string // extensions.refStorage: "files", "reftable", or another value for which only git can read refs

	// Fsync makes WriteLoose, Rename and RefLock.Commit wait until their files are on the disk. Git by default does not
	// wait.
	Fsync bool

	// Grafts is a file that gives some commits other parents, for git processes (GIT_GRAFT_FILE); empty if there is none.
	Grafts string
	// LeftOut collects the commits that could not be read completely; may be nil.
	LeftOut *LeftOut

	index         string      // set by UseIndex
	unasked       *settled    // set by StartNothing; nil if git processes may start configured programs
	commonFromEnv bool        // GIT_COMMON_DIR gave CommonDir, so git processes need it too
	packed        *packedRefs // the last content that was read; nil if none
}

// Bare reports whether the repository has no work tree.
func (r *Repo) Bare() bool { return r.WorkTree == "" }

// HookLog returns the path of the file with the messages of hooks, because hooks cannot print.
func (r *Repo) HookLog() string { return filepath.Join(r.TracesDir(), "hook.log") }

// Top returns the directory to which paths in the repository are relative.
func (r *Repo) Top() string {
	if r.Bare() {
		return r.GitDir
	}
	return r.WorkTree
}

// Linked reports whether this is a linked work tree (git-worktree(1)).
func (r *Repo) Linked() bool { return r.GitDir != r.CommonDir }

// WorktreeName returns git's name of a linked work tree, or "" for the main one.
func (r *Repo) WorktreeName() string {
	if !r.Linked() {
		return ""
	}
	return filepath.Base(r.GitDir)
}

// WorkTrees lists the directories of all work trees of the repository (gitrepository-layout(5)), the main one first. It
// starts no process, and does not check whether they exist.
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
		if !filepath.IsAbs(name) { // possible since git 2.48, if configured
			name = filepath.Join(filepath.Dir(link), name)
		}
		if err == nil && filepath.Base(name) == ".git" {
			add(filepath.Dir(name))
		}
	}
	return out
}

// TracesDir returns the directory that all work trees share: <common git dir>/traces.
func (r *Repo) TracesDir() string { return filepath.Join(r.CommonDir, tracesDir) }

// MaintenanceLock returns the path of the lock file for processes that seal, pack and expire.
func (r *Repo) MaintenanceLock() string { return filepath.Join(r.TracesDir(), "maintenance.lock") }

// WorktreeTracesDir returns the directory for this work tree's own state: <git dir>/traces.
func (r *Repo) WorktreeTracesDir() string { return filepath.Join(r.GitDir, tracesDir) }

// SideObjects returns the object directory for trees and blobs of snapshots. Because it is separate, git's gc does not
// prune them or warn about them.
func (r *Repo) SideObjects() string { return filepath.Join(r.TracesDir(), sideObjects) }

// MainObjects returns the repository's own object directory.
func (r *Repo) MainObjects() string { return filepath.Join(r.CommonDir, "objects") }
