package span

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/page"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/view"
)

// reportPage draws a report as Markdown. It passes foreign text through package page.
type reportPage struct {
	*rangeReport
	page.Document
	// The parts that a page leaves out if it is too long, in this order: later, files, first, talks, unknown.
	later, files, first, talks, unknown []*page.Part
}

// A page shows the beginning of long lists and texts.
const (
	mostTitle  = 60   // cells of a prompt in its conversation's line
	mostPrompt = 2000 // bytes of a prompt
	mostShown  = 5    // runs of lines in a list above the conversations
)

// Markdown draws a report as Markdown of at most `limit` bytes; 0 for no limit. The function `short` abbreviates ids.
func Markdown(found *Report, short func(events.TraceID) string, limit int) (string, error) {
	r := &rangeReport{found, short}
	return drawReport(r).Within(limit, r.missing)
}

func drawReport(r *rangeReport) *page.Document {
	p := &reportPage{rangeReport: r}
	p.head()
	p.lookHere()
	p.conversations()
	p.fileTable()
	p.models()
	p.rests()
	p.Loose("prompt", p.later)
	p.Loose("file", p.files)
	p.Loose("prompt", p.first)
	p.Loose("conversation", p.talks)
	p.Loose("place", p.unknown)
	return &p.Document
}

// line adds text that no limit removes.
func (p *reportPage) line(format string, args ...any) { p.Add(fmt.Sprintf(format, args...), "") }

func tableRow(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func coded(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = page.Cell(text)
	}
	return out
}

// names returns model names without their providers.
func names(models []string) []string {
	out := make([]string, len(models))
	for i, model := range models {
		out[i] = view.ModelName(model)
	}
	return out
}

// head draws the table of writers.
func (p *reportPage) head() {
	share := ""
	if all := p.Result.Owned().Shares(); len(all) > 0 && !p.Limits.Nothing {
		share = ", " + all[0].Percent + " by agents"
	}
	p.line("### Who wrote this: %s added%s\n\n", numbers.Count(p.Result.Lines, "line"), share)
	p.line("%s: %s, %s, +%s −%s\n\n", page.Code(p.Range.Text), numbers.Count(p.Stats.Lines.Commits, "commit"),
		numbers.Count(len(p.Files), "file"), numbers.Thousands(p.Result.Lines), numbers.Thousands(p.Removed))
	if p.Limits.Nothing {
		p.line("Nothing is recorded here: which lines agents wrote is not known.\n\n")
	}
	if len(p.Writers) == 0 {
		return
	}
	var all Counts
	for _, w := range p.Writers {
		all.Written, all.Result, all.Gone = all.Written+w.Written, all.Result+w.Result, all.Gone+w.Gone
		all.Otherwise += w.Otherwise
	}
	head := []string{"", "written", "gone before the end", "came otherwise", "in the result"}
	figures := func(name string, c Counts) string {
		row := []string{name, numbers.Thousands(c.Written), someLines(c.Gone), someLines(c.Otherwise),
			numbers.Thousands(c.Result)}
		return tableRow(without(row, all.Otherwise == 0)...)
	}
	p.line("%s", tableRow(without(head, all.Otherwise == 0)...)+"|---|"+
		strings.Repeat("---:|", len(without(head, all.Otherwise == 0))-1)+"\n")
	for _, w := range p.Writers {
		p.line("%s", figures(p.writer(&w), w.Counts))
	}
	if len(p.Writers) > 1 {
		p.line("%s", figures("**all**", all))
	}
	p.line("\n%s", p.bar())
	if len(p.Reviewers) == 0 {
		return
	}
	var who []string
	for _, r := range p.Reviewers {
		who = append(who, page.Code(r.Who)+" ("+r.How+", "+numbers.Count(r.Commits, "commit")+")")
	}
	p.line("Reviewed, according to messages: %s of %s, by %s\n\n", numbers.Thousands(p.Limits.Reviewed),
		numbers.Count(p.Stats.Lines.Commits, "commit"), numbers.SomeOf(who))
}

