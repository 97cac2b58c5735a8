package sessionfile

import (
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records/assemble"
)

// Hunks returns the hunks of a unified diff of one file, split at their context lines, with the exact text of the added
// lines. It skips lines before the first hunk; for an incomplete diff, it returns the hunks up to its end.
func Hunks(diff string) []assemble.Hunk {
	var hunks []assemble.Hunk
	var open *assemble.Hunk
	inside := false
	line := 0  // the line number in the old file
	moved := 0 // the number of lines by which the hunks so far move later lines
	for text := range strings.Lines(diff) {
		text = strings.TrimSuffix(text, "\n")
		if start, found := hunkStart(text, moved); found {
			line, inside, open = start, true, nil
			continue
		}
		if !inside {
			continue
		}
		kind := byte(' ')
		if text != "" {
			kind = text[0]
		}
		switch kind {
		case '-', '+':
			if open == nil {
				hunks = append(hunks, assemble.Hunk{At: line})
				open = &hunks[len(hunks)-1]
			}
			if kind == '-' {
				open.Removed++
				line++
				moved--
				continue
			}
			moved++
			open.Added++
			open.Lines = append(open.Lines, text[1:])
		case ' ':
			open = nil
			line++
		case '\\': // no newline at the end
		default: // the header of another file
			inside = false
		}
	}
	return hunks
}

// hunkStart parses the first line of a hunk, @@ -3,4 +3,5 @@, and returns its first line in the old file. If a hunk has
// no old lines, some programs give the number of that line, others that of the previous line. So it uses the new
// number, minus the number of lines by which earlier hunks moved the rest.
func hunkStart(text string, moved int) (line int, found bool) {
	rest, found := strings.CutPrefix(text, "@@ -")
	if !found {
		return 0, false
	}
	old, rest, found := strings.Cut(rest, " +")
	if !found {
		return 0, false
	}
	first, count, counted := strings.Cut(old, ",")
	if counted && count == "0" {
		first, _, _ = strings.Cut(rest, " ")
		first, _, _ = strings.Cut(first, ",")
	} else {
		moved = 0
	}
	line, err := strconv.Atoi(first)
	if err != nil || line < 0 {
		return 0, false
	}
	return max(line-moved, 1), true
}

// Written returns the text of the added lines of hunks.
func Written(hunks []assemble.Hunk) string {
	var text strings.Builder
	for _, hunk := range hunks {
		for _, line := range hunk.Lines {
			text.WriteString(line)
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// WholeFile returns the edit that writes a file as a whole; it is unknown whether the file existed before.
func WholeFile(path, content string) assemble.Edit {
	edit := assemble.NewFile(path, content)
	if len(edit.Hunks) > 0 {
		edit.Hunks[0].Removed = assemble.Whatever
	}
	return edit
}
