package trail

import (
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Trail is the history and the present state of a patch.
type Trail struct {
	Patch events.PatchID     // empty for lines that were attributed afterwards, for example by backfill
	Owner events.AnchorOwner // owner from the patch's event, otherwise from an anchor
	Path  string             // path at its creation, raw bytes
	// Lines is the number of lines that the patch added. It excludes lines of its hunk that kept an older owner.
	Lines   int
	Removed int      // number of removed lines
	Created *Created // nil if the log does not have it
	Steps   []Step   // steps in the order of time
	Now     Now

	key Key
}

// Key identifies the lines of a trail: by the patch, or if there is none, by the call and the file.
type Key string

// KeyOf returns the key of lines with an owner, or "" if the owner does not identify anything to follow.
func KeyOf(o *events.AnchorOwner, path string) Key {
	switch {
	case o.Patch != "":
		return Key(o.Patch)
	case o.Trace == "":
		return ""
	}
	return Key(strings.Join([]string{string(o.Trace), o.Subagent, o.ToolCall, strconv.Itoa(o.Prompt), path}, "\x00"))
}

// Created describes the creation of the patch, from the log.
type Created struct {
	Time     time.Time
	Worktree string // name of a linked work tree; "" for the main one
	Start    int    // first new line, from 1
	Count    int    // number of new lines of the hunk
	Limits   []events.Limit
}

// StepKind is the way in which a commit got lines of a patch.
type StepKind string

// The kinds of steps.
const (
	Anchored StepKind = "anchored" // the lines were committed
	Carried  StepKind = "carried"  // the commit replaced another one that had them
)

// Step is a commit that has lines of the patch.
type Step struct {
	Kind       StepKind
	Time       time.Time // time of the event, or of the commit if that was anchored later
	Commit     refs.OID
	From       refs.OID // the replaced commit, for a carried step
	By         string   // amend, rebase, or the word of another tool
	Runs       []Run    // empty if the new commit has no anchor of its own
	Tier       string   // evidence tier of the weakest run
	Confidence string
}

// Lines returns the number of the patch's lines that the commit added.
func (s *Step) Lines() int { return count(s.Runs) }

// Run is a run of lines of a file. Its first line counts from 1.
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

// State is the present state of a patch, in one word.
type State string

// The states of the lines of a patch. If several apply, the first one in this list counts.
const (
	NoLines   State = "no_lines" // the patch added no lines: a deletion, a mode change, a binary file
	Alive     State = "alive"    // every line is in its place, possibly above or below later lines
	Moved     State = "moved"    // every line exists, some in another file or place
	Changed   State = "changed"  // some lines are left, or other lines replaced them
	Reverted  State = "reverted" // a revert removed the lines
	Lost      State = "lost"     // a commit or an uncommitted change removed the lines
	Orphaned  State = "orphaned" // the commits with the lines are on no ref
	Stashed   State = "stashed"  // only a stash has the lines
	Dropped   State = "never_committed"
	Unsettled State = "unknown" // git cannot answer, or another work tree has the answer
)

// `Now` describes the lines of a patch that are left.
type Now struct {
	State State
	Ref   string // the ref that was searched; empty for the work tree, or HEAD in a bare repository
	Alive int
	Moved int // included in Alive
	// Places lists the runs of lines, ordered by path and line.
	Places   []Place
	Changed  []Loss // replaced lines
	Reverted []Loss
	Lost     []Loss
	// Dropped is the number of lines that were removed before any commit.
	Dropped int
	Stash   string // stash@{N} for a stashed patch
	// Worktree is the name of the work tree that has the answer, if this one does not; "" is the main one, nil means none.
	Worktree *string
}

// Place is a run of lines that are alive.
type Place struct {
	Run
	Commit refs.OID // the commit that git credits; zero if uncommitted
	Moved  bool
}

// Loss is a number of lines that one commit removed.
type Loss struct {
	Lines  int
	Commit refs.OID // zero if uncommitted
	Author string   // author of the commit
	Owner  *events.AnchorOwner
}

// Uncommitted reports whether some lines are alive and all of these are uncommitted.
func (n *Now) Uncommitted() bool {
	for _, p := range n.Places {
		if !p.Commit.IsZero() {
			return false
		}
	}
	return len(n.Places) > 0
}
