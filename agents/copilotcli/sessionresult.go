package copilotcli

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// result handles the result of a call.
func (s *session) result(e *event, at records.Locator) error {
	var id, success, content, detail, fault, code string
	var exit, agent []byte
	var files []string
	d := rawjson.NewDecoder(e.data)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "toolCallId":
			id = d.Text()
		case "success":
			success = string(d.Raw())
		case "result":
			raw := d.Raw()
			content = cmp.Or(rawjson.MemberText(raw, "content"), rawjson.MemberText(raw, "text_result_for_llm"))
			detail = rawjson.MemberText(raw, "detailedContent")
			if kind := rawjson.MemberText(raw, "result_type"); kind != "" && kind != "success" {
				success = "false"
			}
		case "error":
			raw := d.Raw()
			fault, code = rawjson.MemberText(raw, "message"), rawjson.MemberText(raw, "code")
		case "shellExecution":
			exit = rawjson.Member(d.Raw(), "exitCode")
		case "toolTelemetry":
			agent = rawjson.Member(rawjson.Member(d.Raw(), "restrictedProperties"), "agent_id")
		case "fileEdits":
			for d.OpenArray(); d.Element(); {
				files = append(files, rawjson.MemberText(d.Raw(), "path"))
			}
		}
	}
	content = cmp.Or(content, fault)
	result := assemble.Result{Time: e.time, Content: &content}
	if success == "false" {
		result.Error = errorOf(code, fault)
	} else if len(exit) > 0 {
		n := rawjson.NewDecoder(exit)
		result.Error = sessionfile.ExitCode(n.Int())
	}
	if subagent := rawjson.Unquote(agent); payload.SessionID(subagent) {
		result.Subagent = subagent
	}
	if call := s.c.Waiting(id); call != nil && result.Error == "" {
		result.Edits = s.edits(call, detail, files)
		result.Commit = sessionfile.Committed(call.Command, content)
	}
	s.c.Take()
	return s.c.Result(at, id, result)
}

// errorOf returns the error that a result reports.
func errorOf(code, message string) string {
	switch {
	case code == "rejected", code == "denied", strings.Contains(message, "denied"), strings.Contains(message, "rejected"):
		return records.ErrorRejected
	case code == "aborted", code == "interrupted", code == "cancelled", strings.Contains(message, "aborted"):
		return records.ErrorInterrupted
	}
	return records.ErrorTool
}

// edits returns the changes that a call made to files: from the diff that the client shows, otherwise from the request.
func (s *session) edits(call *assemble.Call, detail string, files []string) []assemble.Edit {
	if len(call.Writes) == 0 && len(files) == 0 {
		return nil
	}
	paths := call.Writes
	if len(paths) == 0 {
		paths = files
	}
	diffs := splitDiff(detail)
	if len(diffs) == len(paths) {
		var edits []assemble.Edit
		for i, diff := range diffs {
			hunks := sessionfile.Hunks(diff)
			edits = append(edits, assemble.Edit{Path: sessionfile.Absolute(paths[i], s.state.Cwd), Hunks: hunks,
				Text: sessionfile.Written(hunks)})
		}
		return edits
	}
	if len(call.Writes) == 0 {
		return nil
	}
	if content := rawjson.MemberText(call.Input, "file_text"); content != "" {
		return []assemble.Edit{sessionfile.WholeFile(call.Writes[0], content)}
	}
	return []assemble.Edit{{Path: call.Writes[0], Text: rawjson.MemberText(call.Input, "new_str")}}
}

// splitDiff splits a diff at the headers of files.
func splitDiff(text string) []string {
	var parts []string
	for _, part := range strings.Split("\n"+text, "\ndiff --git ")[1:] {
		if strings.Contains(part, "\n@@ ") {
			parts = append(parts, part)
		}
	}
	return parts
}
