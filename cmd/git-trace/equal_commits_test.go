package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/refs"
)

// commitsText are commits with the lines that they hold, sorted.
func commitsText(held map[string]int) string {
	out := make([]string, 0, len(held))
	for commit, lines := range held {
		out = append(out, fmt.Sprintf("%.8s:%d", commit, lines))
	}
	slices.Sort(out)
	return "[" + strings.Join(out, " ") + "]"
}

func toldHeld(list []toldCommit) map[string]int {
	out := map[string]int{}
	for _, c := range list {
		out[c.Commit] = c.Lines
	}
	return out
}

// heldRow is a row of the commits that hold lines of conversations; none is told of those that hold nothing.
func heldRow(thing, command string, each func(a *allAnswers, yield func(trace, commit string, lines int))) row {
	return row{thing, command, func(a *allAnswers) map[string]string {
		held := map[string]map[string]int{}
		for i := range a.log {
			held[a.log[i].Trace] = map[string]int{}
		}
		each(a, func(trace, commit string, lines int) {
			if held[trace] == nil {
				held[trace] = map[string]int{}
			}
			held[trace][commit] += lines
		})
		out := map[string]string{}
		for trace, commits := range held {
			out[trace] = commitsText(commits)
		}
		return out
	}}
}

var commitRows = slices.Concat(
	[]row{heldRow("commits", truth, func(a *allAnswers, yield func(string, string, int)) {
		a.eachHeld(func(commit string, t *talk) { yield(t.trace(), commit, 1) })
	})},
	ofTalk("commits", func(t *toldTalk) string { return commitsText(toldHeld(t.Commits)) }),
	[]row{
		heldRow("commits", "graph --json --all", func(a *allAnswers, yield func(string, string, int)) { eachContributor(a.graph, yield) }),
		heldRow("commits", "show --json COMMIT", func(a *allAnswers, yield func(string, string, int)) {
			for _, c := range a.commits {
				eachContributor([]toldLines{c}, yield)
			}
		}),
		heldRow("commits that HEAD leads to", truth, func(a *allAnswers, yield func(string, string, int)) {
			a.eachHeld(func(commit string, t *talk) {
				if a.ids[commit] != "" {
					yield(t.trace(), commit, 1)
				}
			})
		}),
		heldRow("commits that HEAD leads to", "export --format agent-trace HEAD", func(a *allAnswers, yield func(string, string, int)) {
			id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
			for _, l := range a.owned {
				for _, f := range l.Files {
					for _, conversation := range f.Conversations {
						for _, r := range conversation.Ranges {
							if trace := id.FindString(conversation.URL); trace != "" {
								yield(trace, l.VCS.Revision, r.End-r.Start+1)
							}
						}
					}
				}
			}
		}),
		heldRow("commits that HEAD leads to", "export --format git-ai HEAD", func(a *allAnswers, yield func(string, string, int)) {
			for commit, text := range a.notes {
				note, err := gitai.Parse([]byte(text))
				a.tale.must(err)
				id, err := refs.ParseOID(commit)
				a.tale.must(err)
				data, _ := note.Commit(id, func(string) (int, error) { return 1 << 20, nil })
				for _, f := range data.Files {
					for _, run := range f.Runs {
						if o := data.Owners[run.Owner]; o.Trace != "" {
							yield(string(o.Trace), commit, run.Count)
						}
					}
				}
			}
		}),
	},
	ofTalk("lost commits", func(t *toldTalk) string { return commitsText(toldHeld(t.Lost)) }),
	[]row{
		{"names of commits", "log --json", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for i := range a.log {
				held := map[string]int{}
				for _, c := range a.log[i].Commits {
					held[c.Commit] = 1
				}
				out[a.log[i].Trace] = commitsText(held)
			}
			return out
		}},
		{"names of commits", "search --json WORD", func(a *allAnswers) map[string]string {
			return a.eachFound(func(f *toldFound) string {
				held := map[string]int{}
				for _, c := range f.Commits {
					held[c] = 1
				}
				return commitsText(held)
			})
		}},
		{"lines that agents added", "graph --json --all", func(a *allAnswers) map[string]string { return agentsLines(a.graph) }},
		{"lines that agents added", "show --json COMMIT", func(a *allAnswers) map[string]string {
			var list []toldLines
			for _, c := range a.commits {
				list = append(list, c)
			}
			return agentsLines(list)
		}},
	},
)

func (a *allAnswers) eachHeld(yield func(commit string, t *talk)) {
	talks := map[string]*talk{}
	for _, t := range a.tale.talks {
		if t.known {
			talks[t.id] = t
		}
	}
	a.tale.eachAdded(a.tale.reachable(), func(commit, _, writer string) {
		if t := talks[writer]; t != nil {
			yield(commit, t)
		}
	})
}

func eachContributor(list []toldLines, yield func(trace, commit string, lines int)) {
	for _, c := range list {
		for _, who := range c.Contributors {
			if who.Trace != nil {
				yield(*who.Trace, c.Commit, who.Lines)
			}
		}
	}
}

func agentsLines(list []toldLines) map[string]string {
	out := map[string]string{}
	for _, c := range list {
		out[c.Commit] = fmt.Sprintf("%d of %d", c.AI, c.Added)
	}
	return out
}
