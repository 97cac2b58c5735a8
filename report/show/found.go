package show

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
)

// FoundAnswer is the answer of a search for a text.
func FoundAnswer(text string, digits int, found view.Found) answers.Search {
	list := make([]answers.Found, 0, len(found.Results))
	for i := range found.Results {
		r := &found.Results[i]
		f := answers.Found{
			Trace: r.Trace, Agent: r.Agent, Session: r.Session, Title: titleOf(&r.Conversation), Start: stamp(r.First),
			End:     stamp(r.Last),
			Commits: []string{}, Hits: []answers.Hit{},
		}
		for _, held := range r.Commits {
			f.Commits = append(f.Commits, held.Commit.String())
		}
		for _, h := range r.Hits {
			f.Hits = append(f.Hits, answers.Hit{Step: h.Step, Index: h.PromptIndex, Prompt: h.Prompt, Text: h.Text,
				Call: h.Call, Tool: h.Tool})
		}
		list = append(list, f)
	}
	in := map[search.In]int{}
	for _, place := range search.Places {
		in[place] = found.In[place]
	}
	return answers.Search{Schema: answers.SearchSchema, IDDigits: digits,
		Text: strings.ToValidUTF8(text, "\ufffd"), Total: found.Total, In: in, Results: list}
}

// titleOf returns a conversation's title, or the beginning of its first prompt; "" if that text is not here.
func titleOf(c *view.Conversation) string {
	const most = 300
	title := c.Called()
	if title == "" && c.Prompt != nil {
		title = c.Prompt.Text
	}
	return strings.ToValidUTF8(title[:min(len(title), most)], "")
}

// stamp returns a time for JSON; null if it is unknown.
func stamp(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	text := at.Format(time.RFC3339Nano)
	return &text
}

// DrawFound draws the conversations that a search for a text found. It shortens paths in the
// work tree at `top`.
func DrawFound(screen *terminal.Screen, found view.Found, text, top string, short func(events.TraceID) string) error {
	p, now := cells.Pen{On: screen.Color}, time.Now()
	var b strings.Builder
	for i := range found.Results {
		r := &found.Results[i]
		if i > 0 {
			b.WriteByte('\n')
		}
		id := cells.Safe(short(r.Trace))
		head := id + "  " + cells.Safe(r.Agent)
		b.WriteString(p.Paint(cells.Shade(blame.TraceColor(r.Trace)), head) + p.Paint(cells.Faint, "  "+numbers.Ago(r.Last,
			now)) + "\n")
		indent := strings.Repeat(" ", len(id)+2)
		if title := titleOf(&r.Conversation); title != "" {
			b.WriteString(indent + screen.Cut(`"`+cells.Safe(cells.Line(title)), screen.Width-len(indent)-1) + "\"\n")
		}
		for _, h := range r.Hits {
			label := fmt.Sprintf("%s:%d ", id, h.Step)
			switch {
			case h.Call != "" && h.Step == 0:
				label = fmt.Sprintf("%s#%d %s ", id, h.PromptIndex, cells.Safe(h.Tool))
			case h.Call != "":
				label = fmt.Sprintf("%s:%d #%d %s ", id, h.Step, h.PromptIndex, cells.Safe(h.Tool))
			case h.Step == 0:
				label = fmt.Sprintf("%s#%d ", id, h.PromptIndex)
			}
			room := max(screen.Width-len(indent)-len(label)-2, 20)
			said := h.Text
			if top != "" {
				said = strings.ReplaceAll(said, top+string(filepath.Separator), "")
			}
			for k, line := range cells.Wrap(cells.Safe(said), room, 2) {
				if k > 0 {
					label = strings.Repeat(" ", len(label))
				}
				b.WriteString(indent + p.Paint(cells.Faint, label) + marked(p, line, text) + "\n")
			}
		}
	}
	if rest := found.Total - len(found.Results); rest > 0 {
		b.WriteString("\n" + p.Paint(cells.Faint, "and "+numbers.Count(rest, "conversation")+" more (-n)") + "\n")
	}
	_, err := io.WriteString(screen.Out, b.String())
	return err
}

// marked highlights the searched words in a line.
func marked(p cells.Pen, line, text string) string {
	if !p.On {
		return line
	}
	var b strings.Builder
	lower := strings.ToLower(line)
	if len(lower) != len(line) {
		return line
	}
	wanted := strings.Fields(strings.ToLower(text))
	for i := 0; i < len(line); {
		n := 0
		for _, word := range wanted {
			if strings.HasPrefix(lower[i:], word) {
				n = max(n, len(word))
			}
		}
		if n == 0 {
			b.WriteByte(line[i])
			i++
			continue
		}
		b.WriteString(p.Paint(cells.Bold, line[i:i+n]))
		i += n
	}
	return b.String()
}
