package trails

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Some editors tell of a completion by its place alone: the text that it replaced, its own text, and the old line.
// The whole buffer is then the content of the path that fits: the file, or a buffer that was told of before. The line
// may have grown since. Where no content fits, nobody knows what the buffer held.

// maxBuffers bounds the earlier contents that are tried.
const maxBuffers = 4

// placeEdits gives each path of placed edits one edit with whole texts; ok is false if a path has no content that fits.
func (s *step) placeEdits(edits []declared) (out []declared, ok bool, err error) {
	ok = true
	for len(edits) > 0 {
		path := edits[0].Path
		own := slices.DeleteFunc(slices.Clone(edits), func(d declared) bool { return d.Path != path })
		edits = slices.DeleteFunc(edits, func(d declared) bool { return d.Path == path })
		if own[0].at == nil {
			out = append(out, own...)
			continue
		}
		was, _, found, err := s.fileSeen(path)
		if err != nil {
			return nil, false, err
		}
		if !found {
			continue // git ignores it, or nobody has saved it yet
		}
		var texts [][]byte
		if raw, readable := readWorkFile(s.repo, path); readable {
			texts = append(texts, raw)
		}
		texts = append(texts, was.bytes)
		for _, blob := range s.known.Blobs(path, maxBuffers) {
			t, err := s.read(0, blob)
			if errors.Is(err, refs.ErrMissing) {
				continue // the side store has forgotten it
			}
			if err != nil {
				return nil, false, err
			}
			texts = append(texts, t.bytes)
		}
		d, fits := placed(path, own, texts)
		if ok = ok && fits; fits {
			out = append(out, d)
		}
	}
	return out, ok, nil
}

// placed finds the text to which edits fit, as they left it or as they found it.
func placed(path string, edits []declared, texts [][]byte) (declared, bool) {
	for _, raw := range texts {
		if before, ok := unplace(string(raw), edits); ok {
			after := string(raw)
			return declared{Path: path, Before: &before, After: &after}, true
		}
	}
	for _, grown := range []bool{false, true} {
		for _, raw := range texts {
			before := string(raw)
			if grown {
				before = withLine(raw, edits[0].at)
			}
			if after, ok := place(before, edits); ok {
				return declared{Path: path, Before: &before, After: &after}, true
			}
		}
	}
	return declared{}, false
}

// place makes edits, one after the other.
func place(text string, edits []declared) (string, bool) {
	for _, d := range edits {
		start, line, ok := offset(text, d.at)
		if !ok || line != d.at.Text || !strings.HasPrefix(text[start:], d.Old) {
			return "", false
		}
		text = text[:start] + d.New + text[start+len(d.Old):]
	}
	return text, true
}

// unplace takes edits back, the last one first.
func unplace(text string, edits []declared) (string, bool) {
	for _, d := range slices.Backward(edits) {
		start, _, ok := offset(text, d.at)
		if !ok || d.New == "" || !strings.HasPrefix(text[start:], d.New) {
			return "", false
		}
		text = text[:start] + d.Old + text[start+len(d.New):]
		if _, line, _ := offset(text, d.at); line != d.at.Text {
			return "", false
		}
	}
	return text, true
}

// withLine returns a text in which the line of a place has grown to what the place says it was.
func withLine(raw []byte, at *events.Place) string {
	lines := linediff.Split(raw)
	ends := []byte("\n")
	if at.Line == len(lines)+1 && linediff.Terminated(raw) {
		return string(raw) + at.Text
	}
	if at.Line < 1 || at.Line > len(lines) ||
		!strings.HasPrefix(at.Text, string(bytes.TrimRight(lines[at.Line-1], "\r"))) {
		return string(raw)
	}
	lines = slices.Clone(lines)
	lines[at.Line-1] = []byte(at.Text)
	out := string(bytes.Join(lines, ends))
	if linediff.Terminated(raw) && len(raw) > 0 {
		out += "\n"
	}
	return out
}

// offset returns the byte at a place, and the line around it.
func offset(text string, at *events.Place) (start int, line string, ok bool) {
	if at.Line < 1 {
		return 0, "", false
	}
	for range at.Line - 1 {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			return 0, "", false
		}
		start += end + 1
	}
	line, _, _ = strings.Cut(text[start:], "\n")
	column := at.Column - 1
	for i := range line {
		if column == 0 {
			return start + i, strings.TrimSuffix(line, "\r"), true
		}
		column--
	}
	return start + len(line), strings.TrimSuffix(line, "\r"), column == 0
}
