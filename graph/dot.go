package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteDOT writes a graph in the language of Graphviz (https://graphviz.org/doc/info/lang.html). Boxes are commits,
// rounded boxes are conversations, and dashed arrows lead from conversations to the commits with their lines.
func WriteDOT(w io.Writer, g *Graph, style Style) error {
	l := lineageOf(g, style.short)
	b := bufio.NewWriter(w)
	_, _ = b.WriteString("digraph traces {\n\trankdir=LR;\n\tnode [fontname=\"sans-serif\"];\n")
	for _, n := range l.nodes {
		shape := `shape=box`
		if n.kind == conversationNode {
			shape = `shape=box, style="rounded,filled", fillcolor="#e8eefc"`
		}
		_, _ = fmt.Fprintf(b, "\t%s [%s, label=%s];\n", n.id, shape, dotString(n.lines))
	}
	for _, a := range l.arrows {
		switch {
		case a.written:
			_, _ = fmt.Fprintf(b, "\t%s -> %s [style=dashed, label=%s];\n", a.from, a.to, dotString([]string{a.label}))
		default:
			_, _ = fmt.Fprintf(b, "\t%s -> %s;\n", a.from, a.to)
		}
	}
	_, _ = b.WriteString("}\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	return nil
}

// dotString returns lines as a quoted string. In a label a backslash begins an escape of Graphviz, such as \N for the
// name of the node. In attributes & begins a character entity of HTML.
func dotString(lines []string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
