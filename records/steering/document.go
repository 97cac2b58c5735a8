package steering

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/treetrace"
)

// tell writes the conclusions about a conversation into the document.
func (a *analysis) tell(c *conversation, failures []*failure, chains []*chain) {
	d := a.doc
	for _, t := range c.nodes() {
		d.Nodes = append(d.Nodes, a.node(t))
		if t.parent != nil {
			d.Edges = append(d.Edges, treetrace.Edge{From: nodeID(t.parent.number), To: nodeID(t.number),
				Relationship: treetrace.Relationship(t.kind)})
		}
	}
	a.writeFailures(d, failures)
	writeChains(d, chains)
	a.count(c)
	a.brief(c, failures)
}

// document finishes the document.
func (a *analysis) document() *treetrace.Document {
	d := a.doc
	a.writeLessons(d)
	s := &d.Stats
	s.Prompts, s.Sessions, s.FilesTouched = len(d.Nodes), len(d.Sessions), len(a.files)
	s.Days = days(records.Value(s.FirstTS), records.Value(s.LastTS))
	d.Project = treetrace.Project{Name: cmp.Or(a.options.Project, the(a.repositories), "conversations"),
		GeneratedAt: s.LastTS, SourceType: cmp.Or(the(a.sources), "mixed")}
	d.Analysis = treetrace.Analysis{
		FailureSignals: len(d.Failures), CorrectionChains: len(d.CorrectionChains), EvalCandidates: len(d.EvalCandidates),
		Lessons: len(d.Lessons),
	}
	d.Brief.Constraints = a.allConstraints()
	return d
}

// writeFailures writes each failure into failures.json and its node, with the same confidence.
func (a *analysis) writeFailures(d *treetrace.Document, failures []*failure) {
	for _, f := range failures {
		f.place = len(d.Failures)
		n := &d.Nodes[f.turn.number-1]
		one := treetrace.Failure{
			ID: fmt.Sprintf("failure_%03d", f.place+1), Type: f.kind, Tier: treetrace.Tier(f.confidence),
			Confidence: f.confidence, Model: f.turn.model,
			FirstSeenNodeID: n.ID,
			Summary:         summaries()[f.kind] + " (" + f.turn.ref() + ").", Evidence: f.evidence,
			EvalCandidate: f.eval, Git: n.Git,
		}
		s := treetrace.Signal{Type: f.kind, Tier: one.Tier, Confidence: f.confidence, Model: one.Model, Evidence: f.evidence}
		if f.corrector != nil {
			one.CorrectedByNodeID = new(nodeID(f.corrector.number))
			s.ResolvedBy = one.CorrectedByNodeID
		}
		n.FailureSignals = append(n.FailureSignals, s)
		n.EvalCandidate = n.EvalCandidate || f.eval
		d.Failures = append(d.Failures, one)
	}
}

// summaries describes each type of failure in a sentence.
var summaries = sync.OnceValue(func() map[string]string {
	return map[string]string{
		treetrace.IgnoredConstraint: "A stated constraint was not kept",
		treetrace.MisunderstoodGoal: "The goal was misunderstood",
		treetrace.ScopeDrift:        "More was built than was asked for",
		treetrace.WrongToolChoice:   "The wrong tool was chosen",
		treetrace.HallucinatedPath:  "A file was used that was not there",
		treetrace.RepeatedFailedFix: "The same command failed again and again",
		treetrace.Overbuilt:         "The solution was too large", treetrace.Underbuilt: "Something was left out",
		treetrace.SecurityRisk:       "Something was opened that should stay shut",
		treetrace.DependencyMismatch: "Something was used that is not installed",
		treetrace.FormatViolation:    "The form was not the one that was asked for",
		treetrace.Frustration:        "The person was not content",
		treetrace.AbandonedPath:      "The work was given up", treetrace.UserRejected: "The person declined or stopped it",
		treetrace.ToolFailed: "A call failed", treetrace.ModelRefused: "The model refused",
		treetrace.Denied:       "A call was denied",
		treetrace.HumanRewrite: "People rewrote it",
	}
})

func writeChains(d *treetrace.Document, chains []*chain) {
	for _, c := range chains {
		if !c.written() {
			continue
		}
		one := treetrace.Chain{
			ID: fmt.Sprintf("chain_%03d", len(d.CorrectionChains)+1), FailureNodeID: nodeID(c.failure.turn.number),
			CorrectionNodeID: nodeID(c.correction.number),
			FailureType:      c.failure.kind, Confidence: c.confidence(), ResolvedBy: c.resolvedBy, Git: c.correction.git(),
			Summary: summaries()[c.failure.kind] + ": " + c.failure.evidence + "; corrected by " + c.correction.ref(),
		}
		if c.resolved != nil {
			one.ResolvedNodeID = new(nodeID(c.resolved.number))
			one.Summary += ", gone since " + c.resolved.ref()
		}
		one.Summary += "."
		d.CorrectionChains = append(d.CorrectionChains, one)
	}
}

