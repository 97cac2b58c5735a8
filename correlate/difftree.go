package correlate

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// fileDiff is what a commit did to one path, as git's plumbing says it.
type fileDiff struct {
	path             string // raw bytes
	oldPath          string // where the parent has it, when git found a rename
	oldMode, newMode uint32
	old, new         refs.OID
	status           byte // A, D, M, R, T
	// added are the ranges of new lines, in order; empty for a deletion, a binary file and a pure mode change.
	added []lineRange
	// hunks are the -U0 hunks, which carry unchanged lines from the parent to the commit.
	hunks []hunkRange
	// change names the change of lines; empty when there is none, and for a merge.
	change events.ChangeID
}

// before is where the parent has the file.
func (f *fileDiff) before() string {
	if f.oldPath != "" {
		return f.oldPath
	}
	return f.path
}

// lineRange is count lines from 1-based line start.
type lineRange struct{ start, count int }

// hunkRange is one hunk header without context: 1-based starts, and the line before the hunk where a count is 0.
type hunkRange struct{ oldStart, oldCount, newStart, newCount int }

// diffTreeArgs make the output of git-diff-tree(1) independent of the user's configuration: raw records and a patch
// without context, byte-exact paths, and renames as git-blame(1) follows them: whole files.
var diffTreeArgs = []string{
	"diff-tree", "--root", "-r", "-p", "-U0", "--raw", "-z", "--full-index", "--no-commit-id", "-M",
	"--no-ext-diff", "--no-textconv", "--no-color", "--diff-algorithm=default", "--indent-heuristic",
	"--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=none", "--submodule=short",
	"--inter-hunk-context=0",
}

var errDiffShape = errors.New("unexpected output of git diff-tree")

// diffOutput collects the output of git-diff-tree(1). The records of all files come before the first patch, so that it can be
// told early that they are more than most; 0 is no bound. A path that begins like a record counts as one more.
type diffOutput struct {
	bytes.Buffer
	most    int
	counted int // bytes
	files   int
}

// maxDiff bounds the output that is read of one commit, in bytes.
const maxDiff = 256 << 20

var errHuge = errors.New("the commit changes more lines than can be anchored")

func (o *diffOutput) Write(p []byte) (int, error) {
	n, _ := o.Buffer.Write(p) // never fails
	if o.Len() > maxDiff {
		return n, errHuge
	}
	for o.most > 0 {
		field, _, whole := bytes.Cut(o.Bytes()[o.counted:], []byte{0})
		switch {
		case !whole:
			return n, nil
		case len(field) == 0:
			o.most = 0 // what follows is the patch
			return n, nil
		case field[0] == ':':
			o.files++
		}
		if o.files > o.most {
			return n, ErrLarge
		}
		o.counted += len(field) + 1
	}
	return n, nil
}

// parseDiffTree reads raw records, each ended by NUL, an empty record, and the patch.
func parseDiffTree(out []byte) ([]fileDiff, error) {
	files, rest, err := parseSection(out)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%w: text behind the last patch", errDiffShape)
	}
	return files, err
}

