// Package patch makes unified patches: for git apply, and for people, with colour, marked words and a margin.
//
// The caller gives the changed lines. This package itself only compares the two forms of one line.
package patch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/diff"
)

// Context is the number of unchanged lines around a change.
const Context = 3

// Change maps lines of the old content to lines of the new one. Lines are counted from 1. If a count is 0, the start is
// the previous line.
type Change struct {
	OldStart, OldCount, NewStart, NewCount int
}

// File is a file whose content changed.
type File struct {
	OldPath, NewPath string // "" if the file did not exist, or no longer exists
	chunks           []chunk
}

// ErrRange is the error for a change of lines that a content does not have.
var ErrRange = errors.New("no such lines")

// `Of` returns a patch with some of the changes between two contents. Both sides of the patch contain all other
// changes, so it can be undone separately.
func Of(oldPath, newPath string, before, after []byte, changes []Change) (*File, error) {
	f := &File{OldPath: oldPath, NewPath: newPath}
	old, now, at := lines(before), lines(after), 0
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b Change) int {
		return first(a.NewStart, a.NewCount) - first(b.NewStart, b.NewCount)
	})
	for _, c := range changes {
		from, start := first(c.OldStart, c.OldCount), first(c.NewStart, c.NewCount)
		if from < 0 || start < at || c.OldCount < 0 || c.NewCount < 0 || from > len(old)-c.OldCount ||
			start > len(now)-c.NewCount {
			return nil, fmt.Errorf("%w: -%d,%d +%d,%d", ErrRange, c.OldStart, c.OldCount, c.NewStart, c.NewCount)
		}
		f.add(diff.Equal, now[at:start])
		f.add(diff.Delete, old[from:from+c.OldCount])
		f.add(diff.Add, now[start:start+c.NewCount])
		at = start + c.NewCount
	}
	f.add(diff.Equal, now[at:])
	return f, nil
}

// `first` returns the index of a range's first line, counted from 0.
func first(start, count int) int {
	if count == 0 {
		return start
	}
	return start - 1
}

// lines splits a content after each newline.
func lines(content []byte) []string {
	var out []string
	for line := range bytes.Lines(content) {
		out = append(out, string(line))
	}
	return out
}

func (f *File) add(op diff.Operation, lines []string) {
	if len(lines) > 0 {
		f.chunks = append(f.chunks, chunk{op, lines})
	}
}

// Write writes the patch in the form of git apply.
func (f *File) Write(to io.Writer) error {
	return diff.NewUnifiedEncoder(to, Context).Encode(f)
}

// FilePatches, Message, IsBinary, Files and Chunks implement the interfaces of the encoder.
func (f *File) FilePatches() []diff.FilePatch { return []diff.FilePatch{f} }

// Message returns the text before a patch, which is empty.
func (f *File) Message() string { return "" }

// IsBinary returns false: a file of this package has lines.
func (f *File) IsBinary() bool { return false }

// Files returns the two sides.
func (f *File) Files() (from, to diff.File) {
	if f.OldPath != "" {
		from = side{f.OldPath, 1}
	}
	if f.NewPath != "" {
		to = side{f.NewPath, 2}
	}
	return from, to
}

// Chunks returns all lines of both sides, as runs.
func (f *File) Chunks() []diff.Chunk {
	out := make([]diff.Chunk, len(f.chunks))
	for i := range f.chunks {
		out[i] = f.chunks[i]
	}
	return out
}

// chunk is a run of lines that are all kept, deleted or added.
type chunk struct {
	op    diff.Operation
	lines []string
}

func (c chunk) Content() string      { return strings.Join(c.lines, "") }
func (c chunk) Type() diff.Operation { return c.op }

// side is one side of a file that exists there. Its content byte makes the ids of the two sides differ.
type side struct {
	path    string
	content byte
}

func (s side) Hash() plumbing.Hash     { return plumbing.Hash{s.content} }
func (s side) Mode() filemode.FileMode { return filemode.Regular }
func (s side) Path() string            { return s.path }
