package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// row is one way of telling a figure: of which thing, by which command, and how it is read, by subject. A subject is a conversation, a
// prompt of one (ID#1), a commit, or a name. Of two rows of a thing every subject that both tell must have one figure. A new
// command, or a new member of its output, is a row.
type row struct {
	thing   string
	command string
	read    func(a *answers) map[string]string
}

const truth = "the truth"

// figuresOfTalks make rows of a figure that log and show both give, show's text too.
func ofTalk(thing string, read func(t *toldTalk) string) []row {
	return []row{
		{thing, "log --json", func(a *answers) map[string]string {
			out := map[string]string{}
			for i := range a.log {
				out[a.log[i].Trace] = read(&a.log[i])
			}
			return out
		}},
		{thing, "show --json CONVERSATION", func(a *answers) map[string]string {
			out := map[string]string{}
			for id, t := range a.show {
				out[id] = read(&t)
			}
			return out
		}},
	}
}

// ofTruth makes the row of the truth about conversations that are known. A figure of "" is none.
func ofTruth(thing string, read func(t *talk) string) row {
	return row{thing, truth, func(a *answers) map[string]string {
		out := map[string]string{}
		for _, t := range a.tale.talks {
			if figure := read(t); t.known && figure != "" {
				out[t.trace()] = figure
			}
		}
		return out
	}}
}

// ofRecord makes rows of a figure of records: those that show holds and those that are exported.
func ofRecord(thing string, read func(r *toldRecord) string) []row {
	return []row{
		{thing, "show --json CONVERSATION, its record", func(a *answers) map[string]string {
			out := map[string]string{}
			for id, t := range a.show {
				if t.Record != nil {
					out[id] = read(t.Record)
				}
			}
			return out
		}},
		{thing, "export --format opentraces", func(a *answers) map[string]string {
			out := map[string]string{}
			for i := range a.records {
				out[a.records[i].TraceID] = read(&a.records[i])
			}
			return out
		}},
	}
}

// equalRows is the table.
var equalRows = slices.Concat(
	listedRows, nameRows, countRows, useRows, timeRows, writtenRows, commitRows, aliveRows, outcomeRows, promptRows, sumRows,
)

var listedRows = []row{
	{"the conversations", truth, func(a *answers) map[string]string {
		return a.list(func(yield func(string)) {
			for _, t := range a.tale.talks {
				if t.known {
					yield(t.trace())
				}
			}
		})
	}},
	{"the conversations", "log --json", func(a *answers) map[string]string {
		return a.list(func(yield func(string)) {
			for i := range a.log {
				yield(a.log[i].Trace)
			}
		})
	}},
	{"the conversations with a record", truth, func(a *answers) map[string]string {
		return a.list(func(yield func(string)) {
			for _, t := range a.tale.talks {
				if t.known && t.recorded {
					yield(t.trace())
				}
			}
		})
	}},
	{"the conversations with a record", "log --json", func(a *answers) map[string]string {
		return a.list(func(yield func(string)) {
			for i := range a.log {
				if a.log[i].Usage != nil {
					yield(a.log[i].Trace)
				}
			}
		})
	}},
	{"the conversations with a record", "quality --json", func(a *answers) map[string]string {
		return a.list(func(yield func(string)) {
			for _, q := range a.quality {
				yield(q.Trace)
			}
		})
	}},
	{"the conversations with a record", "export --format opentraces", func(a *answers) map[string]string {
		return a.list(func(yield func(string)) {
			for i := range a.records {
				yield(a.records[i].TraceID)
			}
		})
	}},
	{"the conversations with a record", "search --json WORD", func(a *answers) map[string]string {
		return a.list(func(yield func(string)) {
			for _, found := range a.found {
				for _, f := range found {
					yield(f.Trace)
				}
			}
		})
	}},
}

// list is one figure: names, sorted.
func (a *answers) list(each func(yield func(string))) map[string]string {
	var out []string
	each(func(name string) { out = append(out, fmt.Sprintf("%.8s", name)) })
	slices.Sort(out)
	return map[string]string{"the repository": strings.Join(out, " ")}
}

