package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// besides are answers of commands about the repository as a whole, about paths and about single lines.
type besides struct {
	status struct {
		Log   struct{ Events int }
		Typed struct{ Count int } `json:"typed_prompts"`
	}
	verify struct{ Events int }
	events int
	paths  map[string]toldPath
	why    map[string]toldReason // by path:line
	asked  map[string]int        // prompts of the ccpa export, by session
}

// toldPath is what stats and graph say of one path.
type toldPath struct {
	stats toldStats
	graph []toldLines
}

// toldReason is whose a line is, as why tells it.
type toldReason struct {
	Lines                        []struct{ Line int }
	Contributor                  string
	Trace, Agent, Model, Session *string
	Prompt                       *struct{ Index int }
	Call                         *struct {
		ToolCall string `json:"tool_call"`
	}
	Commit *struct{ ID string }
}

// mostAsked is how many paths, and lines of each, are asked about.
const mostAsked = 4

// besideAsked asks.
func (a *allAnswers) besideAsked() {
	c, b := a.tale, &a.besides
	b.paths, b.why, b.asked = map[string]toldPath{}, map[string]toldReason{}, map[string]int{}
	c.answer(&b.status, "status", "--json")
	c.answer(&b.verify, "verify", "--json")
	b.events = strings.Count(c.run("git-trace", "events", "--json"), "\n")
	for _, path := range c.files()[:min(mostAsked, len(c.files()))] {
		var told toldPath
		var all struct{ Commits []toldLines }
		c.answer(&told.stats, "stats", "--json", "--", path)
		c.answer(&all, "graph", "--json", "--", path)
		told.graph = all.Commits
		b.paths[path] = told
		for at := 0; at < len(a.blame[path]); at += max(len(a.blame[path])/mostAsked, 1) {
			var why struct {
				Places []struct{ Reasons []toldReason }
			}
			place := fmt.Sprintf("%s:%d", path, at+1)
			c.answer(&why, "why", "--json", place)
			b.why[place] = why.Places[0].Reasons[0]
		}
	}
	if len(a.records) == 0 {
		return
	}
	session := ""
	for line := range strings.Lines(c.run("git-trace", "export", "--format", "ccpa")) {
		var r struct {
			Type    string
			Session string `json:"session_id"`
		}
		c.must(json.Unmarshal([]byte(line), &r))
		switch r.Type {
		case "session_start":
			session = r.Session
		case "user_prompt":
			b.asked[session]++
		}
	}
}

func (r *toldReason) figures() string {
	prompt, commit := 0, "none"
	if r.Prompt != nil {
		prompt = r.Prompt.Index
	}
	if r.Commit != nil {
		commit = r.Commit.ID
	}
	return fmt.Sprintf("%s %s %s %s #%d in %.8s", r.Contributor, records.Value(r.Agent), records.Value(r.Session), records.Value(r.Model), prompt, commit)
}

func (l *blamed) figures() string {
	prompt, commit := 0, "none"
	if l.Prompt != nil {
		prompt = l.Prompt.Index
	}
	if l.Commit != nil {
		commit = *l.Commit
	}
	return fmt.Sprintf("%s %s %s %s #%d in %.8s", l.Contributor, l.Agent, l.Session, l.Model, prompt, commit)
}

// addedText is what commits added: all, and by agents.
func addedText(added, ai int) string { return fmt.Sprintf("%d lines, %d by agents", added, ai) }

// addedTo is the truth about what the commits that HEAD leads to added, below a path; "" for all.
func (a *allAnswers) addedTo(path string) string {
	added, ai := 0, 0
	args := []string{"log", "--no-merges", "--numstat", "--format=", "HEAD"}
	if path != "" {
		args = append(args, "--", path)
	}
	for line := range strings.Lines(a.tale.run("git", args...)) {
		n, err := strconv.Atoi(strings.Split(line, "\t")[0])
		a.tale.must(err)
		added += n
	}
	known := map[string]bool{}
	for _, t := range a.tale.talks {
		known[t.id] = t.known
	}
	a.tale.eachAdded(strings.Fields(a.tale.run("git", "rev-list", "HEAD")), func(_, at, writer string) {
		if known[writer] && (path == "" || at == path) {
			ai++
		}
	})
	return addedText(added, ai)
}

