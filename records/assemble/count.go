package assemble

import (
	"cmp"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/project"
)

// count adds a step to the totals.
func (c *Conversation) count(p *pending) {
	s := c.state
	s.span(records.Value(p.Timestamp))
	s.span(p.time)
	s.Usage.Add(p.TokenUsage)
	s.Calls += len(p.calls)
	switch p.Role {
	case records.RoleUser:
		c.countPrompt(p)
		return
	case records.RoleSystem:
		return
	case records.RoleAgent:
	}
	c.countModel(p)
	for _, one := range p.calls {
		c.countCall(p, one)
	}
}

func (c *Conversation) countPrompt(p *pending) {
	if c.parent == nil && c.state.Task == nil && p.Content != nil {
		c.state.Task = &task{Text: clip(*p.Content, maxTask), Source: cmp.Or(p.source, "user_prompt")}
	}
}

// maxTask limits the length of a task, in characters.
const maxTask = 500

func clip(s string, runes int) string {
	s = strings.TrimSpace(s)
	for i := range s {
		if runes == 0 {
			return s[:i]
		}
		runes--
	}
	return s
}

func (c *Conversation) countModel(p *pending) {
	s := c.state
	model := records.Value(p.Model)
	if p.usage != nil {
		cost, known := c.options.Prices.Cost(model, prices.Usage{TokenUsage: p.usage.TokenUsage,
			CacheWrite1H: p.usage.CacheWrite1H})
		s.Cost += cost
		if name := cmp.Or(model, unknownModel); !known && len(s.Unpriced) < 20 && !contains(s.Unpriced, name) {
			s.Unpriced = append(s.Unpriced, name)
		}
	}
	if model == "" {
		return
	}
	use := s.Models[model]
	if use == nil {
		use = &modelUse{}
		s.Models[model] = use
	}
	use.Steps++
	use.Usage.Add(p.TokenUsage)
	if c.parent == nil {
		use.Main++
	}
}

// countCall counts the files, commands and edits of a call.
func (c *Conversation) countCall(p *pending, one *call) {
	s := c.state
	for _, path := range one.Reads {
		s.Facts.Read(path)
	}
	if one.Command != "" {
		s.Facts.Ran(one.Command)
	}
	if one.result == nil || one.result.Error != "" {
		return
	}
	for _, path := range one.Writes {
		s.Facts.Wrote(path)
	}
	if seen := one.result.Seen; seen != nil {
		s.Facts.Saw(seen.Path, seen.Content)
	}
	if commit := one.result.Commit; commit != nil && len(s.Commits) < maxList {
		commit.Step = p.StepIndex
		s.Commits = append(s.Commits, *commit)
	}
	for i := range one.result.Edits {
		c.countEdit(p, &one.result.Edits[i])
		c.tellEdit(p, one, &one.result.Edits[i])
	}
}

// tellEdit passes an edit to the sink, if the sink accepts edits.
func (c *Conversation) tellEdit(p *pending, one *call, edit *Edit) {
	sink, wants := c.sink.(records.Editing)
	if !wants {
		return
	}
	e := records.Edited{
		Step: p.StepIndex, Call: one.ID, Tool: one.Name, Subagent: c.id, Input: one.Input, Path: edit.Path, Text: edit.Text,
	}
	if len(c.state.Head.Cwds) > 0 {
		e.Dir = c.state.Head.Cwds[0]
	}
	for _, h := range edit.Hunks {
		e.Hunks = append(e.Hunks, records.EditedHunk{At: h.At, Removed: h.Removed, Added: h.Added, Lines: h.Lines})
	}
	if len(edit.Hunks) == 1 && edit.Hunks[0].At == 1 &&
		len(edit.Hunks[0].Lines) == strings.Count(strings.TrimSuffix(edit.Text, "\n"), "\n")+1 {
		e.Whole = edit.Hunks[0].Removed == 0 || edit.Hunks[0].Removed >= Whatever>>1
	}
	sink.Edited(e)
}

// countEdit records the lines that an edit wrote, and keeps its text as a snippet.
func (c *Conversation) countEdit(p *pending, edit *Edit) {
	path, inside := c.relative(edit.Path)
	snippet := records.Snippet{
		FilePath: path, Language: records.Text(project.Language(path)),
		Text: records.Text(edit.Text), SourceStep: new(p.StepIndex),
	}
	if len(edit.Hunks) == 1 && edit.Hunks[0].Added > 0 {
		snippet.StartLine = new(edit.Hunks[0].At)
		snippet.EndLine = new(edit.Hunks[0].At + edit.Hunks[0].Added - 1)
	}
	if edit.Text != "" {
		p.Snippets = append(p.Snippets, snippet)
	}
	if inside && !c.state.Files.apply(path, edit.Hunks, author{
		Step: p.StepIndex, Model: records.Value(p.Model), Provider: p.provider, ID: p.providerID,
	}) {
		c.state.Dropped["attribution_limit"]++
	}
}

// `relative` returns a path relative to the repository, with slashes; a path outside is returned unchanged.
func (c *Conversation) relative(path string) (string, bool) {
	if c.options.Relative != nil {
		return c.options.Relative(path)
	}
	return below(path, c.state.Head.Cwds)
}

// `below` returns a path relative to the outermost of the given directories that contains it. On macOS, /tmp and
// /private/tmp are the same directory.
func below(path string, dirs []string) (string, bool) {
	path = strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "/private")
	best := path
	for _, dir := range dirs {
		dir = strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(dir, `\`, "/"), "/private"), "/")
		if rest, inside := strings.CutPrefix(path, dir+"/"); dir != "" && inside && (best == path || len(rest) > len(best)) {
			best = rest
		}
	}
	return best, best != path || !strings.HasPrefix(path, "/") && !strings.Contains(path, ":")
}

// span extends the time span of the conversation.
func (s *state) span(stamp string) {
	if stamp == "" {
		return
	}
	if s.Start == "" || earlier(stamp, s.Start) {
		s.Start = stamp
	}
	if s.End == "" || earlier(s.End, stamp) {
		s.End = stamp
	}
}

// `earlier` reports whether the time a of a session file is before b. Two RFC 3339 times in UTC with the same length
// are compared as text; all others are parsed.
func earlier(a, b string) bool {
	if len(a) == len(b) && strings.HasSuffix(a, "Z") && strings.HasSuffix(b, "Z") {
		return a < b
	}
	at, errA := time.Parse(time.RFC3339Nano, a)
	bt, errB := time.Parse(time.RFC3339Nano, b)
	if errA != nil || errB != nil {
		return a < b
	}
	return at.Before(bt)
}

func later(a, b string) string {
	if a == "" || b != "" && earlier(a, b) {
		return b
	}
	return a
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}
