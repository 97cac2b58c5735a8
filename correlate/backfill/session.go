package backfill

import (
	"time"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Session is a conversation with its edits.
type Session struct {
	Trace events.TraceID
	Agent string
	ID    string
	Dirs  []string // directories in which it ran: absolute, with slashes
	// Remote is the URL of the repository in which the agent worked. Commits are ids, full or abbreviated, of commits from
	// which it started or that it made. Both are empty if the agent does not record them.
	Remote  string
	Commits []string
	Made    []string // ids of the commits that it made
	// Only maps a step to the commits that, as the agent says, have the edits of this step and no others.
	Only  map[int]string
	Edits []Edit
}

// Edit is the change of one file by one tool call.
type Edit struct {
	Path     string // absolute, or relative to the first of Dirs, with slashes
	Step     int
	Prompt   int // number of its prompt
	Call     string
	Tool     string
	Model    string
	Subagent string
	Time     time.Time // zero if unknown

	// The written texts. Replaces are repeated if possible. Otherwise Hunks count, and without Hunks the new texts of
	// Replaces. If Whole is set, Hunks say which of its lines are new.
	Replaces []Replacement // applied in this order
	Hunks    []Hunk        // exact hunks
	Whole    []string      // the whole file
	// Rewrite computes the content after a command from the content before it. It is used if nothing else is known.
	Rewrite func(before []byte) []byte
}

// Hunk holds written lines. At is the number of the first line in the file before the edit, from 1; 0 if it is not
// known.
type Hunk struct {
	At, Removed int
	Lines       []string
}

// Replacement replaces a text: its first occurrence, or all of them.
type Replacement struct {
	Old, New string
	All      bool
}

// Options holds the repository's directories, URLs and functions for the search.
type Options struct {
	Roots   []string // the work trees of the repository: absolute, with slashes
	Remotes []string // the URLs of its remotes
	// Blob reads a blob of the history. Hash returns the id that git gives a content.
	Blob func(refs.OID) ([]byte, error)
	Hash func(content []byte) refs.OID
	Last time.Time // committer date of the newest commit
	// Commit returns the commit that a full or abbreviated id names.
	Commit func(id string) (refs.OID, bool)
	// Read gets each commit whose lines are read; it may be nil.
	Read func(*history.Commit) error

	older int // see mostOlder; 0 means mostOlder
}
