package show

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/patch"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/why"
	"github.com/git-trace/git-trace/view"
)

// Limits for the screen about a line, in rows.
const (
	mostWhyLines   = 8 // for the requested lines
	mostThoughts   = 6
	mostWhyPrompt  = 6
	mostWhyCommand = 6
	mostWhyRows    = 16 // limit for the change around the requested line
)

// evidenceText describes each tier of evidence.
var evidenceText = map[string]string{
	correlate.TierExactBlob:   "the committed file was seen in the work tree, to the last byte",
	correlate.TierExactLines:  "the line was seen in the work tree as it was written",
	string(events.Watched):    "git-trace saw it appear",
	string(events.SeenTyping): "an editor saw it typed",
	correlate.TierMovedLines:  "the line moved, in a block that kept its owner",
	correlate.TierReformatted: "the line was written in another form",
	correlate.TierRewritten:   "carried from the commit that this one replaced",
	correlate.TierSamePatch:   "the commit makes the same change; no hook saw it",
	correlate.TierNamed:       "the conversation says that it made this commit, with its edits alone",
	correlate.TierFingerprint: "only this line is equal; no hook saw the commit",
}

// foundText explains the tiers that compare contents, for edits that no hook saw: the session's edits were replayed.
var foundText = map[string]string{
	correlate.TierExactBlob:  "the committed file equals the result of its edits, to the last byte; no hook saw them",
	correlate.TierExactLines: "its edits wrote exactly this line; no hook saw them",
}

// evidenceOf describes the evidence for the owner of lines.
func evidenceOf(r *why.Reason) string {
	o := r.Owner()
	if r.Commit() == nil {
		return "seen in the work tree"
	}
	return strings.Trim(o.Confidence+": "+tierText(o), ": ")
}

func tierText(o *blame.Attribution) string {
	if text := foundText[o.Evidence]; text != "" && o.Patch == "" && o.Writer == "" && o.Trace != "" {
		return text
	}
	return evidenceText[o.Evidence]
}

func (v *WhyView) draw(d *showDrawer) {
	for i, r := range v.reasons {
		if i > 0 {
			d.line("")
		}
		d.reason(r, v.reviews)
	}
}

func (d *showDrawer) reason(r *why.Reason, reviews map[refs.OID][]view.Review) {
	d.whyLines(r)
	d.line("")
	o := r.Owner()
	completed := r.Completed()
	if completed == "" {
		d.asked(r)
	}
	switch {
	case completed != "":
		d.wrappedField("written", d.safe(completed), 3)
		d.field("kept in", d.conversation(o.Trace, 0))
	case o.Trace != "":
		d.field("answered by", d.safe(cells.Dotted(o.Agent, view.ModelName(o.Model), o.Subagent)))
	default:
		d.field("written by", d.safe(writtenBy(r)))
	}
	d.thoughts(r)
	d.did(r)
	d.evidence(r)
	if c := r.Commit(); c != nil {
		subject := d.cut(d.safe(c.Summary), max(d.width-14-d.digits-1, 10))
		d.field("commit", d.pen.Paint(cells.HashColor, d.commit(c.ID))+" "+subject)
		d.field("", d.pen.Paint(cells.Faint, d.safe(c.Author.Name)+", "+c.Author.When().Format("2006-01-02 15:04")))
		d.reviews(reviews[c.ID])
	} else {
		d.field("commit", "none yet")
	}
	d.replaced(r)
	if r.Trail != nil {
		t := &trackDrawer{showDrawer: d}
		for i, text := range t.whatIsLeft(r.Trail) {
			d.wrappedField(label(i == 0, "since"), text, 3)
		}
	}
	d.next(r)
}

// writtenBy names the writer of lines if no conversation is known.
func writtenBy(r *why.Reason) string {
	c := r.Commit()
	switch kind := r.Owner().Kind; {
	case kind == events.OwnerOlder:
		return c.Author.Name + ", before the recording"
	case kind == events.OwnerHuman && c != nil:
		return c.Author.Name
	case kind == events.OwnerHuman:
		return "a person"
	}
	return "nobody knows"
}

func label(first bool, name string) string {
	if first {
		return name
	}
	return ""
}

