package geminiform

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/project"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Outcome is the client's data about a call apart from its response.
type Outcome struct {
	Status  string // success, error, cancelled
	Display []byte // resultDisplay: a text, or an object for tools that write files
	Cwd     string
}

// Result returns the result of a call. The parameter `call` is nil if the call is unknown.
func (r Response) Result(call *assemble.Call, o Outcome, time string) assemble.Result {
	content := r.Output
	result := assemble.Result{Time: time, Content: &content, Error: errorOf(content, o.Status, r.Failed)}
	if call == nil || result.Error != "" {
		return result
	}
	switch call.Name {
	case "write_file", "replace", "edit":
		result.Edits = edits(call, o)
	case "read_file":
		result.Seen = seen(call, content)
	}
	result.Commit = sessionfile.Committed(call.Command, strings.ReplaceAll(content, "\nOutput: [", "\n["))
	if result.Commit == nil {
		result.Commit = sessionfile.Committed(call.Command, strings.TrimPrefix(content, "Output: "))
	}
	return result
}

// errorOf returns the error that a response reports. In some versions, a failed shell command counts as a success of
// the tool; the exit code is then on a separate line.
func errorOf(content, status string, failed bool) string {
	for line := range strings.Lines(content) {
		code, found := strings.CutPrefix(line, "Exit Code: ")
		if !found {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(code), 10, 64); err == nil && n != 0 {
			return sessionfile.ExitCode(n)
		}
	}
	switch {
	case status == "cancelled" && (strings.Contains(content, "denied") || strings.Contains(content, "rejected")):
		return records.ErrorRejected
	case status == "cancelled":
		return records.ErrorInterrupted
	case status == "error", failed:
		return records.ErrorTool
	}
	return ""
}

// edits returns the changes that a call made to its file: from the client's diff with line numbers, otherwise from the
// request.
func edits(call *assemble.Call, o Outcome) []assemble.Edit {
	var diff, path, name string
	fresh := false
	_ = rawjson.Fill(o.Display, "fileDiff", &diff, "filePath", &path, "fileName", &name, "isNewFile", &fresh)
	if len(call.Writes) > 0 {
		path = call.Writes[0]
	}
	if path = sessionfile.Absolute(cmp.Or(path, name), o.Cwd); path == "" {
		return nil
	}
	hunks := sessionfile.Hunks(diff)
	switch content := rawjson.MemberText(call.Input, "content"); {
	case len(hunks) > 0:
		return []assemble.Edit{{Path: path, Hunks: hunks, Text: sessionfile.Written(hunks)}}
	case call.Name == "write_file" && fresh:
		return []assemble.Edit{assemble.NewFile(path, content)}
	case call.Name == "write_file":
		return []assemble.Edit{sessionfile.WholeFile(path, content)}
	}
	return []assemble.Edit{{Path: path, Text: rawjson.MemberText(call.Input, "new_string")}}
}

// UserLines returns the number of lines of an edit that the user wrote before accepting it.
func UserLines(display []byte) int64 {
	return rawjson.MemberInt(rawjson.Member(display, "diffStat"), "user_added_lines")
}

// `seen` returns a manifest of the project that was read as a whole; nil for other reads.
func seen(call *assemble.Call, content string) *assemble.File {
	if len(call.Reads) == 0 || !project.Manifest(call.Reads[0]) || strings.HasPrefix(content, "\nIMPORTANT:") {
		return nil
	}
	for _, part := range []string{"offset", "limit", "start_line", "end_line"} {
		if rawjson.Member(call.Input, part) != nil {
			return nil
		}
	}
	return &assemble.File{Path: call.Reads[0], Content: content}
}
