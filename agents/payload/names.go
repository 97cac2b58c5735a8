package payload

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// The limits for the files in one command line.
const (
	maxNamed     = 128
	maxNamedFrom = 3 // directories to which it changes
)

// Names returns absolute paths of files that a command line may name. It uses the words of the line, and texts in
// arguments and here-documents that look like paths. Relative paths are joined with the directory in which the line
// runs, and with the directories to which the line changes. Most results are not files.
func Names(line, cwd, home string) []string {
	h := hints{dir: cwd, home: home}
	seen := map[string]bool{}
	var words []string
	add := func(word string) {
		if word != "" && word[0] != '-' && len(words) < maxNamed && !seen[word] {
			seen[word] = true
			words = append(words, word)
		}
	}
	eachCommand(line, func(command []string) {
		h.command(command)
		for _, word := range command {
			add(word)
		}
	})
	for word := range strings.FieldsFuncSeq(line[:min(len(line), maxCommand)], noPath) {
		add(strings.TrimRight(word, "."))
		if rest, found := strings.CutPrefix(word, "a/"); found { // in a patch (diff(1))
			add(rest)
		} else if rest, found := strings.CutPrefix(word, "b/"); found {
			add(rest)
		}
	}
	var out []string
	for _, dir := range append([]string{cwd}, h.dirs[:min(len(h.dirs), maxNamedFrom)]...) {
		for _, word := range words {
			if path := Path(word, dir, home); path != "" && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// noPath reports whether a character ends a path in a text.
func noPath(r rune) bool {
	return r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
		strings.ContainsRune("_-./@+~", r))
}

// longestName is the greatest length of a text that can name a file.
const longestName = 4096

// `named` returns absolute paths of files that the texts of a payload may name. Most of them are not files.
func named(data []byte, cwd string) []string {
	var out []string
	d := json.NewDecoder(bytes.NewReader(data))
	for len(out) < maxNamed {
		token, err := d.Token()
		if err != nil {
			break
		}
		text, isText := token.(string)
		if !isText || len(text) > longestName || strings.ContainsAny(text, "\n\x00") {
			continue
		}
		if path := Path(strings.TrimPrefix(text, "file://"), cwd, ""); path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}
