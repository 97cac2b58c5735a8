package claudecode

import (
	"cmp"

	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// noted is the data about an edit in toolUseResult. Texts are decoded only when they are needed.
type noted struct {
	path     string
	content  []byte // content of a Write
	old, new []byte // texts of an Edit
	many     []byte // edits of a MultiEdit
	source   []byte // source of a NotebookEdit
	original []byte // the file before the edit; null for a new file, and in newer versions for a long one
	patch    []byte
	all      bool
}

func (n *noted) member(d *rawjson.Decoder) {
	d.Take("filePath", &n.path, "notebook_path", &n.path, "content", &n.content, "oldString", &n.old,
		"newString", &n.new, "edits", &n.many, "new_source", &n.source, "originalFile", &n.original,
		"originalFileContents", &n.original, "structuredPatch", &n.patch, "replaceAll", &n.all)
}

// tool returns the edit tool that writes a note with these members; "" for another tool.
func (n *noted) tool() string {
	switch {
	case len(n.new) > 0:
		return "Edit"
	case len(n.many) > 0:
		return "MultiEdit"
	case len(n.source) > 0:
		return "NotebookEdit"
	case len(n.content) > 0 && len(n.patch) > 0:
		return "Write"
	}
	return ""
}

// edits returns the changes that the call made to its file. Without a note, as in some old files, only the requested
// change is known.
func (n *noted) edits(call *assemble.Call) []assemble.Edit {
	if n.path == "" && len(call.Writes) > 0 {
		n.path = call.Writes[0]
	}
	if n.path == "" {
		return nil
	}
	edit := assemble.Edit{Path: n.path}
	switch call.Name {
	case "Write":
		edit.Text = cmp.Or(rawjson.Unquote(n.content), memberText(call.Input, "content"))
		lines := assemble.SplitLines(edit.Text)
		if hunks := patchHunks(n.patch); len(hunks) > 0 {
			edit.Hunks = exactHunks(hunks, lines)
		} else if len(lines) > 0 { // a new file, or a file that is replaced as a whole
			edit.Hunks = []assemble.Hunk{{At: 1, Removed: wholeOld(n.original), Added: len(lines), Lines: lines}}
		}
	case "NotebookEdit":
		edit.Text = cmp.Or(rawjson.Unquote(n.source), memberText(call.Input, "new_source"))
	default:
		steps := n.replacements(call)
		for i := range steps {
			if i > 0 {
				edit.Text += "\n"
			}
			edit.Text += steps[i].New
		}
		hunks := patchHunks(n.patch)
		if after, exact := n.after(steps); exact {
			edit.Hunks = exactHunks(hunks, assemble.SplitLines(after))
		} else {
			edit.Hunks = matchedHunks(hunks, assemble.SplitLines(edit.Text))
		}
	}
	return []assemble.Edit{edit}
}

// wholeOld returns the number of old lines to replace: 0 for a new file, otherwise more than any file has.
func wholeOld(original []byte) int {
	if len(original) == 0 || original[0] == 'n' {
		return 0
	}
	return 1 << 29
}

// replacements returns the replacements of an Edit or a MultiEdit: as the client made them or, if unknown, as the model
// requested them.
func (n *noted) replacements(call *assemble.Call) []replacement {
	list := n.many
	if len(list) == 0 {
		d := rawjson.NewDecoder(call.Input)
		for d.Open(); d.Member(); {
			if string(d.Key()) == "edits" {
				list = d.Raw()
			}
		}
	}
	var steps []replacement
	d := rawjson.NewDecoder(list)
	for d.OpenArray(); d.Element(); {
		raw := d.Raw()
		steps = append(steps, replacement{
			Old: memberText(raw, "old_string"), New: memberText(raw, "new_string"), All: memberBool(raw, "replace_all"),
		})
	}
	if len(steps) > 0 {
		return steps
	}
	if len(n.new) > 0 {
		return []replacement{{Old: rawjson.Unquote(n.old), New: rawjson.Unquote(n.new), All: n.all}}
	}
	return []replacement{{
		Old: memberText(call.Input, "old_string"), New: memberText(call.Input, "new_string"),
		All: memberBool(call.Input, "replace_all"),
	}}
}

func memberBool(raw []byte, name string) bool {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		if string(d.Key()) == name {
			return d.Bool()
		}
	}
	return false
}

// `after` returns the file after the edit; false if it cannot be derived.
func (n *noted) after(steps []replacement) (string, bool) {
	if len(n.original) == 0 || n.original[0] != '"' || len(n.patch) == 0 {
		return "", false
	}
	content := rawjson.Unquote(n.original)
	for i := range steps {
		next, exact := replace(content, &steps[i])
		if !exact {
			return "", false
		}
		content = next
	}
	return content, true
}
