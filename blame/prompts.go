package blame

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/cells"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/numbers"
)

const (
	block     = "▌"
	between   = " · "
	mostLines = 4 // of a question
)

// question is one prompt with the lines it led to.
type question struct {
	of    *Attribution // of its first line
	lines []*Annotated
}

// prompts draws each question above the lines it led to, in the order in which the file comes to them. Lines that no
// agent wrote are only counted.
func (p *painter) prompts(lines []Annotated) {
	type key struct {
		trace  events.TraceID
		prompt int
	}
	byKey := map[key]*question{}
	var questions []*question
	people, unknown, last := 0, 0, 0
	for i := range lines {
		l := &lines[i]
		last = max(last, l.FinalLine)
		if !l.Owner.ByAI() {
			if l.Owner.Kind == events.OwnerHuman {
				people++
			} else {
				unknown++
			}
			continue
		}
		k := key{l.Owner.Trace, l.Owner.PromptIndex}
		q, ok := byKey[k]
		if !ok {
			q = &question{of: l.Owner}
			byKey[k], questions = q, append(questions, q)
		}
		q.lines = append(q.lines, l)
	}
	p.widths.line = len(strconv.Itoa(last))
	for i, q := range questions {
		if i > 0 {
			p.write("\n")
		}
		p.question(q)
	}
	p.others(people, unknown, len(questions) > 0)
}

// question draws one group.
func (p *painter) question(q *question) {
	escape := p.traceEscape(q.of)
	edge := colour(escape, block)
	id := p.conversation(q.of)
	if id == "" {
		id = "?"
	}
	rest := []string{oneLine(q.of.Agent)}
	model := q.of.Model[strings.LastIndexByte(q.of.Model, '/')+1:] // a person needs no provider
	rest = appendKnown(rest, oneLine(model), q.date(), q.tools(), q.pending())
	about := cells.Fold(colour(escape, id)+" "+strings.Join(rest, between), p.promptRoom())
	for line := range strings.SplitSeq(about, "\n") {
		p.write(edge, line, "\n")
	}
	for _, line := range p.quoted(q.of) {
		p.write(edge, line, "\n")
	}
	quiet := paint{quieten: p.style.Color}
	for _, l := range q.lines {
		number := fmt.Sprintf("%*d", p.widths.line+1, l.FinalLine)
		p.write(edge, quiet.quiet(number), quiet.quiet(cells.Fit(p.doubt(l), 1)), colour(escape, bar), " ",
			p.content(&l.Line), "\n")
	}
}

func appendKnown(list []string, texts ...string) []string {
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// date is the day of the work, or of the commit when the day of the work is not known.
func (q *question) date() string {
	if !q.of.Time.IsZero() {
		return q.of.Time.Format("2006-01-02")
	}
	return oneLine(q.lines[0].Date)
}

// tools are the names of the tools that wrote the lines, in order of appearance.
func (q *question) tools() string {
	seen := map[string]bool{"": true}
	var names []string
	for _, l := range q.lines {
		if name := oneLine(l.Owner.Tool); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// pending says how many of the lines are in no commit yet.
func (q *question) pending() string {
	n := 0
	for _, l := range q.lines {
		if !l.Commit.Committed() {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case len(q.lines):
		return notCommitted
	}
	return fmt.Sprintf("%d of %s %s", n, numbers.Count(len(q.lines), "line"), notCommitted)
}

// quoted is the text of a prompt between quotes, wrapped to the screen and cut when it is long.
func (p *painter) quoted(a *Attribution) []string {
	text := cells.Safe(oneLine(a.PromptText))
	switch {
	case text == "" && a.PromptIndex == 0: // as in notes of git-ai, which name the conversation alone
		return []string{"(which prompt led to these lines is not known)"}
	case text == "":
		return []string{"(the text of this prompt is not kept here)"}
	}
	return cells.Wrap(`"`+text+`"`, p.promptRoom(), mostLines)
}

// promptRoom is the width that a screen has beside the edge.
func (p *painter) promptRoom() int { return max(20, p.style.width()-cells.Width(block)) }

// others counts the lines that no prompt led to.
func (p *painter) others(people, unknown int, below bool) {
	var parts []string
	if people > 0 {
		parts = append(parts, numbers.Count(people, "line")+" by people")
	}
	if unknown > 0 {
		parts = append(parts, numbers.Count(unknown, "line")+" unknown")
	}
	if len(parts) == 0 {
		return
	}
	if below {
		p.write("\n")
	}
	quiet := paint{quieten: p.style.Color}
	p.write(quiet.quiet(strings.Join(parts, between)), "\n")
}
