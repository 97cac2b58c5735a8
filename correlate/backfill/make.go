package backfill

import (
	"slices"
	"strings"
)

// Make repeats the edit on a content. It returns false if the edit does not fit.
func (e *Edit) Make(before []byte) (after []byte, ok bool) {
	switch {
	case e.Rewrite != nil:
		return e.Rewrite(before), true
	case len(e.Replaces) > 0:
		return replaceAll(before, e.Replaces)
	case len(e.Whole) > 0:
		return joinLines(toBytes(e.Whole)), true
	}
	lines := cutLines(before)
	for _, h := range slices.Backward(e.Hunks) {
		at := h.At - 1
		if at < 0 || at+h.Removed > len(lines) {
			return nil, false
		}
		lines = slices.Replace(lines, at, at+h.Removed, toBytes(h.Lines)...)
	}
	return joinLines(lines), len(e.Hunks) > 0
}

// Lines returns the lines that the edit wrote. For a replacement it leaves out lines that the replaced text has, too.
func (e *Edit) Lines() []string {
	var out []string
	for _, r := range e.Replaces {
		was := strings.Split(r.Old, "\n")
		for line := range strings.SplitSeq(r.New, "\n") {
			if !slices.Contains(was, line) {
				out = append(out, line)
			}
		}
	}
	for _, h := range e.Hunks {
		out = append(out, h.Lines...)
	}
	return append(out, e.Whole...)
}

// Wrote returns a function that reports whether the edit wrote a line of the whole file, or nil if that is unknown.
func (e *Edit) Wrote() func(line int) bool {
	if len(e.Whole) == 0 || len(e.Hunks) == 0 {
		return nil
	}
	wrote, shift := map[int]bool{}, 0
	for _, h := range e.Hunks {
		at := h.At - 1 + shift
		if at < 0 || at+len(h.Lines) > len(e.Whole) || !slices.Equal(e.Whole[at:at+len(h.Lines)], h.Lines) {
			return nil
		}
		for line := range h.Lines {
			wrote[at+line] = true
		}
		shift += len(h.Lines) - h.Removed
	}
	return func(line int) bool { return wrote[line] }
}