func inFigures(sum map[string]int) map[string]string {
	out := map[string]string{}
	for name, n := range sum {
		out[name] = strconv.Itoa(n)
	}
	return out
}

var besideRows = []row{
	{"events of the log", "events --json", func(a *allAnswers) map[string]string {
		return map[string]string{"the log": strconv.Itoa(a.besides.events)}
	}},
	{"events of the log", "status --json", func(a *allAnswers) map[string]string {
		return map[string]string{"the log": strconv.Itoa(a.besides.status.Log.Events)}
	}},
	{"events of the log", "verify --json", func(a *allAnswers) map[string]string {
		return map[string]string{"the log": strconv.Itoa(a.besides.verify.Events)}
	}},
	{"prompts in no record", "show --json CONVERSATION, its turns and record", func(a *allAnswers) map[string]string {
		n := 0
		for _, t := range a.tale.talks {
			if shown, told := a.show[t.trace()]; told && t.root == a.tale.here.dir {
				for i := range shown.Turns {
					if shown.Record == nil && shown.Turns[i].Text != nil {
						n++
					}
				}
			}
		}
		return map[string]string{"the repository": strconv.Itoa(n)}
	}},
	{"prompts in no record", "status --json", func(a *allAnswers) map[string]string {
		return map[string]string{"the repository": strconv.Itoa(a.besides.status.Typed.Count)}
	}},
	{"what commits added", truth, func(a *allAnswers) map[string]string {
		out := map[string]string{"all files": a.addedTo("")}
		for path := range a.besides.paths {
			out[path] = a.addedTo(path)
		}
		return out
	}},
	{"what commits added", "stats --json [-- PATH]", func(a *allAnswers) map[string]string {
		out := map[string]string{"all files": addedText(a.stats.Lines.Added, a.stats.Lines.AI)}
		for path, told := range a.besides.paths {
			out[path] = addedText(told.stats.Lines.Added, told.stats.Lines.AI)
		}
		return out
	}},
	{"lines by whom", "stats --json [-- PATH]", func(a *allAnswers) map[string]string {
		out := map[string]string{"all files": fmt.Sprintf("%d by agents, %d by people", a.stats.Lines.AI, a.stats.Lines.Human)}
		for path, told := range a.besides.paths {
			out[path] = fmt.Sprintf("%d by agents, %d by people", told.stats.Lines.AI, told.stats.Lines.Human)
		}
		return out
	}},
	{"lines by whom", "graph --json [-- PATH]", func(a *allAnswers) map[string]string {
		sum := func(list []toldLines) string {
			ai, human := 0, 0
			for _, c := range list {
				if a.ids[c.Commit] != "" {
					ai, human = ai+c.AI, human+c.Human
				}
			}
			return fmt.Sprintf("%d by agents, %d by people", ai, human)
		}
		out := map[string]string{"all files": sum(a.graph)}
		for path, told := range a.besides.paths {
			out[path] = sum(told.graph)
		}
		return out
	}},
	{"lines of the whole", "stats --json", func(a *allAnswers) map[string]string {
		l := a.stats.Lines
		return map[string]string{"HEAD": fmt.Sprint(l.Commits, l.Added, l.AI, l.Human, l.Unknown)}
	}},
	{"lines of the whole", "stats --json, its authors", func(a *allAnswers) map[string]string {
		var l struct{ Commits, Added, AI, Human, Unknown int }
		for _, of := range a.stats.Authors {
			l.Commits, l.Added, l.AI, l.Human, l.Unknown = l.Commits+of.Commits, l.Added+of.Added, l.AI+of.AI, l.Human+of.Human, l.Unknown+of.Unknown
		}
		return map[string]string{"HEAD": fmt.Sprint(l.Commits, l.Added, l.AI, l.Human, l.Unknown)}
	}},
	{"whose a line is", "blame --json PATH, every file", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for path, lines := range a.blame {
			for i := range lines {
				out[fmt.Sprintf("%s:%d", path, i+1)] = lines[i].figures()
			}
		}
		return out
	}},
	{"whose a line is", "why --json PATH:LINE", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for place, told := range a.besides.why {
			out[place] = told.figures()
		}
		return out
	}},
	{"conversations of a model", truth, func(a *allAnswers) map[string]string {
		sum := map[string]int{}
		for _, t := range a.tale.talks {
			if t.known && t.recorded && t.made() > 0 {
				sum[taleModels[t.agent].name]++
			}
		}
		return inFigures(sum)
	}},
	{"conversations of a model", "stats --json, its models", func(a *allAnswers) map[string]string {
		sum := map[string]int{}
		for _, m := range a.stats.Models {
			sum[view.ModelName(m.Model)] += m.Conversations
		}
		return inFigures(sum)
	}},
	{"answers of a model", "export --format opentraces", func(a *allAnswers) map[string]string {
		sum := map[string]int{}
		for i := range a.records {
			for _, s := range a.records[i].Steps {
				if s.Role == "agent" {
					sum[view.ModelName(records.Value(s.Model))]++
				}
			}
		}
		return inFigures(sum)
	}},
	{"answers of a model", "stats --json, its models", func(a *allAnswers) map[string]string {
		sum := map[string]int{}
		for _, m := range a.stats.Models {
			sum[view.ModelName(m.Model)] += m.Answers
		}
		return inFigures(sum)
	}},
	{"cost of all in words", "stats --json", func(a *allAnswers) map[string]string {
		if a.stats.Cost.Priced == 0 {
			return nil
		}
		return map[string]string{"all conversations": numbers.Dollars(a.stats.Cost.USD)}
	}},
	{"cost of all in words", "stats (text)", func(a *allAnswers) map[string]string {
		_, after, found := strings.Cut(a.statsText, "\ncost $")
		if !found {
			return nil
		}
		return map[string]string{"all conversations": "$" + strings.FieldsFunc(after, func(r rune) bool { return r == ';' || r == '\n' })[0]}
	}},
	{"prompts of records", "export --format opentraces", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for i := range a.records {
			n := 0
			for _, s := range a.records[i].Steps {
				if s.Role == "user" && s.ParentStep == nil {
					n++
				}
			}
			out[a.records[i].SessionID] = strconv.Itoa(n)
		}
		return out
	}},
	{"prompts of records", "export --format ccpa", func(a *allAnswers) map[string]string {
		return inFigures(a.besides.asked)
	}},
}

