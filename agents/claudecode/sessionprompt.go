package claudecode

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// user handles a line with the role user: results of calls, the user's text, or the client's text in the user's name.
func (s *session) user(ch *chain, e *entry, at records.Locator) error {
	said, results, err := s.userBlocks(ch, e, at)
	switch {
	case err != nil:
		return err
	case results > 0:
		ch.c.Take()
		return nil
	case e.summary:
		ch.summary(strings.Join(said, "\n\n"), e.time)
		return nil
	case e.meta:
		return ch.metaText(e, said)
	}
	if reason := e.notTyped(); reason != "" {
		ch.c.Skip(reason)
		return nil
	}
	return s.typed(ch, strings.Join(said, "\n\n"), e.time, at)
}

// summary keeps the summary that replaced the earlier conversation for the model.
func (ch *chain) summary(said, time string) {
	ch.c.Summarised(said, time)
	ch.c.Take()
}

// notTyped returns the reason why a line with the role user is not a prompt; "" if it may be one.
func (e *entry) notTyped() string {
	switch {
	case e.hidden:
		return "hidden"
	case len(e.result) > 0 && e.result[0] != 'n':
		return "result_without_id"
	case e.promptSource == "system":
		return "system_prompt"
	case memberText(e.origin, "kind") == "task-notification":
		return "task_notification"
	}
	return ""
}

// userBlocks adds the results in a message and returns its texts.
func (s *session) userBlocks(ch *chain, e *entry, at records.Locator) (said []string, results int, err error) {
	d := rawjson.NewDecoder(e.message)
	for d.Open(); d.Member(); {
		if string(d.Key()) != "content" {
			continue
		}
		if d.Kind() == rawjson.String {
			said = append(said, d.Text())
			continue
		}
		for d.OpenArray(); d.Element(); {
			raw := d.Raw()
			switch memberText(raw, "type") {
			case "text":
				said = append(said, memberText(raw, "text"))
			case "tool_result":
				results++
				if err := s.result(ch, e, raw, at); err != nil {
					return nil, results, err
				}
			case "image", "document":
				said = append(said, placeholder(raw))
			}
		}
	}
	return said, results, nil
}

// placeholder returns a text that stands for a block of another kind.
func placeholder(block []byte) string {
	kind := memberText(block, "type")
	d := rawjson.NewDecoder(block)
	media := ""
	for d.Open(); d.Member(); {
		if string(d.Key()) == "source" {
			media = memberText(d.Raw(), "media_type")
		}
	}
	if media == "" || len(media) > 60 {
		return "[" + kind + "]"
	}
	return "[" + kind + " " + media + "]"
}

// interrupted begins the line that the client writes after the user pressed Esc.
const interrupted = "[Request interrupted by user"

// `typed` handles the text of a line that may be a prompt.
func (s *session) typed(ch *chain, said, time string, at records.Locator) error {
	switch {
	case strings.HasPrefix(said, interrupted):
		return ch.interruption(time)
	case strings.HasPrefix(said, "<bash-input>"):
		ch.c.Append("user_shell", "after_step",
			map[string]any{"command": sessionfile.Inside(said, "bash-input"), "timestamp": time})
		ch.c.Take()
		return nil
	case strings.HasPrefix(said, "<bash-stdout>"), strings.HasPrefix(said, "<bash-stderr>"):
		ch.c.Skip("user_shell_output")
		return nil
	case strings.HasPrefix(said, "<local-command-stdout>"), strings.HasPrefix(said, "<local-command-stderr>"):
		if err := ch.resolve(commandBuiltIn); err != nil {
			return err
		}
		ch.c.Skip("local_command_output")
		return nil
	case strings.HasPrefix(said, "<command-name>"), strings.HasPrefix(said, "<command-message>"):
		if err := ch.resolve(commandBuiltIn); err != nil {
			return err
		}
		ch.command = &command{
			name: strings.TrimPrefix(sessionfile.Inside(said, "command-name"), "/"),
			args: sessionfile.Inside(said, "command-args"), time: time, at: at,
			place: ch.c.Keep(at),
		}
		ch.c.Take()
		return nil
	}
	text, reason := clean(said)
	if reason != "" {
		ch.c.Skip(reason)
		return nil
	}
	if err := ch.resolve(commandBuiltIn); err != nil {
		return err
	}
	return ch.prompt(assemble.Prompt{At: at, Time: time, Text: text})
}

// prompt adds a prompt after the end of a turn.
func (ch *chain) prompt(p assemble.Prompt) error {
	if ch.file != "" && !ch.asked && p.Text == "Warmup" {
		ch.warmup = true
	}
	ch.asked = true
	p.Warmup = ch.warmup
	return ch.c.Asked(p, false)
}

func (ch *chain) interruption(time string) error {
	ch.c.Broke(records.Interrupted, map[string]any{"timestamp": time})
	ch.c.Take()
	return nil
}

// synthetic lists the beginnings of texts that the client wrote in the user's name.
var synthetic = []struct{ prefix, reason string }{
	{"<task-notification>", "task_notification"},
	{"<local-command-caveat>", "caveat"},
	{"Caveat: The messages below", "caveat"},
	{"This session is being continued from a previous conversation", "compact_summary"},
	{"<system-reminder>", "reminder"},
	{"<user-prompt-submit-hook>", "hook_output"},
}

// clean removes the client's additions from a prompt: reminders, and the file that is open in the editor. If nothing is
// left, it returns the reason.
func clean(said string) (text, reason string) {
	for _, tag := range []string{"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"} {
		for range 64 {
			before, rest, found := strings.Cut(said, "<"+tag+">")
			if !found {
				break
			}
			_, after, closed := strings.Cut(rest, "</"+tag+">")
			if !closed {
				break
			}
			said = before + after
			reason = "reminder"
		}
	}
	said = strings.TrimSpace(said)
	for _, known := range synthetic {
		if strings.HasPrefix(said, known.prefix) {
			return "", known.reason
		}
	}
	if said != "" {
		return said, ""
	}
	return "", cmp.Or(reason, "empty_prompt")
}

// `queued` handles a prompt that the user typed while the agent worked.
func (s *session) queued(ch *chain, e *entry, at records.Locator) error {
	var mode, text string
	d := rawjson.NewDecoder(e.attachment)
	for d.Open(); d.Member(); {
		switch string(d.Key()) {
		case "commandMode":
			mode = d.Text()
		case "prompt":
			text = promptText(d)
		}
	}
	if mode == "task-notification" {
		ch.c.Skip("task_notification")
		return nil
	}
	text, reason := clean(text)
	if reason != "" {
		ch.c.Skip(reason)
		return nil
	}
	if err := ch.c.Prompt(assemble.Prompt{At: at, Time: e.time, Text: text}); err != nil {
		return err
	}
	ch.c.Take()
	return nil
}

// promptText returns a prompt, which is a text or a list of blocks.
func promptText(d *rawjson.Decoder) string {
	if d.Kind() == rawjson.String {
		return d.Text()
	}
	return strings.Join(texts(d), "\n\n")
}

// texts returns the texts of a list of blocks.
func texts(d *rawjson.Decoder) []string {
	var list []string
	for d.OpenArray(); d.Element(); {
		if d.Kind() == rawjson.String {
			list = append(list, d.Text())
			continue
		}
		if text := memberText(d.Raw(), "text"); text != "" {
			list = append(list, text)
		}
	}
	return list
}
