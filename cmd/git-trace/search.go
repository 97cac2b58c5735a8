package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/cells"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// searchSchema names the form of the JSON output; docs/schema/search-1.schema.json describes it.
const searchSchema = "git-trace.search/1"

// usualResults is how many conversations are shown unless the user says how many.
const usualResults = 10

func (a *app) searchCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "search",
		Usage:     "the conversations in which something was said or done",
		UsageText: "git trace search [<options>] <text>…",
		Description: "Looks for words in prompts, answers, inputs of tool calls and names of files, in every conversation that has a\n" +
			"record, and in prompts that are in no record yet. A conversation is found if it holds all words, whole or by\n" +
			"their beginning; those without a record come first, then the best ones, each with the steps that say most.\n" +
			"`git trace show <id>:<step>` shows a step in full, `git trace show '<id>#<number>'` a prompt.",
		Flags: []cli.Flag{
			limitFlag("conversations"),
			&cli.StringSliceFlag{Name: "agent", Usage: "only conversations of this `agent`; may be given more than once"},
			jsonFlag(), colorFlag(),
		},
	}, a.search)
}

// foundJSON is a conversation that was found.
type foundJSON struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Title   string         `json:"title"`
	Start   *string        `json:"start"` // as the agent wrote it
	End     *string        `json:"end"`
	Commits []string       `json:"commits"`
	Hits    []hitJSON      `json:"hits"`
}

type hitJSON struct {
	Step   int    `json:"step"`                   // 0 for a prompt that is in no record
	Index  int    `json:"prompt_index,omitempty"` // of such a prompt
	Prompt bool   `json:"prompt"`
	Text   string `json:"text"`
}

