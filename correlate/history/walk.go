package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
)

// Commit is one commit with its changes.
type Commit struct {
	ID        refs.OID
	Parents   []refs.OID
	Author    string // "Name <mail>"
	Authored  time.Time
	Committed time.Time
	Files     []File
	Unread    []Unread // the unreadable parts of the commit

	forgotten bool // see Forget
}

// File is a commit's change of one path.
type File struct {
	gitdiff.Record
	Hunks []Hunk
}

// Hunk replaces lines. Line numbers count from 1, and the texts have no line feeds. A side without lines has the number
// of the previous line.
type Hunk struct {
	OldStart, NewStart int
	Removed, Added     [][]byte
}

// Errors of git's output.
var errShape = errors.New("unexpected output of git")

// maxLineBytes is the length after which a line is cut off.
const maxLineBytes = 64 << 10

// List returns the commits that git-rev-list(1) gives for the arguments, parents before children, without their files.
func List(ctx context.Context, repo *refs.Repo, revs ...string) ([]Commit, error) {
	args := []string{"log", "--topo-order", "--reverse", "--no-show-signature",
		"--format=%H%x00%P%x00%an <%ae>%x00%at%x00%ct"}
	out, err := repo.Git(ctx, nil, append(args, revs...)...)
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	var list []Commit
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		if len(fields) != 5 {
			return nil, fmt.Errorf("list commits: %w", errShape)
		}
		c := Commit{Author: fields[2], Authored: seconds(fields[3]), Committed: seconds(fields[4])}
		if c.ID, err = refs.ParseOID(fields[0]); err != nil {
			return nil, fmt.Errorf("list commits: %w", err)
		}
		for parent := range strings.FieldsSeq(fields[1]) {
			id, err := refs.ParseOID(parent)
			if err != nil {
				return nil, fmt.Errorf("list commits: %w", err)
			}
			c.Parents = append(c.Parents, id)
		}
		list = append(list, c)
	}
	return list, nil
}

func seconds(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// Walk yields the commits of a list with their files, in order. A commit without changes has no files. If an object is
// damaged or missing, the unreadable part is named in Unread, and the walk continues.
func Walk(ctx context.Context, repo *refs.Repo, list []Commit, yield func(*Commit) error) error {
	return (&walker{repo: repo, yield: yield}).all(ctx, list)
}

// WalkNames does the same as Walk, but yields files without their hunks, which takes git a tenth of the time.
func WalkNames(ctx context.Context, repo *refs.Repo, list []Commit, yield func(*Commit) error) error {
	return (&walker{repo: repo, yield: yield, names: true}).all(ctx, list)
}

func (w *walker) all(ctx context.Context, list []Commit) error {
	if err := w.walk(ctx, list); err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	return nil
}

// section reads the part of git's output that describes one commit.
func section(r *gitdiff.Reader) ([]File, error) {
	records, err := r.Records()
	if err != nil {
		return nil, err
	}
	files := filesOf(records)
	return files, r.Patch(records, &hunkTaker{files: files})
}

// `Between` lists the changes of files from one tree to another. The parameter `most` is the largest number of files;
// if there are more, Between fails.
func Between(ctx context.Context, repo *refs.Repo, from, to refs.OID, most int) (files []File, err error) {
	args := append(append([]string{"--literal-pathspecs", "diff-tree"}, gitdiff.Patch()...), from.String(), to.String())
	err = gitdiff.Run(ctx, repo, nil, args, func(r *gitdiff.Reader) error {
		r.MaxLine, r.MaxRecords, r.MaxPatch = maxLineBytes, most, maxBetween
		files, err = section(r)
		return err
	})
	return files, err
}

// maxBetween limits the size, in bytes, of the patch from one tree to another.
const maxBetween = 64 << 20

func filesOf(records []gitdiff.Record) []File {
	files := make([]File, len(records))
	for i := range records {
		files[i].Record = records[i]
	}
	return files
}

// hunkTaker collects the lines of a patch.
type hunkTaker struct {
	files []File
	hunk  *Hunk
	room  []byte // memory that is allocated for several lines at once
}

func (t *hunkTaker) Hunk(file int, h gitdiff.Hunk) {
	f := &t.files[file]
	f.Hunks = append(f.Hunks, Hunk{OldStart: h.OldStart, NewStart: h.NewStart})
	t.hunk = &f.Hunks[len(f.Hunks)-1]
}

func (t *hunkTaker) Removed(line []byte) { t.hunk.Removed = append(t.hunk.Removed, t.keep(line)) }
func (t *hunkTaker) Added(line []byte)   { t.hunk.Added = append(t.hunk.Added, t.keep(line)) }

// keepRoom is the number of bytes that are allocated at once for lines.
const keepRoom = 4 << 10

// `keep` copies a line without its line feed.
func (t *hunkTaker) keep(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if cap(t.room)-len(t.room) < len(line) {
		t.room = make([]byte, 0, max(keepRoom, len(line)))
	}
	start := len(t.room)
	t.room = append(t.room, line...)
	return t.room[start:len(t.room):len(t.room)]
}

// Records returns the commit's changes of files, without lines.
func (c *Commit) Records() []gitdiff.Record {
	out := make([]gitdiff.Record, len(c.Files))
	for i := range c.Files {
		out[i] = c.Files[i].Record
	}
	return out
}

// Patch repeats the lines of the files in git's order. Lines that were cut off stay so: see Cut.
func (c *Commit) Patch(to gitdiff.Lines) error {
	for i := range c.Files {
		for _, h := range c.Files[i].Hunks {
			to.Hunk(i, gitdiff.Hunk{OldStart: h.OldStart, OldCount: len(h.Removed), NewStart: h.NewStart,
				NewCount: len(h.Added)})
			for _, line := range h.Removed {
				to.Removed(line)
			}
			for _, line := range h.Added {
				to.Added(line)
			}
		}
	}
	return nil
}

// Forget drops the lines, for callers that need only the changed files.
func (c *Commit) Forget() {
	for i := range c.Files {
		c.Files[i].Hunks = nil
	}
	c.forgotten = true
}

// AddedLines returns the number of lines that the commit added to the file.
func (f *File) AddedLines() (n int) {
	for i := range f.Hunks {
		n += len(f.Hunks[i].Added)
	}
	return n
}

// Cut reports whether lines differ from the commit's lines, because a long line was cut off or the lines were dropped.
func (c *Commit) Cut() bool {
	long := func(line []byte) bool { return len(line) >= maxLineBytes-2 } // without sign and line feed
	return c.forgotten || slices.ContainsFunc(c.Files, func(f File) bool {
		return slices.ContainsFunc(f.Hunks, func(h Hunk) bool {
			return slices.ContainsFunc(h.Added, long) || slices.ContainsFunc(h.Removed, long)
		})
	})
}
