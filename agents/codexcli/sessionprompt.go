package codexcli

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// userMessage handles a message with the role user: the user's text, and the client's additions. Newer versions name
// the kind of each part.
func (r *rollout) userMessage(l *line, at records.Locator) error {
	var kinds []string
	d := rawjson.NewDecoder(rawjson.Member(l.item.passed, "content_item_kinds"))
	for d.OpenArray(); d.Element(); {
		kinds = append(kinds, d.Text())
	}
	var typed, told []string
	n := -1
	d = rawjson.NewDecoder(l.item.content)
	for d.OpenArray(); d.Element(); {
		text := part(d.Raw())
		n++
		switch {
		case n < len(kinds) && kinds[n] != "unknown" && !strings.HasPrefix(kinds[n], "user."):
			told = append(told, text)
		case n >= len(kinds) && injected(text):
			told = append(told, text)
		case text != "":
			typed = append(typed, text)
		}
	}
	if len(typed) == 0 {
		r.c.Skip("injected_context")
	} else if err := r.typed(l, at, strings.Join(typed, "\n\n")); err != nil {
		return err
	}
	for _, text := range told { // after the step that the line may have started, because both are read again together
		r.injected(l, text)
	}
	return nil
}

// `injected` reports whether the client wrote a text in the user's name.
func injected(text string) bool {
	if tag, tagged := sessionfile.Tagged(text); tagged && tag != "image" {
		return true
	}
	return strings.HasPrefix(text, "# AGENTS.md instructions for ") || strings.HasPrefix(text, "<environment_context>") ||
		strings.HasPrefix(text, "<user_instructions>") || strings.HasPrefix(text, "<turn_aborted>")
}

// `injected` records facts in the client's texts: the shell, a requested skill, a command that the user ran.
func (r *rollout) injected(l *line, text string) {
	switch tag, _ := sessionfile.Tagged(text); tag {
	case "environment_context":
		if shell := payload.Name(sessionfile.Inside(text, "shell")); shell != "" {
			r.c.Change(func(h *assemble.Head) { h.Shell = cmp.Or(h.Shell, shell) })
		}
	case "skill":
		r.c.Append("skill_invocations", "after_step", map[string]any{
			"skill": sessionfile.Inside(text, "name"), "path": sessionfile.Inside(text, "path"), "source": "injected_skill",
			"timestamp": l.time,
		})
	case "user_shell_command":
		r.c.Append("user_shell", "after_step", map[string]any{"command": sessionfile.Inside(text, "command"),
			"timestamp": l.time})
	}
}

// `typed` adds a prompt. A prompt comes twice, as an item and as an event; the second one is skipped.
func (r *rollout) typed(l *line, at records.Locator, text string) error {
	text = strings.TrimSpace(text)
	hash := sessionfile.Hash(strings.TrimSpace(strings.ReplaceAll(text, "[image]", ""))) // the event's text lacks images
	if text == "" || r.state.Typed == hash {
		r.c.Skip("repeated_prompt")
		return nil
	}
	r.state.Typed = hash
	working := r.state.Running && r.state.Said
	if !working {
		clear(r.notes)
	}
	r.state.Open = false
	return r.c.Asked(assemble.Prompt{At: at, Time: l.time, Text: text}, working)
}

// agentMessage handles a message from one agent to another: the task of a subagent becomes its prompt, if it is
// readable. The subagent's answer is the result of a call.
func (r *rollout) agentMessage(l *line, at records.Locator) error {
	text := strings.Join(texts(rawjson.NewDecoder(l.item.content)), "\n")
	head, task, found := strings.Cut(text, "\nPayload:\n")
	if !found || !strings.Contains(head, "NEW_TASK") || strings.TrimSpace(task) == "" {
		r.c.Skip("agent_message")
		return nil
	}
	return r.typed(l, at, task)
}
