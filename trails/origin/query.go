package origin

import (
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// Memory gives the known owners of contents, by the paths that had them.
type Memory interface {
	Get(path string, blob refs.OID) (vector.Vector, bool)
	Put(path string, blob refs.OID, v vector.Vector)
	// Blobs lists the contents of a path, the last one first; Names lists its other names, the nearest first.
	Blobs(path string, limit int) []refs.OID
	Names(path string) []string
	// `Left` lists contents of a path that one of the lines may have left, the last one first. It calls the function lines
	// only if something was removed from the path.
	Left(path string, lines func() [][]byte, limit int) []refs.OID
	// `Apart` lists contents in the same way as Left, for lines that disappeared when git moved to a commit without them.
	Apart(path string, lines func() [][]byte, limit int) []refs.OID
}

// Tree is the last seen state of another work tree of the repository.
type Tree interface {
	Lookup(path string) (snapshot.Entry, bool)
	// Taken returns the content that git removed from the file there since the last look here, for example by a stash.
	Taken(path string) (refs.OID, bool)
	// Marks returns the states of git at its last looks.
	Marks() []gitfacts.Mark
}

// World gives evidence besides git and the memory.
type World interface {
	// Text reads a content.
	Text(blob refs.OID) (Text, error)
	// Stored reports whether the repository may have a content; Keep keeps a content that git made and nobody saw.
	Stored(blob refs.OID) bool
	Keep(raw []byte) Text
	// LeftAlone reports that git has not written a file since the last look, although it may have written others.
	LeftAlone(path string) bool
	// Young reports whether a commit may be newer than the last full snapshot.
	Young(commit refs.OID) bool
	// `Others` returns the other work trees.
	Others() []Tree
	// Latest returns the most likely source of a committed content.
	Latest(path string, lines [][]byte) (Candidate, bool)
	// MadeOf returns the last seen content of a path, if a commit that no hook reported was made from it. UnderOlderName
	// returns the same content for a file that has another name in the commit.
	MadeOf(commit refs.OID, path string) (Candidate, bool)
	UnderOlderName(commit refs.OID, path string) (Candidate, bool)
}

// Work is git's work on the work tree since a moment, with the timeline's conclusions.
type Work struct {
	*gitfacts.Work
	// Restored says that git wrote files. Doubtful says that the only known fact is a stash that may have been applied.
	// Elsewhere says that this stash may have been made in another work tree, and no longer exists.
	Restored  bool
	Doubtful  bool
	Elsewhere bool

	operands  *[]gitfacts.Operand // nil until it is needed
	brought   []refs.OID          // see brought
	fruitless int                 // number of contents without a known commit; see maxFruitless
}

// Case holds the common facts of all queries at one moment. It is for one goroutine.
type Case struct {
	World
	Memory
	Git gitfacts.Reader

	Anchored
	Head   refs.OID
	Squash refs.OID   // see gitfacts.Mark; also of a message that the commit has used up
	Known  []refs.OID // the stashes that were there at the last look at everything
	Whole  *Work      // since everything was looked at

	again   again
	dropped *[]refs.OID // the missing stashes that other work trees knew; nil until they are needed
}

// Anchored is the commit that is being anchored, with its changed paths. Without such a commit, the ids are zero.
type Anchored struct {
	Commit, Parent refs.OID
	Paths          []string
}

// base returns the commit to compare the work tree with, to see git's changes.
func (c *Case) base() refs.OID {
	if c.Commit.IsZero() {
		return c.Head
	}
	return c.Parent
}

// Query searches the sources of a content of a path.
type Query struct {
	*Case
	Moment  moment.Moment
	Work    *Work // since the last look at the path
	Path    string
	OldPath string // the path before a rename, else the path
	Old     Text   // the path's content before the change
	New     Text
	// Buffer is the last content of an editor's buffer, if the editor reported it since the last look at the path.
	// ByEditor says that the new content also comes from that buffer.
	Buffer   refs.OID
	ByEditor bool
	Reported bool // a tool reported the path before and after its edit
	// Replaced is the commit that was rewritten; Renamed maps names in the new commit to names in the replaced one.
	Replaced refs.OID
	Renamed  func() map[string]string

	found  []Candidate       // the candidates so far, see Gather
	popped refs.OID          // a stash's content, see poppedOnto
	made   map[refs.OID]bool // see byHand; nil until it is needed
}

// `at` returns the same query for another moment.
func (q *Query) at(m moment.Moment) *Query {
	other := *q
	other.Moment = m
	return &other
}

// `names` returns the query's path and the other names of the same file.
func (q *Query) names() []string { return append([]string{q.Path}, q.Memory.Names(q.Path)...) }

// `knows` reports whether the owners of a content are known.
func (q *Query) knows(path string, blob refs.OID) bool {
	_, known := q.Memory.Get(path, blob)
	return known
}

// operands lists the commits whose contents git may have written.
func (q *Query) operands() []gitfacts.Operand {
	w := q.Work
	if w.operands == nil {
		list := w.StashesThatMayBeApplied
		if !w.Doubtful {
			list = w.Operands
		}
		found := list(gitfacts.Asking{Commit: q.Commit, Squash: q.Squash, Seen: q.Known})
		w.operands = &found
	}
	return *w.operands
}

// byHand lists the contents of the path that people's commits brought since the last look. They still own such a
// content when git adds commits, for example the picks of a rebase after a resolved conflict.
func (q *Query) byHand() (map[refs.OID]bool, error) {
	if q.made != nil {
		return q.made, nil
	}
	made := map[refs.OID]bool{}
	for _, commit := range q.Work.ByHand(q.Commit) {
		blob, err := q.Git.Blob(commit, q.Path)
		if err != nil {
			return nil, err
		}
		c, err := q.Git.Commit(commit)
		if err != nil || blob.IsZero() {
			continue // skip a missing commit
		}
		there := false
		for _, parent := range c.Parents {
			before, err := q.Git.Blob(parent, q.Path)
			if err != nil {
				return nil, err
			}
			there = there || before == blob
		}
		if !there {
			made[blob] = true
		}
	}
	q.made = made
	return made, nil
}
