// Package toolcall derives the effects of agents' tools on files from the members of their inputs. It serves agents
// whose files have little more than a name and an input for each call; their tools are similar but have different
// names.
//
// A parser lists the tools of its agent by name. Unknown facts are not guessed: an edit without a place has no line
// numbers, and a call of an unlisted tool has no known effect.
package toolcall

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/applypatch"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/searchreplace"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/project"
	"github.com/git-trace/git-trace/records/rawjson"
)

// `Does` is the effect of a tool.
type Does int

// The effects of tools. The zero value is a tool without known effects.
const (
	Other    Does = iota
	Reads         // reads a file
	Writes        // writes a whole file
	Replaces      // replaces texts in a file
	Patches       // applies a patch in the form "*** Begin Patch"
	Runs          // runs a command
	Edits         // depends on the member "command": view, create, str_replace, insert
	Looks         // writes nothing, whatever its input names
)

// Tools holds the tools of an agent, by name.
type Tools map[string]Does

// `does` returns the effect of a call of a tool.
func (t Tools) does(name string, input []byte) Does {
	does := t[name]
	if does != Edits {
		return does
	}
	switch rawjson.MemberText(input, "command") {
	case "view":
		return Reads
	case "create", "write":
		return Writes
	case "str_replace", "insert":
		return Replaces
	}
	return Other
}

// Call returns a call of a tool, with its paths and its command. Relative paths are joined with dir.
func (t Tools) Call(id, name string, input []byte, dir string) assemble.Call {
	call := assemble.Call{ID: id, Name: payload.Name(name), Input: rawjson.Cleaned(input)}
	switch t.does(call.Name, call.Input) {
	case Reads:
		call.Reads = paths(call.Input, dir)
	case Writes, Replaces:
		call.Writes = paths(call.Input, dir)
	case Patches:
		for _, f := range applypatch.Files(patchOf(call.Input)) {
			call.Writes = append(call.Writes, sessionfile.Absolute(cmp.Or(f.To, f.Path), dir))
		}
	case Runs:
		call.Command = command(call.Input)
	case Other, Edits, Looks:
	}
	return call
}

// Edits returns the changes that a successful call made to files, from its input alone.
func (t Tools) Edits(call *assemble.Call, dir string) []assemble.Edit {
	switch t.does(call.Name, call.Input) {
	case Writes:
		if len(call.Writes) > 0 {
			return []assemble.Edit{sessionfile.WholeFile(call.Writes[0], text(call.Input, contents))}
		}
	case Replaces:
		if len(call.Writes) > 0 {
			return replacedIn(call, dir)
		}
	case Patches:
		return patchEdits(patchOf(call.Input), dir)
	case Other, Reads, Runs, Edits, Looks:
	}
	return nil
}

// replacedIn returns the edits of a call that replaces texts, in one file or in several, each with its path.
func replacedIn(call *assemble.Call, dir string) []assemble.Edit {
	var edits []assemble.Edit
	d := rawjson.NewDecoder(rawjson.Member(call.Input, "replacements"))
	for d.OpenArray(); d.Element(); {
		one := d.Raw()
		if path := text(one, pathMembers); path != "" && len(edits) < maxPaths {
			edits = append(edits, assemble.Edit{Path: sessionfile.Absolute(path, dir), Text: text(one, replaced)})
		}
	}
	if len(edits) == 0 {
		edits = append(edits, assemble.Edit{Path: call.Writes[0], Text: NewText(call.Input)})
	}
	return edits
}

// Result completes the result of a successful call: its edits, the whole file that it read, and the commit that its
// command made.
func (t Tools) Result(call *assemble.Call, r *assemble.Result, dir string) {
	if call == nil || r.Error != "" {
		return
	}
	r.Edits = t.Edits(call, dir)
	if r.Content == nil {
		return
	}
	if call.Command != "" {
		r.Commit = sessionfile.Committed(call.Command, *r.Content)
	}
	if t.does(call.Name, call.Input) == Reads && len(call.Reads) == 1 && project.Manifest(call.Reads[0]) &&
		rawjson.Member(call.Input, "offset") == nil && rawjson.Member(call.Input, "limit") == nil {
		r.Seen = &assemble.File{Path: call.Reads[0], Content: *r.Content}
	}
}