// wrappedField draws a text, broken at the width of the screen.
func (d *showDrawer) wrappedField(name, text string, rows int) {
	for i, row := range cells.Wrap(text, max(d.width-14, 20), rows) {
		d.line(cells.Pad(label(i == 0, name), 14) + row)
	}
}

// whyLines draws the requested lines.
func (d *showDrawer) whyLines(r *why.Reason) {
	d.line(d.pen.Paint(cells.Bold, d.safe(r.Path)+":"+lineList(r)))
	digits := len(strconv.Itoa(r.Lines[len(r.Lines)-1].FinalLine))
	color := ""
	if r.Owner().Trace != "" {
		color = traceColor(r.Owner().Trace)
	}
	for i := range r.Lines {
		if i == mostWhyLines {
			d.line(d.pen.Paint(cells.Faint, fmt.Sprintf("  … %s more", numbers.Count(len(r.Lines)-i, "line"))))
			break
		}
		text := d.content(string(r.Lines[i].Content))
		if color != "" {
			text = d.pen.Paint(color, text)
		}
		d.line(fmt.Sprintf("  %*d │ %s", digits, r.Lines[i].FinalLine, text))
	}
}

// lineList lists line numbers in the form of the command line: 3, 7-9.
func lineList(r *why.Reason) string {
	var out []string
	for i := 0; i < len(r.Lines); {
		k := i
		for k+1 < len(r.Lines) && r.Lines[k+1].FinalLine == r.Lines[k].FinalLine+1 {
			k++
		}
		text := strconv.Itoa(r.Lines[i].FinalLine)
		if k > i {
			text += "-" + strconv.Itoa(r.Lines[k].FinalLine)
		}
		out = append(out, text)
		i = k + 1
	}
	return strings.Join(out, ", ")
}

func (d *showDrawer) asked(r *why.Reason) {
	o := r.Owner()
	if o.Trace == "" {
		return
	}
	head := d.conversation(o.Trace, o.PromptIndex)
	if t := r.Turn; t != nil && t.Time != nil {
		head += "  " + d.pen.Paint(cells.Faint, d.when(*t.Time))
	}
	d.field("asked in", head)
	switch t := r.Turn; {
	case t != nil && t.Text != nil:
		d.wrappedField("", `"`+cells.Line(*t.Text)+`"`, mostWhyPrompt)
	case o.PromptIndex > 0:
		d.field("", d.pen.Paint(cells.Faint, "the text of the prompt is not kept here"))
	}
}

// thoughts draws the agent's reasoning and text from before the call.
func (d *showDrawer) thoughts(r *why.Reason) {
	if r.Step == nil {
		return
	}
	if r.Call != nil && r.Call.Thought != "" {
		d.wrappedField("thought", cells.Line(r.Call.Thought), mostThoughts)
	}
	if text := r.Step.Content; text != nil && strings.TrimSpace(*text) != "" {
		d.wrappedField("said", cells.Line(*text), mostThoughts)
	}
}

// `did` draws the call with its command and its change.
func (d *showDrawer) did(r *why.Reason) {
	o := r.Owner()
	if o.ToolCall != "" {
		text := cells.Spaced(d.safe(o.Tool), d.safe(o.ToolCall))
		if r.Step != nil {
			text += "  " + d.pen.Paint(cells.Faint, "step "+d.safe(d.short(o.Trace))+":"+strconv.Itoa(r.Step.StepIndex))
		}
		d.field("did", text)
	}
	if r.Call != nil {
		d.command(r.Call.Input)
	}
	if r.Declared == nil && r.Hunk != nil && r.Hunk.OldCount+r.Hunk.NewCount > 0 && o.Kind != events.OwnerHuman {
		d.line("")
		d.around(r)
		d.line("")
	}
	if e := r.Declared; e != nil {
		d.line("")
		d.declared(e, e.LineOf(r.Lines[0].Content), mostWhyRows)
		d.line("")
	}
}