var nameRows = slices.Concat(
	[]row{ofTruth("agent and session", func(t *talk) string { return t.agent + " " + t.id })},
	ofTalk("agent and session", func(t *toldTalk) string { return t.Agent + " " + t.Session }),
	ofRecord("agent and session", func(r *toldRecord) string { return r.Agent.Name + " " + r.SessionID }),
	[]row{
		{"agent and session", "search --json WORD", func(a *answers) map[string]string {
			return a.eachFound(func(f *toldFound) string { return f.Agent + " " + f.Session })
		}},
		{"agent and session", "quality --json", func(a *answers) map[string]string {
			out := map[string]string{}
			for _, q := range a.quality {
				out[q.Trace] = q.Agent + " " + q.Session
			}
			return out
		}},
		{"agent and session", "graph --json --all", func(a *answers) map[string]string {
			out := map[string]string{}
			for _, c := range a.graph {
				for _, who := range c.Contributors {
					if who.Trace != nil {
						out[*who.Trace] = value(who.Agent) + " " + value(who.Session)
					}
				}
			}
			return out
		}},
		{"agent and session", "track --json CONVERSATION", func(a *answers) map[string]string {
			return a.eachTrack(func(t *toldTrail) string { return t.Agent + " " + t.Session })
		}},
		{"agent and session", "log (text)", func(a *answers) map[string]string { return a.inLog(1) }},
	},
	[]row{ofTruth("models", func(t *talk) string { return t.models() })},
	ofTalk("models", func(t *toldTalk) string { return modelNames(t.Models) }),
	tellingRows(ofRecord("models", func(r *toldRecord) string { return r.models() })),
	[]row{
		{"models", "graph --json --all", func(a *answers) map[string]string {
			out := map[string]string{}
			for _, c := range a.graph {
				for _, who := range c.Contributors {
					if who.Trace != nil {
						out[*who.Trace] = view.ModelName(value(who.Model))
					}
				}
			}
			return out
		}},
		{"models", "track --json CONVERSATION", func(a *answers) map[string]string {
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
		if m := value(s.Model); m != "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return modelNames(out)
}

func (a *answers) eachFound(read func(f *toldFound) string) map[string]string {
	out := map[string]string{}
	for _, found := range a.found {
		for i := range found {
			out[found[i].Trace] = read(&found[i])
		}
	}
	return out
}

// eachTrack reads what the trails of a conversation have in common.
func (a *answers) eachTrack(read func(t *toldTrail) string) map[string]string {
	out := map[string]string{}
	for id, trails := range a.tracks {
		var all []string
		for i := range trails {
			if text := read(&trails[i]); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		if len(all) > 0 {
			out[id] = strings.Join(all, ", ")
		}
	}
	return out
}

var countRows = slices.Concat(
	[]row{ofTruth("prompts", func(t *talk) string { return t.said(t.prompts, t.asked) })},
	ofTalk("prompts", func(t *toldTalk) string { return strconv.Itoa(t.Prompts) }),
	ofRecord("prompts", func(r *toldRecord) string {
		n := 0
		for _, s := range r.Steps {
			if s.Role == "user" && s.ParentStep == nil {
				n++
			}
		}
		return strconv.Itoa(n)
	}),
	[]row{
		{"prompts", "show --json CONVERSATION, its turns", func(a *answers) map[string]string {
			return a.eachShown(func(t *toldTalk) string {
				n := 0
				for i := range t.Turns {
					if t.Turns[i].Index > 0 || t.Turns[i].Text != nil {
						n++
					}
				}
				return strconv.Itoa(n)
			})
		}},
		{"prompts", "log (text)", func(a *answers) map[string]string { return a.inLog(3) }},
	},
	[]row{ofTruth("calls", func(t *talk) string { return t.said(t.made(), t.writing) })},
	ofTalk("calls", func(t *toldTalk) string { return strconv.Itoa(t.Calls) }),
	ofRecord("calls", func(r *toldRecord) string {
		n := 0
		for _, s := range r.Steps {
			n += len(s.ToolCalls)
		}
		return strconv.Itoa(n)
	}),
	[]row{
		{"calls", "show --json CONVERSATION, its turns", func(a *answers) map[string]string {
			return a.eachShown(func(t *toldTalk) string {
				n := 0
				for i := range t.Turns {
					n += len(t.Turns[i].Calls)
				}
				return strconv.Itoa(n)
			})
		}},
		{"calls", "quality --json", func(a *answers) map[string]string {
			out := map[string]string{}
			for _, q := range a.quality {
				out[q.Trace] = strconv.Itoa(q.Calls)
			}
			return out
		}},
		{"calls", "log (text)", func(a *answers) map[string]string { return a.inLog(4) }},
	},
)

// said is a figure of what was said: that of the record, or what hooks saw of it.
func (t *talk) said(n, seen int) string {
	switch {
	case t.recorded:
		return strconv.Itoa(n)
	case t.seen:
		return strconv.Itoa(seen)
	}
	return "0"
}

func (a *answers) eachShown(read func(t *toldTalk) string) map[string]string {
	out := map[string]string{}
	for id, t := range a.show {
		if text := read(&t); text != "" {
			out[id] = text
		}
	}
	return out
}

// inLog reads a figure of the first line of a conversation in the text of log: the id, the agent, the model, prompts or calls.
func (a *answers) inLog(group int) map[string]string {
	head := regexp.MustCompile(`^([0-9a-f]+)  (\S+) +(.*?)  .*?(\d+) prompts?  +(\d+) calls?$`)
	out := map[string]string{}
	for line := range strings.Lines(a.logText) {
		m := head.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		for i := range a.log {
			if !strings.HasPrefix(a.log[i].Trace, m[1]) {
				continue
			}
			out[a.log[i].Trace] = m[min(group+1, len(m)-1)]
			if group == 1 {
				out[a.log[i].Trace] = m[2] + " " + a.log[i].Session
			}
		}
	}
	return out
}

// usage is what a conversation used: steps, the four buckets of tokens, and the cost.
func usageText(steps, input, output, read, write int, cost *float64) string {
	price := "of unknown cost"
	if cost != nil {
		price = fmt.Sprintf("%.6f $", *cost)
	}
	return fmt.Sprintf("%d steps, %d in, %d out, %d read, %d written, %s", steps, input, output, read, write, price)
}

var useRows = slices.Concat(
	[]row{ofTruth("use", func(t *talk) string {
		if !t.recorded {
			return ""
		}
		var cost *float64
		if p := taleModels[t.agent].price; p != nil && t.calls > 0 {
			sum := 0.0
			for i, n := range []int{t.used.in, t.used.out, t.used.read, t.used.write} {
				sum += float64(n) * p[i] / 1e6
			}
			cost = &sum
		}
		return usageText(t.steps(), t.used.in, t.used.out, t.used.read, t.used.write, cost)
	})},
	ofTalk("use", func(t *toldTalk) string {
		if t.Usage == nil {
			return "none"
		}
		u := t.Usage
		return usageText(u.Steps, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.CostUSD)
	}),
	ofRecord("use", func(r *toldRecord) string {
		m := r.Metrics
		return usageText(len(r.Steps), m.Input, m.Output, m.CacheRead, m.CacheWrite, m.Cost)
	}),
	[]row{
		ofTruth("steps", func(t *talk) string {
			if !t.recorded {
				return ""
			}
			return strconv.Itoa(t.steps())
		}),
		{"steps", "quality --json", func(a *answers) map[string]string {
			out := map[string]string{}
			for _, q := range a.quality {
				out[q.Trace] = strconv.Itoa(q.Steps)
			}
			return out
		}},
	},
)

var timeRows = slices.Concat(
	ofTalk("times", func(t *toldTalk) string { return sameMoment(t.First) + " to " + sameMoment(t.Last) }),
	[]row{
		{"times", "search --json WORD", func(a *answers) map[string]string {
			return a.eachFound(func(f *toldFound) string { return sameMoment(value(f.Start)) + " to " + sameMoment(value(f.End)) })
		}},
		ofTruth("span", func(t *talk) string {
			if !t.recorded {
				return ""
			}
			return "as it was"
		}),
		{"span", "log --json", func(a *answers) map[string]string {
			told := map[string]string{}
			for i := range a.log {
				told[a.log[i].Trace] = sameMoment(a.log[i].First) + " to " + sameMoment(a.log[i].Last)
			}
			for _, t := range a.tale.talks {
				if t.wasThen(told[t.trace()]) {
					told[t.trace()] = "as it was"
				}
			}
			return told
		}},
	},
)

// wasThen tells whether a conversation began and ended at the times of "… to …". What a hook saw was between the start of the
// hook and its end. A record may lack its end.
func (t *talk) wasThen(span string) bool {
	first, last, _ := strings.Cut(span, " to ")
	within := func(stamp string, bounds [2]time.Time) bool {
		at, err := time.Parse(time.RFC3339Nano, stamp)
		return err == nil && !at.Before(bounds[0].Add(-time.Millisecond)) && !at.After(bounds[1])
	}
	return within(first, t.began) && (t.endless || within(last, t.ended))
}

// changed are lines added and removed, and files.
func changedText(added, removed, files int) string {
	return fmt.Sprintf("+%d -%d in %d files", added, removed, files)
}

var changesLine = regexp.MustCompile(`(?m)^changes +\+(\d+) −(\d+) in (\d+) files?`)

var writtenRows = slices.Concat(
	[]row{ofTruth("changes", func(t *talk) string {
		if !t.seen {
			return ""
		}
		return changedText(t.added, t.removed, len(t.files))
	})},
	tellingRows(ofTalk("changes", func(t *toldTalk) string {
		if !t.seen() {
			return ""
		}
		return changedText(t.Added, t.Removed, t.Files)
	})),
	[]row{
		{"changes", "show CONVERSATION (text)", func(a *answers) map[string]string {
			out := map[string]string{}
			for id, text := range a.text {
				if m := changesLine.FindStringSubmatch(text); m != nil {
					out[id] = fmt.Sprintf("+%s -%s in %s files", m[1], m[2], m[3])
				}
			}
			return out
		}},
		ofTruth("lines written", func(t *talk) string {
			if !t.seen {
				return ""
			}
			return strconv.Itoa(t.added)
		}),
		{"lines written", "show --json CONVERSATION, its calls", func(a *answers) map[string]string {
			return a.eachShown(func(t *toldTalk) string {
				n := 0
				for _, turn := range t.Turns {
					for _, call := range turn.Calls {
						for _, f := range call.Files {
							n += f.Added
						}
					}
				}
				if !t.seen() {
					return ""
				}
				return strconv.Itoa(n)
			})
		}},
		{"lines written", "track --json CONVERSATION", func(a *answers) map[string]string {
			out := map[string]string{}
			for id, trails := range a.tracks {
				n := 0
				for i := range trails {
					n += trails[i].Lines
				}
				if t := a.show[id]; t.seen() {
					out[id] = strconv.Itoa(n)
				}
			}
			return out
		}},
	},
)

// tellingRows leaves out the figures that are none.
func tellingRows(list []row) []row {
	for i := range list {
		read := list[i].read
		list[i].read = func(a *answers) map[string]string {
			out := read(a)
			for subject, figure := range out {
				if figure == "" {
					delete(out, subject)
				}
			}
			return out
		}
	}
	return list
}

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
func heldRow(thing, command string, each func(a *answers, yield func(trace, commit string, lines int))) row {
	return row{thing, command, func(a *answers) map[string]string {
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
	[]row{heldRow("commits", truth, func(a *answers, yield func(string, string, int)) {
		a.eachHeld(func(commit string, t *talk) { yield(t.trace(), commit, 1) })
	})},
	ofTalk("commits", func(t *toldTalk) string { return commitsText(toldHeld(t.Commits)) }),
	[]row{
		heldRow("commits", "graph --json --all", func(a *answers, yield func(string, string, int)) { eachContributor(a.graph, yield) }),
		heldRow("commits", "show --json COMMIT", func(a *answers, yield func(string, string, int)) {
			for _, c := range a.commits {
				eachContributor([]toldLines{c}, yield)
			}
		}),
		heldRow("commits that HEAD leads to", truth, func(a *answers, yield func(string, string, int)) {
			a.eachHeld(func(commit string, t *talk) {
				if a.ids[commit] != "" {
					yield(t.trace(), commit, 1)
				}
			})
		}),
		heldRow("commits that HEAD leads to", "export --format agent-trace HEAD", func(a *answers, yield func(string, string, int)) {
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
		heldRow("commits that HEAD leads to", "export --format git-ai HEAD", func(a *answers, yield func(string, string, int)) {
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
		{"names of commits", "log --json", func(a *answers) map[string]string {
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
		{"names of commits", "search --json WORD", func(a *answers) map[string]string {
			return a.eachFound(func(f *toldFound) string {
				held := map[string]int{}
				for _, c := range f.Commits {
					held[c] = 1
				}
				return commitsText(held)
			})
		}},
		{"lines that agents added", "graph --json --all", func(a *answers) map[string]string { return agentsLines(a.graph) }},
		{"lines that agents added", "show --json COMMIT", func(a *answers) map[string]string {
			var list []toldLines
			for _, c := range a.commits {
				list = append(list, c)
			}
			return agentsLines(list)
		}},
	},
)

func (a *answers) eachHeld(yield func(commit string, t *talk)) {
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
