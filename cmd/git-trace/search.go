package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/pathglob"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// usualResults is the default number of conversations shown.
const usualResults = 10

func searchCommand() *command {
	return &command{
		Name: "search",
		Does: "find conversations by words, and by what their calls did",
		Form: "git trace search [<options>] [<text>…]",
		About: "Looks for words in prompts, answers, inputs of tool calls and names of files: in every\n" +
			"conversation that has a record, and in prompts without a record. A conversation is found if it\n" +
			"has all words; the beginning of a word is enough. Conversations without a record come first, then\n" +
			"the best matches, each with its best steps. `git trace show <id>:<step>` shows a step in full,\n" +
			"`git trace show '<id>#<number>'` a prompt.\n\n" +
			"--tool, --skill, --file, --model, --failed, --test, --survived and --since describe a call. A\n" +
			"conversation is found if all of them are true of one of its calls; the answer names step and\n" +
			"prompt of such calls. Names are patterns (mcp__*). Without words the latest conversation comes\n" +
			"first. These options read the record of each conversation that has the words.",
		Options: append([]optionUse{limitFlag("conversations"), opt("agent", ""), opt("in", "")},
			options("tool", "skill", "file", "model", "failed", "test", "survived", "since", "json", "color")...),
		Examples: []example{
			{"git trace search 'retry limit'", "the conversations with these words"},
			{"git trace search --file server.go --survived", "the calls that wrote lines of a file that commits hold"},
		},
		Run:    (*app).search,
		Traits: common | bounded | anew,
		Shows:  []string{"a", "--json a", "--file *", "--json --tool *"},
		Tries:  []string{"--file a --failed"},
	}
}

func (a *app) search(c *call, ops operands) error {
	text := strings.Join(ops.All(), " ")
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	facets, err := facetsOf(c, repo)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" && !facets.Given() {
		return exit.Usage("something to look for is needed: git trace search <text>…, or an option such as --file")
	}
	query := view.Query{Text: strings.TrimSpace(text), Facets: facets, Agents: c.StringSlice("agent"), Limit: usualResults,
		In: search.In(c.String("in")), Count: c.Bool("json")}
	if query.In != search.Everywhere && !slices.Contains(search.Places, query.In) {
		var in []string
		for _, place := range search.Places {
			in = append(in, string(place))
		}
		return exit.NoSuch("place", string(query.In), in)
	}
	if c.IsSet("max-count") {
		query.Limit = max(c.Int("max-count"), 0)
	}
	if err := checkAgents(query.Agents, known); err != nil {
		return err
	}
	found, err := known.Search(c.Context, query)
	if errors.Is(err, search.ErrNoWords) {
		return exit.Usage("there is no word in '%s'", text)
	}
	if err != nil {
		return err
	}
	if err := tellFound(c, known, found.Results); err != nil {
		return err
	}
	if c.Bool("json") {
		digits, err := known.Digits()
		if err != nil {
			return err
		}
		return writeFound(a.std.out, text, digits, found)
	}
	if found.Total == 0 {
		fmt.Fprintln(a.std.err, "git-trace: hint: no conversation has all of it (git trace record stores those that wait)")
		return exit.Silent(exit.Finding)
	}
	short, err := known.Short()
	if err != nil {
		return err
	}
	return a.drawFound(c, repo, found, text, short)
}

// facetsOf reads the options that describe a call.
func facetsOf(c *call, repo *refs.Repo) (f view.Facets, err error) {
	f = view.Facets{Tool: c.String("tool"), Skill: c.String("skill"), File: c.String("file"), Model: c.String("model"),
		Failed: c.Bool("failed"), Test: c.Bool("test"), Survived: c.Bool("survived")}
	for _, name := range []string{"tool", "skill", "file", "model"} {
		if !c.IsSet(name) {
			continue
		}
		if err := pathglob.Valid(c.String(name)); err != nil {
			return f, exit.Usage("option '--%s': %s", name, err)
		}
	}
	f.Since, err = gitDate(c, repo, "since")
	return f, err
}

// tellFound adds the first prompts of the found conversations and, if wanted, their commits.
func tellFound(c *call, known *lookup.Conversations, found []view.Result) error {
	list := make([]view.Conversation, len(found))
	for i := range found {
		list[i] = found[i].Conversation
	}
	var err error
	if c.Bool("json") {
		err = known.Complete(c.Context, list)
	} else {
		err = known.Prompted(list)
	}
	for i := range found {
		found[i].Conversation = list[i]
	}
	return err
}

func writeFound(w io.Writer, text string, digits int, found view.Found) error {
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
	return writeJSON(terminal.Quietly(w), answers.Search{Schema: answers.SearchSchema, IDDigits: digits,
		Text: strings.ToValidUTF8(text, "\ufffd"), Total: found.Total, In: in, Results: list})
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

func (a *app) drawFound(c *call, repo *refs.Repo, found view.Found, text string,
	short func(events.TraceID) string) error {
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
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
			if repo.WorkTree != "" { // shorten paths of the work tree
				said = strings.ReplaceAll(said, repo.WorkTree+string(filepath.Separator), "")
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
	_, err = io.WriteString(screen.Out, b.String())
	return errors.Join(err, screen.Close())
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
