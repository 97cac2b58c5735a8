package blame

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
)

// RunsSchema names the form of --json=runs; docs/schema/blame-runs-1.schema.json describes it.
const RunsSchema = "git-trace.blame-runs/1"

// writeRuns writes the data of writeJSON without the content. Consecutive lines with one owner and one commit, and
// consecutive in that commit, are one run. Data that many runs share is written once, under its id.
func writeRuns(out io.Writer, path, revision string, lines []Annotated, short func(events.TraceID) string) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	j := jsonBuffer{}
	j.open('{')
	j.text("schema", RunsSchema)
	j.bytes("path", path)
	j.textOrNull("revision", revision)
	j.conversations(lines, short)
	j.commits(lines)
	j.key("runs")
	j.open('[')
	for len(lines) > 0 {
		n := runOf(lines)
		j.item()
		j.raw("\n")
		j.run(&lines[0], n)
		lines = lines[n:]
	}
	j.close(']')
	j.close('}')
	j.raw("\n")
	_, _ = w.Write(j.buf)
	return flush(w)
}

// runOf returns the number of lines of the first run.
func runOf(lines []Annotated) int {
	n := 1
	for first := &lines[0]; n < len(lines); n++ {
		l := &lines[n]
		if l.Commit.ID != first.Commit.ID || l.OrigPath != first.OrigPath || l.FinalLine != first.FinalLine+n ||
			l.OrigLine != first.OrigLine+n || !l.Owner.Same(first.Owner) {
			break
		}
	}
	return n
}

// conversations writes the conversations of the runs, with the prompts that have lines here.
func (j *jsonBuffer) conversations(lines []Annotated, short func(events.TraceID) string) {
	var order []*Attribution
	prompts := map[events.TraceID]map[int]string{}
	for i := range lines {
		a := lines[i].Owner
		if a.Trace == "" {
			continue
		}
		if prompts[a.Trace] == nil {
			order, prompts[a.Trace] = append(order, a), map[int]string{}
		}
		if a.PromptText != "" {
			prompts[a.Trace][a.PromptIndex] = a.PromptText
		}
	}
	j.key("conversations")
	j.open('{')
	for _, a := range order {
		j.key(string(a.Trace))
		j.open('{')
		if short != nil {
			j.text("short", short(a.Trace))
		}
		j.textOrNull("agent", a.Agent)
		j.textOrNull("session", a.Session)
		j.key("prompts")
		j.open('{')
		for _, index := range slices.Sorted(maps.Keys(prompts[a.Trace])) {
			j.text(strconv.Itoa(index), prompts[a.Trace][index])
		}
		j.close('}')
		j.close('}')
	}
	j.close('}')
}

// commits writes the commits that git credits.
func (j *jsonBuffer) commits(lines []Annotated) {
	j.key("commits")
	j.open('{')
	told := map[*gitblame.Commit]bool{}
	for i := range lines {
		c := lines[i].Commit
		if !c.Committed() || told[c] {
			continue
		}
		told[c] = true
		j.key(c.ID.String())
		j.open('{')
		j.bytes("author", c.Author.Name)
		j.bytes("author_mail", c.Author.BareMail())
		j.text("author_time", c.Author.When().Format(time.RFC3339))
		j.bytes("summary", c.Summary)
		j.close('}')
	}
	j.close('}')
}

func (j *jsonBuffer) run(l *Annotated, count int) {
	a := l.Owner
	j.open('{')
	j.number("start", l.FinalLine)
	j.number("count", count)
	j.origin(&l.Line)
	j.contributor(a.Kind)
	j.textOrNull("trace", string(a.Trace))
	j.textOrNull("model", a.Model)
	if a.Subagent != "" {
		j.text("subagent", a.Subagent)
	}
	j.numberOrNull("step", a.Step)
	j.textOrNull("tool", a.Tool)
	j.textOrNull("tool_call", a.ToolCall)
	j.numberOrNull("prompt", a.PromptIndex)
	j.evidence(a)
	j.close('}')
}
