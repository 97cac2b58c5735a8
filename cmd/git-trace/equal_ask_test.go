package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view/exchange"
)

// allAnswers are what the commands say of one repository.
type allAnswers struct {
	tale      *tale
	log       []toldTalk
	logText   string
	show      map[string]toldTalk // by conversation
	text      map[string]string   // of show, by conversation
	prompts   map[string]toldTurn // show of prompts, by id#number
	commits   map[string]toldLines
	calls     map[string]toldCall
	graph     []toldLines
	above     *toldLines // what graph has above HEAD
	stats     toldStats
	now       toldStats              // of the lines that are there, by file
	groups    map[string][]toldGroup // of stats, by what they are by
	dirs      map[string]toldStats   // of the directories at the top
	statsText string
	tracks    map[string][]toldTrail
	trails    map[string][]toldTrail // of the newest commits
	found     map[string][]toldFound // by the word that was looked for
	quality   []struct {
		Trace, Agent, Session string
		Steps                 int
		Calls                 int `json:"tool_calls"`
	}
	blame   map[string][]blamed // by path
	atHead  map[string][]blamed // the same, of HEAD
	pending struct{ Conversations, Lines, Files int }
	besides besides
	ranges  map[string]*toldRange // by range
	records []toldRecord
	owned   []agentTraceLine
	notes   map[string]string // git-ai's, by commit

	ids map[string]string // the commits that HEAD leads to
}

// ask runs every command there is a row for.
func (c *tale) ask() *allAnswers {
	a := &allAnswers{
		tale: c, show: map[string]toldTalk{}, text: map[string]string{}, prompts: map[string]toldTurn{}, commits: map[string]toldLines{}, calls: map[string]toldCall{},
		tracks: map[string][]toldTrail{}, trails: map[string][]toldTrail{}, found: map[string][]toldFound{}, blame: map[string][]blamed{}, atHead: map[string][]blamed{}, notes: map[string]string{}, ids: map[string]string{}, groups: map[string][]toldGroup{}, dirs: map[string]toldStats{},
	}
	var log struct{ Conversations []toldTalk }
	c.answer(&log, "log", "--json")
	a.log, a.logText = log.Conversations, c.run("git-trace", "log", "--color=never")
	for _, id := range strings.Fields(c.run("git", "rev-list", "HEAD")) {
		a.ids[id] = id
	}
	var ids []string
	for i := range a.log {
		ids = append(ids, a.log[i].Trace)
	}
	a.shown(ids)
	var all, head struct {
		Commits     []toldLines
		Uncommitted *toldLines
	}
	c.answer(&all, "graph", "--json", "--all")
	c.answer(&head, "graph", "--json")
	a.graph, a.above = all.Commits, head.Uncommitted
	c.answer(&a.stats, "stats", "--json")
	c.answer(&a.now, "stats", "--json", "--now", "--by", "file")
	for _, by := range append(stats.Dimensions, "week,agent,language") {
		var told toldStats
		c.answer(&told, "stats", "--json", "--by", string(by))
		a.groups[string(by)] = told.Groups
	}
	for _, dir := range a.directories() {
		var told toldStats
		c.answer(&told, "stats", "--json", "--", dir)
		a.dirs[dir] = told
	}
	a.statsText = c.run("git-trace", "stats", "--color=never")
	for _, t := range c.talks {
		var found struct{ Results []toldFound }
		if t.known {
			c.answer(&found, "search", "--json", t.word)
			a.found[t.trace()] = found.Results
		}
	}
	var quality struct{ Records any }
	quality.Records = &a.quality
	c.answer(&quality, "quality", "--json")
	for _, path := range c.files() {
		var lines struct{ Lines []blamed }
		c.answer(&lines, "blame", "--json", path)
		a.blame[path] = lines.Lines
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(c.run("git", "ls-tree", "-r", "-z", "--name-only", "HEAD"), "\x00"), "\x00") {
		var lines struct{ Lines []blamed }
		if c.answer(&lines, "blame", "--json", "HEAD", "--", path); len(lines.Lines) > 0 {
			a.atHead[path] = lines.Lines
		}
	}
	var status struct{ Pending any }
	status.Pending = &a.pending
	c.answer(&status, "status", "--json")
	a.exported()
	a.besideAsked()
	a.rangesAsked()
	return a
}

