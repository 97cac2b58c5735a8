package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame/trail"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// trackDrawer draws trails for people: the patches below their conversation, and the events of each patch below it, one
// on each line.
type trackDrawer struct {
	*showDrawer
	last string // the conversation that was drawn last
}

// trackLabel is the width of the label column.
const trackLabel = 11

// mostPlaces limits the places that are listed.
const mostPlaces = 6

func (d *trackDrawer) trail(list []*trail.Trail, i int) {
	t := list[i]
	if who := d.author(t); who != d.last {
		if d.last != "" {
			d.line("")
		}
		d.line(who)
		d.last = who
	} else if i > 0 {
		d.line("")
	}
	d.line("  " + d.pen.Paint(cells.Bold, d.cutLeft(d.safe(t.Path), max(d.width/2, 20))) + d.heading(list, i))
	if c := t.Created; c != nil {
		d.entry("created", moment(c.Time)+"  in "+worktreeText(c.Worktree))
	}
	for i := range t.Steps {
		d.step(&t.Steps[i])
	}
	d.now(t)
}

// gather groups the trails by author, in the order of each author's first trail.
func (d *trackDrawer) gather(list []*trail.Trail) {
	first := map[string]int{}
	for i, t := range list {
		if _, known := first[d.author(t)]; !known {
			first[d.author(t)] = i
		}
	}
	slices.SortStableFunc(list, func(a, b *trail.Trail) int { return first[d.author(a)] - first[d.author(b)] })
}

