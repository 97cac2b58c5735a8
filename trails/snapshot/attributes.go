package snapshot

import (
	"bytes"
	"strings"
)

// class is the way in which the blob of a file is made from its bytes on disk.
type class uint8

const (
	classRaw class = iota // the blob has the same bytes
	classEOL              // line endings may be converted: the blob has the same bytes unless they contain a CR
	classGit              // filters, keywords or encodings: git must make the blob
)

// macroMark begins the definition of a macro: an attribute that sets several others.
const macroMark = "[attr]"

// classOf returns the class that an attribute file needs (gitattributes(5)). It reads only attribute names, not their
// patterns. So the class may be higher than a given path needs, but never lower.
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
