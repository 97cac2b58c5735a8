package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// heldText is how many lines commits hold, as log and show write it; nothing where they hold none.
var heldText = regexp.MustCompile(`(\d+ lines? in \d+ commits?)`)

var outcomeRows = []row{
	{"outcome", "log --json", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for i := range a.log {
			t := &a.log[i]
			if t.Lines > 0 {
				out[t.Trace] = numbers.Count(t.Lines, "line") + " in " + numbers.Count(len(t.Commits), "commit")
			}
		}
		return out
	}},
	{"outcome", "log (text)", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		a.eachLogged(func(trace, text string) {
			if m := heldText.FindStringSubmatch(text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:]); m != nil {
				out[trace] = m[1]
			}
		})
		return out
	}},
	{"outcome", "show CONVERSATION (text)", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, text := range a.text {
			for line := range strings.Lines(text) {
				if m := heldText.FindStringSubmatch(line); m != nil && strings.HasPrefix(line, "changes ") {
					out[id] = m[1]
				}
			}
		}
		return out
	}},
	{"cost in words", "log --json", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for i := range a.log {
			if u := a.log[i].Usage; u != nil && u.CostUSD != nil {
				out[a.log[i].Trace] = numbers.Dollars(*u.CostUSD)
			}
		}
		return out
	}},
	{"cost in words", "log (text)", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		a.eachLogged(func(trace, text string) {
			if m := regexp.MustCompile(`· (\$[0-9.]+)`).FindStringSubmatch(text); m != nil {
				out[trace] = m[1]
			}
		})
		return out
	}},
	{"cost in words", "show CONVERSATION (text)", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, text := range a.text {
			if m := regexp.MustCompile(`(?m)^tokens .* · (\$[0-9.]+)`).FindStringSubmatch(text); m != nil {
				out[id] = m[1]
			}
		}
		return out
	}},
	{"sums in words", "stats --json", func(a *allAnswers) map[string]string {
		c := a.stats.Conversations
		return map[string]string{"all conversations": numbers.Count(c.Count, "conversation") + ": " + numbers.Count(c.Prompts, "prompt") + ", " + numbers.Count(c.Calls, "call")}
	}},
	{"sums in words", "stats (text)", func(a *allAnswers) map[string]string {
		return map[string]string{"all conversations": regexp.MustCompile(`(?m)^\d+ conversations?: [^;\n]*`).FindString(a.statsText)}
	}},
	{"first prompt", "log --json", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for i := range a.log {
			if p := a.log[i].Prompt; p != nil {
				out[fmt.Sprintf("%s#%d", a.log[i].Trace, p.Index)] = p.Text
			}
		}
		return out
	}},
	{"first prompt", "show --json PROMPT", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, turn := range a.prompts {
			out[id] = records.Value(turn.Text)
		}
		return out
	}},
	{"call", "show --json CONVERSATION, its turns", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for _, t := range a.show {
			for i := range t.Turns {
				for _, call := range t.Turns[i].Calls {
					if a.calls[call.ToolCall].Trace == t.Trace {
						out[call.ToolCall] = call.figures()
					}
				}
			}
		}
		return out
	}},
	{"call", "show --json CALL", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, call := range a.calls {
			out[id] = call.figures()
		}
		return out
	}},
	{"tokens of a model", truth, func(a *allAnswers) map[string]string {
		sum := map[string]pastUse{}
		for _, t := range a.tale.talks {
			if t.known && t.recorded && t.made() > 0 {
				name := taleModels[t.agent].name
				sum[name] = sum[name].plus(t.used)
			}
		}
		out := map[string]string{}
		for name, u := range sum {
			out[name] = fmt.Sprintf("%d in, %d out, %d read, %d written", u.in, u.out, u.read, u.write)
		}
		return out
	}},
	{"tokens of a model", "stats --json", func(a *allAnswers) map[string]string {
		sum := map[string]pastUse{}
		for _, m := range a.stats.Models {
			name := view.ModelName(m.Model)
			sum[name] = sum[name].plus(pastUse{m.Input, m.Output, m.CacheRead, m.CacheWrite})
		}
		out := map[string]string{}
		for name, u := range sum {
			out[name] = fmt.Sprintf("%d in, %d out, %d read, %d written", u.in, u.out, u.read, u.write)
		}
		return out
	}},
}

func (c *toldCall) figures() string {
	added, removed := 0, 0
	for _, f := range c.Files {
		added, removed = added+f.Added, removed+f.Removed
	}
	return fmt.Sprintf("%s of prompt %d, %s, +%d -%d, %s", c.Tool, c.Prompt, c.Status, added, removed, commitsText(toldHeld(c.Commits)))
}

// eachLogged gives the lines that the text of log has of each conversation.
func (a *allAnswers) eachLogged(yield func(trace, text string)) {
	trace, text := "", ""
	for line := range strings.Lines(a.logText + "end") {
		if line[0] == ' ' {
			text += line
			continue
		}
		if trace != "" {
			yield(trace, text)
		}
		id, _, _ := strings.Cut(line, " ")
		trace, text = "", ""
		for i := range a.log {
			if strings.HasPrefix(a.log[i].Trace, id) {
				trace = a.log[i].Trace
			}
		}
	}
}

var promptRows = []row{
	{"prompt", "show --json CONVERSATION, its turns", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, t := range a.show {
			for i := range t.Turns {
				if t.Turns[i].Index > 0 {
					out[fmt.Sprintf("%s#%d", id, t.Turns[i].Index)] = t.Turns[i].figures()
				}
			}
		}
		return out
	}},
	{"prompt", "show --json PROMPT", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, turn := range a.prompts {
			out[id] = turn.figures()
		}
		return out
	}},
}

func (t *toldTurn) figures() string {
	at, text, lines := "unknown", "unknown", 0
	if t.Time != nil {
		at = sameMoment(*t.Time)
	}
	if t.Text != nil {
		text = *t.Text
	}
	for i := range t.Calls {
		for _, c := range t.Calls[i].Commits {
			lines += c.Lines
		}
	}
	return fmt.Sprintf("%s at %s: %q, %d calls, %d lines in commits", t.Agent, at, text, len(t.Calls), lines)
}
