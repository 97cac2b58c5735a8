package snapshot

import (
	"bytes"
	"strings"
)

// class is the way to get the blob of a file from its bytes on disk.
type class uint8

const (
	classRaw class = iota // the bytes are the blob
	classEOL              // line endings may be converted: the bytes are the blob unless they hold a CR
	classGit              // filters, keywords, encodings: ask git
)

// macroMark begins the definition of an attribute for several others.
const macroMark = "[attr]"

// classOf returns the class of a file of attributes (gitattributes(5)). It looks only at attribute names, not at
// their patterns, so the class may be higher than a given path needs, never lower.
func classOf(content []byte) class {
	all := classRaw
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		text = strings.TrimPrefix(text, macroMark)
		for _, word := range strings.Fields(text) {
			all = max(all, classOfWord(word))
		}
	}
	return all
}

func classOfWord(word string) class {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-!"), "=")
	switch name {
	case "text", "eol", "crlf", "binary":
		return classEOL
	case "filter", "ident", "working-tree-encoding":
		return classGit
	}
	return classRaw
}
