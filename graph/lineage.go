package graph

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
)

// lineage is a graph of nodes and arrows, for output that other programs draw. Texts have one line and only printable
// characters. Each format still escapes its special characters.
type lineage struct {
	nodes  []node
	arrows []arrow
}

type nodeKind int

const (
	commitNode nodeKind = iota
	conversationNode
)

// node is a commit or a conversation.
type node struct {
	id    string // only letters and digits
	kind  nodeKind
	lines []string
}

// arrow leads from a parent to its child, or from a conversation to a commit that has its lines.
type arrow struct {
	from, to string
	label    string
	written  bool // the arrow leads from a conversation
}

// lineageOf reverses a graph, so that arrows point forward in time. Parents that are not in the graph are left out.
func lineageOf(g *Graph, short func(events.TraceID) string) *lineage {
	l := &lineage{}
	known := map[string]bool{}
	for i := range g.Commits {
		known[g.Commits[i].ID.String()] = true
	}
	met := map[events.TraceID]bool{}
	for i := len(g.Commits) - 1; i >= 0; i-- { // oldest first
		c := &g.Commits[i]
		id := "c" + c.ID.String()
		l.nodes = append(l.nodes, node{id, commitNode, commitText(c)})
		for _, parent := range c.Parents {
			if known[parent.String()] {
				l.arrows = append(l.arrows, arrow{from: "c" + parent.String(), to: id})
			}
		}
		for _, share := range shares(c) {
			who := traceNodeID(share.trace)
			if !met[share.trace] {
				met[share.trace] = true
				text := []string{cells.Line(share.agent) + " " + cells.Line(short(share.trace))}
				if share.model != "" {
					text = append(text, cells.Line(share.model))
				}
				l.nodes = append(l.nodes, node{who, conversationNode, text})
			}
			l.arrows = append(l.arrows, arrow{from: who, to: id, label: fmt.Sprintf("+%d", share.lines), written: true})
		}
	}
	return l
}

func commitText(c *Commit) []string {
	text := []string{c.Short + " " + cells.Line(c.Subject), cells.Line(c.Author)}
	if len(c.Refs) > 0 {
		text = append(text, cells.Line(strings.Join(c.Refs, ", ")))
	}
	return text
}

// traceNodeID makes an identifier from a trace id, which in another clone's log may be any text.
func traceNodeID(id events.TraceID) string {
	if strings.Trim(string(id), "0123456789abcdef-") == "" {
		return "t" + strings.ReplaceAll(string(id), "-", "")
	}
	return fmt.Sprintf("x%x", string(id))
}

// share is the number of lines that one conversation has in a commit, with all its prompts.
type share struct {
	trace        events.TraceID
	agent, model string
	lines        int
}

func shares(c *Commit) []share {
	var list []share
	at := map[events.TraceID]int{}
	for _, who := range c.Contributors {
		if who.Kind != events.OwnerAI || who.Trace == "" {
			continue
		}
		i, ok := at[who.Trace]
		if !ok {
			i = len(list)
			at[who.Trace] = i
			list = append(list, share{trace: who.Trace, agent: who.Agent, model: who.Model})
		}
		list[i].lines += who.Lines
	}
	return list
}