// author names the writer of a patch: its conversation and prompt, several candidates, or people.
func (d *trackDrawer) author(t *trail.Trail) string {
	o := &t.Owner
	switch {
	case o.Trace != "":
		return d.conversation(o.Trace, o.Prompt) + "  " + d.safe(cells.Dotted(o.Agent, view.ModelName(o.Model), o.Subagent))
	case len(o.Candidates) > 0:
		var ids []string
		for _, c := range o.Candidates {
			if id := d.conversation(c.Trace, 0); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return "one of " + strings.Join(ids, ", ")
	case o.Kind == events.OwnerHuman:
		return "people"
	}
	return string(events.OwnerUnknown)
}

// heading returns the hunk and the call of a patch.
func (d *trackDrawer) heading(list []*trail.Trail, i int) string {
	t := list[i]
	nth, all := 0, 0
	for j, other := range list {
		if other.Owner.ToolCall == t.Owner.ToolCall && other.Owner.ToolCall != "" && other.Path == t.Path {
			all++
			if j == i {
				nth = all
			}
		}
	}
	var parts []string
	if all > 1 {
		parts = append(parts, fmt.Sprintf("hunk %d of %d", nth, all))
	}
	parts = append(parts, counts(t.Lines, t.Removed))
	if t.Owner.ToolCall != "" {
		parts = append(parts, cells.Spaced(d.safe(t.Owner.Tool), shortCall(t.Owner.ToolCall, 24)))
	}
	return "  " + d.pen.Paint(cells.Faint, strings.Join(parts, " · "))
}

// entry draws a label and a text.
func (d *trackDrawer) entry(label, text string) {
	d.line("    " + d.pen.Paint(cells.Faint, cells.Pad(label, trackLabel)) + text)
}

// `wrapped` draws a label and a text, broken at the width of the screen.
func (d *trackDrawer) wrapped(label, text string) {
	const most = 20
	for i, row := range cells.Wrap(text, max(d.width-trackLabel-4, 20), most) {
		if i > 0 {
			label = ""
		}
		d.entry(label, row)
	}
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

func worktreeText(name string) string {
	if name == "" {
		return "the work tree"
	}
	return "the work tree '" + cells.Safe(name) + "'"
}

func (d *trackDrawer) step(s *trail.Step) {
	var parts []string
	if s.Kind == trail.Carried {
		parts = append(parts, fmt.Sprintf("%s (was %s)", d.safe(s.By), d.commit(s.From)))
	}
	if n := s.Lines(); n > 0 {
		parts = append(parts, numbers.Count(n, "line"))
	}
	parts = append(parts, strings.ReplaceAll(d.safe(s.Tier), "_", " "))
	d.entry(string(s.Kind), moment(s.Time)+"  "+d.pen.Paint(cells.HashColor, d.commit(s.Commit))+"  "+strings.Join(parts,
		", "))
}

// `now` draws what became of the lines.
func (d *trackDrawer) now(t *trail.Trail) {
	n := &t.Now
	for i, text := range d.whatIsLeft(t) {
		label := ""
		if i == 0 {
			label = "now"
		}
		d.wrapped(label, text)
	}
	if n.State == trail.Unsettled && n.Worktree != nil {
		d.entry("", "git trace track, run there, says what is left")
	}
}

func (d *trackDrawer) whatIsLeft(t *trail.Trail) []string {
	n := &t.Now
	var out []string
	if n.Alive > 0 {
		out = append(out, d.alive(t))
	}
	for _, loss := range n.Changed {
		out = append(out, fmt.Sprintf("%d changed %s", loss.Lines, d.byWhom(&loss)))
	}
	for _, loss := range n.Reverted {
		out = append(out, fmt.Sprintf("%s reverted %s", d.ofAll(loss.Lines, t.Lines), d.byWhom(&loss)))
	}
	for _, loss := range n.Lost {
		if loss.Commit.IsZero() {
			out = append(out, d.ofAll(loss.Lines, t.Lines)+" lost in the work tree, which is not committed")
		} else {
			out = append(out, fmt.Sprintf("%s lost with %s", d.ofAll(loss.Lines, t.Lines), d.commitBy(loss.Commit, loss.Author)))
		}
	}
	switch n.State {
	case trail.NoLines:
		out = append(out, "it added no lines")
	case trail.Orphaned:
		var ids []string
		for i := range t.Steps {
			ids = append(ids, d.commit(t.Steps[i].Commit))
		}
		out = append(out, "orphaned: no ref leads to "+strings.Join(ids, ", "))
	case trail.Stashed:
		out = append(out, "stashed in "+d.safe(n.Stash))
	case trail.Unsettled:
		if n.Worktree != nil {
			out = append(out, "not committed; "+worktreeText(*n.Worktree)+" may have it")
		} else {
			out = append(out, "unknown: git does not show it")
		}
	case trail.Dropped:
		out = append(out, "never committed")
	default:
		if n.Dropped > 0 {
			out = append(out, strconv.Itoa(n.Dropped)+" never committed")
		}
	}
	return out
}

// ofAll returns "3 of 12" if not all lines are meant, otherwise "12 lines".
func (d *trackDrawer) ofAll(lines, all int) string {
	if lines >= all {
		return numbers.Count(lines, "line")
	}
	return strconv.Itoa(lines) + " of " + strconv.Itoa(all)
}

// `alive` lists the places of the living lines.
func (d *trackDrawer) alive(t *trail.Trail) string {
	n := &t.Now
	text := "alive"
	if n.Alive < t.Lines {
		text = fmt.Sprintf("%d of %d alive", n.Alive, t.Lines)
	}
	if n.Moved > 0 {
		text += ", moved"
	}
	if n.Ref != "" {
		text += " on " + d.safe(shortRef(n.Ref))
	}
	prep := " at "
	if n.Moved > 0 {
		prep = " to "
	}
	var places []string
	for _, run := range joined(n.Places) {
		places = append(places, d.safe(placeText(run)))
	}
	if more := len(places) - mostPlaces; more > 0 {
		places = append(places[:mostPlaces], "and "+numbers.Count(more, "place")+" more")
	}
	text += prep + strings.Join(places, ", ")
	if n.Uncommitted() {
		text += ", not committed yet"
	}
	return text
}

// `joined` joins neighbouring lines into runs, even if their commits differ.
func joined(places []trail.Place) []trail.Run {
	var out []trail.Run
	for _, p := range places {
		if last := len(out) - 1; last >= 0 && out[last].Path == p.Path && out[last].Start+out[last].Count == p.Start {
			out[last].Count += p.Count
			continue
		}
		out = append(out, p.Run)
	}
	return out
}

func shortRef(ref string) string {
	for _, kind := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
		if name, ok := strings.CutPrefix(ref, kind); ok {
			return name
		}
	}
	return ref
}

// byWhom names the writer that changed or removed lines, and the commit.
func (d *trackDrawer) byWhom(loss *trail.Loss) string {
	who := d.safe(loss.Author)
	if o := loss.Owner; o != nil {
		switch {
		case o.Trace != "":
			who = d.safe(d.short(o.Trace))
			if o.Prompt > 0 {
				who += "#" + strconv.Itoa(o.Prompt)
			}
		case who == "":
			who = "people"
		}
	}
	if loss.Commit.IsZero() {
		return "by " + who + ", not committed yet"
	}
	return "by " + who + " in " + d.commit(loss.Commit)
}

func (d *trackDrawer) commitBy(id refs.OID, author string) string {
	text := d.commit(id)
	if author != "" {
		text += " by " + d.safe(author)
	}
	return text
}
