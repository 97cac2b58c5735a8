package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// lineRows are of the agents and models of lines: all lines of a conversation have one of each, which log tells too.
var lineRows = []row{
	ofTruth("agent and model of lines", func(t *talk) string { return t.agent + " " + taleModels[t.agent].name }),
	whoRow("agent and model of lines", "blame --json PATH, every file", func(a *allAnswers, yield func(trace, agent, model string)) {
		for _, lines := range a.blame {
			for _, l := range lines {
				if l.Contributor == "ai" {
					yield(a.traceOf(l.Session), l.Agent, l.Model)
				}
			}
		}
	}),
	whoRow("agent and model of lines", "graph --json --all", func(a *allAnswers, yield func(trace, agent, model string)) {
		eachWho(a.graph, yield)
	}),
	whoRow("agent and model of lines", "graph --json, above HEAD", func(a *allAnswers, yield func(trace, agent, model string)) {
		if a.above != nil {
			eachWho([]toldLines{*a.above}, yield)
		}
	}),
	whoRow("agent and model of lines", "show --json COMMIT", func(a *allAnswers, yield func(trace, agent, model string)) {
		for _, c := range a.commits {
			eachWho([]toldLines{c}, yield)
		}
	}),
	whoRow("agent and model of lines", "track --json CONVERSATION", func(a *allAnswers, yield func(trace, agent, model string)) {
		for id, trails := range a.tracks {
			for i := range trails {
				yield(id, trails[i].Agent, trails[i].Model)
			}
		}
	}),
	whoRow("agent and model of lines", "log --json", func(a *allAnswers, yield func(trace, agent, model string)) {
		for i := range a.log {
			for _, m := range a.log[i].Models {
				yield(a.log[i].Trace, a.log[i].Agent, m)
			}
		}
	}),
	{"conversations of a commit", "show --json COMMIT", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, c := range a.commits {
			if _, tracked := a.trails[id]; tracked {
				out[id] = namesOf(func(yield func(string)) { eachWho([]toldLines{c}, func(trace, _, _ string) { yield(trace) }) })
			}
		}
		return out
	}},
	{"conversations of a commit", "track --json COMMIT", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, trails := range a.trails {
			out[id] = namesOf(func(yield func(string)) {
				for i := range trails {
					if trails[i].Trace != "" {
						yield(trails[i].Trace)
					}
				}
			})
		}
		return out
	}},
	{"people of a commit, where track has any", "show --json COMMIT", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, c := range a.commits {
			out[id] = "none"
			if c.Human > 0 {
				out[id] = "some"
			}
		}
		return out
	}},
	{"people of a commit, where track has any", "track --json COMMIT", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for id, trails := range a.trails {
			for i := range trails {
				if trails[i].Owner == "human" {
					out[id] = "some"
				}
			}
		}
		return out
	}},
	whoRow("models of lines in full", "log --json", func(a *allAnswers, yield func(trace, agent, model string)) {
		for i := range a.log {
			for _, m := range a.log[i].Models {
				yield(a.log[i].Trace, "", "in full: "+m)
			}
		}
	}),
	whoRow("models of lines in full", "blame --json PATH, every file", func(a *allAnswers, yield func(trace, agent, model string)) {
		for _, lines := range a.blame {
			for _, l := range lines {
				if l.Contributor == "ai" {
					yield(a.traceOf(l.Session), "", "in full: "+l.Model)
				}
			}
		}
	}),
	whoRow("models of lines in full", "export --format agent-trace HEAD", func(a *allAnswers, yield func(trace, agent, model string)) {
		id := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
		for _, l := range a.owned {
			for _, f := range l.Files {
				for _, c := range f.Conversations {
					if trace := id.FindString(c.URL); trace != "" {
						yield(trace, "", "in full: "+c.Contributor.ModelID)
					}
				}
			}
		}
	}),
	whoRow("agent and model of lines", "export --format git-ai HEAD", func(a *allAnswers, yield func(trace, agent, model string)) {
		for commit, text := range a.notes {
			note, err := gitai.Parse([]byte(text))
			a.tale.must(err)
			id, err := refs.ParseOID(commit)
			a.tale.must(err)
			data, _ := note.Commit(id, func(string) (int, error) { return 1 << 20, nil })
			for _, o := range data.Owners {
				if o.Trace != "" {
					yield(string(o.Trace), o.Agent, o.Model)
				}
			}
		}
	}),
}

// namesOf are names, each once.
func namesOf(each func(yield func(string))) string {
	var out []string
	each(func(name string) { out = append(out, name) })
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// whoRow is a row of what the lines of conversations are called, each name once.
func whoRow(thing, command string, each func(a *allAnswers, yield func(trace, agent, model string))) row {
	return row{thing, command, func(a *allAnswers) map[string]string {
		called := map[string][]string{}
		each(a, func(trace, agent, model string) {
			if !strings.HasPrefix(model, "in full: ") {
				model = view.ModelName(model)
			}
			called[trace] = append(called[trace], strings.TrimSpace(agent+" "+model))
		})
		out := map[string]string{}
		for trace, names := range called {
			slices.Sort(names)
			out[trace] = strings.Join(slices.Compact(names), ", ")
		}
		return out
	}}
}

func eachWho(list []toldLines, yield func(trace, agent, model string)) {
	for _, c := range list {
		for _, who := range c.Contributors {
			if who.Trace != nil {
				yield(*who.Trace, records.Value(who.Agent), records.Value(who.Model))
			}
		}
	}
}
