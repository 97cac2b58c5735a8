package claudecode

import (
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/project"
	"github.com/git-trace/git-trace/records/rawjson"
)

// result handles the result of a call: the text for the model, and the client's note next to it.
func (s *session) result(ch *chain, e *entry, block []byte, at records.Locator) error {
	var id, content string
	failed := false
	d := rawjson.NewDecoder(block)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "content":
			content = resultText(d)
		default:
			d.Take("tool_use_id", &id, "is_error", &failed)
		}
	}
	r := assemble.Result{Time: e.time, Content: &content}
	call := ch.c.Waiting(id)
	name := ""
	if call != nil {
		name = call.Name
	}
	if failed {
		r.Error = e.errorOf(content, name)
	}
	var n note
	n.take(e.result)
	n.add(&r, call)
	if call != nil && r.Commit == nil && !failed {
		r.Commit = sessionfile.Committed(call.Command, content)
	}
	return ch.c.Result(at, id, r)
}

// resultText returns the result for the model: a text, or blocks, with placeholders for blocks that are not text.
func resultText(d *rawjson.Decoder) string {
	if d.Kind() == rawjson.String {
		return d.Text()
	}
	var parts []string
	for d.OpenArray(); d.Element(); {
		raw := d.Raw()
		switch kind := memberText(raw, "type"); kind {
		case "text":
			parts = append(parts, memberText(raw, "text"))
		case "image", "document":
			parts = append(parts, placeholder(raw))
		case "tool_reference":
			parts = append(parts, "["+kind+" "+memberText(raw, "tool_name")+"]")
		case "":
			if text := rawjson.Unquote(raw); text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// errorOf returns the error that a result reports.
func (e *entry) errorOf(content, tool string) string {
	if code, found := strings.CutPrefix(content, "Exit code "); found {
		code, _, _ = strings.Cut(code, "\n")
		if n, err := strconv.Atoi(strings.TrimSpace(code)); err == nil {
			return "exit_code:" + strconv.Itoa(n)
		}
	}
	how := result{failed: true, text: content, denial: e.denial, beforeRun: e.deniedBefore, afterRun: e.deniedAfter}
	switch {
	case how.outcome(tools.Class(tool)) == capability.OutcomeRejected:
		return records.ErrorRejected
	case e.denial == "interrupted", strings.HasPrefix(content, interrupted):
		return records.ErrorInterrupted
	case strings.HasPrefix(content, refusalOrInterruption):
		if strings.Contains(content, "was rejected") {
			return records.ErrorRejected
		}
		return records.ErrorInterrupted
	}
	return records.ErrorTool
}

// take decodes the client's note next to a result. The note is an object for a successful call, a text for a failed
// call, and a list for a tool of an MCP server.
func (n *note) take(raw []byte) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "agentId":
			n.agent = d.Text()
		case "totalDurationMs", "durationMs":
			n.took = d.Int()
		case "interrupted":
			n.interrupted = d.Bool()
		case "gitOperation":
			n.commit = gitCommit(d)
		case "file":
			n.file = d.Raw()
		default:
			n.edit.member(d)
		}
	}
}

// A note is the member toolUseResult, with the relevant members of all tools.
type note struct {
	agent       string
	took        int64
	interrupted bool
	commit      *assemble.Commit
	file        []byte
	edit        noted
}

func (n *note) add(r *assemble.Result, call *assemble.Call) {
	if payload.SessionID(n.agent) {
		r.Subagent = n.agent
	}
	if n.took > 0 {
		r.DurationMS = &n.took
	}
	if n.interrupted && r.Error == "" {
		r.Error = records.ErrorInterrupted
	}
	r.Commit = n.commit
	if r.Error != "" {
		return
	}
	if call == nil { // the line of the call comes later
		call = &assemble.Call{Name: n.edit.tool()}
	}
	switch call.Name {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		r.Edits = n.edit.edits(call)
	case "Read":
		r.Seen = wholeFile(n.file)
	}
}

// wholeFile returns a manifest of the project that was read from its first line to its last; nil for other files and
// other reads.
func wholeFile(raw []byte) *assemble.File {
	file := &assemble.File{}
	var start, lines, total int64
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "content":
			if !project.Manifest(file.Path) && file.Path != "" {
				continue
			}
			file.Content = d.Text()
		default:
			d.Take("filePath", &file.Path, "startLine", &start, "numLines", &lines, "totalLines", &total)
		}
	}
	if start != 1 || lines != total || !project.Manifest(file.Path) {
		return nil
	}
	return file
}

func gitCommit(d *rawjson.Decoder) *assemble.Commit {
	var commit *assemble.Commit
	for d.Open(); d.Member(); {
		if string(d.Key()) != "commit" || d.Kind() != rawjson.Object {
			continue
		}
		commit = &assemble.Commit{}
		for d.Open(); d.Member(); {
			switch string(d.Key()) {
			case "sha":
				commit.SHA = d.Text()
			case "kind":
				commit.Kind = payload.Name(d.Text())
			case "branch":
				commit.Branch = payload.Name(d.Text())
			}
		}
	}
	if commit == nil || !sessionfile.ObjectName(commit.SHA) {
		return nil
	}
	return commit
}
