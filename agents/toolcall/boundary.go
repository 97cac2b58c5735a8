package toolcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/searchreplace"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Describe adds a call from a hook to its boundary. A tool that is not listed may write anywhere.
func (t Tools) Describe(b *events.Boundary, id, name string, input json.RawMessage, home string) *events.ToolUse {
	call := payload.Call{ID: id, Name: name, Input: &input, Path: text(input, pathMembers)}
	switch t.does(name, input) {
	case Reads, Looks:
		call.Class = events.ToolReads
	case Writes:
		call.Class, call.Edits = events.ToolEdits, []events.DeclaredEdit{{New: text(input, contents)}}
	case Replaces:
		call.Class, call.Edits = events.ToolEdits, declared(input)
		for i := range call.Edits { // edits of several files name their files
			edit := &call.Edits[i]
			if edit.Path = payload.Path(edit.Path, b.Cwd, home); edit.Path != "" && !slices.Contains(call.Paths, edit.Path) {
				call.Paths = append(call.Paths, edit.Path)
			}
		}
	case Patches:
		call.Class = events.ToolEdits
		call.Paths, call.Edits = applypatch.Declare(patchOf(input), b.Cwd, home)
	case Runs:
		call.Class, call.Command, call.Dir = events.ToolRuns, command(input), text(input, dirs)
	case Other, Edits:
		call.Class = events.ToolUnknown
	}
	return call.Describe(b, home)
}

// `declared` returns the texts that a call replaces, with their replacements.
func declared(input []byte) []events.DeclaredEdit {
	var out []events.DeclaredEdit
	if old, now := text(input, searched), text(input, replaced); old != "" || now != "" {
		out = append(out, events.DeclaredEdit{Old: old, New: now})
	}
	for _, block := range searchreplace.Blocks(strings.Split(rawjson.MemberText(input, "diff"), "\n"), maxBlocks) {
		out = append(out, events.DeclaredEdit{Old: block.Old, New: block.New})
	}
	for _, list := range []string{"edits", "replacements"} {
		d := rawjson.NewDecoder(rawjson.Member(input, list))
		for d.OpenArray(); d.Element() && len(out) < maxBlocks; {
			one := d.Raw()
			out = append(out, events.DeclaredEdit{
				Path: text(one, pathMembers), Old: text(one, searched), New: text(one, replaced),
			})
		}
	}
	if len(out) == 0 {
		out = append(out, events.DeclaredEdit{})
	}
	return out
}