// The members of inputs, by meaning.
var (
	pathMembers = []string{"path", "file_path", "filepath", "filePath", "absolute_path", "target_file", "file"}
	contents    = []string{"content", "contents", "file_text", "fileText", "new_text"}
	searched    = []string{"old_string", "old_str", "oldText", "old_text", "oldString", "search"}
	replaced    = []string{"new_string", "new_str", "newText", "new_text", "newString", "replace"}
	commands    = []string{"command", "cmd", "command_line"}
	dirs        = []string{"workdir", "working_directory"} // directories in which commands run
)

func text(input []byte, names []string) string {
	for _, name := range names {
		if value := rawjson.MemberText(input, name); value != "" {
			return value
		}
	}
	return ""
}

// paths returns the paths in an input: its own path, or the paths of its edits.
func paths(input []byte, dir string) []string {
	if path := text(input, pathMembers); path != "" {
		return []string{sessionfile.Absolute(path, dir)}
	}
	var out []string
	for _, name := range []string{"files", "paths", "replacements"} {
		d := rawjson.NewDecoder(rawjson.Member(input, name))
		for d.OpenArray(); d.Element(); {
			raw := d.Raw()
			path := text(raw, pathMembers)
			if rawjson.NewDecoder(raw).Kind() == rawjson.String {
				path = rawjson.Unquote(raw)
			}
			if path != "" && len(out) < maxPaths {
				out = append(out, sessionfile.Absolute(path, dir))
			}
		}
	}
	return out
}

// maxPaths limits the number of files of one call that are kept.
const maxPaths = 200

// command returns the command line in an input; several lines are joined.
func command(input []byte) string {
	if line := text(input, commands); line != "" {
		return line
	}
	var lines []string
	for _, name := range []string{"commands", "command"} {
		d := rawjson.NewDecoder(rawjson.Member(input, name))
		for d.OpenArray(); d.Element(); {
			if line := d.Text(); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

func patchOf(input []byte) string {
	return text(input, []string{"input", "patch", "patchText", "diff"})
}

// NewText returns the text with which an edit replaces other texts.
func NewText(input []byte) string {
	if diff := rawjson.MemberText(input, "diff"); diff != "" {
		var out strings.Builder
		for _, b := range searchreplace.Blocks(strings.Split(diff, "\n"), maxBlocks) {
			out.WriteString(b.New)
		}
		return out.String()
	}
	var texts []string
	for _, name := range []string{"edits", "replacements"} {
		d := rawjson.NewDecoder(rawjson.Member(input, name))
		for d.OpenArray(); d.Element(); {
			texts = append(texts, text(d.Raw(), replaced))
		}
	}
	if len(texts) > 0 {
		return strings.Join(texts, "\n")
	}
	return text(input, replaced)
}

// maxBlocks limits the number of blocks of one edit that are read.
const maxBlocks = 2000

func patchEdits(patch, dir string) []assemble.Edit {
	var edits []assemble.Edit
	for _, f := range applypatch.Files(patch) {
		path := sessionfile.Absolute(cmp.Or(f.To, f.Path), dir)
		var written strings.Builder
		for _, h := range f.Hunks {
			written.WriteString(added(h))
		}
		switch {
		case f.Added:
			edits = append(edits, assemble.NewFile(path, written.String()))
		case written.Len() > 0:
			edits = append(edits, assemble.Edit{Path: path, Text: written.String()})
		}
	}
	return edits
}

// `added` returns the new lines of a hunk, without its context.
func added(h applypatch.Hunk) string {
	if h.Old == "" {
		return h.New
	}
	var out strings.Builder
	edit := assemble.Changed("", h.Old, h.New)
	for _, hunk := range edit.Hunks {
		for _, line := range hunk.Lines {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
