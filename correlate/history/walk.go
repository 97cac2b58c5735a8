package history

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Commit is one commit with what it changed.
type Commit struct {
	ID        refs.OID
	Parents   []refs.OID
	Author    string // "Name <mail>"
	Authored  time.Time
	Committed time.Time
	Files     []File
	Unread    []Unread // what could not be read of it
}

// File is what a commit did to one path.
type File struct {
	Path     string // raw bytes
	OldPath  string // where the parent has it; the same if it was not renamed
	Old, New refs.OID
	Mode     uint32
	Hunks    []Hunk
}

// Hunk replaces lines. Lines count from 1 and have no line feeds; a side without lines names the line after which the
// other side's stand.
type Hunk struct {
	OldStart, NewStart int
	Removed, Added     [][]byte
}

// Errors of git's output.
var errShape = errors.New("unexpected output of git")

// maxLineBytes is the length beyond which a line is cut: nothing is told by the rest of it.
const maxLineBytes = 64 << 10

// List gives the commits that git-rev-list(1) gives for the arguments, parents before children, without their files.
func List(ctx context.Context, repo *refs.Repo, revs ...string) ([]Commit, error) {
	args := []string{"log", "--topo-order", "--reverse", "--no-show-signature", "--format=%H%x00%P%x00%an <%ae>%x00%at%x00%ct"}
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

// diffArgs make git-diff-tree(1) independent of the user's configuration.
var diffArgs = []string{
	"diff-tree", "--stdin", "--root", "-r", "-p", "-U0", "--raw", "-z", "--full-index", "-M",
	"--no-ext-diff", "--no-textconv", "--no-color", "--diff-algorithm=default", "--indent-heuristic",
	"--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none", "--submodule=short", "--inter-hunk-context=0",
}

// Walk gives the commits of a list, each with its files, in the order of the list. A commit that changed nothing has none.
// What git cannot read of a commit, for an object that is damaged or missing, is named in Unread, and the walk goes on.
func Walk(ctx context.Context, repo *refs.Repo, list []Commit, yield func(*Commit) error) error {
	if err := (&walker{repo: repo, yield: yield}).walk(ctx, list); err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	return nil
}

type parser struct{ in *bufio.Reader }

// walk gives the commits of which it is sure that git told all of them: what stands last in the output counts only once
// git has ended well, which ended tells.
func (p *parser) walk(list []Commit, yield func(*Commit) error, ended func() error) (done int, err error) {
	next, err := p.commitID()
	for i := range list {
		if err != nil && !errors.Is(err, io.EOF) {
			return i, cmp.Or(ended(), err)
		}
		c := list[i]
		if err == nil && next == c.ID { // git says nothing of a commit without changes
			if err = p.files(&c); err == nil {
				next, err = p.commitID()
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return i, cmp.Or(ended(), err)
			}
		}
		if err != nil {
			if failed := ended(); failed != nil {
				return i, failed
			}
		}
		if err := yield(&c); err != nil {
			return i, &refusal{err}
		}
	}
	if err == nil {
		return len(list), fmt.Errorf("%w: a commit that was not asked for", errShape)
	}
	return len(list), nil
}

// commitID reads "ID\0".
func (p *parser) commitID() (refs.OID, error) {
	text, err := p.in.ReadString(0)
	if err != nil {
		if text == "" {
			return refs.OID{}, io.EOF
		}
		return refs.OID{}, fmt.Errorf("%w: cut off", errShape)
	}
	return refs.ParseOID(text[:len(text)-1])
}

// files reads the raw records of a commit and its patch.
func (p *parser) files(c *Commit) error {
	files, err := p.records()
	if err != nil {
		return err
	}
	c.Files = files
	if first, err := p.in.Peek(1); err == nil && first[0] == 0 {
		_, _ = p.in.Discard(1)
	}
	return p.patch(c.Files)
}

// record reads ":MODE MODE ID ID STATUS\0PATH\0", with a second path after a rename.
func (p *parser) record() (File, error) {
	head, err := p.in.ReadString(0)
	fields := strings.Fields(strings.TrimSuffix(head, "\x00"))
	if err != nil || len(fields) != 5 {
		return File{}, fmt.Errorf("%w: raw record", errShape)
	}
	path, err := p.in.ReadString(0)
	if err != nil {
		return File{}, fmt.Errorf("%w: raw record", errShape)
	}
	f := File{Path: path[:len(path)-1], OldPath: path[:len(path)-1]}
	if fields[4][0] == 'R' || fields[4][0] == 'C' {
		if path, err = p.in.ReadString(0); err != nil {
			return File{}, fmt.Errorf("%w: raw record", errShape)
		}
		f.Path = path[:len(path)-1]
	}
	mode, err := strconv.ParseUint(fields[1], 8, 32)
	if err != nil {
		return File{}, fmt.Errorf("%w: mode", errShape)
	}
	f.Mode = uint32(mode)
	if f.Old, err = refs.ParseOID(fields[2]); err != nil {
		return File{}, err
	}
	f.New, err = refs.ParseOID(fields[3])
	return f, err
}

// patch reads the sections of a patch, one a file in the order of the records; a file whose type changed has two.
func (p *parser) patch(files []File) error {
	at, repeated := -1, false
	for {
		if ahead, err := p.in.Peek(65); len(ahead) == 0 {
			return nil
		} else if startsCommit(ahead) {
			return nil
		} else if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		line, err := p.line()
		if err != nil {
			return err
		}
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			if at >= 0 && !repeated && typeChanged(line, files, at) {
				repeated = true
				continue
			}
			at, repeated = at+1, false
			if at >= len(files) {
				return fmt.Errorf("%w: more patches than files", errShape)
			}
		case bytes.HasPrefix(line, []byte("@@ ")):
			if at < 0 {
				return fmt.Errorf("%w: hunk before any file", errShape)
			}
			h, err := p.hunk(line)
			if err != nil {
				return err
			}
			files[at].Hunks = append(files[at].Hunks, h)
		}
	}
}

