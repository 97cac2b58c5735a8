package codexcli

import (
	"cmp"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// meta handles the line that begins a rollout. A later line of this kind is recorded as a continuation of the session.
func (r *rollout) meta(l *line) {
	if r.state.ID != "" {
		r.c.Append("continued", "after_step", map[string]any{"timestamp": l.time})
		return
	}
	r.state.ID = cmp.Or(l.item.id, "unknown")
	var head assemble.Head
	var prompt, origin, source, entry string
	d := rawjson.NewDecoder(l.payload)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "originator":
			source = payload.Name(d.Text())
		case "source": // for a subagent, this is an object
			entry = payload.Name(d.Text())
		case "base_instructions":
			prompt = rawjson.MemberText(d.Raw(), "text")
		case "dynamic_tools":
			r.tools(d)
		case "git":
			git := d.Raw()
			head.Git = true
			head.Branch = rawjson.MemberText(git, "branch")
			head.BaseCommit = rawjson.MemberText(git, "commit_hash")
			head.Repository = rawjson.MemberText(git, "repository_url")
		default:
			d.Take("cwd", &r.state.Cwd, "cli_version", &head.Version, "timestamp", &head.Began,
				"forked_from_id", &origin, "instructions", &prompt)
		}
	}
	cwd := r.state.Cwd
	if prompt != "" {
		r.state.Prompt = r.c.SystemPrompt(prompt)
	}
	r.c.Change(func(h *assemble.Head) {
		h.WorksIn(cwd)
		h.SetVersion(head.Version)
		h.Began, h.Git = head.Began, h.Git || head.Git
		h.Branch, h.BaseCommit, h.Repository = cmp.Or(h.Branch, head.Branch), cmp.Or(h.BaseCommit, head.BaseCommit),
			cmp.Or(h.Repository, head.Repository)
		if origin != "" {
			h.SetMeta("forked_from", []string{origin})
		}
		if source != "" {
			h.SetMeta("client", source)
		}
		h.AddMeta("entrypoint", entry)
	})
}

// tools reads tool definitions; the tools of a namespace are in a nested list.
func (r *rollout) tools(d *rawjson.Decoder) {
	for d.OpenArray(); d.Element(); {
		definition := rawjson.Cleaned(d.Raw())
		if rawjson.MemberText(definition, "type") == "namespace" {
			r.tools(rawjson.NewDecoder(rawjson.Member(definition, "tools")))
			continue
		}
		name := rawjson.MemberText(definition, "name")
		if name == "" || len(r.state.Tools) >= maxTools {
			continue
		}
		r.state.Tools = append(r.state.Tools, name)
		r.c.Change(func(h *assemble.Head) { h.AddTool(name, definition) })
	}
}

// maxTools limits the number of tool names in a step.
const maxTools = 200

// turnContext handles the settings of the following answers.
func (r *rollout) turnContext(l *line) {
	mode := ""
	d := rawjson.NewDecoder(l.payload)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "cwd":
			r.state.Cwd = cmp.Or(d.Text(), r.state.Cwd)
		case "model":
			r.state.Model = assemble.Model(d.Text())
		case "approval_policy":
			mode = payload.Name(d.Text())
		}
	}
	cwd := r.state.Cwd
	r.c.Change(func(h *assemble.Head) {
		h.AddCwd(cwd)
		if mode != "" {
			h.SetMeta("permission_mode", mode)
		}
	})
}

// `copied` reports whether a line is a copy from another session. Forks and subagents of versions up to 0.14x begin
// with their own first line. Then come the lines of the other session, including its first line, and then the session's
// own turn. Ids are UUIDs of version 7, so a turn that is older than the session is a copy.
func (r *rollout) copied(l *line) bool {
	switch {
	case !r.forkedFrom || r.state.ID == "":
		return false
	case l.kind == "session_meta" && l.item.id != r.state.ID:
		r.state.Copied = true
	case r.state.Copied && (l.kind == "turn_context" || l.kind == "event_msg" && l.item.kind == "task_started"):
		if l.item.turn >= r.state.ID {
			r.state.Copied = false
		}
	}
	return r.state.Copied
}

// compaction records a point at which the model lost its history.
func (r *rollout) compaction(l *line) {
	r.c.Append("compactions", "after_step", map[string]any{"timestamp": l.time})
	r.c.Summarised(rawjson.MemberText(l.payload, "message"), l.time)
	r.state.Open = false
}
