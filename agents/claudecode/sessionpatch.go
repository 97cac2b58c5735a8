package claudecode

import (
	"strings"

	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// patchHunk is a hunk of structuredPatch. Its lines are made for display: each leading tab is shown as two spaces. The
// line numbers and the kinds of lines are right.
type patchHunk struct {
	oldStart, newStart int
	lines              []string
}

func patchHunks(raw []byte) []patchHunk {
	var hunks []patchHunk
	d := rawjson.NewDecoder(raw)
	for d.OpenArray(); d.Element(); {
		var h patchHunk
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "oldStart":
				h.oldStart = int(d.Int())
			case "newStart":
				h.newStart = int(d.Int())
			case "lines":
				for d.OpenArray(); d.Element(); {
					h.lines = append(h.lines, d.Text())
				}
			}
		}
		hunks = append(hunks, h)
	}
	return hunks
}

// run is a part of a hunk without context: removed lines, and the added lines that replace them.
type run struct {
	at, removed int
	newAt       int
	added       []string // added lines as displayed
}

// runs splits a hunk at its context lines.
func (h patchHunk) runs() []run {
	var out []run
	var current *run
	oldLine, newLine := max(h.oldStart, 1), max(h.newStart, 1)
	for _, line := range h.lines {
		kind := byte(' ')
		if line != "" {
			kind = line[0]
		}
		switch kind {
		case '\\':
			continue
		case '-', '+':
			if current == nil {
				out = append(out, run{at: oldLine, newAt: newLine})
				current = &out[len(out)-1]
			}
			if kind == '-' {
				current.removed++
				oldLine++
			} else {
				current.added = append(current.added, line[1:])
				newLine++
			}
		default:
			current = nil
			oldLine++
			newLine++
		}
	}
	return out
}

// exactHunks returns the hunks of a patch with lines from the file after the edit.
func exactHunks(patch []patchHunk, after []string) []assemble.Hunk {
	var hunks []assemble.Hunk
	for _, h := range patch {
		for _, r := range h.runs() {
			hunk := assemble.Hunk{At: r.at, Removed: r.removed, Added: len(r.added)}
			if end := r.newAt - 1 + len(r.added); end <= len(after) && sameDisplay(after[r.newAt-1:end], r.added) {
				hunk.Lines = after[r.newAt-1 : end]
			}
			hunks = append(hunks, hunk)
		}
	}
	return hunks
}

// matchedHunks returns the hunks of a patch if the file after the edit is unknown. The text of a line is known only if
// the display does not change it, or if it is among the edit's lines.
func matchedHunks(patch []patchHunk, written []string) []assemble.Hunk {
	var hunks []assemble.Hunk
	for _, h := range patch {
		for _, r := range h.runs() {
			hunk := assemble.Hunk{At: r.at, Removed: r.removed, Added: len(r.added)}
			if lines := find(written, r.added); lines != nil {
				hunk.Lines = lines
			} else if shownAsIs(r.added) {
				hunk.Lines = r.added
			}
			hunks = append(hunks, hunk)
		}
	}
	return hunks
}

// find returns the first part of lines that is displayed as the parameter `display` shows; nil if there is none.
func find(lines, display []string) []string {
	if len(display) == 0 || len(lines) > 20_000 {
		return nil
	}
	for i := 0; i+len(display) <= len(lines); i++ {
		if sameDisplay(lines[i:i+len(display)], display) {
			return lines[i : i+len(display)]
		}
	}
	return nil
}

func sameDisplay(lines, display []string) bool {
	for i := range display {
		if !displayed(lines[i], display[i]) {
			return false
		}
	}
	return true
}

// `displayed` reports whether a line is displayed in a given form: each leading tab becomes two spaces.
func displayed(line, display string) bool {
	for strings.HasPrefix(line, "\t") {
		rest, found := strings.CutPrefix(display, "  ")
		if !found {
			return line == display // a version that displays tabs
		}
		line, display = line[1:], rest
	}
	return line == display
}

// shownAsIs reports whether no displayed line can have begun with a tab.
func shownAsIs(display []string) bool {
	for _, line := range display {
		if strings.HasPrefix(line, "  ") {
			return false
		}
	}
	return true
}
