package blame

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/git-trace/git-trace/blame/gitblame"
	"github.com/git-trace/git-trace/events"
)

// RunsSchema is the schema id of --json=runs; docs/schema/blame-runs-1.schema.json describes it.
const RunsSchema = "git-trace.blame-runs/1"

// writeRuns writes the same data as writeJSON, without the content. Consecutive lines make one run if they have the
// same owner and commit, and are also consecutive in that commit. Data that several runs share are written once, by id.
func writeRuns(out io.Writer, path, revision string, lines []Annotated, short func(events.TraceID) string) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	head, err := encode(append(members{{"schema", RunsSchema}}.exact("path", path),
		member{"revision", events.OrNull(revision)}, member{"conversations", runsTalks(lines, short)},
		member{"commits", runsCommits(lines)}, member{"runs", members{}}))
	if err != nil {
		return err
	}
	_, _ = w.Write(append(bytes.TrimSuffix(head, []byte("{}}")), '['))
	separator := "\n"
	for len(lines) > 0 {
		n := runOf(lines)
		run, err := encode(lines[0].run(n))
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(w, "%s%s", separator, run)
		lines, separator = lines[n:], ",\n"
	}
	_, _ = w.WriteString("]}\n")
	return flush(w)
}

// runOf returns the number of lines in the first run.
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

// runsTalks returns the conversations of the runs, each with the prompts that wrote some of the lines.
func runsTalks(lines []Annotated, short func(events.TraceID) string) members {
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
	all := members{}
	for _, a := range order {
		talk, texts := members{}, members{}
		if short != nil {
			talk = members{{"short", short(a.Trace)}}
		}
		for _, index := range slices.Sorted(maps.Keys(prompts[a.Trace])) {
			texts = append(texts, member{strconv.Itoa(index), prompts[a.Trace][index]})
		}
		all = append(all, member{string(a.Trace), append(talk, member{"agent", events.OrNull(a.Agent)},
			member{"session", events.OrNull(a.Session)}, member{"prompts", texts})})
	}
	return all
}

// runsCommits returns the commits that git credits with lines.
func runsCommits(lines []Annotated) members {
	all, told := members{}, map[*gitblame.Commit]bool{}
	for i := range lines {
		if c := lines[i].Commit; c.Committed() && !told[c] {
			told[c] = true
			one := members{}.exact("author", c.Author.Name).exact("author_mail", c.Author.BareMail())
			one = append(one, member{"author_time", c.Author.When().Format(time.RFC3339)}).exact("summary", c.Summary)
			all = append(all, member{c.ID.String(), one})
		}
	}
	return all
}

func (l *Annotated) run(count int) RunJSON {
	a := l.Owner
	owner, evidence := a.JSON()
	return RunJSON{
		Start: l.FinalLine, Count: count, PlaceJSON: l.place(), Contributor: string(owner.Contributor), Older: owner.Older,
		Trace: events.OrNull(string(a.Trace)), Model: owner.Model, Subagent: a.Subagent, Step: known(a.Step),
		Tool: events.OrNull(a.Tool), ToolCall: events.OrNull(a.ToolCall), Prompt: known(a.PromptIndex),
		Patch: events.OrNull(string(a.Patch)), EvidenceJSON: evidence, Previous: string(a.Previous),
	}
}
