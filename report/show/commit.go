package show

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

func (c *commitView) draw(d *showDrawer) {
	g := &c.commit
	d.field("commit", d.pen.Paint(cells.HashColor, g.ID.String())+d.refNames(g.Refs))
	d.field("author", d.safe(fmt.Sprintf("%s <%s>", g.Author, g.Mail)))
	d.field("date", d.when(g.Time))
	d.field("subject", d.safe(g.Subject))
	d.reviews(c.reviews)
	if len(g.Parents) > 1 {
		d.field("merge", mergeOf(g.Parents))
	}
	for _, r := range c.rewrites {
		if r.New == g.ID {
			d.field("instead of", d.pen.Paint(cells.HashColor, r.Old.String()[:10])+d.safe(" ("+r.Kind+")"))
		} else {
			d.field("replaced by", d.pen.Paint(cells.HashColor, r.New.String()[:10])+d.safe(" ("+r.Kind+")"))
		}
	}
	if !g.Anchored {
		d.line("")
		d.line("nothing is recorded of this commit")
		return
	}
	d.field("added", numbers.Count(g.Added, "line")+": "+g.Owned().String())
	for i := range g.Contributors {
		d.line("")
		d.contributor(g, i, c.asked[g.Contributors[i].Key()])
	}
}

// reviews draws the reviewers of a commit, one on each line.
func (d *showDrawer) reviews(list []view.Review) {
	for i, r := range list {
		d.field(label(i == 0, "reviewed"), d.safe(r.Who+" ("+r.How+")"))
	}
}

// mergeOf lists the parents of a merge in the form of git log.
func mergeOf(parents []refs.OID) string {
	short := make([]string, len(parents))
	for i, p := range parents {
		short[i] = p.String()[:10]
	}
	return strings.Join(short, " ")
}

func (d *showDrawer) refNames(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + d.safe(strings.Join(names, ", ")) + ")"
}

// contributor draws an owner of lines in a commit, with the number of lines in each file.
func (d *showDrawer) contributor(c *graph.Commit, n int, asked string) {
	who := &c.Contributors[n]
	name := string(who.Kind)
	switch {
	case who.Trace != "":
		name = cells.Spaced(d.conversation(who.Trace, who.Prompt), d.safe(cells.Dotted(who.Agent, view.ModelName(who.Model))))
	case who.Kind == events.OwnerHuman:
		name = "people"
	case who.Kind == events.OwnerAI:
		var ids []string
		for _, one := range who.Candidates {
			ids = append(ids, d.conversation(one.Trace, 0))
		}
		name = "one of " + strings.Join(ids, ", ")
	}
	d.line(fmt.Sprintf("%s  %s", name, numbers.Count(who.Lines, "line")))
	if asked != "" {
		d.line(`  "` + d.cut(cells.Line(asked), d.width-4) + `"`)
	}
	for _, t := range who.Tellers {
		part := ""
		if t.Lines < who.Lines {
			part = numbers.Count(t.Lines, "line") + " "
		}
		d.line("  " + part + "told by " + d.safe(anotherClone(t.Writer, records.Value(t.Signer))))
	}
	widest := 0
	for _, f := range who.Files {
		widest = max(widest, cells.Width(d.safe(f.Path)))
	}
	const figures = 8
	widest = min(widest, d.width-figures)
	for _, f := range who.Files {
		d.line("  " + cells.Pad(d.cutLeft(d.safe(f.Path), widest), widest) + fmt.Sprintf(" +%d", f.Lines))
	}
}
