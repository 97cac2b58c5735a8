package show

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/patch"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/view"
)

// Limits for the list of calls, in cells.
const (
	mostTool  = 12
	leastCall = 14 // characters of a call's id, unless more are needed to distinguish the ids
	heldWidth = 13 // width of the commits on the right
)

// calls lists tool calls.
func (d *showDrawer) calls(list []view.Call) {
	for _, row := range d.callRows(list) {
		d.line(row)
	}
}

// callRows returns a row for each call: its tool, its id, its changes, and the commits with its lines.
func (d *showDrawer) callRows(list []view.Call) (rows []string) {
	tool, ids := 4, make([]string, 0, len(list))
	for i := range list {
		tool = max(tool, cells.Width(cells.Safe(list[i].Tool)))
		ids = append(ids, list[i].ToolCall)
	}
	tool = min(tool, mostTool)
	digits, id := cells.UniqueLength(ids, leastCall), 0
	for _, text := range ids {
		id = max(id, cells.Width(shortCall(text, digits)))
	}
	id = min(id, d.width/3)
	for i := range list {
		c := &list[i]
		left := "  " + cells.Fit(cells.Safe(c.Tool), tool) + "  " + cells.Fit(shortCall(c.ToolCall, digits), id) + "  "
		room := d.width - cells.Width(left) - heldWidth - 2
		cut := cells.Cut
		if onlyPaths(c) {
			cut = cells.CutLeft // the end of a path says more
		}
		what := cut(changes(c), max(room, 10))
		rows = append(rows, strings.TrimRight(left+what+strings.Repeat(" ", max(room-cells.Width(what), 0)+2)+
			d.pen.Paint(cells.Faint, d.held(c)), " "))
	}
	return rows
}

// shortCall abbreviates the id of a tool call. Commands accept the ellipsis, too.
func shortCall(id string, digits int) string {
	if len(id) <= digits+1 {
		return cells.Safe(id)
	}
	return cells.Safe(id[:digits]) + "…"
}

// onlyPaths reports whether the names of a call's files are all that is known of it.
func onlyPaths(c *view.Call) bool { return !c.Seen && len(c.Files)+len(c.Held) == 0 }

// changes describes the changes of a call. If no hook saw the call, only its lines in commits are known. For a Read
// that only the session file reports, it returns the path.
func changes(c *view.Call) string {
	var out []string
	switch c.Status {
	case "", "done":
	default:
		out = append(out, c.Status)
	}
	for _, f := range c.Files {
		out = append(out, cells.Safe(f.Path)+" "+counts(f.Added, f.Removed))
	}
	switch {
	case len(c.Files) > 0:
	case c.Seen:
		out = append(out, "no change")
	case onlyPaths(c):
		for _, path := range c.Paths {
			out = append(out, cells.Safe(path))
		}
	default:
		for _, f := range c.Held {
			out = append(out, cells.Safe(f.Path)+" "+numbers.Count(f.Added, "line"))
		}
	}
	return strings.Join(out, "  ")
}

