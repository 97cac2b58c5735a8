package show

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records/waste"
	"github.com/git-trace/git-trace/report/figures"
	"github.com/git-trace/git-trace/view/lookup"
)

// costView draws the cost of a conversation, and the waste in its context.
type costView struct{ *TraceView }

// CostsOnly keeps the costs of conversations, without their steps.
func CostsOnly(objects []Object) ([]Object, error) {
	for i, o := range objects {
		t, is := o.view.(*TraceView)
		if !is {
			return nil, exit.Usage("--cost is for conversations, not for a %s", o.kind)
		}
		if t.record == nil {
			return nil, lookup.NoRecord(t.Trace)
		}
		objects[i].view = costView{t}
	}
	return objects, nil
}

func (c costView) draw(d *showDrawer) {
	d.head(c.TraceView)
	d.figures(c.Usage)
	d.field("waste", wasteText(c.Waste.Findings, c.Waste.Tokens, c.Waste.CostUSD))
	if len(c.Waste.Findings) > 0 {
		d.line("")
	}
	name := func(step int) string { return fmt.Sprintf("%s:%d", d.short(c.Trace), step) }
	for i := range c.Waste.Findings {
		f := &c.Waste.Findings[i]
		at := cells.Pad(name(f.Step), 10) + cells.Pad(f.Kind.Words(), 16)
		room := max(d.width-26, 20)
		d.line(at + d.cut(d.safe(cells.Spaced(f.Name, cells.Line(f.What))), room))
		d.line(cells.Pad("", 26) + d.pen.Paint(cells.Faint, cells.Dotted(f.Way(name), amountText(f.Tokens, f.CostUSD))))
	}
}

func wasteText(found []waste.Finding, tokens int64, usd *float64) string {
	if len(found) == 0 {
		return "none was found"
	}
	return cells.Dotted(numbers.Count(len(found), "result"), amountText(tokens, usd))
}

// amountText returns a number of estimated tokens, with their cost if it is known.
func amountText(tokens int64, usd *float64) string {
	cost := ""
	if usd != nil {
		cost = numbers.Dollars(*usd)
	}
	return cells.Dotted("about "+numbers.Count(int(tokens), "token"), cost)
}

// WastesText sums up the waste of conversations; "" unless it was requested.
func WastesText(w *figures.Waste) string {
	if w == nil {
		return ""
	}
	count := 0
	var kinds []string
	for _, k := range w.Kinds {
		if count += k.Count; k.Count > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", k.Count, k.Kind.Words()))
		}
	}
	if count == 0 {
		return "waste: none was found\n"
	}
	return fmt.Sprintf("waste: %s in %s: %s\n", cells.Dotted(numbers.Count(count, "result"), amountText(w.Tokens,
		w.CostUSD)),
		numbers.Count(w.Conversations, "conversation"), strings.Join(kinds, ", "))
}
