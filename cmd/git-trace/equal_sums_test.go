package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/view"
)

// Rows of what is alive, of prompts, and of sums over conversations.

var aliveRows = []row{
	{"lines alive", truth, func(a *answers) map[string]string {
		return a.sumLines(func(yield func(string)) {
			for _, t := range a.tale.talks {
				if !t.known {
					continue
				}
				for _, path := range a.tale.files() {
					for _, line := range a.tale.get(path) {
						if a.tale.writers[line] == t.id {
							yield(t.trace())
						}
					}
				}
			}
		})
	}},
	{"lines alive", "blame --json PATH, every file", func(a *answers) map[string]string {
		return a.sumLines(func(yield func(string)) {
			for _, lines := range a.blame {
				for _, l := range lines {
					for _, t := range a.tale.talks {
						if l.Contributor == "ai" && l.Session == t.id {
							yield(t.trace())
						}
					}
				}
			}
		})
	}},
	{"lines alive", "track --json CONVERSATION", func(a *answers) map[string]string {
		return a.sumLines(func(yield func(string)) {
			for id, trails := range a.tracks {
				for i := range trails {
					if trails[i].Now.Ref != nil {
						continue // of another branch
					}
					for range trails[i].Now.Alive {
						yield(id)
					}
				}
			}
		})
	}},
	{"lines not committed", "blame --json PATH, every file", func(a *answers) map[string]string {
		return a.sumLines(func(yield func(string)) { a.eachPending(func(_ string, l *blamed) { yield(a.traceOf(l.Session)) }) })
	}},
	{"lines not committed", "graph --json, above HEAD", func(a *answers) map[string]string {
		return a.sumLines(func(yield func(string)) {
			if a.above == nil {
				return
			}
			for _, who := range a.above.Contributors {
				for range who.Lines {
					if who.Trace != nil {
						yield(*who.Trace)
					}
				}
			}
		})
	}},
	{"what is not committed", "blame --json PATH, every file", func(a *answers) map[string]string {
		traces, files, lines := map[string]bool{}, map[string]bool{}, 0
		a.eachPending(func(path string, l *blamed) {
			traces[l.Session], files[path] = true, true
			lines++
		})
		return map[string]string{"all conversations": fmt.Sprintf("%d lines in %d files of %d conversations", lines, len(files), len(traces))}
	}},
	{"what is not committed", "status --json", func(a *answers) map[string]string {
		p := a.pending
		return map[string]string{"all conversations": fmt.Sprintf("%d lines in %d files of %d conversations", p.Lines, p.Files, p.Conversations)}
	}},
}

func (a *answers) eachPending(yield func(path string, l *blamed)) {
	for path, lines := range a.blame {
		for i := range lines {
			if lines[i].Commit == nil && lines[i].Contributor == "ai" {
				yield(path, &lines[i])
			}
		}
	}
}

func (a *answers) traceOf(session string) string {
	for _, t := range a.tale.talks {
		if t.id == session {
			return t.trace()
		}
	}
	return session
}

// sumLines counts lines by conversation; those that have none have 0.
func (a *answers) sumLines(each func(yield func(trace string))) map[string]string {
	sum := map[string]int{}
	for i := range a.log {
		sum[a.log[i].Trace] = 0
	}
	each(func(trace string) { sum[trace]++ })
	out := map[string]string{}
	for trace, n := range sum {
		out[trace] = strconv.Itoa(n)
	}
	return out
}

// heldText is how many lines commits hold, as log and show write it; nothing where they hold none.
var heldText = regexp.MustCompile(`(\d+ lines? in \d+ commits?)`)

