package opencode

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// tool is a call, from its part of the message.
type tool struct {
	call                    assemble.Call
	status, output, failure string
	start, end              int64
	metadata                []byte
}

func (s *session) tool(part []byte) tool {
	var one tool
	var input []byte
	d := rawjson.NewDecoder(rawjson.Member(part, "state"))
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "input":
			input = d.Raw()
		case "time":
			span := d.Raw()
			one.start, one.end = rawjson.MemberInt(span, "start"), rawjson.MemberInt(span, "end")
		default:
			d.Take("status", &one.status, "output", &one.output, "error", &one.failure, "metadata", &one.metadata)
		}
	}
	id := s.distinct("call ", cmp.Or(rawjson.MemberText(part, "callID"), rawjson.MemberText(part, "id")))
	one.call = tools.Call(id, rawjson.MemberText(part, "tool"), input, s.state.Cwd)
	return one
}

// result returns the result of a call; false while the call runs.
func (s *session) result(one *tool) (assemble.Result, bool) {
	content := cmp.Or(one.output, one.failure)
	result := assemble.Result{Time: sessionfile.Millis(one.end), Content: &content}
	if one.start > 0 && one.end >= one.start {
		took := one.end - one.start
		result.DurationMS = &took
	}
	switch one.status {
	case "completed":
	case "error":
		result.Error = errorOf(one.failure)
		return result, true
	default:
		return result, false
	}
	switch one.call.Name {
	case "bash":
		result.Error = sessionfile.ExitCode(rawjson.MemberInt(one.metadata, "exit"))
		if result.Error == "" {
			result.Commit = sessionfile.Committed(one.call.Command, content)
		}
	case "task":
		if id := rawjson.MemberText(one.metadata, "sessionId"); payload.SessionID(id) {
			result.Subagent = id
		}
	default:
		result.Edits = s.edits(one)
	}
	return result, true
}

// errorOf returns the error that a call reports.
func errorOf(text string) string {
	switch {
	case strings.Contains(text, "rejected permission"), strings.Contains(text, "user dismissed"),
		strings.Contains(text, "prevents you from using"):
		return records.ErrorRejected
	case strings.Contains(text, "aborted"):
		return records.ErrorInterrupted
	}
	return records.ErrorTool
}

// edits returns the changes that a call made to files, from the client's notes: diffs with line numbers.
func (s *session) edits(one *tool) []assemble.Edit {
	switch one.call.Name {
	case "apply_patch", "patch":
		return s.patched(rawjson.Member(one.metadata, "files"))
	case "edit", "write":
		if len(one.call.Writes) == 0 {
			return nil
		}
		return []assemble.Edit{edited(one)}
	case "multiedit":
		if len(one.call.Writes) == 0 {
			return nil
		}
		var edits []assemble.Edit
		d := rawjson.NewDecoder(rawjson.Member(one.metadata, "results"))
		for d.OpenArray(); d.Element(); {
			edits = append(edits, changed(one.call.Writes[0], d.Raw()))
		}
		return edits
	}
	return nil
}

// `edited` returns the edit of a call that names its file.
func edited(one *tool) assemble.Edit {
	path := one.call.Writes[0]
	if edit := changed(path, one.metadata); len(edit.Hunks) > 0 {
		return edit
	}
	if content := rawjson.MemberText(one.call.Input, "content"); one.call.Name == "write" {
		if string(rawjson.Member(one.metadata, "exists")) == "false" {
			return assemble.NewFile(path, content)
		}
		return sessionfile.WholeFile(path, content)
	}
	return assemble.Edit{Path: path, Text: rawjson.MemberText(one.call.Input, "newString")}
}

// `changed` returns an edit from the diff in the client's notes about a file.
func changed(path string, metadata []byte) assemble.Edit {
	filediff := rawjson.Member(metadata, "filediff")
	hunks := sessionfile.Hunks(cmp.Or(rawjson.MemberText(metadata, "diff"), rawjson.MemberText(filediff, "patch")))
	if before := rawjson.Member(filediff, "before"); len(hunks) == 0 && len(before) > 0 && before[0] == '"' {
		return assemble.Changed(path, rawjson.Unquote(before), rawjson.MemberText(filediff, "after"))
	}
	return assemble.Edit{Path: path, Hunks: hunks, Text: sessionfile.Written(hunks)}
}

func (s *session) patched(files []byte) []assemble.Edit {
	var edits []assemble.Edit
	d := rawjson.NewDecoder(files)
	for d.OpenArray(); d.Element(); {
		file := d.Raw()
		if rawjson.MemberText(file, "type") == "delete" {
			continue
		}
		path := cmp.Or(rawjson.MemberText(file, "movePath"), rawjson.MemberText(file, "filePath"))
		hunks := sessionfile.Hunks(cmp.Or(rawjson.MemberText(file, "patch"), rawjson.MemberText(file, "diff")))
		edits = append(edits, assemble.Edit{Path: sessionfile.Absolute(path, s.state.Cwd), Hunks: hunks,
			Text: sessionfile.Written(hunks)})
	}
	return edits
}