func (a *app) search(c *cli.Context, ops operands) error {
	text := strings.Join(ops.all(), " ")
	if strings.TrimSpace(text) == "" {
		return usage("something to look for is needed: git trace search <text>…")
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	records := store.Open(repo)
	defer func() { _ = records.Close() }()
	ix, err := a.openSearch(c, repo, records)
	if err != nil {
		return err
	}
	defer ix.Close()
	query := search.Query{Text: text, Limit: usualResults}
	if c.IsSet("max-count") {
		query.Limit = max(c.Int("max-count"), 0)
	}
	if wanted := c.StringSlice("agent"); len(wanted) > 0 {
		digests, err := ix.Digests()
		if err != nil {
			return fail(exitUnchecked, err, "git trace rebuild makes the caches anew")
		}
		here := make([]string, len(digests))
		for i := range digests {
			here[i] = digests[i].Agent
		}
		if err := checkAgents(wanted, here); err != nil {
			return err
		}
		query.Want = func(d *search.Digest) bool { return slices.Contains(wanted, d.Agent) }
	}
	found, err := ix.Search(c.Context, query)
	if errors.Is(err, search.ErrNoWords) {
		return usage("there is no word in '%s'", text)
	}
	if err != nil {
		return fail(exitUnchecked, err, "git trace rebuild makes the caches anew")
	}
	typed, err := searchTyped(repo, text)
	if err != nil {
		return fail(exitUnchecked, err, "")
	}
	if len(typed) > 0 {
		reader, err := a.openIndex(repo)
		if err != nil {
			return err
		}
		defer reader.Close()
		if found, err = withTyped(reader, found, typed, query.Want, query.Limit); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return writeFound(a.std.out, text, found)
	}
	if found.Total == 0 {
		fmt.Fprintln(a.std.err, "git-trace: hint: no conversation holds all of that (git trace record stores what waits)")
		return silent(exitFinding)
	}
	return a.drawFound(c, repo, found, text)
}

// openSearch opens the index, telling on a terminal how far making it has come.
func (a *app) openSearch(c *cli.Context, repo *refs.Repo, records *store.Store) (*search.Index, error) {
	shown := a.progress("reading records")
	ix, err := search.Open(c.Context, repo, records, shown.at)
	shown.clear()
	if err != nil {
		return nil, fail(exitUnchecked, err, "git trace rebuild makes the caches anew")
	}
	return ix, nil
}

func writeFound(w io.Writer, text string, found search.Found) error {
	list := make([]foundJSON, 0, len(found.Results))
	for _, r := range found.Results {
		f := foundJSON{
			Trace: r.Trace, Agent: r.Agent, Session: r.Session, Title: r.Title, Start: known(r.Start), End: known(r.End),
			Commits: append([]string{}, r.Commits...), Hits: []hitJSON{},
		}
		for _, h := range r.Hits {
			f.Hits = append(f.Hits, hitJSON{h.Step, h.PromptIndex, h.Prompt, h.Text})
		}
		list = append(list, f)
	}
	return writeJSON(quietWriter{w}, struct {
		Schema  string      `json:"schema"`
		Text    string      `json:"text"`
		Total   int         `json:"total"` // conversations that hold all words
		Results []foundJSON `json:"results"`
	}{searchSchema, strings.ToValidUTF8(text, "\ufffd"), found.Total, list})
}

// known is a text that may be unknown.
func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (a *app) drawFound(c *cli.Context, repo *refs.Repo, found search.Found, text string) error {
	short, err := a.shortRecorded(repo, found)
	if err != nil {
		return err
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	p := pen{screen.Color}
	var b strings.Builder
	for i, r := range found.Results {
		if i > 0 {
			b.WriteByte('\n')
		}
		id := cells.Safe(short(r.Trace))
		head := id + "  " + cells.Safe(r.Agent)
		b.WriteString(p.paint(traceColor(r.Trace), head) + p.paint(faint, "  "+cells.Safe(agoText(r.End))) + "\n")
		indent := strings.Repeat(" ", len(id)+2)
		if r.Title != "" {
			b.WriteString(indent + cells.Cut(`"`+cells.Safe(cells.Line(r.Title)), screen.Width-len(indent)-1) + "\"\n")
		}
		for _, h := range r.Hits {
			label := fmt.Sprintf("%s:%d ", id, h.Step)
			if h.Step == 0 {
				label = fmt.Sprintf("%s#%d ", id, h.PromptIndex)
			}
			room := max(screen.Width-len(indent)-len(label)-2, 20)
			for k, line := range cells.Wrap(cells.Safe(h.Text), room, 2) {
				if k > 0 {
					label = strings.Repeat(" ", len(label))
				}
				b.WriteString(indent + p.paint(faint, label) + p.marked(line, text) + "\n")
			}
		}
	}
	if rest := found.Total - len(found.Results); rest > 0 {
		b.WriteString("\n" + p.paint(faint, "and "+plural(rest, "conversation")+" more (-n)") + "\n")
	}
	_, err = io.WriteString(screen.Out, b.String())
	return errors.Join(err, screen.Close())
}

// marked paints the words that were looked for.
func (p pen) marked(line, text string) string {
	if !p.on {
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
		b.WriteString(p.paint(bold, line[i:i+n]))
		i += n
	}
	return b.String()
}

// agoText tells how long ago a time was that an agent wrote; what is no time is given as it is.
func agoText(stamp string) string {
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return stamp
	}
	return graph.Ago(at, time.Now())
}

// shortRecorded abbreviates ids so that show takes them: apart from those of the log and of the conversations found.
func (a *app) shortRecorded(repo *refs.Repo, found search.Found) (func(events.TraceID) string, error) {
	reader, err := a.openIndex(repo)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	logged, err := reader.Traces()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, t := range logged {
		ids = append(ids, string(t.ID))
	}
	for _, r := range found.Results {
		ids = append(ids, string(r.Trace))
	}
	n := cells.UniqueLength(ids, fewestDigits)
	return func(id events.TraceID) string { return string(id)[:min(n, len(id))] }, nil
}