// command draws the command or the task of a call. It draws nothing if the call's input names a file.
func (d *showDrawer) command(input json.RawMessage) {
	text, isPath := view.MainArgument(input)
	if isPath || text == "" {
		return
	}
	rows := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, row := range rows[:min(len(rows), mostWhyCommand)] {
		d.line(cells.Pad("", 14) + label(i == 0, "$ ") + d.cut(d.content(row), max(d.width-16, 20)))
	}
	if more := len(rows) - mostWhyCommand; more > 0 {
		d.line(cells.Pad("", 14) + d.pen.Paint(cells.Faint, "… "+numbers.Count(more, "line")+" more"))
	}
}

// `around` draws the part of the change around the first of the lines.
func (d *showDrawer) around(r *why.Reason) {
	h := r.Hunk
	at := max(slices.Index(h.Added, string(r.Lines[0].Content)), 0)
	d.diff([]*view.Hunk{h}, &patch.Crop{
		Line: h.NewStart + at, Rows: mostWhyRows, Title: d.safe(h.Path), LeftOut: d.leftOut,
	})
}

func (d *showDrawer) leftOut(lines int) string {
	return d.pen.Paint(cells.Faint, "  … "+numbers.Count(lines, "line")+" more") + "\n"
}

// evidence draws the evidence for the owner of the lines, and doubts about it.
func (d *showDrawer) evidence(r *why.Reason) {
	o := r.Owner()
	switch {
	case o.Kind == events.OwnerOlder:
		d.wrappedField("evidence", "none: the line is older than the recording", 3)
	case !o.Kind.Known():
		d.wrappedField("evidence", "none: "+InWords(o.Limits), 3)
	default:
		d.wrappedField("evidence", evidenceOf(r), 3)
		d.limits(o.Limits)
	}
	d.told(o)
	var calls []string
	for _, c := range o.Candidates {
		calls = append(calls, cells.Spaced(d.conversation(c.Trace, 0), d.safe(c.Agent), d.safe(c.ToolCall)))
	}
	for i, text := range calls {
		d.field(label(i == 0, "perhaps"), text)
	}
}

// anotherClone names another clone by the id of its log, and the signer of that log.
func anotherClone(writer, signer string) string {
	if signer == "" {
		return "another clone (" + writer + ", not signed)"
	}
	return "another clone (" + writer + ", signed by " + signer + ")"
}

// `told` draws the clone whose log names the owner, and the clones that disagree.
func (d *showDrawer) told(o *blame.Attribution) {
	if o.Writer != "" {
		d.wrappedField("told by", d.safe(anotherClone(o.Writer, o.Signer)), 3)
	}
	if len(o.Disputed) > 0 {
		d.wrappedField("disputed", d.safe(strings.Join(o.Disputed, ", ")+" "+numbers.Agree(len(o.Disputed), "says", "say")+
			" that somebody else wrote it"), 3)
	}
}

// `replaced` draws the owners of the lines that these lines replaced.
func (d *showDrawer) replaced(r *why.Reason) {
	h := r.Hunk
	switch {
	case len(r.Replaced) > 0:
	case h == nil || r.Owner().Trace == "":
		return
	case h.OldCount > 0:
		d.field("replaced", numbers.Count(h.OldCount, "line"))
		return
	default:
		d.field("replaced", "nothing")
		return
	}
	for i, p := range r.Replaced {
		who := "people"
		if p.Trace != "" {
			who = cells.Spaced(d.conversation(p.Trace, p.Prompt), d.safe(cells.Spaced(p.Agent, p.ToolCall)))
		}
		d.field(label(i == 0, "replaced"), "lines of "+who)
	}
}

// `next` draws a command that shows more details.
func (d *showDrawer) next(r *why.Reason) {
	o := r.Owner()
	var list []string
	switch {
	case o.Trace != "" && o.PromptIndex > 0:
		list = append(list, "git trace show '"+d.short(o.Trace)+"#"+strconv.Itoa(o.PromptIndex)+"'")
	case o.Trace != "":
		list = append(list, "git trace show "+d.short(o.Trace))
	case !o.Kind.Known() && r.Commit() != nil:
		list = append(list, "git trace backfill looks for old conversations")
	case r.Commit() != nil:
		list = append(list, "git show "+d.commit(r.Commit().ID))
	}
	for i, text := range list {
		d.field(label(i == 0, "more"), d.pen.Paint(cells.Faint, text))
	}
}
