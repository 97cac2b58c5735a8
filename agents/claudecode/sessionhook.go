package claudecode

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// hookLine handles the client's line about a hook that it ran: an attachment after the hook has ended or, in older
// clients, a progress line when it started.
func (ch *chain) hookLine(raw []byte, call string) bool {
	run := records.HookRun{Outcome: "started"}
	var printed, complained string
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "content", "blockingError":
			run.Output = hookText(d)
		case "type":
			if kind := strings.TrimPrefix(d.Text(), "hook_"); kind != "progress" {
				run.Outcome = sessionfile.Known(kind)
			}
		case "hookEvent":
			run.Event = payload.Name(d.Text())
		case "hookName":
			run.Name = payload.Name(d.Text())
		case "exitCode":
			run.ExitCode = new(d.Int())
		default:
			d.Take("stdout", &printed, "stderr", &complained, "toolUseID", &call)
		}
	}
	if run.Event == "" {
		return false
	}
	if strings.Contains(run.Event, "ToolUse") && payload.CallID(call) { // other events have an id that is not a call's
		run.Call = call
	}
	run.Output = cmp.Or(strings.TrimSpace(run.Output), strings.TrimSpace(printed), complained)
	ch.c.Hook(run)
	return true
}

// hookText returns the text of a hook: a text, a list of texts, or an object with one.
func hookText(d *rawjson.Decoder) string {
	var list []string
	switch d.Kind() {
	case rawjson.String:
		return d.Text()
	case rawjson.Array:
		for d.OpenArray(); d.Element(); {
			list = append(list, d.Text())
		}
	case rawjson.Object:
		for d.Open(); d.Member(); {
			if string(d.Key()) == "blockingError" {
				list = append(list, d.Text())
			}
		}
	default:
		d.Skip()
	}
	return strings.Join(list, "\n")
}

// hookSummary handles the line that the client writes after the hooks at the end of a turn.
func (ch *chain) hookSummary(e *entry) {
	const most = 1000
	ran, failed := int64(0), 0
	d := rawjson.NewDecoder(e.raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "hookCount":
			ran = d.Int()
		case "hookErrors":
			for d.OpenArray(); d.Element(); {
				if said := d.Text(); failed < most {
					ch.c.Hook(records.HookRun{Event: "Stop", Outcome: "errors", Output: said})
				}
				failed++
			}
		}
	}
	ch.c.HookCount("Stop", "ran", ran)
}

// openTraces handles a line that opentraces' own hooks added to the session file.
func (ch *chain) openTraces(e *entry) {
	member := map[string]string{
		"PreToolUse": records.MetaHookBefore, "PostToolUse": records.MetaHookAfter, "Stop": records.MetaHookStop,
	}[rawjson.MemberText(e.raw, "event")]
	if member == "" { // PostCompact also has the client's text
		ch.c.Skip(e.kind)
		return
	}
	ch.c.Saw(member, e.time, e.data)
}