// someLines returns a figure, "" for 0.
func someLines(n int) string {
	if n == 0 {
		return ""
	}
	return numbers.Thousands(n)
}

// `without` removes the column of lines that came otherwise if the column is empty in all rows.
func without(row []string, none bool) []string {
	if none {
		return slices.Delete(slices.Clone(row), 3, 4)
	}
	return row
}

func (p *reportPage) writer(w *Writer) string {
	switch {
	case w.Kind == events.OwnerHuman && len(p.People) > 0:
		return "people (" + numbers.SomeOf(coded(p.People)) + ")"
	case w.Kind == events.OwnerHuman:
		return "people"
	case w.Older && len(p.Before) > 0:
		return "older than the recording (" + numbers.SomeOf(coded(p.Before)) + ")"
	case w.Older:
		return "older than the recording"
	case w.Kind != events.OwnerAI:
		return "unknown"
	case w.Agent == "":
		return "one of several agents"
	case len(w.Models) > 0:
		return page.Cell(w.Agent) + " (" + numbers.SomeOf(coded(names(w.Models))) + ")"
	}
	return page.Cell(w.Agent)
}

// bar draws the shares of the owners in the result.
func (p *reportPage) bar() string {
	const width = 40
	n := p.Result.Lines
	if n == 0 || p.Limits.Nothing {
		return ""
	}
	bar, sum, drawn := "", 0, 0
	var legend []string
	for _, part := range p.Result.Owned().Shares() {
		sum += part.Lines
		until := (sum*width + n/2) / n
		bar += strings.Repeat(figures.Sign(part.Kind), until-drawn)
		drawn = until
		legend = append(legend, figures.Sign(part.Kind)+" "+part.Word+" "+part.Percent)
	}
	return "`" + bar + "`\n" + strings.Join(legend, " · ") + "\n\n"
}

// lookHere lists facts that a reviewer should check. It does not judge them.
func (p *reportPage) lookHere() {
	l := p.Limits
	var facts []string
	for _, fact := range []struct {
		n      int
		text   string
		places []string
	}{
		{l.Several, "by one of several agents", places(p.Shared)},
		{l.Low, "by an agent, with weak evidence", places(p.Weak)},
		{l.Rewritten, "by a person, who replaced an agent's line", p.rewrites()},
		{p.Result.Older, "older than the recording", nil},
	} {
		if l.Nothing {
			break
		}
		if fact.n > 0 {
			facts = append(facts, fmt.Sprintf("- %s %s\n", numbers.Count(fact.n, "line"), fact.text))
			facts = append(facts, someRows(fact.places)...)
		}
	}
	unknown := p.Result.Unknown - p.Result.Older
	vouched := unknown == 0 || l.Nothing
	if vouched && len(facts) == 0 {
		return
	}
	section := p.Add("**Look here first**\n\n", "\n")
	if !vouched {
		runs := section.Add(fmt.Sprintf("- %s without a known owner\n", numbers.Count(unknown, "line")), "")
		runs.Add("", "")
		for i, run := range p.Unknown {
			if i == mostShown && len(p.Unknown) > mostShown+1 {
				runs.Add(fmt.Sprintf("  - and %s more\n", numbers.Count(len(p.Unknown)-i, "place")), "")
				break
			}
			p.unknown = append(p.unknown, runs.Add("  - "+page.Code(run.Raw)+" "+lineNumbers(&run)+"\n", ""))
		}
	}
	for _, fact := range facts {
		section.Add(fact, "")
	}
}

// rewrites lists the places where people rewrote an agent's lines.
func (p *reportPage) rewrites() (rows []string) {
	for i := range p.Rewritten {
		run := &p.Rewritten[i]
		row := placeRow(&run.Run)
		if run.Trace != "" {
			row += ", was " + page.Cell(p.short(run.Trace)) + "'s"
		}
		rows = append(rows, row)
	}
	return rows
}

