package aider

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/searchreplace"
)

// edit is a change of a file that an answer requests.
type edit struct {
	path            string
	search, replace string
	whole           bool // replace is the whole file
}

// maxEdits limits the number of edits in one answer.
const maxEdits = 2000

// editsOf returns the edits of an answer, in the form that Aider requested from the model. If the form is whole files,
// only files that Aider names count, because answers show other files in the same form.
func editsOf(text, format string, named []string) []edit {
	lines := strings.Split(text, "\n")
	edits := blocksOf(lines)
	switch {
	case len(edits) > 0:
	case strings.Contains(text, applypatch.Begin):
		edits = patched(text)
	case strings.Contains(format, "udiff"):
		edits = unified(lines)
	case strings.Contains(format, "whole"):
		edits = wholes(lines, named)
	}
	return edits[:min(len(edits), maxEdits)]
}

// blocksOf returns SEARCH/REPLACE blocks; several blocks may follow one file name.
func blocksOf(lines []string) []edit {
	var edits []edit
	path, from := "", 0
	for _, b := range searchreplace.Blocks(lines, maxEdits) {
		if name := nameAbove(lines[from:b.At]); name != "" {
			path = name
		}
		if path != "" {
			edits = append(edits, edit{path: path, search: b.Old, replace: b.New})
		}
		from = b.At + 1
	}
	return edits
}

// nameAbove returns the file name in the last lines before a block, without the fence; "" if there is none.
func nameAbove(lines []string) string {
	for i := len(lines) - 1; i >= max(len(lines)-3, 0); i-- {
		line := strings.TrimSpace(lines[i])
		if line == "" || fence(line) != "" && !strings.ContainsAny(line, "./") {
			continue
		}
		return nameIn(line)
	}
	return ""
}

// fence returns the line that closes a fence; "" if the line does not open one. If an answer contains code with fences,
// Aider makes the model use other fences.
func fence(line string) string {
	for _, tag := range []string{"source", "code", "pre", "codeblock", "sourcecode"} {
		if strings.HasPrefix(line, "<"+tag+">") {
			return "</" + tag + ">"
		}
	}
	if marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; len(marks) >= 3 {
		return marks
	}
	return ""
}

// nameIn returns the file name in a line, without the signs that models put around it; "" for a sentence.
func nameIn(line string) string {
	line = strings.TrimLeft(strings.TrimSpace(line), "`#* ")
	line = strings.TrimRight(line, "`:* ")
	line = strings.Trim(line, "`")
	if strings.ContainsAny(line, "<>=") || len(line) > 500 || strings.HasSuffix(line, ".") ||
		strings.Contains(line, " ") && !strings.ContainsAny(line, "./") || strings.Count(line, " ") > 3 {
		return ""
	}
	return line
}

// `patched` returns the edits in the patch format of newer models.
func patched(text string) []edit {
	var edits []edit
	for _, f := range applypatch.Files(text) {
		for _, h := range f.Hunks {
			edits = append(edits, edit{path: f.Path, search: h.Old, replace: h.New, whole: f.Added})
		}
	}
	return edits
}

// `unified` returns diffs in fences; their line numbers are the model's guesses.
func unified(lines []string) []edit {
	var edits []edit
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) != "```diff" {
			continue
		}
		end := searchreplace.Until(lines, i+1, func(line string) bool { return strings.HasPrefix(line, "```") })
		edits = append(edits, diffEdits(lines[i+1:end])...)
		i = end
	}
	return edits
}

func diffEdits(lines []string) []edit {
	var edits []edit
	var before, after []string
	old, path := "", ""
	flush := func() {
		if path != "" && !slices.Equal(before, after) {
			edits = append(edits, edit{path: path, search: searchreplace.Joined(before), replace: searchreplace.Joined(after)})
		}
		before, after = nil, nil
	}
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			flush()
			old = strings.TrimSpace(line[4:])
		case strings.HasPrefix(line, "+++ ") && old != "":
			if path = strings.TrimSpace(line[4:]); path == "/dev/null" {
				path = old
			}
			if strings.HasPrefix(old, "a/") && strings.HasPrefix(path, "b/") {
				path = path[2:]
			}
			old = ""
		case strings.HasPrefix(line, "@@"):
			flush()
		case strings.HasPrefix(line, "-"):
			before = append(before, line[1:])
		case strings.HasPrefix(line, "+"):
			after = append(after, line[1:])
		default:
			line = strings.TrimPrefix(line, " ")
			before, after = append(before, line), append(after, line)
		}
	}
	flush()
	return edits
}

// wholes returns whole files in fences, below their names.
func wholes(lines, named []string) []edit {
	var edits []edit
	for i := 1; i < len(lines); i++ {
		last := fence(lines[i])
		if last == "" {
			continue
		}
		end := searchreplace.Until(lines, i+1, func(line string) bool { return strings.TrimRight(line, " ") == last })
		name := nameAbove(lines[:i])
		if end < len(lines) && name != "" && slices.ContainsFunc(named, func(path string) bool {
			return path == name || strings.HasSuffix(path, "/"+name)
		}) {
			edits = append(edits, edit{path: name, replace: searchreplace.Joined(lines[i+1 : end]), whole: true})
		}
		i = end
	}
	return edits
}
