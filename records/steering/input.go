package steering

import (
	"github.com/git-trace/git-trace/records"
)

// Conversation is a conversation, and what the log knows of it.
type Conversation struct {
	Record *records.Record
	Known  *Known // nil where there is no log, as for a file
	// Name returns the name under which commands take the prompt of a step; nil where none does, as for a file.
	Name func(step int) string
}

// Known holds the facts of a conversation in the log.
type Known struct {
	Prompts  map[int]int     // the log's number of each prompt, by its step
	Tasks    map[int]bool    // steps of prompts that no person typed
	Rejected map[string]bool // calls that never ran
	Patches  []Patch         // in the order of the log
	// There reports whether a path was there when a call of a prompt began, and what was asked: a tree or a commit, ""
	// if nothing could be.
	There func(call string, prompt int, path string) (there bool, asked string)
	// Read returns a small file at that moment, and what was asked; "" where it is not there. Both take no call and no
	// prompt for the end of the conversation.
	Read func(call string, prompt int, path string) (text []byte, asked string)
}

// Patch is a hunk that a call wrote.
type Patch struct {
	ID       string
	Call     string
	Path     string
	Added    int      // lines, without blank ones and lone brackets
	Removed  int      // lines that it took away
	Created  bool     // the file was new
	Deleted  bool     // the file is gone
	Previous []string // the patches of which it took lines
	Fate     *Fate    // nil where nobody followed it
	Thrown   bool     // a person took all its lines out, before any commit and while no call ran
}

// Fate is the fate of the lines of a patch.
type Fate struct {
	State                                 string // as git trace track has it
	Alive, Changed, Human, Reverted, Lost int    // lines; Human are those of Changed that people changed before the commit
	People                                int    // lines of Changed that people changed, whenever
	Dropped                               int    // lines that were gone before any commit
	Commits                               []string
	Uncommitted                           int // lines of Alive that no commit has
}

// Options are the settings of a document.
type Options struct {
	Project string   // "" takes the name of the repository, or none
	Version string   // of git-trace
	Roots   []string // directories of the repository, redacted as records are
	Words   *Words   // nil takes those of English
}