// places lists the paths and line numbers of runs.
func places(runs []Run) (rows []string) {
	for i := range runs {
		rows = append(rows, placeRow(&runs[i]))
	}
	return rows
}

func placeRow(run *Run) string { return "  - " + page.Code(run.Raw) + " " + lineNumbers(run) }

// someRows returns the first rows with their line ends, and the number of the others.
func someRows(rows []string) (out []string) {
	for i, row := range rows {
		if i == mostShown && len(rows) > mostShown+1 {
			return append(out, fmt.Sprintf("  - and %s more\n", numbers.Count(len(rows)-i, "place")))
		}
		out = append(out, row+"\n")
	}
	return out
}

// lineNumbers returns the line numbers of a run.
func lineNumbers(r *Run) string {
	if r.Lines == 1 {
		return strconv.Itoa(r.Start)
	}
	return strconv.Itoa(r.Start) + "–" + strconv.Itoa(r.Start+r.Lines-1)
}

// conversations draws each conversation with its prompts.
func (p *reportPage) conversations() {
	if len(p.Conversations) == 0 {
		return
	}
	all := p.Add("**Conversations**\n\n", "")
	for i := range p.Conversations {
		t := &p.Conversations[i]
		facts := cells.Join([]string{numbers.Count(t.Written, "line"), numbers.Count(t.Prompts, "prompt"), callsOf(t),
			costText(t.Usage)}, ", ")
		title := ""
		if len(t.Texts) > 0 {
			title = " " + page.HTML(cells.Cut(cells.Line(t.Texts[0].Text), mostTitle))
		}
		one := all.Add(fmt.Sprintf("<details><summary>%s %s%s: %s</summary>\n\n", page.HTML(p.short(t.Trace)),
			page.HTML(t.Agent), title, facts), "</details>\n\n")
		p.talks = append(p.talks, one)
		one.Add(p.facts(t), "")
		for k, text := range t.Texts {
			part := one.Add(fmt.Sprintf("Prompt %d:\n\n%s\n", text.Index, promptText(text.Text)), "")
			if k == 0 {
				p.first = append(p.first, part)
			} else {
				p.later = append(p.later, part)
			}
		}
	}
}

// callsOf returns the number of calls of a conversation, if it is known.
func callsOf(t *Talk) string {
	if t.Of == nil {
		return ""
	}
	return show.CallsText(t.Of)
}

func costText(u *view.Usage) string {
	if u == nil {
		return ""
	}
	return show.CostOf(u)
}

// facts lists the facts of a conversation.
func (p *reportPage) facts(t *Talk) string {
	var out strings.Builder
	if len(t.Models) > 0 {
		fmt.Fprintf(&out, "- %s %s\n", numbers.Agree(len(t.Models), "model", "models"),
			numbers.SomeOf(coded(names(t.Models))))
	}
	fmt.Fprintf(&out, "- wrote %s in %s; %s in the result, %s gone\n", numbers.Count(t.Written, "line"),
		numbers.Count(t.Commits, "commit"), numbers.Thousands(t.Result), numbers.Thousands(t.Gone))
	var files []string
	for _, f := range t.Files {
		files = append(files, page.Code(f.Raw)+" +"+numbers.Thousands(f.Lines))
	}
	if len(files) > 0 {
		fmt.Fprintf(&out, "- in %s\n", numbers.SomeOf(files))
	}
	if t.Blocked {
		out.WriteString("- much of it could not be read, so no text of it is shown\n")
	}
	fmt.Fprintf(&out, "- `git trace show %s` has it\n\n", p.short(t.Trace))
	return out.String()
}

// promptText returns a prompt between fences, cut if it is long.
func promptText(text string) string {
	text = strings.Trim(text, "\n")
	if len(text) <= mostPrompt {
		return page.Fence(text)
	}
	head := text[:mostPrompt]
	if at := strings.LastIndexByte(head, '\n'); at > mostPrompt/2 {
		head = head[:at]
	}
	head = strings.ToValidUTF8(head, "")
	return page.Fence(head) + "\n" + numbers.Count(len(text)-len(head), "byte") + " more of it are not shown.\n"
}