// parseSection reads what diff-tree says of one commit, and gives what follows it.
func parseSection(out []byte) (files []fileDiff, rest []byte, err error) {
	for len(out) > 0 && out[0] == ':' {
		var f fileDiff
		if f, out, err = parseRaw(out); err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	rest, err = parsePatch(bytes.TrimPrefix(out, []byte{0}), files)
	return files, rest, err
}

// parseRaw reads one record: ":OLDMODE NEWMODE OLDOID NEWOID STATUS\0PATH\0", with a second path after a rename.
func parseRaw(out []byte) (fileDiff, []byte, error) {
	head, rest, ok := bytes.Cut(out[1:], []byte{0})
	if !ok {
		return fileDiff{}, nil, fmt.Errorf("%w: record without end", errDiffShape)
	}
	path, rest, ok := bytes.Cut(rest, []byte{0})
	fields := bytes.Fields(head)
	if !ok || len(fields) != 5 || len(fields[4]) == 0 {
		return fileDiff{}, nil, fmt.Errorf("%w: record of %d fields", errDiffShape, len(fields))
	}
	f := fileDiff{path: string(path), status: fields[4][0]}
	if f.status == 'R' || f.status == 'C' {
		f.oldPath = f.path
		if path, rest, ok = bytes.Cut(rest, []byte{0}); !ok {
			return fileDiff{}, nil, fmt.Errorf("%w: rename without a second path", errDiffShape)
		}
		f.path = string(path)
	}
	for i, mode := range []*uint32{&f.oldMode, &f.newMode} {
		n, err := strconv.ParseUint(string(fields[i]), 8, 32)
		if err != nil {
			return fileDiff{}, nil, fmt.Errorf("%w: mode: %w", errDiffShape, err)
		}
		*mode = uint32(n)
	}
	for i, oid := range []*refs.OID{&f.old, &f.new} {
		parsed, err := refs.ParseOID(string(fields[2+i]))
		if err != nil {
			return fileDiff{}, nil, fmt.Errorf("%w: %w", errDiffShape, err)
		}
		*oid = parsed
	}
	return f, rest, nil
}

// parsePatch hands each "diff --git" section to its record. Sections come in the order of the records; a record whose
// type changed has two, a deletion and a creation. Content is skipped by count, so that no line of a file can be taken
// for a header. With several commits the id of the next one, ended by NUL, ends the patch.
func parsePatch(patch []byte, files []fileDiff) (rest []byte, err error) {
	next := -1
	secondOfType := false
	var change events.ChangeHash
	line := func() []byte {
		end := bytes.IndexByte(patch, '\n')
		if end < 0 {
			end = len(patch) - 1
		}
		l := patch[:end+1]
		patch = patch[end+1:]
		return l
	}
	for len(patch) > 0 && !beginsCommit(patch) {
		l := line()
		switch {
		case bytes.HasPrefix(l, []byte("diff --git ")):
			if next >= 0 && files[next].status == 'T' && !secondOfType {
				secondOfType = true
				continue
			}
			if next >= 0 {
				files[next].change = change.ID()
			}
			next, secondOfType = next+1, false
			if next >= len(files) {
				return nil, fmt.Errorf("%w: more patches than records", errDiffShape)
			}
		case bytes.HasPrefix(l, []byte("@@ ")):
			if next < 0 {
				return nil, fmt.Errorf("%w: hunk before any file", errDiffShape)
			}
			h, err := parseHunk(l)
			if err != nil {
				return nil, err
			}
			f := &files[next]
			f.hunks = append(f.hunks, h)
			if h.newCount > 0 {
				f.added = append(f.added, lineRange{h.newStart, h.newCount})
			}
			change.Hunk()
			for i := range h.oldCount + h.newCount {
				if len(patch) == 0 {
					return nil, fmt.Errorf("%w: hunk cut short", errDiffShape)
				}
				if l := line(); i < h.oldCount {
					change.Removed(l[1:])
				} else {
					change.Added(l[1:])
				}
				for len(patch) > 0 && patch[0] == '\\' {
					line() // "\ No newline at end of file"
				}
			}
		}
	}
	if next >= 0 {
		files[next].change = change.ID()
	}
	return patch, nil
}

// beginsCommit tells whether a header line is the id of a commit, which ends in NUL as every field does with -z.
func beginsCommit(text []byte) bool {
	id, _, ok := bytes.Cut(text[:min(len(text), 65)], []byte{0})
	if !ok {
		return false
	}
	_, err := refs.ParseOID(string(id))
	return err == nil
}

// parseHunk reads "@@ -A[,B] +C[,D] @@…".
func parseHunk(l []byte) (hunkRange, error) {
	fields := bytes.Fields(l)
	if len(fields) < 4 || len(fields[1]) < 2 || len(fields[2]) < 2 || fields[1][0] != '-' || fields[2][0] != '+' {
		return hunkRange{}, fmt.Errorf("%w: hunk header", errDiffShape)
	}
	oldStart, oldCount, err := parseRange(fields[1][1:])
	if err != nil {
		return hunkRange{}, err
	}
	newStart, newCount, err := parseRange(fields[2][1:])
	return hunkRange{oldStart, oldCount, newStart, newCount}, err
}

func parseRange(text []byte) (start, count int, err error) {
	a, b, found := bytes.Cut(text, []byte(","))
	if start, err = strconv.Atoi(string(a)); err != nil || start < 0 {
		return 0, 0, fmt.Errorf("%w: hunk range", errDiffShape)
	}
	if !found {
		return start, 1, nil
	}
	if count, err = strconv.Atoi(string(b)); err != nil || count < 0 {
		return 0, 0, fmt.Errorf("%w: hunk range", errDiffShape)
	}
	return start, count, nil
}