var outcomeRows = []row{
	{"outcome", "log --json", func(a *answers) map[string]string {
		out := map[string]string{}
		for i := range a.log {
			t := &a.log[i]
			lines := 0
			for _, c := range t.Commits {
				lines += c.Lines
			}
			if lines > 0 {
				out[t.Trace] = plural(lines, "line") + " in " + plural(len(t.Commits), "commit")
			}
		}
		return out
	}},
	{"outcome", "log (text)", func(a *answers) map[string]string {
		out := map[string]string{}
		a.eachLogged(func(trace, text string) {
			if m := heldText.FindStringSubmatch(text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:]); m != nil {
				out[trace] = m[1]
			}
		})
		return out
	}},
	{"outcome", "show CONVERSATION (text)", func(a *answers) map[string]string {
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
	{"cost in words", "log --json", func(a *answers) map[string]string {
		out := map[string]string{}
		for i := range a.log {
			if u := a.log[i].Usage; u != nil && u.CostUSD != nil {
				out[a.log[i].Trace] = dollars(*u.CostUSD)
			}
		}
		return out
	}},
	{"cost in words", "log (text)", func(a *answers) map[string]string {
		out := map[string]string{}
		a.eachLogged(func(trace, text string) {
			if m := regexp.MustCompile(`· (\$[0-9.]+)`).FindStringSubmatch(text); m != nil {
				out[trace] = m[1]
			}
		})
		return out
	}},
	{"cost in words", "show CONVERSATION (text)", func(a *answers) map[string]string {
		out := map[string]string{}
		for id, text := range a.text {
			if m := regexp.MustCompile(`(?m)^tokens .* · (\$[0-9.]+)`).FindStringSubmatch(text); m != nil {
				out[id] = m[1]
			}
		}
		return out
	}},
	{"sums in words", "stats --json", func(a *answers) map[string]string {
		c := a.stats.Conversations
		return map[string]string{"all conversations": plural(c.Count, "conversation") + ": " + plural(c.Prompts, "prompt") + ", " + plural(c.Calls, "call")}
	}},
	{"sums in words", "stats (text)", func(a *answers) map[string]string {
		return map[string]string{"all conversations": regexp.MustCompile(`(?m)^\d+ conversations?: [^;\n]*`).FindString(a.statsText)}
	}},
	{"first prompt", "log --json", func(a *answers) map[string]string {
		out := map[string]string{}
		for i := range a.log {
			if p := a.log[i].Prompt; p != nil {
				out[fmt.Sprintf("%s#%d", a.log[i].Trace, p.Index)] = p.Text
			}
		}
		return out
	}},
	{"first prompt", "show --json PROMPT", func(a *answers) map[string]string {
		out := map[string]string{}
		for id, turn := range a.prompts {
			out[id] = value(turn.Text)
		}
		return out
	}},
	{"call", "show --json CONVERSATION, its turns", func(a *answers) map[string]string {
		out := map[string]string{}
		for _, t := range a.show {
			for i := range t.Turns {
				for _, call := range t.Turns[i].Calls {
					if _, asked := a.calls[call.ToolCall]; asked {
						out[call.ToolCall] = call.figures()
					}
				}
			}
		}
		return out
	}},
	{"call", "show --json CALL", func(a *answers) map[string]string {
		out := map[string]string{}
		for id, call := range a.calls {
			out[id] = call.figures()
		}
		return out
	}},
	{"tokens of a model", truth, func(a *answers) map[string]string {
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
	{"tokens of a model", "stats --json", func(a *answers) map[string]string {
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
func (a *answers) eachLogged(yield func(trace, text string)) {
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
	{"prompt", "show --json CONVERSATION, its turns", func(a *answers) map[string]string {
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
	{"prompt", "show --json PROMPT", func(a *answers) map[string]string {
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

var sumRows = []row{
	{"sums", "log --json", func(a *answers) map[string]string {
		recorded, prompts, calls, steps := 0, 0, 0, 0
		var s toldStats
		for i := range a.log {
			t := &a.log[i]
			prompts, calls = prompts+t.Prompts, calls+t.Calls
			if t.Usage == nil {
				continue
			}
			recorded, steps = recorded+1, steps+t.Usage.Steps
			s.Tokens.Input += t.Usage.Input
			s.Tokens.Output += t.Usage.Output
			s.Tokens.CacheRead += t.Usage.CacheRead
			s.Tokens.CacheWrite += t.Usage.CacheWrite
			if t.Usage.CostUSD != nil {
				s.Cost.USD += *t.Usage.CostUSD
				s.Cost.Priced++
			} else {
				s.Cost.Unknown++
			}
		}
		s.Conversations.Count, s.Conversations.Recorded, s.Conversations.Prompts, s.Conversations.Calls = len(a.log), recorded, prompts, calls
		s.Conversations.Steps = steps
		return s.sums()
	}},
	{"sums", "stats --json", func(a *answers) map[string]string { return a.stats.sums() }},
	{"sums", "stats --json, its models", func(a *answers) map[string]string {
		s := a.stats
		s.Tokens.Input, s.Tokens.Output, s.Tokens.CacheRead, s.Tokens.CacheWrite = 0, 0, 0, 0
		for _, m := range a.stats.Models {
			s.Tokens.Input += m.Input
			s.Tokens.Output += m.Output
			s.Tokens.CacheRead += m.CacheRead
			s.Tokens.CacheWrite += m.CacheWrite
		}
		return s.sums()
	}},
	{"lines of an agent", truth, func(a *answers) map[string]string {
		return a.byAgent(func(yield func(agent, trace string, lines int)) {
			a.eachHeld(func(commit string, t *talk) {
				if a.ids[commit] != "" {
					yield(t.agent, t.trace(), 1)
				}
			})
		})
	}},
	{"lines of an agent", "stats --json", func(a *answers) map[string]string {
		out := map[string]string{}
		for _, g := range a.stats.Agents {
			out[g.Agent] = fmt.Sprintf("%d lines by %d conversations", g.Lines, g.Conversations)
		}
		return out
	}},
	{"lines of an agent", "log --json, its commits that HEAD leads to", func(a *answers) map[string]string {
		return a.byAgent(func(yield func(agent, trace string, lines int)) {
			for i := range a.log {
				for _, c := range a.log[i].Commits {
					if a.ids[c.Commit] != "" {
						yield(a.log[i].Agent, a.log[i].Trace, c.Lines)
					}
				}
			}
		})
	}},
	{"lines of all commits", "graph --json", func(a *answers) map[string]string {
		var sum toldLines
		n := 0
		for _, c := range a.graph {
			if a.ids[c.Commit] != "" && c.Anchored {
				n++
				sum.AI += c.AI
			}
		}
		return map[string]string{"HEAD": fmt.Sprintf("%d by agents", sum.AI)}
	}},
	{"lines of all commits", "stats --json", func(a *answers) map[string]string {
		return map[string]string{"HEAD": fmt.Sprintf("%d by agents", a.stats.Lines.AI)}
	}},
}

func (a *answers) byAgent(each func(yield func(agent, trace string, lines int))) map[string]string {
	lines, traces := map[string]int{}, map[string]map[string]bool{}
	each(func(agent, trace string, n int) {
		lines[agent] += n
		if traces[agent] == nil {
			traces[agent] = map[string]bool{}
		}
		traces[agent][trace] = true
	})
	out := map[string]string{}
	for agent, n := range lines {
		out[agent] = fmt.Sprintf("%d lines by %d conversations", n, len(traces[agent]))
	}
	return out
}

func (s *toldStats) sums() map[string]string {
	c := s.Conversations
	return map[string]string{"all conversations": fmt.Sprintf(
		"%d conversations, %d with a record, %d prompts, %d calls, %d steps, tokens %d %d %d %d, %.6f $ of %d, %d of unknown cost",
		c.Count, c.Recorded, c.Prompts, c.Calls, c.Steps, s.Tokens.Input, s.Tokens.Output, s.Tokens.CacheRead, s.Tokens.CacheWrite, s.Cost.USD,
		s.Cost.Priced, s.Cost.Unknown,
	)}
}