// fileTable draws the table of files.
func (p *reportPage) fileTable() {
	if len(p.Files) == 0 {
		return
	}
	parts := p.Result.Owned().Parts()
	head := []string{"file", "added", "removed"}
	for _, part := range parts {
		head = append(head, part.Word)
	}
	table := p.Add(fmt.Sprintf("<details><summary>Files (%s)</summary>\n\n", numbers.Thousands(len(p.Files)))+
		tableRow(append(head, "conversations")...)+"|---|"+strings.Repeat("---:|", len(head)-1)+"---|\n",
		"\n</details>\n\n")
	for _, f := range p.Files {
		var traces []string
		for _, trace := range f.Traces {
			traces = append(traces, page.Cell(p.short(trace)))
		}
		row := []string{page.Cell(f.Raw)}
		for _, n := range append([]int{f.Added.Lines, f.Removed}, f.Added.Owned().By(parts)...) {
			figure := ""
			if n > 0 {
				figure = numbers.Thousands(n)
			}
			row = append(row, figure)
		}
		p.files = append(p.files, table.Add(tableRow(append(row, numbers.SomeOf(traces))...), ""))
	}
}

// models draws the models that were used.
func (p *reportPage) models() {
	s := p.Stats
	if s.Conversations.Recorded == 0 {
		return
	}
	p.line("**Models**: %s\n\n", figures.CostsText(&s.Cost))
	p.line("| model | answers | tokens in | out | cached | to cache |\n|---|---:|---:|---:|---:|---:|\n")
	for _, m := range s.Models {
		name := "not known"
		if m.Model != "" {
			name = page.Cell(view.ModelName(m.Model))
		}
		p.line("%s", tableRow(name, numbers.Thousands(m.Answers), numbers.Short(m.Input), numbers.Short(m.Output),
			numbers.Short(m.CacheRead), numbers.Short(m.CacheWrite)))
	}
	p.line("\nTokens and cost count whole conversations.\n\n")
}

// rests describes the evidence behind the figures.
func (p *reportPage) rests() {
	l := p.Limits
	list := p.Add("**What this rests on**\n\n", "\n")
	list.Add("- the result is git's diff; written counts the lines that all commits in between added\n", "")
	if slices.ContainsFunc(p.Writers, func(w Writer) bool { return w.Otherwise > 0 }) {
		list.Add("- other lines came by a merge or were moved: no commit of the range wrote them\n", "")
	}
	for _, fact := range []struct {
		n          int
		text, word string
	}{
		{l.Unheard, "with unknown owners", "commit"},
		{l.Unrecorded, "without a record, so without tokens and cost", "conversation"},
		{l.Blocked, "that could not be read in large part", "conversation"},
		{l.Elsewhere, "known only from the log of another clone", "conversation"},
		{l.Posed, "whose id another repository uses too, such as a fork: its claims are left out", "writer"},
	} {
		if fact.n > 0 {
			list.Add(fmt.Sprintf("- %s %s\n", numbers.Count(fact.n, fact.word), fact.text), "")
		}
	}
}

// `missing` lists the parts that a page left out.
func (r *rangeReport) missing(limit int, left []page.Left) string {
	var parts []string
	for _, one := range left {
		parts = append(parts, fmt.Sprintf("%s of %s", numbers.Thousands(one.Parts), numbers.Count(one.Of, one.What)))
	}
	return fmt.Sprintf("**Left out** to keep to %s: %s. All of it: %s\n", numbers.Count(limit, "byte"),
		strings.Join(parts, ", "), page.Code("git trace report "+r.Range.Text))
}

// rangeReport is a report, and the short ids of its conversations.
type rangeReport struct {
	*Report
	short func(events.TraceID) string
}
