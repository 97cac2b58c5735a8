package treetrace

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/records"

	"github.com/git-trace/git-trace/internal/numbers"
)

// `inline` makes a text of a person or model safe for one line of Markdown: no line feeds, tags or control characters,
// and no start of another block.
func inline(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return '\ufffd'
		}
		return r
	}, s)
	return strings.TrimSpace(strings.ReplaceAll(s, "<", "&lt;"))
}

// symbols lists the symbols of the node kinds in PROMPT_TREE.md.
var symbols = []struct{ kind, symbol string }{
	{Root, "⬢"}, {Direction, "→"}, {Correction, "↩"}, {ScopeChange, "⊕"}, {Checkpoint, "✓"}, {Question, "?"},
	{Rejected, "✗"},
}

func symbol(kind string) string {
	for _, s := range symbols {
		if s.kind == kind {
			return s.symbol
		}
	}
	return "→"
}

// PromptTree returns PROMPT_TREE.md: the prompts as a list with indented branches, and the prompts to use again.
func PromptTree(d *Document) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Prompt Tree: %s\n\n> **%s** · **%s** · **%s**", inline(d.Project.Name),
		numbers.Count(d.Stats.Prompts, "prompt"),
		numbers.Count(d.Stats.Sessions, "session"), numbers.Count(d.Stats.Days, "day"))
	for _, one := range []struct {
		n    int
		word string
	}{{d.Stats.Corrections, "correction"}, {d.Stats.ToolUses, "tool call"}, {d.Stats.FilesTouched, "file"}} {
		if one.n > 0 {
			b.WriteString(" · " + numbers.Count(one.n, one.word))
			if one.word == "file" {
				b.WriteString(" touched")
			}
		}
	}
	b.WriteString("\n\n## Goal\n\n")
	b.WriteString(quoteBlock(d.Brief.Goal, ""))
	b.WriteString("\n## The Path\n\n")
	b.WriteString(d.legend() + "\n\n")
	depths := map[string]int{}
	for i := range d.Nodes {
		d.pathLine(&b, &d.Nodes[i], depths)
	}
	if len(d.Sessions) > 1 {
		b.WriteString("\n## Sessions\n\n| Session | Prompts | From | To |\n|---------|---------|------|----|\n")
		for i := range d.Sessions {
			s := &d.Sessions[i]
			name := s.ID
			if s.Title != nil {
				name = *s.Title
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", strings.ReplaceAll(inline(name), "|", "\\|"), s.PromptCount,
				day(s.FirstTS), day(s.LastTS))
		}
	}
	b.WriteString("\n## Reusable Prompt Pack\n\n" + d.pack())
	fmt.Fprintf(&b, "\n---\n\n*[%s](%s) %s · TreeTrace %s*\n", d.Generator.Name, d.Generator.URL,
		inline(d.Generator.Version), d.SchemaVersion)
	return []byte(b.String()), nil
}

func day(ts *string) string { return inline(strings.SplitN(records.Value(ts), "T", 2)[0]) }

func (d *Document) legend() string {
	var out []string
	for _, s := range symbols {
		for i := range d.Nodes {
			if d.Nodes[i].Kind == s.kind {
				out = append(out, "`"+s.symbol+"` "+s.kind)
				break
			}
		}
	}
	return strings.Join(out, " · ")
}

// pathLine writes a node. A node of an abandoned branch is indented by one level.
func (d *Document) pathLine(b *strings.Builder, n *Node, depths map[string]int) {
	depth := 0
	if n.ParentID != nil {
		depth = depths[*n.ParentID]
		if n.Status == Abandoned && depth == 0 {
			depth = 1
		} else if n.Status != Abandoned {
			depth = 0
		}
	}
	depths[n.ID] = depth
	indent := strings.Repeat("  ", depth)
	title := inline(n.Title)
	switch {
	case n.Kind == Root:
		title = "**" + title + "** <sub>(new session, " + day(n.Timestamp) + ")</sub>"
	case n.Status == Abandoned:
		title = "~~" + title + "~~ (abandoned)"
	}
	fmt.Fprintf(b, "%s- `%s` %s\n", indent, symbol(n.Kind), title)
	if strings.TrimSpace(n.Text) != "" && strings.TrimSpace(n.Text) != n.Title {
		fmt.Fprintf(b, "%s  <details><summary>full prompt</summary>\n\n%s%s  </details>\n", indent,
			quoteBlock(n.Text, indent+"  "), indent)
	}
}

// quoteBlock returns a text as a Markdown quote.
func quoteBlock(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		b.WriteString(strings.TrimRight(indent+"> "+inline(line), " ") + "\n")
	}
	return b.String()
}

// pack returns the prompts to use again, numbered, each with the corrections that followed it.
func (d *Document) pack() string {
	var b strings.Builder
	b.WriteString("```text\n")
	number := 0
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.Status == Abandoned {
			continue
		}
		text := strings.ReplaceAll(inline(n.Text), "```", "'''")
		switch n.Kind {
		case Correction:
			fmt.Fprintf(&b, "   (constraint learned along the way: %s)\n", text)
		case Root, Direction, ScopeChange:
			number++
			fmt.Fprintf(&b, "%d. %s\n", number, text)
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// mostDrawn is the greatest number of nodes in a graph with side branches; larger graphs are drawn without them.
const mostDrawn = 25

// Graph returns PROMPT_TREE_GRAPH.md, the tree in the form of Mermaid.
func Graph(d *Document) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Prompt Tree: %s\n\n```mermaid\nflowchart TD\n", inline(d.Project.Name))
	spine := len(d.Nodes) > mostDrawn
	drawn := map[string]bool{}
	last := map[string]string{} // by node that is not drawn: the last drawn node before it
	for i := range d.Nodes {
		n := &d.Nodes[i]
		parent := records.Value(n.ParentID)
		if !drawn[parent] {
			parent = last[parent]
		}
		if spine && (n.Status == Abandoned || n.Kind == Question || n.Kind == Direction && len(n.FailureSignals) == 0) {
			last[n.ID] = parent
			continue
		}
		drawn[n.ID] = true
		label := strings.NewReplacer(`"`, "#quot;", "[", "(", "]", ")", "`", "'", "|", "/").Replace(inline(n.Title))
		fmt.Fprintf(&b, "  %s[\"%s %s\"]\n", n.ID, symbol(n.Kind), label)
		if parent != "" {
			arrow := "-->"
			if n.Status == Abandoned {
				arrow = "-.->"
			}
			fmt.Fprintf(&b, "  %s %s|%s| %s\n", parent, arrow, Relationship(n.Kind), n.ID)
		}
	}
	b.WriteString("```\n")
	return []byte(b.String()), nil
}
