package main

import (
	"slices"

	"github.com/git-trace/git-trace/cells/patch"
	"github.com/git-trace/git-trace/view"
)

// mostTurnRows is how many rows of one change are drawn where all of a prompt is; the call shows the whole.
const mostTurnRows = 12

// draw shows a prompt as a talk: what was asked, what the agent said and did, what that changed, what was kept of it.
func (p *promptView) draw(d *showDrawer) {
	d.turn(&p.Turn, true)
	calls := make([]view.Call, len(p.Calls))
	for i, c := range p.Calls {
		calls[i] = c.Call
	}
	rows, said := d.callRows(calls), p.Said
	for i, c := range p.Calls {
		for len(said) > 0 && said[0].Step <= c.Step {
			d.says(said[0].Text)
			said = said[1:]
		}
		d.line(rows[i])
		d.command(c.Input)
		for _, h := range c.Hunks {
			if h.OldCount+h.NewCount > 0 {
				d.diff([]*view.Hunk{h}, &patch.Crop{
					Line: h.NewStart, Rows: mostTurnRows, Title: d.safe(h.Path), LeftOut: d.leftOut,
				})
			}
		}
	}
	for _, s := range said {
		d.says(s.Text)
	}
	d.came(calls)
}

func (d *showDrawer) says(text string) {
	d.line("")
	d.prose("  "+d.pen.paint(faint, "│ "), text, max(d.width-4, 20), mostAnswerLines)
	d.line("")
}

// came says what calls changed in all, and how much of it commits hold.
func (d *showDrawer) came(calls []view.Call) {
	added, removed := 0, 0
	var files []string
	var commits []view.CommitLines
	for i := range calls {
		for _, f := range calls[i].Files {
			added, removed = added+f.Added, removed+f.Removed
			if !slices.Contains(files, f.Path) {
				files = append(files, f.Path)
			}
		}
		for _, c := range calls[i].Commits {
			at := slices.IndexFunc(commits, func(other view.CommitLines) bool { return other.Commit == c.Commit })
			if at < 0 {
				commits = append(commits, c)
			} else {
				commits[at].Lines += c.Lines
			}
		}
	}
	if len(files)+len(commits) == 0 {
		return
	}
	d.line("")
	if len(files) > 0 {
		d.field("changed", counts(added, removed)+" in "+plural(len(files), "file"))
	}
	switch {
	case len(commits) > 0:
		d.field("kept", d.commits(commits))
	case added > 0:
		d.field("kept", "no line is in a commit")
	}
}