func counts(added, removed int) string {
	switch {
	case removed == 0:
		return "+" + strconv.Itoa(added)
	case added == 0:
		return "−" + strconv.Itoa(removed)
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// `held` names the first commit with lines of a call, and counts the others.
func (d *showDrawer) held(c *view.Call) string {
	added := 0
	for _, f := range c.Files {
		added += f.Added
	}
	switch n := len(c.Commits); {
	case n == 1:
		return d.commit(c.Commits[0].Commit)
	case n > 1:
		return cells.Cut(d.commit(c.Commits[0].Commit), heldWidth-3) + " +" + strconv.Itoa(n-1)
	case added > 0:
		return "not committed"
	}
	return ""
}

func (t callView) draw(d *showDrawer) {
	d.field("tool call", d.safe(t.ToolCall))
	d.field("conversation", cells.Spaced(d.conversation(t.Trace, t.Prompt),
		d.safe(cells.Dotted(t.Agent, view.ModelName(t.Model), t.Subagent))))
	d.field("tool", d.safe(cells.Spaced(t.Tool, t.Status)))
	if t.Opened != nil {
		d.field("time", d.when(*t.Opened))
	}
	if t.Step > 0 {
		d.field("step", d.safe(d.short(t.Trace))+":"+strconv.Itoa(t.Step))
	}
	d.command(t.Input)
	d.field("commits", d.commits(t.Commits))
	d.limits(t.Limits)
	d.changes(t.Hunks)
	d.allDeclared(t.Declared)
}

func (d *showDrawer) limits(list []events.Limit) {
	d.field("but", d.safe(limitNames(list)))
}

func limitNames(list []events.Limit) string {
	var out []string
	for _, l := range list {
		out = append(out, strings.ReplaceAll(string(l), "_", " "))
	}
	return strings.Join(out, ", ")
}

func (p hunkView) draw(d *showDrawer) {
	d.field("patch", d.safe(string(p.Patch)))
	switch {
	case p.Trace != "":
		d.field("conversation", cells.Spaced(d.conversation(p.Trace, p.Prompt),
			d.safe(cells.Dotted(p.Agent, view.ModelName(p.Model), p.Subagent))))
		d.field("tool call", d.safe(cells.Spaced(p.Tool, p.ToolCall)))
	case p.Owner == events.OwnerHuman:
		d.field("by", "people")
	default:
		d.field("by", d.safe(string(p.Owner)))
	}
	for _, c := range p.Candidates {
		d.field("perhaps", cells.Spaced(d.conversation(c.Trace, 0), d.safe(cells.Spaced(c.Agent, c.ToolCall))))
	}
	d.field("time", d.when(p.Time))
	d.field("commits", d.commits(p.Commits))
	for _, id := range p.Previous {
		d.field("replaces", "lines of "+d.safe(string(id)))
	}
	d.limits(p.Limits)
	d.line("")
	d.hunks([]*view.Hunk{p.Hunk}, false)
}

// changes draws patches. The patches of one change of a file are drawn together.
func (d *showDrawer) changes(list []*view.Hunk) {
	for len(list) > 0 {
		n := 1
		for n < len(list) && oneChange(list[0], list[n]) {
			n++
		}
		d.line("")
		d.hunks(list[:n], true)
		list = list[n:]
	}
}

// oneChange reports whether two patches belong to one change of a file.
func oneChange(a, b *view.Hunk) bool {
	return a.Path == b.Path && a.OldPath == b.OldPath && a.Before == b.Before && a.After == b.After &&
		a.OldCount+a.NewCount > 0 && b.OldCount+b.NewCount > 0
}

// hunks draws the patches of one change of a file as one unified diff.
func (d *showDrawer) hunks(list []*view.Hunk, named bool) {
	p := list[0]
	path := d.safe(p.Path)
	if p.OldPath != "" {
		path = d.safe(p.OldPath) + " → " + path
	}
	if named {
		ids := make([]string, len(list))
		for i := range list {
			ids[i] = d.safe(string(list[i].Patch))
		}
		path += d.pen.Paint(cells.Faint, "  patch "+strings.Join(ids, ", "))
	}
	d.line(d.pen.Paint(cells.Bold, path))
	if p.OldCount+p.NewCount == 0 {
		d.line("  " + cells.Spaced(wholeChange(p), d.safe(p.Mode)))
		return
	}
	d.diff(list, nil)
	for _, p := range list {
		for _, k := range p.Kept {
			why := map[string]string{"space": "only white space changed", "moved": "they were moved",
				"restored": "git put them back", "reformatted": "only their form changed"}[k.Why]
			d.line(d.pen.Paint(cells.Faint, fmt.Sprintf("  line %d, %s: the older owner stays, %s", k.Start,
				numbers.Count(k.Count, "line"), why)))
		}
	}
}

// diff draws the changed lines with context, or only the lines inside `crop`. If their text is lost, it draws their
// number.
func (d *showDrawer) diff(list []*view.Hunk, crop *patch.Crop) {
	p := list[0]
	oldPath, newPath := cmp.Or(p.OldPath, p.Path), p.Path
	if p.Before.IsZero() {
		oldPath = ""
	}
	if p.After.IsZero() {
		newPath = ""
	}
	var changes []patch.Change
	for _, p := range list {
		c := patch.Change{OldStart: p.OldStart, OldCount: p.OldCount, NewStart: p.NewStart, NewCount: p.NewCount}
		if p.Removed == nil {
			c.OldStart, c.OldCount = 0, 0
			d.notKept("-", p.OldCount)
		}
		changes = append(changes, c)
	}
	file, err := patch.Of(oldPath, newPath, p.Old, p.New, changes)
	if err == nil {
		var text string
		if text, err = file.Draw(patch.Style{Terminal: d.terminal, Color: d.pen.On, Crop: crop}); err == nil {
			d.text.WriteString(text)
			return
		}
	}
	for _, p := range list {
		d.notKept("+", p.NewCount)
	}
}

// notKept draws the number of lines whose text is lost.
func (d *showDrawer) notKept(sign string, count int) {
	d.line(d.pen.Paint(cells.Faint, fmt.Sprintf("%s(%s; the text is no longer kept)", sign, numbers.Count(count, "line"))))
}

func wholeChange(p *view.Hunk) string {
	switch {
	case p.Before.IsZero() && p.Mode == "":
		return "file without lines"
	case p.Before == p.After:
		return "mode changed"
	}
	return "changed as a whole: it has no lines"
}
