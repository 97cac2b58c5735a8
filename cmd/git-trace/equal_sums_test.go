package main

import (
	"fmt"
	"strconv"
)

// Rows of what is alive, of prompts, and of sums over conversations.

var aliveRows = []row{
	{"lines alive", truth, func(a *allAnswers) map[string]string {
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
	{"lines alive", "blame --json PATH, every file", func(a *allAnswers) map[string]string {
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
	{"lines alive", "track --json CONVERSATION", func(a *allAnswers) map[string]string {
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
	{"lines not committed", "blame --json PATH, every file", func(a *allAnswers) map[string]string {
		return a.sumLines(func(yield func(string)) { a.eachPending(func(_ string, l *blamed) { yield(a.traceOf(l.Session)) }) })
	}},
	{"lines not committed", "graph --json, above HEAD", func(a *allAnswers) map[string]string {
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
	{"what is not committed", "blame --json PATH, every file", func(a *allAnswers) map[string]string {
		traces, files, lines := map[string]bool{}, map[string]bool{}, 0
		a.eachPending(func(path string, l *blamed) {
			traces[l.Session], files[path] = true, true
			lines++
		})
		return map[string]string{"all conversations": fmt.Sprintf("%d lines in %d files of %d conversations", lines, len(files), len(traces))}
	}},
	{"what is not committed", "status --json", func(a *allAnswers) map[string]string {
		p := a.pending
		return map[string]string{"all conversations": fmt.Sprintf("%d lines in %d files of %d conversations", p.Lines, p.Files, p.Conversations)}
	}},
}

func (a *allAnswers) eachPending(yield func(path string, l *blamed)) {
	for path, lines := range a.blame {
		for i := range lines {
			if lines[i].Commit == nil && lines[i].Contributor == "ai" {
				yield(path, &lines[i])
			}
		}
	}
}

func (a *allAnswers) traceOf(session string) string {
	for _, t := range a.tale.talks {
		if t.id == session {
			return t.trace()
		}
	}
	return session
}

// sumLines counts lines by conversation; those that have none have 0.
func (a *allAnswers) sumLines(each func(yield func(trace string))) map[string]string {
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

var sumRows = []row{
	{"sums", "log --json", func(a *allAnswers) map[string]string {
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
	{"sums", "stats --json", func(a *allAnswers) map[string]string { return a.stats.sums() }},
	{"sums", "stats --json, its models", func(a *allAnswers) map[string]string {
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
	{"lines of an agent", truth, func(a *allAnswers) map[string]string {
		return a.byAgent(func(yield func(agent, trace string, lines int)) {
			a.eachHeld(func(commit string, t *talk) {
				if a.ids[commit] != "" {
					yield(t.agent, t.trace(), 1)
				}
			})
		})
	}},
	{"lines of an agent", "stats --json", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for _, g := range a.stats.Agents {
			out[g.Agent] = fmt.Sprintf("%d lines by %d conversations", g.Lines, g.Conversations)
		}
		return out
	}},
	{"lines of an agent", "log --json, its commits that HEAD leads to", func(a *allAnswers) map[string]string {
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
	{"lines of all commits", "graph --json", func(a *allAnswers) map[string]string {
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
	{"lines of all commits", "stats --json", func(a *allAnswers) map[string]string {
		return map[string]string{"HEAD": fmt.Sprintf("%d by agents", a.stats.Lines.AI)}
	}},
}

func (a *allAnswers) byAgent(each func(yield func(agent, trace string, lines int))) map[string]string {
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
