package transcripts

import (
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/records/assemble"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/searchreplace"
	"github.com/git-trace/git-trace/correlate/backfill"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// editOf converts an edit to the form of package backfill. It returns false if the edit is unknown.
func editOf(e *records.Edited) (backfill.Edit, bool) {
	out := backfill.Edit{
		Path: filepath.ToSlash(e.Path), Step: e.Step, Call: e.Call, Tool: e.Tool, Subagent: e.Subagent,
		Replaces: replacements(e.Input),
	}
	for _, h := range e.Hunks {
		if len(h.Lines) > 0 || h.Added == 0 {
			out.Hunks = append(out.Hunks, backfill.Hunk{At: h.At, Removed: h.Removed, Lines: ownLines(h.Lines)})
		}
	}
	if len(out.Replaces) == 0 && !e.Whole {
		out.Replaces = patchReplacements(e.Input, out.Path)
	}
	switch {
	case len(out.Replaces) > 0:
		if len(out.Hunks) == 0 && len(e.Hunks) == 0 && e.Text != "" && strings.Contains(string(e.Input), applypatch.Begin) {
			out.Hunks = []backfill.Hunk{{Lines: assemble.SplitLines(e.Text)}}
		}
	case e.Whole:
		out.Hunks, out.Whole = nil, assemble.SplitLines(e.Text)
	case len(e.Hunks) > 0 && wholeText(e.Input) != "":
		out.Whole = assemble.SplitLines(wholeText(e.Input))
	case len(e.Hunks) == 0:
		out.Hunks = []backfill.Hunk{{Lines: assemble.SplitLines(e.Text)}}
	}
	return out, out.Path != "" && len(out.Replaces)+len(out.Hunks)+len(out.Whole) > 0
}

// ownLines copies lines, because parts of a file would keep all of it in memory.
func ownLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.Clone(line)
	}
	return out
}

// wholeText returns the input of tools that write a file as a whole.
func wholeText(input []byte) string {
	for _, name := range []string{"content", "file_text"} {
		if text := rawjson.MemberText(input, name); text != "" {
			return text
		}
	}
	return ""
}

// maxBlocks limits the number of blocks that are read from one edit.
const maxBlocks = 2000

// replacements reads the inputs of tools that replace texts, whatever their agents call the members.
func replacements(input []byte) []backfill.Replacement {
	var out []backfill.Replacement
	var one backfill.Replacement
	var old, fresh bool
	d := rawjson.NewDecoder(input)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "old_string", "oldText", "old_str", "oldString", "old_text":
			one.Old, old = d.Text(), true
		case "new_string", "newText", "new_str", "newString", "new_text":
			one.New, fresh = d.Text(), true
		case "replace_all", "replaceAll", "allow_multiple":
			one.All = d.Bool()
		case "diff": // Cline and Roo
			for _, b := range searchreplace.Blocks(strings.Split(d.Text(), "\n"), maxBlocks) {
				out = append(out, backfill.Replacement{Old: b.Old, New: b.New})
			}
		case "edits", "replacements":
			for d.OpenArray(); d.Element(); {
				out = append(out, replacements(d.Raw())...)
			}
		}
	}
	if old && fresh {
		out = append(out, one)
	}
	return out
}