// linkRows hold the commits that records name against those that hold lines. Records of other clones are as they were
// when they left.
var linkRows = []row{
	heldRow("commits of records", "log --json", func(a *allAnswers, yield func(trace, commit string, lines int)) {
		for i := range a.log {
			for _, c := range a.log[i].Commits {
				yield(a.log[i].Trace, c.Commit, 1)
			}
		}
	}),
	{"commits of records", "export --format opentraces, git_links", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		a.eachOwnRecord(func(r *toldRecord) {
			held := map[string]int{}
			for _, l := range r.Links {
				if strings.HasPrefix(l.Tier, "tool_emitted") && l.Reachable != nil && *l.Reachable {
					held[l.Revision] = 1
				}
			}
			out[r.TraceID] = commitsText(held)
		})
		return out
	}},
	{"outcome of records", "log --json", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		for i := range a.log {
			out[a.log[i].Trace] = fmt.Sprint("committed: ", len(a.log[i].Commits)+len(a.log[i].Lost) > 0)
		}
		return out
	}},
	{"outcome of records", "export --format opentraces", func(a *allAnswers) map[string]string {
		out := map[string]string{}
		a.eachOwnRecord(func(r *toldRecord) {
			out[r.TraceID] = fmt.Sprint("committed: ", r.Outcome.Committed)
			if r.Outcome.Committed != (r.Lifecycle == "final") {
				out[r.TraceID] += ", but " + r.Lifecycle
			}
			if sha := r.Outcome.CommitSHA; sha != nil && !slices.ContainsFunc(r.Links, func(l toldLink) bool { return strings.HasPrefix(l.Revision, *sha) }) {
				out[r.TraceID] += ", as " + *sha + ", which it has no link to"
			}
		})
		return out
	}},
}

func (a *allAnswers) eachOwnRecord(yield func(r *toldRecord)) {
	for i := range a.records {
		for _, t := range a.tale.talks {
			if t.trace() == a.records[i].TraceID && t.root == a.tale.here.dir {
				yield(&a.records[i])
			}
		}
	}
}
