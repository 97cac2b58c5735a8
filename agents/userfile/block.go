package userfile

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// ErrDamaged reports a marker without its counterpart.
var ErrDamaged = errors.New("the marker comments of git-trace are damaged")

// Block is git-trace's part of another program's file: lines between two marker comments.
type Block struct{ Begin, End string }

// Marked returns the block for a name: an agent's name, or "" for the block of the git hooks.
func Marked(name string) Block {
	if name != "" {
		name = " " + name
	}
	return Block{"# >>> git-trace" + name + " >>>", "# <<< git-trace" + name + " <<<"}
}

// Find returns the position of the first block: the result `start` is its first byte, the result `end` is the byte
// after the line break of the end marker. If there is no block, `start` is -1.
func (b Block) Find(doc []byte) (start, end int, err error) {
	start = -1
	for at := 0; at < len(doc); {
		next := len(doc)
		if i := bytes.IndexByte(doc[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		switch strings.TrimRight(string(doc[at:next]), "\r\n") {
		case b.Begin:
			if start >= 0 {
				return -1, 0, ErrDamaged
			}
			start = at
		case b.End:
			if start < 0 {
				return -1, 0, ErrDamaged
			}
			return start, next, nil
		}
		at = next
	}
	if start >= 0 {
		return -1, 0, ErrDamaged
	}
	return -1, 0, nil
}

// Inner returns the text between the markers; nil if there is no block.
func (b Block) Inner(doc []byte) []byte {
	start, end, err := b.Find(doc)
	if err != nil || start < 0 {
		return nil
	}
	_, inner, _ := bytes.Cut(doc[start:end], []byte("\n"))
	return append([]byte{}, inner[:bytes.LastIndex(inner, []byte(b.End))]...)
}

// Wrap puts the markers around whole lines.
func (b Block) Wrap(inner []byte) []byte {
	return slices.Concat([]byte(b.Begin+"\n"), inner, []byte(b.End+"\n"))
}

// Put returns the document with these lines in the block: it replaces the block, or adds one at the end. A nil document
// means a missing file. Line breaks record the state before: after a line without a line break, or in an empty file,
// the block begins with a line break and ends without one.
func (b Block) Put(doc, inner []byte) ([]byte, error) {
	start, end, err := b.Find(doc)
	block := b.Wrap(inner)
	switch {
	case err != nil:
		return nil, err
	case start >= 0:
		if doc[end-1] != '\n' {
			block = block[:len(block)-1]
		}
		return slices.Concat(doc[:start], block, doc[end:]), nil
	case doc == nil || bytes.HasSuffix(doc, []byte("\n")):
		return slices.Concat(doc, block), nil
	}
	return slices.Concat(doc, []byte("\n"), block[:len(block)-1]), nil
}

// Take returns the document without the block; nil if the file did not exist before.
func (b Block) Take(doc []byte) ([]byte, error) {
	start, end, err := b.Find(doc)
	switch {
	case err != nil:
		return nil, err
	case start < 0:
		return doc, nil
	case doc[end-1] != '\n':
		return append([]byte{}, bytes.TrimSuffix(doc[:start], []byte("\n"))...), nil
	case len(doc) == end-start:
		return nil, nil
	}
	return slices.Concat(doc[:start], doc[end:]), nil
}

// Ignore returns an ignore file (gitignore(5)) whose block lists these files. The block comes first, so that the user's
// own lines override it. Without files, there is no block.
func (b Block) Ignore(doc []byte, files ...string) ([]byte, error) {
	rest, err := b.Take(doc)
	if err != nil || len(files) == 0 {
		return rest, err
	}
	var inner strings.Builder
	for _, file := range files {
		inner.WriteString("/" + escapePattern(filepath.ToSlash(file)) + "\n")
	}
	block := b.Wrap([]byte(inner.String()))
	if rest != nil && len(rest) == 0 {
		block = block[:len(block)-1]
	}
	return slices.Concat(block, rest), nil
}

// escapePattern returns a pattern that matches only this path.
func escapePattern(path string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
	if trimmed := strings.TrimRight(escaped, " "); trimmed != escaped {
		escaped = trimmed + strings.Repeat(`\ `, len(escaped)-len(trimmed))
	}
	return escaped
}

// Exclude reads a clone's ignore file, which applies to all its work trees.
func Exclude(commonDir string) (File, error) {
	path := filepath.Join(commonDir, "info", "exclude")
	file, err := Read(path)
	if err != nil {
		return File{Path: path}, err
	}
	return file, nil
}
