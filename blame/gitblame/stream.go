package gitblame

import (
	"errors"

	"github.com/git-trace/git-trace/refs"
)

// Person is an author or committer as git blame prints it: mapped through the mailmap, in the requested encoding.
type Person struct {
	Name string
	Mail string // with its angle brackets
	Time int64  // seconds since the epoch
	TZ   string // "+0100"; git prints "(unknown)" for a damaged commit
}

// Commit holds the facts of a commit in a porcelain stream, once for all its lines.
type Commit struct {
	ID        refs.OID // all zero for uncommitted lines
	Author    Person
	Committer Person
	Summary   string
	Boundary  bool // a root, or the end of the requested history
}

// Committed is false for the zero id of uncommitted lines.
func (c *Commit) Committed() bool { return !c.ID.IsZero() }

// Origin is a path in a commit.
type Origin struct {
	Commit refs.OID
	Path   string
}

// Line is one line of the blamed content. Line numbers are 1-based; paths are relative to the top of the work tree, as
// raw bytes.
type Line struct {
	Commit     *Commit
	OrigLine   int    // in OrigPath as Commit has it
	FinalLine  int    // in the blamed content
	OrigPath   string // where Commit has the line
	Previous   Origin // the same file in the parent; zero if Commit created it
	Ignored    bool   // blame.markIgnoredLines: a commit that changed it was ignored
	Unblamable bool   // blame.markUnblamableLines: the ignored commit had to keep it
	Content    []byte // without the newline; nil in an incremental stream
}

// Entry is one unit of a porcelain stream: a line, or in an incremental stream a run of lines.
type Entry struct {
	Line
	// Count is the number of lines in the group that the entry opens; 0 within a group. An incremental entry is a group.
	Count int
	// Details says that the entry has the facts that git prints once for each commit.
	Details bool
	// Header is git's own text of the entry, up to the content line or, in an incremental stream, to the end.
	Header []byte
	// Text is git's own text of the content line, from the TAB to the newline; nil in an incremental stream.
	Text []byte
}

// ErrStream reports a text that is not output of git blame.
var ErrStream = errors.New("not a blame stream")
