package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/patch"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/view"
)

// mostTurnRows is the greatest number of rows of one change in the view of a whole prompt. The view of the call has all
// rows.
const mostTurnRows = 12

// `draw` shows a prompt as a conversation: the prompt, the agent's texts and calls, their changes, and the changes in
// commits.
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
			if h.OldCount+h.NewCount > 0 && len(c.Declared) == 0 {
				d.diff([]*view.Hunk{h}, &patch.Crop{
					Line: h.NewStart, Rows: mostTurnRows, Title: d.safe(h.Path), LeftOut: d.leftOut,
				})
			}
		}
		for _, e := range c.Declared {
			d.declared(e, e.Hunks[0].NewStart+1, mostTurnRows)
		}
	}
	for _, s := range said {
		d.says(s.Text)
	}
	d.came(calls)
}

func (d *showDrawer) says(text string) {
	d.gap()
	d.prose("  "+d.pen.Paint(cells.Faint, "│ "), text, max(d.width-4, 20), mostAnswerLines)
	d.line("")
}

// `came` draws the total of the calls' changes, and how many lines are in commits.
func (d *showDrawer) came(calls []view.Call) {
	o := cameOf(calls)
	if len(o.files)+len(o.commits) == 0 {
		return
	}
	d.gap()
	if len(o.files) > 0 {
		d.field("changed", o.changed())
	}
	if o.kept() {
		d.field("kept", cmp.Or(d.commits(o.commits), noneKept))
	}
}

// upshot is the total of the results of calls.
type upshot struct {
	files          []string
	added, removed int
	commits        []view.CommitLines // commits that contain lines of the calls
}

const noneKept = "no line is in a commit"

func (o *upshot) changed() string {
	return counts(o.added, o.removed) + " in " + numbers.Count(len(o.files), "file")
}

// `kept` reports whether there are commits or added lines to draw.
func (o *upshot) kept() bool { return len(o.commits) > 0 || o.added > 0 }

func cameOf(calls []view.Call) upshot {
	var o upshot
	for i := range calls {
		for _, f := range calls[i].Files {
			o.added, o.removed = o.added+f.Added, o.removed+f.Removed
			if !slices.Contains(o.files, f.Path) {
				o.files = append(o.files, f.Path)
			}
		}
		for _, c := range calls[i].Commits {
			at := slices.IndexFunc(o.commits, func(other view.CommitLines) bool { return other.Commit == c.Commit })
			if at < 0 {
				o.commits = append(o.commits, c)
			} else {
				o.commits[at].Lines += c.Lines
			}
		}
	}
	return o
}

// prompt writes a prompt as a conversation, with all texts and changes in full.
func (m *MarkdownPage) prompt(p *promptView, short func(events.TraceID) string) {
	fmt.Fprintf(&m.out, "\n# %s#%d\n\n", short(p.Trace), p.Index)
	m.Fact("conversation", string(p.Trace))
	m.Fact("agent", p.Agent)
	if p.Time != nil {
		m.Fact("asked", p.Time.UTC().Format(time.RFC3339))
	}
	calls := make([]view.Call, len(p.Calls))
	for i, c := range p.Calls {
		calls[i] = c.Call
	}
	o := cameOf(calls)
	if len(o.files) > 0 {
		m.Fact("changed", o.changed())
	}
	for _, c := range o.commits {
		m.Fact("kept", fmt.Sprintf("%s in %s", numbers.Count(c.Lines, "line"), c.Commit))
	}
	if len(o.commits) == 0 && o.kept() {
		m.Fact("kept", noneKept)
	}
	if p.Text != nil {
		m.Part("Asked", *p.Text)
	}
	said := p.Said
	for _, c := range p.Calls {
		for len(said) > 0 && said[0].Step <= c.Step {
			m.Part("Said", said[0].Text)
			said = said[1:]
		}
		m.wholeCall(c)
	}
	for _, s := range said {
		m.Part("Said", s.Text)
	}
}

// wholeCall writes a call with its complete input and changes.
func (m *MarkdownPage) wholeCall(c *view.WholeCall) {
	fmt.Fprintf(&m.out, "\n### %s `%s`\n", cells.Safe(c.Tool), strings.ReplaceAll(cells.Safe(c.ToolCall), "`", "'"))
	for _, f := range records.Members(c.Input) {
		fmt.Fprintf(&m.out, "\n%s:\n\n", cells.Safe(f.Name))
		m.fence(f.Text)
	}
	for _, h := range c.Hunks {
		if h.OldCount+h.NewCount == 0 {
			continue
		}
		fmt.Fprintf(&m.out, "\n`%s:%d`:\n\n", strings.ReplaceAll(cells.Safe(h.Path), "`", "'"), h.NewStart)
		m.change(h)
	}
}
