package gitdiff

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// CombinedPatch parses the patch of a merge, as with -c, up to the id of the next commit or the end. There is one
// section for each of the files that [Reader.Combined] lists, in order. It calls take with the hunks of each file
// against each parent. The patch must have context: without it, git leaves out lines between two removals.
func (r *Reader) CombinedPatch(parents, files int, take func(parent, file int, h Hunk)) error {
	file := -1
	return r.sections("diff --combined ", strings.Repeat("@", parents+1)+" ", func() error {
		if file++; file >= files {
			return errPatches
		}
		return nil
	}, func(line []byte) error {
		at, err := combinedPlaces(line, parents)
		if err != nil {
			return err
		}
		return r.combinedHunk(at, func(parent int, h Hunk) { take(parent, file, h) })
	})
}

// combinedPlaces parses "@@@ -A,B -C,D +E,F @@@…". It returns the first line of each parent and of the merge, in one
// list. A side without lines has the number of the line after it.
func combinedPlaces(line []byte, parents int) ([]int, error) {
	fields := bytes.Fields(line)
	if len(fields) < parents+3 {
		return nil, fmt.Errorf("%w: combined hunk header", ErrShape)
	}
	at := make([]int, parents+1)
	for i := range at {
		text, _, _ := bytes.Cut(fields[i+1][1:], []byte(","))
		n, err := strconv.ParseUint(string(text), 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%w: combined hunk header", ErrShape)
		}
		at[i] = int(n)
	}
	return at, nil
}

// combinedHunk reads the lines of a hunk. A line has a column for each parent: "-" if the parent has the line and the
// merge does not, "+" if the merge has it and the parent does not, otherwise a space.
func (r *Reader) combinedHunk(at []int, take func(parent int, h Hunk)) error {
	parents := len(at) - 1
	open := make([]Hunk, parents) // the hunk of each parent that is not complete
	end := func(parent int) {
		h := &open[parent]
		if h.OldCount == 0 && h.NewCount == 0 {
			return
		}
		if h.OldStart = at[parent] - h.OldCount; h.OldCount == 0 {
			h.OldStart--
		}
		if h.NewStart = at[parents] - h.NewCount; h.NewCount == 0 {
			h.NewStart--
		}
		take(parent, *h)
		*h = Hunk{}
	}
	for {
		next, err := r.ahead(1)
		if err != nil {
			return err
		}
		if len(next) == 0 || next[0] != ' ' && next[0] != '+' && next[0] != '-' && next[0] != '\\' {
			for parent := range parents {
				end(parent)
			}
			return nil
		}
		line, err := r.line()
		switch {
		case err != nil:
			return err
		case line[0] == '\\': // "\ No newline at end of file"
			continue
		case len(line) < parents:
			return fmt.Errorf("%w: combined hunk cut short", ErrShape)
		}
		lost := bytes.IndexByte(line[:parents], '-') >= 0
		for parent, sign := range line[:parents] {
			switch {
			case sign == '-':
				open[parent].OldCount++
				at[parent]++
			case lost:
			case sign == '+':
				open[parent].NewCount++
			default:
				end(parent)
				at[parent]++
			}
		}
		if !lost {
			at[parents]++
		}
	}
}
