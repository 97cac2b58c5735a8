package trails

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
)

// Clients report text, git has bytes. A report has only line feeds and not a byte order mark, whatever the file
// has. If the file is not UTF-8 and the client knows its encoding, the report has the text. Otherwise it has marks
// for the bytes that the client could not read.

const byteOrderMark = "\uFEFF"

// reportedText returns a content as a tool reported it, in the form of the contents it lies between, the nearest first.
func (s *step) reportedText(content string, like ...text) text {
	raw := []byte(content)
	for _, t := range like {
		if len(t.bytes) > 0 {
			raw = inForm(content, t.bytes)
			break
		}
	}
	if !utf8.Valid(raw) || strings.ContainsRune(content, utf8.RuneError) {
		raw = unmarked(raw, like)
	}
	return newText(s.repo.Format.Hash(refs.BlobObject, raw), raw)
}

// inForm returns a text the byte order mark, the line ends and the encoding of a file.
func inForm(content string, like []byte) []byte {
	if bytes.Contains(like, []byte("\r\n")) && !strings.Contains(content, "\r") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	if bytes.HasPrefix(like, []byte(byteOrderMark)) && !strings.HasPrefix(content, byteOrderMark) {
		content = byteOrderMark + content
	}
	if utf8.Valid(like) {
		return []byte(content)
	}
	out := make([]byte, 0, len(content))
	for _, r := range content {
		if r > 0xFF { // not Latin-1
			return []byte(content)
		}
		out = append(out, byte(r))
	}
	return out
}

// unmarked replaces lines that a client could not read by the lines of files.
func unmarked(raw []byte, like []text) []byte {
	lines := map[string][]byte{}
	for _, t := range like {
		for _, l := range t.lines {
			if key := marked(l); lines[key] == nil {
				lines[key] = l
			}
		}
	}
	var out []byte
	for i, l := range linediff.Split(raw) {
		if i > 0 {
			out = append(out, '\n')
		}
		if found := lines[marked(l)]; found != nil {
			l = found
		}
		out = append(out, l...)
	}
	if linediff.Terminated(raw) && len(raw) > 0 {
		out = append(out, '\n')
	}
	return out
}

// marked returns a line with one mark in the place of bytes that are not UTF-8. How many marks they are worth is not
// the same everywhere.
func marked(line []byte) string {
	var out strings.Builder
	last := rune(-1)
	for _, r := range strings.ToValidUTF8(string(line), string(utf8.RuneError)) {
		if r != utf8.RuneError || last != r {
			out.WriteRune(r)
		}
		last = r
	}
	return strings.TrimRight(out.String(), "\r")
}

// converted reports whether a filter makes git store other bytes than the file has: a tool's report of the file
// cannot be compared with blobs then. Line ends alone do not count, nor does an encoding in which clients read the
// file too (gitattributes(5), on working-tree-encoding).
func (s *step) converted(f *file) bool {
	raw, found := readWorkFile(s.repo, f.path)
	if !found {
		return false
	}
	for _, content := range [][]byte{raw, fromUTF16(raw), fromLatin1(raw)} {
		for _, ends := range [][]byte{content, bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))} {
			if ends != nil && s.repo.Format.Hash(refs.BlobObject, ends) == f.new.oid {
				return false
			}
		}
	}
	return true
}

// fromUTF16 returns the text of a file that begins with the byte order mark of UTF-16, without it; nil of any other.
func fromUTF16(raw []byte) []byte {
	var low, high int
	switch {
	case len(raw)%2 != 0:
		return nil
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}):
		low, high = 0, 1
	case bytes.HasPrefix(raw, []byte{0xFE, 0xFF}):
		low, high = 1, 0
	default:
		return nil
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 2; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i+low])|uint16(raw[i+high])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// fromLatin1 returns the text of a file that is not UTF-8, read as Latin-1; nil of one that is.
func fromLatin1(raw []byte) []byte {
	if utf8.Valid(raw) {
		return nil
	}
	out := make([]rune, len(raw))
	for i, c := range raw {
		out[i] = rune(c)
	}
	return []byte(string(out))
}
