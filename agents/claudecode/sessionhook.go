package claudecode

import (
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/rawjson"
)

// hookLine takes what the client tells of a hook that it ran: an attachment when the hook has ended, in older clients a
// line of progress when it began. What the hook printed is not kept.
func (ch *chain) hookLine(raw []byte, call string) bool {
	run := records.HookRun{Outcome: "started"}
	d := rawjson.NewDecoder(raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "type":
			if kind := strings.TrimPrefix(d.Text(), "hook_"); kind != "progress" {
				run.Outcome = sessionfile.Known(kind)
			}
		case "hookEvent":
			run.Event = payload.Name(d.Text())
		case "hookName":
			run.Name = payload.Name(d.Text())
		case "toolUseID":
			call = d.Text()
		case "exitCode":
			run.ExitCode = new(d.Int())
		}
	}
	if run.Event == "" {
		return false
	}
	if strings.Contains(run.Event, "ToolUse") && payload.CallID(call) { // other events have an id of their own making
		run.Call = call
	}
	ch.c.Hook(run)
	return true
}

// hookSummary takes the line that the client writes after the hooks of a turn's end.
func (ch *chain) hookSummary(e *entry) {
	ran, failed := int64(0), int64(0)
	d := rawjson.NewDecoder(e.raw)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "hookCount":
			ran = d.Int()
		case "hookErrors":
			for d.OpenArray(); d.Element(); {
				failed++
				d.Skip()
			}
		}
	}
	ch.c.HookCount("Stop", "ran", ran)
	ch.c.HookCount("Stop", "errors", failed)
}
