package span

import (
	"strings"

	"github.com/git-trace/git-trace/events"
)

// PathLines is a number of lines in a file.
type PathLines struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Lines      int    `json:"lines"`

	Raw string `json:"-"` // the unescaped path
}

func newLines(path string, lines int) PathLines {
	return PathLines{Path: validText(path), PathBase64: events.EncodeBytes(path), Lines: lines, Raw: path}
}

func validText(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// Run is a range of consecutive lines.
type Run struct {
	PathLines
	Start int `json:"start"`
}

// extend adds a line to the last run if the line follows that run, or else begins a new run.
func extend(runs []Run, path string, line int) []Run {
	if n := len(runs) - 1; n >= 0 && runs[n].Raw == path && runs[n].Start+runs[n].Lines == line {
		runs[n].Lines++
		return runs
	}
	return append(runs, Run{newLines(path, 1), line})
}