// typeChanged tells whether a section is the second one of its file: a deletion and a creation of one path.
func typeChanged(line []byte, files []File, at int) bool {
	if at+1 < len(files) {
		return !bytes.HasSuffix(line, []byte(" b/"+files[at+1].Path)) && bytes.HasSuffix(line, []byte(" b/"+files[at].Path))
	}
	return bytes.HasSuffix(line, []byte(" b/"+files[at].Path))
}

// startsCommit tells whether a full id and NUL come next.
func startsCommit(ahead []byte) bool {
	end := bytes.IndexByte(ahead, 0)
	if end != 40 && end != 64 {
		return false
	}
	_, err := refs.ParseOID(string(ahead[:end]))
	return err == nil
}

// line reads a line without its line feed; what is beyond the limit is dropped.
func (p *parser) line() ([]byte, error) {
	var out []byte
	for {
		part, err := p.in.ReadSlice('\n')
		if room := maxLineBytes - len(out); room > 0 {
			out = append(out, part[:min(room, len(part))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(out) == 0) {
			return nil, fmt.Errorf("%w: cut off", errShape)
		}
		return bytes.TrimSuffix(out, []byte("\n")), nil
	}
}

// hunk reads the lines behind "@@ -A[,B] +C[,D] @@".
func (p *parser) hunk(header []byte) (Hunk, error) {
	fields := strings.Fields(string(header))
	if len(fields) < 4 || len(fields[1]) < 2 || len(fields[2]) < 2 {
		return Hunk{}, fmt.Errorf("%w: hunk header", errShape)
	}
	oldStart, oldCount, err := span(fields[1][1:])
	if err != nil {
		return Hunk{}, err
	}
	newStart, newCount, err := span(fields[2][1:])
	if err != nil {
		return Hunk{}, err
	}
	h := Hunk{OldStart: oldStart, NewStart: newStart}
	for i := range oldCount + newCount {
		line, err := p.line()
		if err != nil || len(line) == 0 {
			return Hunk{}, fmt.Errorf("%w: hunk cut short", errShape)
		}
		if i < oldCount {
			h.Removed = append(h.Removed, line[1:])
		} else {
			h.Added = append(h.Added, line[1:])
		}
		if next, err := p.in.Peek(1); err == nil && next[0] == '\\' {
			if _, err := p.line(); err != nil { // "\ No newline at end of file"
				return Hunk{}, err
			}
		}
	}
	return h, nil
}

func span(text string) (start, count int, err error) {
	a, b, found := strings.Cut(text, ",")
	if start, err = strconv.Atoi(a); err != nil {
		return 0, 0, fmt.Errorf("%w: hunk range", errShape)
	}
	if !found {
		return start, 1, nil
	}
	if count, err = strconv.Atoi(b); err != nil || count < 0 {
		return 0, 0, fmt.Errorf("%w: hunk range", errShape)
	}
	return start, count, nil
}
