package steering

import (
	"github.com/git-trace/git-trace/records"
)

// Conversation is a conversation, with the log's facts about it.
type Conversation struct {
	Record *records.Record
	Known  *Known // nil without a log, as for a file
	// Name returns the name of a step's prompt in commands; nil without names, as for a file.
	Name func(step int) string
}

// Known holds the facts of a conversation in the log.
type Known struct {
	Prompts  map[int]int     // the log's number of each prompt, by its step
	Tasks    map[int]bool    // steps of prompts that no person typed
	Rejected map[string]bool // calls that never ran
	Patches  []Patch         // in the order of the log
	// There reports whether a path existed when a call of a prompt began. asked is the evidence: a tree or a commit, ""
	// without any.
	There func(call string, prompt int, path string) (there bool, asked string)
	// Read returns a small file at that moment, with the evidence; "" for a missing file. Without a call and a prompt,
	// both describe the end of the conversation.
	Read func(call string, prompt int, path string) (text []byte, asked string)
}

// Patch is a hunk that a call wrote.
type Patch struct {
	ID       string
	Call     string
	Path     string
	Added    int      // lines, without blank ones and lone brackets
	Removed  int      // lines that it removed
	Created  bool     // the file was new
	Deleted  bool     // the file was deleted
	Previous []string // the patches that lost lines to it
	Fate     *Fate    // nil if unknown
	Thrown   bool     // a person took all its lines out, before any commit and while no call ran
}

// Fate is the fate of the lines of a patch.
type Fate struct {
	State                                 string // as git trace track has it
	Alive, Changed, Human, Reverted, Lost int    // lines; Human counts Changed lines that a person changed
	People                                int    // lines of Changed that people changed, whenever
	Dropped                               int    // lines that were removed before any commit
	Commits                               []string
	Uncommitted                           int // uncommitted lines of Alive
}

// Options are the settings of a document.
type Options struct {
	Project string   // "" takes the name of the repository, or none
	Version string   // of git-trace
	Roots   []string // directories of the repository, redacted as records are
	Words   *Words   // nil for the English words
}
