package claudecode

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// command is a slash command. The line after it shows which kind of command it is.
type command struct {
	name, args, time string
	at               records.Locator
	place            *assemble.Place
}

// effect is the effect of a slash command.
type effect string

// The effects of a command.
const (
	commandBuiltIn effect = "built_in" // a command of the client, not a prompt
	commandPrompt  effect = "prompt"   // a stored prompt
	commandSkill   effect = "skill"
)

// skillBody begins the text of a skill that the client adds to the conversation.
const skillBody = "Base directory for this skill:"

// metaText handles a text that the client added to the conversation. It shows the kind of the previous command.
func (ch *chain) metaText(e *entry, said []string) error {
	text := strings.TrimSpace(strings.Join(said, "\n"))
	reason := "meta"
	switch {
	case strings.HasPrefix(text, skillBody):
		reason = "skill_body"
		if e.sourceCall == "" {
			if err := ch.resolve(commandSkill); err != nil {
				return err
			}
		}
	case strings.HasPrefix(text, "<local-command-caveat>"), strings.HasPrefix(text, "Caveat: The messages below"):
		reason = "caveat"
	case ch.command != nil:
		reason = "command_body"
		if err := ch.resolve(commandPrompt); err != nil {
			return err
		}
	}
	ch.c.Skip(reason)
	return nil
}

// resolve settles the last slash command. A command of the client is kept as a remark. Any other command is a prompt of
// the user: its arguments or, without arguments, its name.
func (ch *chain) resolve(what effect) error {
	c := ch.command
	if c == nil {
		return nil
	}
	ch.command = nil
	value := map[string]any{"command": "/" + c.name, "args": c.args, "timestamp": c.time, "line": c.at.Line,
		"uuid": c.at.ID}
	if what == commandBuiltIn {
		ch.c.Release(c.place, "commands", value)
		return nil
	}
	p := assemble.Prompt{At: c.at, Time: c.time, Text: cmp.Or(c.args, "/"+c.name), Source: "command"}
	list := "prompt_commands"
	if what == commandSkill {
		p.Source, list = "skill", "skill_invocations"
		value["skill"], value["source"] = c.name, "slash_command"
	}
	ch.asked = true
	if err := ch.c.Fill(c.place, p); err != nil {
		return err
	}
	ch.c.Change(func(h *assemble.Head) { h.Terminal = "" })
	ch.c.Append(list, "step", value)
	return nil
}

// skillCall records a skill that the model used through the skill tool.
func (ch *chain) skillCall(call *assemble.Call, time string, at records.Locator) {
	name := cmp.Or(memberText(call.Input, "skill"), memberText(call.Input, "command"))
	if name == "" {
		return
	}
	ch.c.Append("skill_invocations", "step", map[string]any{
		"skill": strings.TrimPrefix(name, "/"), "args": memberText(call.Input, "args"), "source": "skill_tool",
		"tool_call_id": call.ID, "timestamp": time, "line": at.Line, "uuid": at.ID,
	})
}
