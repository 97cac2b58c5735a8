package codexcli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// event handles an event of the client.
func (r *rollout) event(l *line, at records.Locator) error {
	switch l.item.kind {
	case "user_message":
		return r.typed(l, at, rawjson.MemberText(l.payload, "message"))
	case "token_count":
		if err := r.tokenCount(l); err != nil {
			return err
		}
	case "task_started", "turn_started":
		r.state.Running, r.state.Said, r.state.Open, r.state.Typed = true, false, false, ""
	case "task_complete", "turn_complete":
		r.state.Running, r.state.Open = false, false
	case "turn_aborted":
		r.state.Running, r.state.Open = false, false
		r.aborted(l)
	case "error", "stream_error":
		r.failed(l)
	case "thread_rolled_back":
		turns := rawjson.MemberInt(l.payload, "num_turns")
		r.c.BackTurns(turns)
		r.c.Append("rollbacks", "after_step", map[string]any{"timestamp": l.time, "turns": turns})
	case "thread_name_updated":
		r.title(rawjson.MemberText(l.payload, "thread_name"))
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		r.note(l.payload, l.item.callID)
	case "collab_agent_spawn_end":
		r.noteFor(l.item.callID).agent = rawjson.MemberText(l.payload, "new_thread_id")
	case "item_completed":
		return r.completed(l, at)
	default: // agent_message, agent_reasoning and others repeat items
		r.c.Skip("event:" + sessionfile.Known(l.item.kind))
		return nil
	}
	r.c.Take()
	return nil
}

func (r *rollout) aborted(l *line) {
	reason := payload.Name(rawjson.MemberText(l.payload, "reason"))
	r.c.Broke(records.Interrupted, map[string]any{"timestamp": l.time, "reason": reason})
}

func (r *rollout) failed(l *line) {
	text := assemble.Summary(rawjson.MemberText(l.payload, "message"))
	r.c.Broke(records.Failed, map[string]any{"timestamp": l.time, "text": text})
}

func (r *rollout) title(title string) {
	if title = strings.TrimSpace(title); title != "" {
		r.c.Change(func(h *assemble.Head) { h.SetMeta("title", title) })
	}
}

// `completed` handles the event with which newer versions report each finished item.
func (r *rollout) completed(l *line, at records.Locator) error {
	done := l.item.item
	id := rawjson.MemberText(done, "id")
	kind := rawjson.MemberText(done, "type")
	switch kind {
	case "CommandExecution", "FileChange", "McpToolCall":
		if r.c.Waiting(id) == nil && strings.HasPrefix(id, "exec-") {
			return r.nested(l, at, id, kind)
		}
		r.note(done, id)
	case "SubAgentActivity":
		if rawjson.MemberText(done, "kind") == "started" {
			r.noteFor(id).agent = rawjson.MemberText(done, "agent_thread_id")
		}
	default:
		r.c.Skip("done:" + sessionfile.Known(kind))
		return nil
	}
	r.c.Take()
	return nil
}

// `nested` handles a call that a program of the model made. In code mode, the model calls a single tool, exec, with a
// program; hooks run for the calls in the program. The file does not have their arguments in the form that the program
// passed.
func (r *rollout) nested(l *line, at records.Locator, id, kind string) error {
	done := l.item.item
	call := assemble.Call{ID: id, Input: []byte("{}")}
	output := ""
	d := rawjson.NewDecoder(done)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "command":
			call.Command = commandLine(d)
			call.Name, call.Input = "exec_command", object("cmd", call.Command)
		case "changes":
			raw := rawjson.Cleaned(d.Raw())
			call.Name, call.Input = "apply_patch", append(append([]byte(`{"changes":`), raw...), '}')
			files := rawjson.NewDecoder(raw)
			for files.Open(); files.Member(); {
				call.Writes = append(call.Writes, string(files.Key()))
			}
		case "tool":
			call.Name = payload.Name(d.Text())
		case "arguments":
			call.Input = rawjson.Cleaned(d.Raw())
		case "aggregated_output", "stdout":
			output = d.Text()
		}
	}
	call.Name = cmp.Or(call.Name, kind)
	key := r.program(rawjson.MemberInt(l.payload, "started_at_ms"))
	if key == "" {
		r.c.Drop("nested_call_without_answer")
		return nil
	}
	if err := r.c.Answer(assemble.Answer{At: at, Key: key, Time: l.time, Calls: []assemble.Call{call}}); err != nil {
		return err
	}
	var n note
	n.decode(done)
	result := assemble.Result{Time: l.time, Content: &output}
	n.add(&result, &call)
	r.c.Take()
	return r.c.Result(at, id, result)
}

// program is an answer that runs a program.
type program struct {
	key  string
	time time.Time
}

// maxPrograms limits the number of remembered answers with programs.
const maxPrograms = 256

// `ran` records that an answer runs a program.
func (r *rollout) ran(l *line) {
	at, err := time.Parse(time.RFC3339Nano, l.time)
	if err != nil {
		return
	}
	if len(r.programs) >= maxPrograms {
		r.programs = slices.Delete(r.programs, 0, maxPrograms/2)
	}
	r.programs = append(r.programs, program{r.state.Last, at})
}

// program returns the answer whose program made a call at a time: the last answer before that time. A program may still
// run while the model answers again.
func (r *rollout) program(ms int64) string {
	for _, one := range slices.Backward(r.programs) {
		if (ms == 0 || one.time.UnixMilli() <= ms) && r.c.Waits(one.key) {
			return one.key
		}
	}
	return ""
}