func (a *analysis) writeLessons(d *treetrace.Document) {
	for _, l := range a.lessons {
		one := treetrace.Lesson{ID: l.id, Title: titles()[l.failures[0].kind].title, NodeIDs: l.nodes(), Text: l.text()}
		d.Lessons = append(d.Lessons, one)
		for _, f := range l.failures {
			n := &d.Nodes[f.turn.number-1]
			n.LessonIDs = append(n.LessonIDs, l.id)
			d.Failures[f.place].Lesson = one.Text
		}
	}
}

// count adds a conversation to the statistics, and to the sessions if it has a prompt. Calls before the first prompt
// count too.
func (a *analysis) count(c *conversation) {
	s := &a.doc.Stats
	one := c.session()
	if one.PromptCount > 0 {
		a.doc.Sessions = append(a.doc.Sessions, one)
	}
	s.RawPrompts += one.PromptCount
	s.InputTokens += one.InputTokens
	s.CacheReadTokens += one.CacheReadTokens
	s.OutputTokens += one.OutputTokens
	s.ToolUses += len(c.all)
	c.spread(s)
	for _, call := range c.all {
		for _, file := range append(call.files(), call.file) {
			if file != "" && !call.declined {
				a.files[file] = true
			}
		}
	}
	if name := records.Value(c.Record.Task.Repository); name != "" {
		a.repositories = append(a.repositories, name[strings.LastIndexByte(name, '/')+1:])
	}
	a.sources = append(a.sources, sourceType(c.Record.Agent.Name))
	for _, t := range c.nodes() {
		switch t.kind {
		case treetrace.Correction:
			s.Corrections++
		case treetrace.ScopeChange:
			s.ScopeChanges++
		case treetrace.Checkpoint:
			s.Checkpoints++
		}
		if t.abandoned && (t.parent == nil || !t.parent.abandoned) {
			s.AbandonedBranches++
		}
		for i := range t.rejections {
			s.Rejections++
			s.RejectionsByKind[t.rejections[i].Kind]++
		}
	}
}

// The function `the` returns the value that all elements of a list have; "" if they differ.
func the(list []string) string {
	if slices.Sort(list); len(list) > 0 && list[0] == list[len(list)-1] {
		return list[0]
	}
	return ""
}

// spread adds a conversation's times and models to the statistics. The models are in order of appearance.
func (c *conversation) spread(s *treetrace.Stats) {
	widen := func(at *string) {
		if at == nil || *at == "" {
			return
		}
		if s.FirstTS == nil || compareTimes(*at, *s.FirstTS) < 0 {
			s.FirstTS = at
		}
		if s.LastTS == nil || compareTimes(*at, *s.LastTS) > 0 {
			s.LastTS = at
		}
	}
	widen(c.Record.TimestampStart)
	widen(c.Record.TimestampEnd)
	for i := range c.Record.Steps {
		step := &c.Record.Steps[i]
		widen(step.Timestamp)
		name := records.Value(modelName(step.Model))
		if step.Role == records.RoleAgent && name != "" && name != "<synthetic>" &&
			!slices.Contains(s.Models, name) {
			s.Models = append(s.Models, name)
		}
	}
}

func (c *conversation) session() treetrace.Session {
	r := c.Record
	out := treetrace.Session{ID: c.id, FirstTS: r.TimestampStart, LastTS: r.TimestampEnd, Agent: r.Agent.Name,
		Trace: r.TraceID}
	for _, t := range c.turns {
		out.PromptCount += t.raw
	}
	var title string
	if c.meta("title", &title); title != "" {
		out.Title = &title
	}
	var compacted []any
	c.meta("compactions", &compacted)
	out.IsContinuation = len(compacted) > 0
	m := &r.Metrics
	var sum records.TokenUsage
	for i := range r.Steps {
		sum.Add(r.Steps[i].TokenUsage)
	}
	out.CacheReadTokens = max(m.TotalCacheReadTokens, sum.CacheReadTokens)
	out.InputTokens = max(m.TotalInputTokens, sum.InputTokens) + out.CacheReadTokens +
		max(m.TotalCacheCreationTokens, sum.CacheWriteTokens)
	out.OutputTokens = max(m.TotalOutputTokens, sum.OutputTokens)
	return out
}

// modelName returns a model's name without its provider, as the format requires.
func modelName(model *string) *string {
	if model == nil || *model == "" {
		return nil
	}
	return new((*model)[strings.LastIndexByte(*model, '/')+1:])
}

// sourceType returns the format's name for the session files of an agent.
func sourceType(agent string) string {
	switch agent {
	case "claude-code":
		return "claude-code-jsonl"
	case "codex-cli":
		return "codex-rollout"
	case "gemini-cli":
		return "gemini-cli"
	case "cursor":
		return "cursor-export"
	}
	return agent
}
