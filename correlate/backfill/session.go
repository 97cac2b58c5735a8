package backfill

import (
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Session is a conversation with its edits.
type Session struct {
	Trace events.TraceID
	Agent string
	ID    string
	Dirs  []string // the directories that it was held in, absolute, in slashes
	// Remote is the URL of the repository that the agent worked in; Commits are ids, perhaps abbreviated, of commits
	// that it started from or made; both empty if the agent does not record them.
	Remote  string
	Commits []string
	Made    []string // the commits that it made
	// Only has, by step, the commits with the edits of that step alone, as the agent says.
	Only  map[int]string
	Edits []Edit
}

// Edit is the change of one call in one file.
type Edit struct {
	Path     string // absolute, or below the first of Dirs, in slashes
	Step     int
	Prompt   int // number of the prompt that it belongs to
	Call     string
	Tool     string
	Model    string
	Subagent string
	Time     time.Time // zero where it is not known

	// The written texts. Replaces are repeated if possible; otherwise Hunks count, and without them the text of
	// Replaces. If Whole is set, Hunks say which lines are new.
	Replaces []Replacement // one after the other
	Hunks    []Hunk        // exact
	Whole    []string      // the whole file
	// Rewrite computes the effect of a command on a content, if nothing else is known.
	Rewrite func(before []byte) []byte
}

// Hunk has written lines. At is the first line in the file before the edit, from 1; 0 if it is not known.
type Hunk struct {
	At, Removed int
	Lines       []string
}

// Replacement replaces a text, once or everywhere.
type Replacement struct {
	Old, New string
	All      bool
}

// Options set the places of the search.
type Options struct {
	Roots   []string // the work trees of the repository, absolute, in slashes
	Remotes []string // the URLs of its remotes
	// Blob reads a content of the history, Hash names one as git does.
	Blob func(refs.OID) ([]byte, error)
	Hash func(content []byte) refs.OID
	Last time.Time // the date of the newest commit of the repository
	// Commit finds the commit of the repository that an id, perhaps abbreviated, names.
	Commit func(id string) (refs.OID, bool)
}
