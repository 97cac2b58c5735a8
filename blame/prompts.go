package blame

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
)

const (
	block     = "▌"
	between   = " · "
	mostLines = 4 // lines of a prompt's text
)

// question is one prompt, with the lines that its answer wrote.
type question struct {
	of    *Attribution // owner of its first line
	lines []*Annotated
}

// prompts draws each question above the lines that its answer wrote, in the order of the file. Lines that no agent
// wrote are only counted.
func (p *painter) prompts(lines []Annotated) {
	type key struct {
		trace  events.TraceID
		prompt int
	}
	byKey := map[key]*question{}
	var questions []*question
	others, last := others{}, 0
	for i := range lines {
		l := &lines[i]
		last = max(last, l.FinalLine)
		if !l.Owner.ByAI() {
			others.count(p, l)
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
	p.others(&others, len(questions) > 0)
}

// question draws one question with its lines.
func (p *painter) question(q *question) {
	escape := p.traceEscape(q.of)
	edge := colour(escape, block)
	id := p.conversation(q.of)
	if id == "" {
		id = "?"
	}
	rest := []string{oneLine(q.of.Agent)}
	model := q.of.Model[strings.LastIndexByte(q.of.Model, '/')+1:] // show the model without its provider
	rest = appendKnown(rest, oneLine(model), q.date(), q.tools(), q.pending())
	about := cells.Fold(colour(escape, id)+" "+strings.Join(rest, between), p.promptRoom())
	for line := range strings.SplitSeq(about, "\n") {
		p.write(edge, line, "\n")
	}
	for _, line := range p.quoted(q.of, p.promptRoom()) {
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

// date returns the day of the tool call; if that is unknown, of the commit.
func (q *question) date() string {
	if !q.of.Time.IsZero() {
		return q.of.Time.Format("2006-01-02")
	}
	return oneLine(q.lines[0].Date)
}

// tools returns the names of the tools that wrote the lines, in order of appearance.
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

// pending returns a text for the number of uncommitted lines.
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

// `quoted` returns the text of a prompt in quotes, wrapped to the screen and shortened if it is long.
func (p *painter) quoted(a *Attribution, room int) []string {
	text := cells.Safe(oneLine(a.PromptText))
	switch {
	case text == "" && a.PromptIndex == 0: // notes of git-ai name only the conversation
		return []string{"(which prompt led to these lines is not known)"}
	case text == "":
		return []string{"(the text of this prompt is not kept here)"}
	}
	return cells.Wrap(`"`+text+`"`, room, mostLines)
}

// promptRoom returns the width of the screen without the mark at the left edge.
func (p *painter) promptRoom() int { return max(20, p.style.width()-cells.Width(block)) }

// `others` counts the lines without a prompt. The field `authors` counts the lines older than the recording by author.
type others struct {
	people, unknown, older int
	authors                []author
}

type author struct {
	name  string
	lines int
}

func (o *others) count(p *painter, l *Annotated) {
	switch l.Owner.Kind {
	case events.OwnerHuman:
		o.people++
	case events.OwnerOlder:
		o.older++
		name := p.person(l)
		at := slices.IndexFunc(o.authors, func(a author) bool { return a.name == name })
		if at < 0 {
			at = len(o.authors)
			o.authors = append(o.authors, author{name: name})
		}
		o.authors[at].lines++
	default:
		o.unknown++
	}
}

// mostAuthors limits the number of authors that are listed.
const mostAuthors = 3

// `before` lists the authors of the lines that are older than the recording, by number of lines, largest first.
func (o *others) before() string {
	slices.SortStableFunc(o.authors, func(a, b author) int { return b.lines - a.lines })
	var names []string
	for i, a := range o.authors {
		if i == mostAuthors {
			names = append(names, fmt.Sprintf("%d more", len(o.authors)-i))
			break
		}
		names = append(names, a.name+" "+numbers.Thousands(a.lines))
	}
	return fmt.Sprintf("%s older than the recording (%s)", numbers.Count(o.older, "line"), strings.Join(names, ", "))
}

// `others` draws the numbers of lines without a prompt.
func (p *painter) others(o *others, below bool) {
	var parts []string
	if o.people > 0 {
		parts = append(parts, numbers.Count(o.people, "line")+" by people")
	}
	if o.older > 0 {
		parts = append(parts, o.before())
	}
	if o.unknown > 0 {
		parts = append(parts, numbers.Count(o.unknown, "line")+" unknown")
	}
	if len(parts) == 0 {
		return
	}
	if below {
		p.write("\n")
	}
	quiet := paint{quieten: p.style.Color}
	for row := range strings.SplitSeq(cells.Fold(strings.Join(parts, between), p.style.width()), "\n") {
		p.write(quiet.quiet(row), "\n")
	}
}
