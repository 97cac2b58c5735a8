package codexcli

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// changedFiles returns the edits of a patch as the client applied them, by path.
func changedFiles(changes []byte) []assemble.Edit {
	var edits []assemble.Edit
	d := rawjson.NewDecoder(changes)
	for d.Open(); d.Member(); {
		path := string(d.Key())
		change := d.Raw()
		switch rawjson.MemberText(change, "type") {
		case "add":
			edits = append(edits, assemble.NewFile(path, rawjson.MemberText(change, "content")))
		case "update":
			hunks := sessionfile.Hunks(rawjson.MemberText(change, "unified_diff"))
			path = cmp.Or(rawjson.MemberText(change, "move_path"), path)
			edits = append(edits, assemble.Edit{Path: path, Hunks: hunks, Text: sessionfile.Written(hunks)})
		}
	}
	return edits
}

// patchEdits returns the edits of a patch of which only the model's text is known. They have no line numbers.
func (r *rollout) patchEdits(call *assemble.Call) []assemble.Edit {
	var edits []assemble.Edit
	for _, file := range patchFiles(patchOf(call)) {
		path := sessionfile.Absolute(file.path, r.state.Cwd)
		if file.added {
			edits = append(edits, assemble.NewFile(path, file.text))
		} else if file.text != "" {
			edits = append(edits, assemble.Edit{Path: path, Text: file.text})
		}
	}
	return edits
}

// patchOf returns the patch that a call applies, through the tool apply_patch or the command of that name in a shell.
func patchOf(call *assemble.Call) string {
	if call.Name == "apply_patch" {
		return cmp.Or(rawjson.MemberText(call.Input, "input"), rawjson.MemberText(call.Input, "patch"))
	}
	if at := strings.Index(call.Command, "*** Begin Patch"); at >= 0 &&
		strings.Contains(call.Command[:at], "apply_patch") {
		return call.Command[at:]
	}
	return ""
}

// patchFile is one file of a patch in the model's form.
type patchFile struct {
	path  string
	added bool
	text  string // the lines that the patch adds
}

// maxPatchFiles limits the number of files in a patch.
const maxPatchFiles = 1000

// patchFiles decodes a patch of the form
//
//	*** Begin Patch
//	*** Add File: path | *** Update File: path | *** Delete File: path
//	*** Move to: path
//	@@ section
//	 context, -old, +new
//	*** End Patch
func patchFiles(patch string) []patchFile {
	var files []patchFile
	var text strings.Builder
	flush := func() {
		if len(files) > 0 {
			files[len(files)-1].text = text.String()
		}
		text.Reset()
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		if added, found := strings.CutPrefix(line, "+"); found {
			text.WriteString(added)
			text.WriteByte('\n')
			continue
		}
		directive, path, found := strings.Cut(line, ": ")
		if !found || !strings.HasPrefix(directive, "*** ") || len(files) >= maxPatchFiles {
			continue
		}
		path = strings.TrimSpace(path)
		switch directive {
		case "*** Add File":
			flush()
			files = append(files, patchFile{path: path, added: true})
		case "*** Update File", "*** Delete File":
			flush()
			files = append(files, patchFile{path: path})
		case "*** Move to":
			if len(files) > 0 {
				files[len(files)-1].path = path
			}
		}
	}
	flush()
	return files
}
