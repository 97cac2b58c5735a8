package backfill

import (
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Session is a conversation with what it wrote.
type Session struct {
	Trace events.TraceID
	Agent string
	ID    string
	Dirs  []string // the directories that it was held in, absolute, in slashes
	// Remote is the URL of the repository that the agent worked in, Commits are ids, perhaps abbreviated, of commits that
	// it began at or made; empty where the agent does not tell.
	Remote  string
	Commits []string
	Made    []string // those of them that it made
	// Only are the commits, by the step that made them, that hold the edits of that step and nothing else, as the agent
	// says.
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

	// What was written. Replaces are made again where that is possible; otherwise Hunks count, and where there are none
	// the text of Replaces. Hunks beside Whole say which lines of the file are new.
	Replaces []Replacement // one after the other
	Hunks    []Hunk        // exact
	Whole    []string      // the whole file
	// Rewrite gives what a command made of the file, where that is all that is known: it is tried on what the file held.
	Rewrite func(before []byte) []byte
}

// Hunk are lines that were written. At counts from 1 in the file as it was before, 0 where the place is not known.
type Hunk struct {
	At, Removed int
	Lines       []string
}

// Replacement replaces a text, once or wherever it stands.
type Replacement struct {
	Old, New string
	All      bool
}

// Options say where to look.
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
