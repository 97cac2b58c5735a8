package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/pathglob"
	"github.com/git-trace/git-trace/report/show"
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
		return writeJSON(terminal.Quietly(a.std.out), show.FoundAnswer(text, digits, found))
	}
	if found.Total == 0 {
		fmt.Fprintln(a.std.err, "git-trace: hint: no conversation has all of it (git trace record stores those that wait)")
		return exit.Silent(exit.Finding)
	}
	short, err := known.Short()
	if err != nil {
		return err
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	return errors.Join(show.DrawFound(screen, found, text, repo.WorkTree, short), screen.Close())
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
