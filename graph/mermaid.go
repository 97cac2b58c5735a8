package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// WriteMermaid writes a graph as a flowchart in the language of Mermaid (https://mermaid.js.org/syntax/flowchart.html).
// GitHub and GitLab draw it in Markdown.
func WriteMermaid(w io.Writer, g *Graph, style Style) error {
	l := lineageOf(g, style.short)
	b := bufio.NewWriter(w)
	_, _ = b.WriteString("flowchart LR\n")
	for _, n := range l.nodes {
		opening, closing := "[", "]"
		if n.kind == conversationNode {
			opening, closing = "([", "])"
		}
		_, _ = fmt.Fprintf(b, "    %s%s%s%s\n", n.id, opening, mermaidString(n.lines), closing)
	}
	for _, a := range l.arrows {
		switch {
		case a.written:
			_, _ = fmt.Fprintf(b, "    %s -. %s .-> %s\n", a.from, mermaidString([]string{a.label}), a.to)
		default:
			_, _ = fmt.Fprintf(b, "    %s --> %s\n", a.from, a.to)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	return nil
}

// mermaidString returns lines as a quoted string. Mermaid interprets Markdown, HTML and directives in labels. Letters,
// digits and a few signs stay as they are. All other characters become character codes (#35;), which Mermaid does not
// interpret.
func mermaidString(lines []string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, line := range lines {
		if i > 0 {
			b.WriteString("<br/>")
		}
		for _, r := range line {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,:+-/_", r) {
				b.WriteRune(r)
				continue
			}
			_, _ = fmt.Fprintf(&b, "#%d;", r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
