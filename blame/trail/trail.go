package trail

import (
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Trail is the life of a patch.
type Trail struct {
	Patch events.PatchID     // empty for lines that were found afterwards, as backfill finds them
	Owner events.AnchorOwner // from the patch's event or, without one, from an anchor
	Path  string             // where it was created, as raw bytes
	// Lines is the number of lines that the patch added, without the lines of its hunk that kept an older owner.
	Lines   int
	Removed int      // number of removed lines
	Created *Created // nil when the log does not hold it
	Steps   []Step   // in the order of the log
	Now     Now

	key Key
}

// Key identifies the lines of a trail: by the patch, or without one by the call and the file.
type Key string

// KeyOf returns the key of lines with an owner; empty if nothing is known to follow.
func KeyOf(o *events.AnchorOwner, path string) Key {
	switch {
	case o.Patch != "":
		return Key(o.Patch)
	case o.Trace == "":
		return ""
	}
	return Key(strings.Join([]string{string(o.Trace), o.Subagent, o.ToolCall, strconv.Itoa(o.Prompt), path}, "\x00"))
}

// Created is the moment at which the patch was found, according to the log.
type Created struct {
	Time     time.Time
	Worktree string // the name of a linked work tree, "" for the main one
	Start    int    // first new line, 1-based
	Count    int    // new lines of the hunk
	Limits   []events.Limit
}

// StepKind says how a commit got lines of a patch.
type StepKind string

// The kinds of step.
const (
	Anchored StepKind = "anchored" // it was committed
	Carried  StepKind = "carried"  // the commit took the place of another that held it
)

// Step is a commit that holds lines of the patch.
type Step struct {
	Kind       StepKind
	Time       time.Time // of the event
	Commit     refs.OID
	From       refs.OID // of a carried one: the commit whose place it took
	By         string   // amend, rebase, or another tool's word
	Runs       []Run    // none when the new commit has no anchor of its own
	Tier       string   // evidence tier of the weakest run
	Confidence string
}

// Lines returns the number of lines of the patch that the commit added.
func (s *Step) Lines() int { return count(s.Runs) }

// Run is some lines of a file, from a 1-based line on.
type Run struct {
	Path  string
	Start int
	Count int
}

func count(runs []Run) int {
	n := 0
	for _, r := range runs {
		n += r.Count
	}
	return n
}

// State says in a word what became of a patch.
type State string

// The states. If several fit, the first one counts.
const (
	NoLines   State = "no_lines" // it brought none: a deletion, a mode, a binary file
	Alive     State = "alive"    // every line is in its place, possibly above or below later lines
	Moved     State = "moved"    // every line is there, some in another file or place
	Changed   State = "changed"  // some lines are left, or other lines replaced them
	Reverted  State = "reverted" // a revert removed it
	Lost      State = "lost"     // a commit removed it, or an uncommitted change
	Orphaned  State = "orphaned" // its commits are on no ref
	Stashed   State = "stashed"  // only a stash holds it
	Dropped   State = "never_committed"
	Unsettled State = "unknown" // git has no answer, or another work tree has it
)

// Now holds the lines of a patch that are left.
type Now struct {
	State State
	Ref   string // the ref that was looked at; empty for the work tree, or for HEAD in a bare repository
	Alive int
	Moved int // part of Alive
	// Places are the places of the lines, in order of path and line.
	Places   []Place
	Changed  []Loss // replaced lines
	Reverted []Loss
	Lost     []Loss
	// Dropped counts lines that were removed before any commit.
	Dropped int
	Stash   string // of a stashed patch: stash@{N}
	// Worktree is the work tree to ask, by its name, if this one does not have the answer; "" is the main one, nil
	// none.
	Worktree *string
}

// Place is a run of lines that are alive.
type Place struct {
	Run
	Commit refs.OID // the commit that git credits; zero if uncommitted
	Moved  bool
}

// Loss is some lines that were removed, and the commit that removed them.
type Loss struct {
	Lines  int
	Commit refs.OID // zero if uncommitted
	Author string   // of the commit
	Owner  *events.AnchorOwner
}

// Uncommitted reports whether lines are alive, all of them uncommitted.
func (n *Now) Uncommitted() bool {
	for _, p := range n.Places {
		if !p.Commit.IsZero() {
			return false
		}
	}
	return len(n.Places) > 0
}
