// Package declared reads, from the input of a tool call, the text that the call writes to files. It knows the common
// members of agents' tools, under all their names.
//
// These are declarations and not results: a call may fail, and a formatter may run after it. Most calls do not say at
// which lines a text is, so an edit has no line numbers.
package declared

import (
	"encoding/json"
	"strings"
)

// Edit is the text that a call declares for a file.
type Edit struct {
	Path     string // path in the agent's spelling
	Old, New string
	Whole    bool // New is the whole file
	Deletes  bool
}

// Call has the files that a call declares.
type Call struct {
	Path  string // the path that the call names, or the path of its first edit
	Edits []Edit
}

// input has the members that the inputs of agents' tools have in common.
type input struct {
	FilePath     string  `json:"file_path"`
	Path         string  `json:"path"`
	FilePathJS   string  `json:"filePath"`
	AbsolutePath string  `json:"absolute_path"`
	Notebook     string  `json:"notebook_path"`
	Content      *string `json:"content"`
	FileText     *string `json:"file_text"`
	NewSource    *string `json:"new_source"`
	texts
	Edits []texts         `json:"edits"`
	Input json.RawMessage `json:"input"`
	Patch json.RawMessage `json:"patch"`
}

// texts holds the two sides of an edit, under the names that tools give them.
type texts struct {
	OldString *string `json:"old_string"`
	NewString *string `json:"new_string"`
	OldStr    *string `json:"old_str"`
	NewStr    *string `json:"new_str"`
	OldText   *string `json:"oldText"`
	NewText   *string `json:"newText"`
	OldJS     *string `json:"oldString"`
	NewJS     *string `json:"newString"`
}

// `Of` reads the input of a call. If any member has an unexpected kind, it returns nothing.
func Of(raw json.RawMessage) Call {
	var in input
	if json.Unmarshal(raw, &in) != nil {
		return Call{}
	}
	var out Call
	for _, path := range [...]string{in.FilePath, in.Path, in.FilePathJS, in.AbsolutePath, in.Notebook} {
		if out.Path == "" {
			out.Path = path
		}
	}
	if out.Path != "" {
		out.Edits = in.edits(out.Path)
	}
	for _, raw := range [...]json.RawMessage{in.Input, in.Patch} {
		var patch string
		if json.Unmarshal(raw, &patch) == nil {
			out.Edits = append(out.Edits, Patch(patch)...)
		}
	}
	if out.Path == "" && len(out.Edits) > 0 {
		out.Path = out.Edits[0].Path
	}
	return out
}

// edits returns the edits of the only file that an input names.
func (in *input) edits(path string) []Edit {
	var out []Edit
	if content, found := first(in.Content, in.FileText); found {
		out = append(out, Edit{Path: path, New: content, Whole: true})
	}
	if cell, found := first(in.NewSource); found {
		out = append(out, Edit{Path: path, New: cell})
	}
	for _, one := range append([]texts{in.texts}, in.Edits...) {
		if e, found := one.edit(path); found {
			out = append(out, e)
		}
	}
	return out
}

func first(list ...*string) (string, bool) {
	for _, text := range list {
		if text != nil {
			return *text, true
		}
	}
	return "", false
}

func (t *texts) edit(path string) (Edit, bool) {
	before, has := first(t.OldString, t.OldStr, t.OldText, t.OldJS)
	after, writes := first(t.NewString, t.NewStr, t.NewText, t.NewJS)
	return Edit{Path: path, Old: before, New: after}, has || writes
}

// Patch reads a patch in the form of apply_patch; it drops context lines.
func Patch(patch string) []Edit {
	var out []Edit
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		if path, found := strings.CutPrefix(line, "*** Add File: "); found {
			out = append(out, Edit{Path: path, Whole: true})
		} else if path, found := strings.CutPrefix(line, "*** Update File: "); found {
			out = append(out, Edit{Path: path})
		} else if path, found := strings.CutPrefix(line, "*** Delete File: "); found {
			out = append(out, Edit{Path: path, Deletes: true})
		} else if len(out) > 0 && line != "" {
			switch last := &out[len(out)-1]; line[0] {
			case '+':
				last.New += line[1:] + "\n"
			case '-':
				last.Old += line[1:] + "\n"
			}
		}
	}
	return out
}

// Command returns the command line in a member, which is a text or a list of words. For a shell with a command
// argument, it is that command.
func Command(raw json.RawMessage) string {
	var command string
	if json.Unmarshal(raw, &command) == nil {
		return command
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil {
		return ""
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// Run returns the command line in the input of a call, and the edits of a patch that the command applies.
func Run(raw json.RawMessage) (command string, edits []Edit) {
	var in struct{ Command, Cmd, Script json.RawMessage }
	_ = json.Unmarshal(raw, &in) // an input in another form has no command
	for _, member := range [...]json.RawMessage{in.Command, in.Cmd, in.Script} {
		if command == "" {
			command = Command(member)
		}
	}
	if patch, found := strings.CutPrefix(strings.TrimLeft(command, " \n"), "apply_patch"); found {
		edits = Patch(patch)
	}
	return command, edits
}
