package linediff

import (
	"bytes"
	"unicode"
)

// Split splits `content` into lines without their line feeds. The lines share the memory of `content`. A final line
// feed ends the last line and does not begin another one. Empty content has no lines.
func Split(content []byte) [][]byte {
	if len(content) == 0 {
		return nil
	}
	lines := make([][]byte, 0, bytes.Count(content, newline)+1)
	for len(content) > 0 {
		end := bytes.IndexByte(content, '\n')
		if end < 0 {
			return append(lines, content)
		}
		lines = append(lines, content[:end:end])
		content = content[end+1:]
	}
	return lines
}

// Terminated reports whether the last line of `content` ends in a line feed. Empty content counts as terminated.
func Terminated(content []byte) bool {
	return len(content) == 0 || content[len(content)-1] == '\n'
}

var newline = []byte{'\n'}

// StripSpace returns a line without white space. As in `git diff -w`, this is space, tab, carriage return, line feed,
// vertical tab and form feed, but no other Unicode spaces. A line without white space is not copied.
func StripSpace(line []byte) []byte {
	for i, c := range line {
		if isSpace(c) {
			return appendStripped(append(make([]byte, 0, len(line)-1), line[:i]...), line[i+1:])
		}
	}
	return line
}

func appendStripped(dst, line []byte) []byte {
	for _, c := range line {
		if !isSpace(c) {
			dst = append(dst, c)
		}
	}
	return dst
}

// StripLines applies StripSpace to every line. The results share one buffer.
func StripLines(lines [][]byte) [][]byte {
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	buffer := make([]byte, 0, size)
	stripped := make([][]byte, len(lines))
	for i, line := range lines {
		start := len(buffer)
		buffer = appendStripped(buffer, line)
		stripped[i] = buffer[start:len(buffer):len(buffer)]
	}
	return stripped
}

// Keys returns stripped lines as strings that share one text.
func Keys(lines [][]byte) []string {
	stripped := StripLines(lines)
	text := string(bytes.Join(stripped, nil))
	keys := make([]string, len(lines))
	for i, line := range stripped {
		keys[i], text = text[:len(line)], text[len(line):]
	}
	return keys
}

func isSpace(c byte) bool {
	return c == ' ' || ('\t' <= c && c <= '\r')
}

// Separates reports whether a character separates words.
func Separates(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$'
}
