package main

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

var listedRows = []row{
	{"the conversations", truth, func(a *allAnswers) map[string]string {
		return a.list(func(yield func(string)) {
			for _, t := range a.tale.talks {
				if t.known {
					yield(t.trace())
				}
			}
		})
	}},
	{"the conversations", "log --json", func(a *allAnswers) map[string]string {
		return a.list(func(yield func(string)) {
			for i := range a.log {
				yield(a.log[i].Trace)
			}
		})
	}},
	{"the conversations with a record", truth, func(a *allAnswers) map[string]string {
		return a.list(func(yield func(string)) {
			for _, t := range a.tale.talks {
				if t.known && t.recorded {
					yield(t.trace())
				}
			}
		})
	}},
	{"the conversations with a record", "log --json", func(a *allAnswers) map[string]string {
		return a.list(func(yield func(string)) {
			for i := range a.log {
				if a.log[i].Usage != nil {
					yield(a.log[i].Trace)
				}
			}
		})
	}},
	{"the conversations with a record", "quality --json", func(a *allAnswers) map[string]string {
		return a.list(func(yield func(string)) {
			for _, q := range a.quality {
				yield(q.Trace)
			}
		})
	}},
	{"the conversations with a record", "export --format opentraces", func(a *allAnswers) map[string]string {
		return a.list(func(yield func(string)) {
			for i := range a.records {
				yield(a.records[i].TraceID)
			}
		})
	}},
	{"the conversations with a record", "search --json WORD", func(a *allAnswers) map[string]string {
		return a.list(func(yield func(string)) {
			for _, found := range a.found {
				for _, f := range found {
					yield(f.Trace)
				}
			}
		})
	}},
}

var nameRows = slices.Concat(
	[]row{ofTruth("agent and session", func(t *talk) string { return t.agent + " " + t.id })},
	ofTalk("agent and session", func(t *toldTalk) string { return t.Agent + " " + t.Session }),
	ofRecord("agent and session", func(r *toldRecord) string { return r.Agent.Name + " " + r.SessionID }),
	[]row{
		{"agent and session", "search --json WORD", func(a *allAnswers) map[string]string {
			return a.eachFound(func(f *toldFound) string { return f.Agent + " " + f.Session })
		}},
		{"agent and session", "quality --json", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for _, q := range a.quality {
				out[q.Trace] = q.Agent + " " + q.Session
			}
			return out
		}},
		{"agent and session", "graph --json --all", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for _, c := range a.graph {
				for _, who := range c.Contributors {
					if who.Trace != nil {
						out[*who.Trace] = records.Value(who.Agent) + " " + records.Value(who.Session)
					}
				}
			}
			return out
		}},
		{"agent and session", "track --json CONVERSATION", func(a *allAnswers) map[string]string {
			return a.eachTrack(func(t *toldTrail) string { return t.Agent + " " + t.Session })
		}},
		{"agent and session", "log (text)", func(a *allAnswers) map[string]string { return a.inLog(1) }},
	},
	[]row{ofTruth("models", func(t *talk) string { return t.models() })},
	ofTalk("models", func(t *toldTalk) string { return modelNames(t.Models) }),
	tellingRows(ofRecord("models", func(r *toldRecord) string { return r.models() })),
	[]row{
		{"models", "graph --json --all", func(a *allAnswers) map[string]string {
			out := map[string]string{}
			for _, c := range a.graph {
				for _, who := range c.Contributors {
					if who.Trace != nil {
						out[*who.Trace] = view.ModelName(records.Value(who.Model))
					}
				}
			}
			return out
		}},
		{"models", "track --json CONVERSATION", func(a *allAnswers) map[string]string {
			return a.eachTrack(func(t *toldTrail) string { return view.ModelName(t.Model) })
		}},
	},
)

func (t *talk) models() string {
	if t.calls == 0 && !t.seen {
		return ""
	}
	return taleModels[t.agent].name
}

func modelNames(list []string) string {
	var out []string
	for _, m := range list {
		out = append(out, view.ModelName(m))
	}
	return strings.Join(out, " ")
}

func (r *toldRecord) models() string {
	var out []string
	for _, s := range r.Steps {
		if m := records.Value(s.Model); m != "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return modelNames(out)
}
