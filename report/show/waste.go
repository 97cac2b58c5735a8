package show

import (
	"fmt"

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
		d.line(cells.Pad("", 26) + d.pen.Paint(cells.Faint, cells.Dotted(f.Way(name), figures.AmountText(f.Tokens,
			f.CostUSD))))
	}
}

func wasteText(found []waste.Finding, tokens int64, usd *float64) string {
	if len(found) == 0 {
		return "none was found"
	}
	return cells.Dotted(numbers.Count(len(found), "result"), figures.AmountText(tokens, usd))
}
