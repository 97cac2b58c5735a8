package codexcli

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// note is the data from events about a call.
type note struct {
	status  string // completed, failed, declined
	exit    int64
	exited  bool // the exit code is known
	success string
	millis  int64
	changes []byte // result of a patch for each file
	agent   string // the id of the subagent that the call started
}

// noteFor returns the note of a call that waits for its result. Notes about other calls are dropped. So a reading that
// continues from a call's line finds the same notes as one from the beginning.
func (r *rollout) noteFor(id string) *note {
	if r.c.Waiting(id) == nil {
		return &note{}
	}
	n := r.notes[id]
	if n == nil {
		n = &note{}
		r.notes[id] = n
	}
	return n
}

// `note` stores an event about a call until the result comes.
func (r *rollout) note(raw []byte, id string) { r.noteFor(id).decode(raw) }

func (n *note) decode(raw []byte) {
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "status":
			n.status = d.Text()
		case "exit_code":
			n.exited = d.Kind() == rawjson.Number
			n.exit = d.Int()
		case "success":
			n.success = string(d.Raw())
		case "changes":
			n.changes = append([]byte(nil), d.Raw()...)
		case "duration":
			span := d.Raw()
			n.millis = rawjson.MemberInt(span, "secs")*1000 + rawjson.MemberInt(span, "nanos")/1_000_000
		}
	}
}

// output handles the result of a call.
func (r *rollout) output(l *line, at records.Locator) error {
	id := l.item.callID
	content := outputText(l.item.output)
	result := assemble.Result{Time: l.time}
	call := r.c.Waiting(id)
	r.state.Open, r.state.Typed = false, ""
	n := r.notes[id]
	delete(r.notes, id)
	if n == nil {
		n = &note{}
	}
	var exited bool
	content, n.exit, exited = unwrap(content, n)
	n.exited = n.exited || exited
	result.Content = &content
	result.Subagent = cmp.Or(n.agent, startedAgent(call, content))
	n.add(&result, call)
	if result.Error == "" {
		result.Error = refusal(content)
	}
	if call != nil && result.Error == "" {
		if len(result.Edits) == 0 && n.changes == nil && len(call.Writes) > 0 {
			result.Edits = r.patchEdits(call)
		}
	}
	r.c.Take()
	return r.c.Result(at, id, result)
}

// add adds the data of the note to a result.
func (n *note) add(result *assemble.Result, call *assemble.Call) {
	if n.millis > 0 {
		result.DurationMS = &n.millis
	}
	switch {
	case n.status == "declined":
		result.Error = records.ErrorRejected
	case n.exited && n.exit != 0:
		result.Error = sessionfile.ExitCode(n.exit)
	case n.status == "failed", n.success == "false":
		result.Error = records.ErrorTool
	}
	if result.Error == "" && n.changes != nil {
		result.Edits = changedFiles(n.changes)
	}
	if call != nil && result.Commit == nil && result.Error == "" && result.Content != nil {
		result.Commit = sessionfile.Committed(call.Command, *result.Content)
	}
}

// outputText returns the result for the model: a text or parts.
func outputText(raw []byte) string {
	d := rawjson.NewDecoder(raw)
	switch d.Kind() {
	case rawjson.String:
		return d.Text()
	case rawjson.Array:
		return strings.Join(texts(d), "\n")
	case rawjson.Object: // {content, success} in old versions
		return rawjson.MemberText(raw, "content")
	}
	return ""
}

// unwrap extracts the output from the JSON that versions up to 0.12x put around it. The client writes some lines before
// a command's output, which contain the exit code.
func unwrap(content string, n *note) (text string, exit int64, exited bool) {
	if strings.HasPrefix(content, `{"output":`) {
		raw := []byte(content)
		if meta := rawjson.Member(raw, "metadata"); meta != nil {
			return rawjson.MemberText(raw, "output"), rawjson.MemberInt(meta, "exit_code"),
				rawjson.Member(meta, "exit_code") != nil
		}
	}
	head, _, _ := strings.Cut(content, "\nOutput:\n")
	if len(head) > 400 {
		head = head[:400]
	}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		for _, words := range []string{"Process exited with code ", "Exit code: "} {
			if code, found := strings.CutPrefix(line, words); found {
				if exit, err := strconv.ParseInt(code, 10, 64); err == nil {
					return content, exit, true
				}
			}
		}
	}
	return content, n.exit, false
}

// refusal returns the error of a call that was refused or could not be made, from the text of its result.
func refusal(content string) string {
	if len(content) > 400 {
		content = content[:400]
	}
	switch {
	case strings.Contains(content, "rejected by user"), strings.Contains(content, "rejected by the user"):
		return records.ErrorRejected
	case content == "aborted", strings.HasPrefix(content, "aborted by user"), strings.HasPrefix(content, "aborted after "):
		return records.ErrorInterrupted
	case strings.HasPrefix(content, "apply_patch verification failed"), strings.HasPrefix(content, "unsupported call"),
		strings.HasPrefix(content, "failed to parse function arguments"), strings.HasPrefix(content, "execution error"),
		strings.HasPrefix(content, "exec_command failed"), strings.HasPrefix(content, "Script failed"):
		return records.ErrorTool
	}
	return ""
}

// startedAgent returns the subagent that the result of a call names.
func startedAgent(call *assemble.Call, content string) string {
	if call == nil || call.Name != "spawn_agent" || !strings.HasPrefix(content, "{") {
		return ""
	}
	return rawjson.MemberText([]byte(content), "agent_id")
}
