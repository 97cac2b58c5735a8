package show

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// MarkdownPage writes conversations for use elsewhere, with all texts in full. Characters that control a terminal are
// made visible, because somebody may print the file on one.
type MarkdownPage struct{ out strings.Builder }

// safeText returns a text of several lines without characters that control a terminal.
func safeText(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = cells.SafeTabs(strings.TrimRight(line, "\r"))
	}
	return strings.Join(lines, "\n")
}

func (m *MarkdownPage) Record(c *view.Conversation, h *records.Record) {
	trace := c.Trace
	title := records.Value(h.Task.Description)
	if title == "" {
		title = "Conversation " + string(trace)
	}
	fmt.Fprintf(&m.out, "# %s\n\n", cells.Safe(cells.Line(title)))
	fmt.Fprintf(&m.out, "- conversation `%s`\n- agent %s\n", trace,
		cells.Safe(cells.Dotted(h.Agent.Name, records.Value(h.Agent.Version), records.Value(h.Agent.Model))))
	if when := between(records.Value(h.TimestampStart), records.Value(h.TimestampEnd)); when != "" {
		fmt.Fprintf(&m.out, "- %s\n", cells.Safe(when))
	}
	fmt.Fprintf(&m.out, "- %s in, %s out",
		numbers.Count(int(h.Metrics.TotalInputTokens), "token"), numbers.Thousands(int(h.Metrics.TotalOutputTokens)))
	if c.Usage != nil && c.Usage.CostUSD != nil {
		m.out.WriteString(", " + CostOf(c.Usage))
	}
	m.out.WriteString("\n")
	for _, link := range h.GitLinks {
		fmt.Fprintf(&m.out, "- commit `%s` (%s)\n", cells.Safe(link.Revision), cells.Safe(string(link.Tier)))
	}
	for i := range h.Steps {
		m.step(&h.Steps[i])
	}
}

func (m *MarkdownPage) step(s *records.Step) {
	who := "User"
	switch s.Role {
	case records.RoleSystem:
		who = "System"
	case records.RoleAgent:
		who = "Agent"
	case records.RoleUser:
	}
	if role := records.Value(s.AgentRole); role != "" && role != "main" {
		who += " (" + role + ")"
	}
	fmt.Fprintf(&m.out, "\n## %d. %s", s.StepIndex, cells.Safe(who))
	if facts := cells.Dotted(clock(records.Value(s.Timestamp)), records.Value(s.Model)); facts != "" {
		m.out.WriteString(" · " + cells.Safe(facts))
	}
	m.out.WriteString("\n")
	if text := records.Value(s.ReasoningContent); text != "" {
		m.out.WriteString("\n")
		for line := range strings.SplitSeq(strings.Trim(safeText(text), "\n"), "\n") {
			m.out.WriteString("> " + line + "\n")
		}
	}
	if text := strings.Trim(records.Value(s.Content), "\n"); text != "" {
		m.out.WriteString("\n" + safeText(text) + "\n")
	}
	for i := range s.ToolCalls {
		m.call(s, &s.ToolCalls[i])
	}
}

func (m *MarkdownPage) call(s *records.Step, call *records.ToolCall) {
	fmt.Fprintf(&m.out, "\n**%s** `%s`\n", cells.Safe(call.ToolName), cells.Safe(call.ToolCallID))
	for _, f := range records.Members(call.Input) {
		fmt.Fprintf(&m.out, "\n%s:\n\n", cells.Safe(f.Name))
		m.fence(f.Text)
	}
	result := s.Result(call.ToolCallID)
	if result == nil {
		return
	}
	m.out.WriteString("\nresult")
	if text := records.Value(result.Error); text != "" {
		m.out.WriteString(" (" + cells.Safe(text) + ")")
	}
	m.out.WriteString(":\n\n")
	m.fence(records.Value(result.Content))
}

// fence writes a text between fences that are longer than any fence in it.
func (m *MarkdownPage) fence(text string) {
	text = strings.TrimRight(safeText(text), "\n")
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	fmt.Fprintf(&m.out, "%s\n%s\n%s\n", marks, text, marks)
}

// Text returns the written Markdown.
func (m *MarkdownPage) Text() string { return m.out.String() }

// Fact writes a name and a value on one line.
func (m *MarkdownPage) Fact(name, text string) {
	fmt.Fprintf(&m.out, "- %s: %s\n", name, cells.Safe(cells.Line(text)))
}

// Part writes a title, and a text between fences, so that its characters have no meaning in Markdown.
func (m *MarkdownPage) Part(title, text string) {
	if text = strings.Trim(safeText(text), "\n"); text == "" {
		return
	}
	fmt.Fprintf(&m.out, "\n### %s\n\n", title)
	m.fence(text)
}

// change writes the lines that a hunk removed and added.
func (m *MarkdownPage) change(h *view.Hunk) {
	var diff strings.Builder
	for _, line := range h.Removed {
		diff.WriteString("-" + line + "\n")
	}
	for _, line := range h.Added {
		diff.WriteString("+" + line + "\n")
	}
	m.fence(diff.String())
}
