package show

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view"
)

// whyMarkdown writes reasons for use elsewhere, with all texts and changes in full.
type whyMarkdown struct {
	MarkdownPage
	short func(events.TraceID) string
}

func (m *whyMarkdown) view(v *WhyView) {
	for _, r := range v.reasons {
		m.reason(r, v.reviews)
	}
}

func (m *whyMarkdown) reason(r *why.Reason, reviews map[refs.OID][]view.Review) {
	o := r.Owner()
	var lines []string
	for i := range r.Lines {
		lines = append(lines, string(r.Lines[i].Content))
	}
	fmt.Fprintf(&m.out, "\n## `%s:%s`\n\n", strings.ReplaceAll(cells.Safe(r.Path), "`", "'"), lineList(r))
	m.fence(strings.Join(lines, "\n"))
	m.out.WriteString("\n")
	switch completed := r.Completed(); {
	case completed != "":
		m.Fact("written", completed)
		m.Fact("conversation", m.short(o.Trace))
	case o.Trace != "":
		m.Fact("written by", cells.Dotted(o.Agent, view.ModelName(o.Model), o.Subagent))
		m.Fact("conversation", m.short(o.Trace))
	default:
		m.Fact("written by", writtenBy(r))
	}
	if o.Evidence != "" {
		m.Fact("evidence", evidenceOf(r))
	}
	switch {
	case len(o.Limits) == 0:
	case o.Kind.Known():
		m.Fact("but", cells.Safe(limitNames(o.Limits)))
	default:
		m.Fact("but", InWords(o.Limits))
	}
	if c := r.Commit(); c != nil {
		m.Fact("commit", strings.Join([]string{c.ID.String(), c.Summary, c.Author.Name}, " · "))
		for _, review := range reviews[c.ID] {
			m.Fact("reviewed", review.Who+" ("+review.How+")")
		}
	}
	if t := r.Turn; t != nil && t.Text != nil {
		m.Part("Asked", *t.Text)
	}
	if s := r.Step; s != nil {
		if r.Call != nil {
			m.Part("Thought", r.Call.Thought)
		}
		m.Part("Said", records.Value(s.Content))
	}
	if call := callOfStep(r); call != nil {
		fmt.Fprintf(&m.out, "\n### Did\n\n")
		m.call(r.Step, call)
	}
	if h := r.Hunk; h != nil && o.Trace != "" && len(h.Removed)+len(h.Added) > 0 {
		fmt.Fprintf(&m.out, "\n### Changed\n\n")
		m.change(h)
	}
}

// MarkdownOfLines returns lines and their reasons as Markdown.
func MarkdownOfLines(list []*WhyView, short func(events.TraceID) string) string {
	m := &whyMarkdown{short: short}
	for _, v := range list {
		m.view(v)
	}
	return strings.TrimLeft(m.out.String(), "\n")
}
