package steering

import (
	"github.com/git-trace/git-trace/records"
)

// Conversation is a record with the log's facts about it.
type Conversation struct {
	Record *records.Record
	Known  *Known // nil without a log, as for a session file
	// Name returns the name of a step's prompt in commands; nil without names, as for a session file.
	Name func(step int) string
}

// Known holds the log's facts about a conversation.
type Known struct {
	Prompts  map[int]int     // the log's number of each prompt, by the prompt's step
	Tasks    map[int]bool    // steps of prompts that were not typed by a person
	Rejected map[string]bool // calls that never ran
	Patches  []Patch         // patches in the order of the log
	// `There` reports whether a path existed at the start of a call. The result `asked` is the evidence: a tree or a
	// commit; "" if there is none.
	There func(call string, prompt int, path string) (there bool, asked string)
	// Read returns the content of a small file at the start of a call, with the evidence; nil for a missing file. Without
	// a call and a prompt, There and Read describe the end of the conversation.
	Read func(call string, prompt int, path string) (text []byte, asked string)
}

// Patch is a patch of the log: a hunk that a call wrote.
type Patch struct {
	ID       string
	Call     string
	Path     string
	Added    int      // added lines, without blank lines and lines with only brackets
	Removed  int      // removed lines
	Created  bool     // the file was new
	Deleted  bool     // the file was deleted
	Previous []string // ids of the patches whose lines this patch removed
	Fate     *Fate    // nil if unknown
	Thrown   bool     // a person removed all its lines before any commit and while no call ran
}

// Fate tells what happened to the lines of a patch.
type Fate struct {
	State                                 string // the word that git trace track shows
	Alive, Changed, Human, Reverted, Lost int    // numbers of lines; Human counts the Changed lines that a person changed
	People                                int    // the Changed lines that people changed at any time
	Dropped                               int    // lines that were removed before any commit
	Commits                               []string
	Uncommitted                           int // the uncommitted lines in Alive
}

// Options holds the settings of a document.
type Options struct {
	Project string   // "" for the name of the repository, if there is one
	Version string   // the version of git-trace
	Roots   []string // directories of the repository, redacted like records
	Words   *Words   // nil for the English words
}
