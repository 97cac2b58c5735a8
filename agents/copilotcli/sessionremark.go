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

// remark handles an event about the session.
func (s *session) remark(e *event) {
	switch e.kind {
	case "session.start", "session.resume", "session.context_changed":
		s.context(e)
	case "system.message":
		s.systemPrompt(e)
	case "abort":
		s.c.Broke(records.Interrupted, map[string]any{"timestamp": e.time, "reason": payload.Name(e.text("reason"))})
		s.state.Busy = false
	case "session.error", "model.call_failure":
		s.c.Broke(records.Failed, map[string]any{"timestamp": e.time, "text": assemble.Summary(e.text("message"))})
	case "session.compaction_complete":
		s.c.Append("compactions", "after_step", map[string]any{
			"timestamp": e.time, "tokens_before": rawjson.MemberInt(e.data, "preCompactionTokens"),
			"tokens_after": rawjson.MemberInt(e.data, "postCompactionTokens"),
		})
		s.c.Summarised(e.text("summaryContent"), e.time)
	case "session.snapshot_rewind":
		s.main.Back(e.text("upToEventId"))
		s.c.Append("rollbacks", "after_step", map[string]any{"timestamp": e.time, "to": e.text("upToEventId")})
	case "session.title_changed":
		if title := strings.TrimSpace(e.text("title")); title != "" {
			s.c.Change(func(h *assemble.Head) { h.SetMeta("title", title) })
		}
	case "skill.invoked":
		s.c.Append("skill_invocations", "after_step", map[string]any{
			"skill": e.text("name"), "path": e.text("path"), "source": cmp.Or(payload.Name(e.text("trigger")), "skill_event"),
			"timestamp": e.time,
		})
	case "tool.user_requested":
		command := rawjson.MemberText(rawjson.Member(e.data, "arguments"), "command")
		s.c.Append("user_shell", "after_step", map[string]any{"command": command, "timestamp": e.time})
	case "session.idle", "session.shutdown", "session.task_complete":
		s.state.Busy = false
	default:
		s.c.Skip(sessionfile.Known(e.kind))
		return
	}
	s.c.Take()
}

// context reads where the agent works.
func (s *session) context(e *event) {
	context := rawjson.Member(e.data, "context")
	if e.kind == "session.context_changed" {
		context = e.data
	}
	var cwd, root, branch, commit, repository, host string
	_ = rawjson.Fill(context, "cwd", &cwd, "gitRoot", &root, "branch", &branch, "headCommit", &commit,
		"repository", &repository, "repositoryHost", &host)
	s.state.Cwd = cmp.Or(cwd, s.state.Cwd)
	version, began := e.text("copilotVersion"), e.text("startTime")
	if repository != "" && host != "" {
		repository = "https://" + host + "/" + repository
	}
	s.c.Change(func(h *assemble.Head) {
		h.AddCwd(cmp.Or(root, cwd))
		h.OS = cmp.Or(h.OS, assemble.System(cwd))
		h.SetVersion(version)
		h.Began = cmp.Or(h.Began, began)
		h.Git = h.Git || root != ""
		h.Branch, h.BaseCommit, h.Repository = cmp.Or(h.Branch, branch), cmp.Or(h.BaseCommit, commit),
			cmp.Or(h.Repository, repository)
	})
}

// systemPrompt sets the system prompt of the following answers.
func (s *session) systemPrompt(e *event) {
	prompt := e.text("content")
	if prompt == "" || s.c != s.main {
		return
	}
	s.state.Prompt = s.c.SystemPrompt(prompt)
}
