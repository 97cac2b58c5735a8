package gitblame

import (
	"errors"

	"github.com/git-trace/git-trace/refs"
)

// Person is an author or committer as git blame prints it: changed by the mailmap, in the requested encoding.
type Person struct {
	Name string
	Mail string // address with its angle brackets
	Time int64  // seconds since the epoch
	TZ   string // "+0100"; git prints "(unknown)" for a damaged commit
}

// Commit holds the data of a commit in a porcelain stream. All its lines share it.
type Commit struct {
	ID        refs.OID // all zero for uncommitted lines
	Author    Person
	Committer Person
	Summary   string
	Boundary  bool // the commit is a root commit, or the end of the requested history
}

// Committed returns false for the zero id of uncommitted lines.
func (c *Commit) Committed() bool { return !c.ID.IsZero() }

// Origin is a path in a commit.
type Origin struct {
	Commit refs.OID
	Path   string
}

// Line is one line of the blamed content. Line numbers count from 1; paths are relative to the top of the work tree, in
// raw bytes.
type Line struct {
	Commit     *Commit
	OrigLine   int    // number in OrigPath in Commit
	FinalLine  int    // number in the blamed content
	OrigPath   string // path in Commit
	Previous   Origin // the same file in the parent; zero if Commit created the file
	Ignored    bool   // blame.markIgnoredLines: an ignored commit changed the line
	Unblamable bool   // blame.markUnblamableLines: git could not credit it to another commit than the ignored one
	Content    []byte // without the newline; nil in an incremental stream
}

// Entry is one unit of a porcelain stream: a line, or in an incremental stream a run of lines.
type Entry struct {
	Line
	// Count is the number of lines in the group that begins with this entry; 0 within a group. An incremental entry is a
	// group.
	Count int
	// Details says that the entry has the data that git prints once for each commit.
	Details bool
	// Header is git's text of the entry up to the content line, or in an incremental stream up to its end.
	Header []byte
	// Text is git's text of the content line, from the TAB to the newline; nil in an incremental stream.
	Text []byte
}

// ErrStream is returned for text that is not output of git blame.
var ErrStream = errors.New("not a blame stream")
