package gitblame

import (
	"context"
	"io"

	"github.com/git-trace/git-trace/refs"
)

// Format is the form of the output.
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

// IsJSON reports whether the format is one of our formats for programs, which do not need times of uncommitted lines.
func (f Format) IsJSON() bool { return f == JSON || f == JSONRuns }

// Choice is an option that configuration decides when the command line does not.
type Choice uint8

// The states of a Choice.
const (
	Default Choice = iota
	Yes
	No
)

// Or is the choice as a boolean, def if it is not set.
func (c Choice) Or(def bool) bool {
	if c == Default {
		return def
	}
	return c == Yes
}

// Options is a parsed argument vector. Other arguments are passed on to git.
type Options struct {
	Format  Format
	Prompts bool // --prompts: the question above the lines it led to
	OnlyAI  bool // --only-ai: leave out what people wrote
	// Functions is --functions: not the lines are shown, but who wrote how much of each function.
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
	Abbrev        string // --abbrev: "" when absent, "0" for --no-abbrev
	Date          string // --date: "" when absent

	Reverse     bool // --reverse: git shows the last commit with a line, not its origin
	FirstParent bool // --first-parent: git credits merges with the merged lines
	Grafted     bool // -S: the history is not the one the commits were made in
	Limited     bool // options cut the history: boundary commits did not write their lines
	HasRange    bool // -L: the output is not the whole file
	IgnoresRevs bool // --ignore-rev, --ignore-revs-file
	NoTextconv  bool // --no-textconv
	// Contents is the value of --contents; HasContents is false if the option is absent.
	Contents    string
	HasContents bool

	// Stdin is the input of `--contents -`. Stderr takes git's warnings. Neither is set by Parse; nil means none.
	Stdin  io.Reader
	Stderr io.Writer
	// Config is git's configuration, if the caller has read it; Parse does not.
	Config *refs.Config
	// History is asked before git, if the caller has read one; Parse does not.
	History *History
	// Likely is called while git is running, with the likely subjects of the answer; Parse does not set it. It must stop
	// when its context ends, and returns before the answer does.
	Likely func(context.Context, Likely)

	args   []argument // git's arguments in their order, without ours
	words  []string   // positional arguments before "--"; without one, the file is among them
	after  []string   // positional arguments after "--"
	dashes bool       // there was a "--"
}

// Likely holds the likely subjects of an answer: commits, and uncommitted lines if there is a content.
type Likely struct {
	Path    string
	Commits []refs.OID // none if the cache has no answer
	Content []byte     // the file in the work tree; nil for none
}

// argument is one option for git, or one positional argument. The value of an option is a separate word if the user
// wrote it so.
type argument struct {
	words []string
	role  role
}

// role says for which purposes an option must be left out.
type role uint8

const (
	passes   role = iota // to git, always
	compares             // how a version is compared with the previous one: other answers, put together in the same way
	moves                // lines that moved within the file: a commit's answer depends on the question
	copies               // the same, from other files: the answer depends on all files of the work tree
	formats              // chooses the format or the progress display: only for git's own formats
	draws                // changes git's table only, harmless to the porcelain formats
	limits               // cuts or replaces history: not in the plain blame that finds owners
	contents             // names the final image
	ranges               // -L
	names                // revisions, the file, and separators
)
