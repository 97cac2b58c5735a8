package gitblame

import (
	"context"
	"io"

	"github.com/git-trace/git-trace/refs"
)

// Format is the format of the output.
type Format uint8

// The formats. The three in the middle are git's own (git-blame(1)).
const (
	Human Format = iota
	Porcelain
	LinePorcelain
	Incremental
	JSON
	JSONRuns
)

// IsJSON reports whether the format is one of the JSON formats, which do not need the times of uncommitted lines.
func (f Format) IsJSON() bool { return f == JSON || f == JSONRuns }

// Choice is an option with a default in git's configuration.
type Choice uint8

// The values of a Choice.
const (
	Default Choice = iota
	Yes
	No
)

// `Or` returns the choice as a boolean, or def if it is not set.
func (c Choice) Or(def bool) bool {
	if c == Default {
		return def
	}
	return c == Yes
}

// Options is a parsed argument vector. Arguments without a field here are passed on to git.
type Options struct {
	Format  Format
	Prompts bool // --prompts: show each question above the lines that its answer wrote
	OnlyAI  bool // --only-ai: leave out lines that people wrote
	// Functions is --functions: show the writers of each function and their numbers of lines, not the lines.
	Functions bool

	LongHash      bool   // -l
	RawTime       bool   // -t
	NoAuthor      bool   // -s
	Email         Choice // -e, blame.showEmail
	ShowName      bool   // -f
	ShowNumber    bool   // -n
	Annotate      bool   // -c
	BlankBoundary Choice // -b, blame.blankBoundary
	ColorLines    Choice // --color-lines, blame.coloring
	ColorByAge    Choice // --color-by-age, blame.coloring
	ScoreDebug    bool
	ShowStats     bool
	Abbrev        string // --abbrev: "" if missing, "0" for --no-abbrev
	Date          string // --date: "" if missing

	Reverse     bool // --reverse: git shows the last commit that has a line, not its origin
	FirstParent bool // --first-parent: git credits merges with the merged lines
	Grafted     bool // -S: the history differs from the parents in the commits
	Limited     bool // options cut the history, so boundary commits did not write all their lines
	HasRange    bool // -L: the output is not the whole file
	IgnoresRevs bool // --ignore-rev, --ignore-revs-file
	NoTextconv  bool // --no-textconv
	// Contents is the value of --contents. HasContents is false if the option is missing.
	Contents    string
	HasContents bool

	// Stdin is the input of `--contents -`. Stderr receives git's warnings. Parse sets neither of them; both may be nil.
	Stdin  io.Reader
	Stderr io.Writer
	// Config is git's configuration if the caller has read it. Parse does not set it.
	Config *refs.Config
	// History is used before git if the caller has read one. Parse does not set it.
	History *History
	// Likely is called while git is running, with the commits and lines that the answer probably has. Parse does not set
	// it. It must stop when its context ends, and returns before the blame does.
	Likely func(context.Context, Likely)

	args   []argument // git's arguments in order, without git-trace's own options
	words  []string   // positional arguments before "--"; without "--" the file is one of them
	after  []string   // positional arguments after "--"
	dashes bool       // there was a "--"
}

// Likely holds the commits that an answer probably has, and the content if there are uncommitted lines.
type Likely struct {
	Path    string
	Commits []refs.OID // empty if the cache has no answer
	Content []byte     // the file in the work tree; nil if there are no uncommitted lines
}

// argument is one option for git, or one positional argument. The value of an option is a separate word if the user
// wrote it in that way.
type argument struct {
	words []string
	role  role
}

// role says in which calls of git an option must be left out.
type role uint8

const (
	passes   role = iota // always passed to git
	compares             // selects the comparison of versions: the answers differ, but can be composed in the same way
	moves                // finds lines that moved within the file: a commit's answer depends on the question
	copies               // finds lines from other files: the answer depends on all files of the work tree
	formats              // selects the format or the progress display: only for git's own formats
	draws                // changes only git's table; no effect on the porcelain formats
	limits               // cuts or replaces the history: left out of the plain blame that finds owners
	contents             // names the final content
	ranges               // -L
	names                // revisions, the file, and separators
)