// answer runs a command and reads its JSON.
func (c *tale) answer(into any, args ...string) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.run("git-trace", args...)), into); err != nil {
		c.t.Fatalf("seed %d: git trace %s: %v", c.seed, strings.Join(args, " "), err)
	}
}

// shown asks for conversations, their prompts and trails, and for all commits.
func (a *allAnswers) shown(ids []string) {
	c := a.tale
	var shown struct {
		Objects []struct {
			Trace  *toldTalk
			Prompt *toldTurn
			Call   *toldCall `json:"tool_call"`
			Commit *toldLines
		}
	}
	if len(ids) > 0 {
		c.answer(&shown, append([]string{"show", "--json"}, ids...)...)
	}
	var prompts, calls []string
	for _, o := range shown.Objects {
		a.show[o.Trace.Trace] = *o.Trace
		a.text[o.Trace.Trace] = c.run("git-trace", "show", "--color=never", o.Trace.Trace)
		for _, turn := range o.Trace.Turns {
			if turn.Index > 0 {
				prompts = append(prompts, fmt.Sprintf("%s#%d", o.Trace.Trace, turn.Index))
			}
			for _, call := range turn.Calls {
				if call.ToolCall != "" {
					calls = append(calls, call.ToolCall)
				}
			}
		}
		if out, _, err := c.tryInput(nil, "git-trace", "track", "--json", o.Trace.Trace); err == nil {
			var trails struct{ Trails []toldTrail }
			c.must(json.Unmarshal([]byte(out), &trails))
			a.tracks[o.Trace.Trace] = trails.Trails
		}
	}
	shown.Objects = nil
	if len(prompts) > 0 {
		c.answer(&shown, append([]string{"show", "--json"}, prompts...)...)
	}
	for i, o := range shown.Objects {
		a.prompts[prompts[i]] = *o.Prompt
	}
	shown.Objects = nil
	slices.Sort(calls)
	calls = slices.Compact(calls) // agents may use one id twice
	if len(calls) > 0 {
		c.answer(&shown, append([]string{"show", "--json"}, calls...)...)
	}
	for i, o := range shown.Objects {
		a.calls[calls[i]] = *o.Call
	}
	const newest = 4
	for _, id := range c.reachable()[:min(newest, len(c.reachable()))] {
		if out, _, err := c.tryInput(nil, "git-trace", "track", "--json", id); err == nil {
			var trails struct{ Trails []toldTrail }
			c.must(json.Unmarshal([]byte(out), &trails))
			a.trails[id] = trails.Trails
		}
	}
	shown.Objects = nil
	c.answer(&shown, append([]string{"show", "--json"}, c.reachable()...)...)
	for _, o := range shown.Objects {
		a.commits[o.Commit.Commit] = *o.Commit
	}
}

// agentTraceLine is a commit as the agent-trace format tells it.
type agentTraceLine struct {
	VCS   struct{ Revision string }
	Files []struct {
		Path          string
		Conversations []struct {
			URL         string
			Contributor struct {
				Type    string
				ModelID string `json:"model_id"`
			}
			Ranges []struct {
				Start int `json:"start_line"`
				End   int `json:"end_line"`
			}
		}
	}
}

// exported asks for the forms of other programs.
func (a *allAnswers) exported() {
	c := a.tale
	for line := range strings.Lines(c.run("git-trace", "export", "--format", "opentraces")) {
		var r toldRecord
		c.must(json.Unmarshal([]byte(line), &r))
		a.records = append(a.records, r)
	}
	for line := range strings.Lines(c.run("git-trace", "export", "--format", "agent-trace", "HEAD")) {
		var l agentTraceLine
		c.must(json.Unmarshal([]byte(line), &l))
		a.owned = append(a.owned, l)
	}
	for line := range strings.Lines(c.run("git-trace", "export", "--format", "git-ai", "HEAD")) {
		var n exchange.Note
		c.must(json.Unmarshal([]byte(line), &n))
		a.notes[n.Commit] = n.Note
	}
}

// sameMoment is a time in one form, whatever zone and precision it was written with.
func sameMoment(stamp string) string {
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return stamp
	}
	return at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}
