package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/numbers"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/stats"
	"github.com/git-trace/git-trace/view"
)

// statsSchema names the form of the JSON output; docs/schema/stats-1.schema.json describes it.
const statsSchema = "git-trace.stats/1"

func (a *app) statsCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "stats",
		Usage:     "count the lines of each owner in a range of commits, and what the conversations used",
		UsageText: "git trace stats [<options>] [<revision range>] [[--] <path>…]",
		Description: "Counts the lines that commits added: by agents, by people, older than the recording, and unknown;\n" +
			"in all commits, by author and by agent. Then it lists the conversations that wrote some of them,\n" +
			"with tokens, cost and models if they have a record. Without a range it counts all commits that\n" +
			"HEAD reaches, and every conversation here. With paths it counts only lines in these paths. The\n" +
			"parts add up to the sums. If nothing was ever recorded, it counts nothing and reads no commit.\n\n" +
			"--by groups the lines by agent, model, tool, author, day, week, month, hour, directory, file or\n" +
			"language, or by several: --by week,agent.\n" +
			"--now counts the lines of a revision (HEAD if none is named) by owner, with the blame of every\n" +
			"file with text. It takes today's names of files.\n" +
			"--survival says how many of the lines were alive 1, 7, 30 and 90 days after they came to the\n" +
			"first-parent history. It reads the patch of every commit, which takes as long as git log -p.",
		Flags: slices.Concat(commitFlags(), options("by", "depth", "now", "survival"),
			[]cli.Flag{opt("format", "table or csv").or("table").flag()}, options("json", "markdown", "color")),
	}, a.stats)
}

// authorLines are the lines of the commits of an author.
type authorLines struct {
	Author string `json:"author"`
	Mail   string `json:"mail"`
	stats.Lines
}

// agentLines are the lines that an agent wrote. Those of all agents add up to the lines of agents.
type agentLines struct {
	Agent         string `json:"agent"` // empty where several could have written the lines
	Conversations int    `json:"conversations"`
	Lines         int    `json:"lines"`

	traces map[events.TraceID]bool
}

// modelUse is the work of a model. Those of all models, with what no model is known of, add up to the tokens.
type modelUse struct {
	Model         string `json:"model"` // empty where it is not known
	Conversations int    `json:"conversations"`
	Answers       int    `json:"answers"`
	tokens
}

// tokens are in four buckets that do not overlap.
type tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

func (t *tokens) add(o tokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
}

func (t tokens) sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

// costs adds up the costs of conversations. Each counts once: by prices or, where a price is not known, as its client
// says.
type costs struct {
	USD        float64  `json:"usd"`    // of all whose cost is known
	Priced     int      `json:"priced"` // how many that are
	Unknown    int      `json:"unknown"`
	ClientUSD  float64  `json:"client_usd"` // the part of usd that clients say
	ByClient   int      `json:"by_client"`  // of how many conversations
	PricesAsOf []string `json:"prices_as_of"`
}

func (c *costs) add(u *view.Usage) {
	if u.CostUSD == nil {
		c.Unknown++
		return
	}
	c.USD += *u.CostUSD
	c.Priced++
	if u.CostBy == records.CostByClient {
		c.ClientUSD += *u.CostUSD
		c.ByClient++
	}
	if at, seen := slices.BinarySearch(c.PricesAsOf, u.PricesAsOf); u.PricesAsOf != "" && !seen {
		c.PricesAsOf = slices.Insert(c.PricesAsOf, at, u.PricesAsOf)
	}
}

// text returns the cost of the conversations, its part that is not by prices, and the day of the prices.
func (c *costs) text() string {
	if c.Priced == 0 {
		return "cost not known: neither prices nor clients tell (trace.prices)"
	}
	text := "cost " + numbers.Dollars(c.USD)
	var parts []string
	if c.ByClient > 0 {
		parts = append(parts, numbers.Dollars(c.ClientUSD)+" of it as clients say")
	}
	if c.Unknown > 0 {
		parts = append(parts, "that of "+plural(c.Unknown, "conversation")+" is not known")
	}
	switch n := len(c.PricesAsOf); {
	case n == 1:
		parts = append(parts, "prices of "+c.PricesAsOf[0])
	case n > 1:
		parts = append(parts, "prices of "+c.PricesAsOf[0]+" to "+c.PricesAsOf[n-1])
	}
	return strings.Join(append([]string{text}, parts...), "; ")
}

// statistics is all that stats tells.
type statistics struct {
	Schema        string        `json:"schema"`
	Range         []string      `json:"range"` // as it was given
	Now           bool          `json:"now"`   // the lines are those that a revision has
	Lines         stats.Lines   `json:"lines"`
	Authors       []authorLines `json:"authors"`
	Agents        []agentLines  `json:"agents"`
	Conversations struct {
		Count    int `json:"count"`
		Recorded int `json:"recorded"` // those that have a record
		Prompts  int `json:"prompts"`
		Calls    int `json:"calls"`
		Steps    int `json:"steps"` // of those that have a record, as tokens and cost are

		counted bool // of one at least the calls are known
	} `json:"conversations"`
	Tokens tokens     `json:"tokens"`
	Cost   costs      `json:"cost"`
	Models []modelUse `json:"models"`
	// By lists the dimensions of Groups; their lines add up to Lines.
	By     []stats.Dimension `json:"by"`
	Groups []statsGroup      `json:"groups"`

	groups   *stats.Groups
	charged  map[*stats.Group]*charges // what conversations took
	survival bool
	traces   map[events.TraceID]bool
}

func (a *app) stats(c *cli.Context, ops operands) error {
	ask, err := askStats(c)
	if err != nil {
		return err
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	query, err := graphQuery(c, repo, ops)
	if err != nil {
		return err
	}
	if err := checkNow(c, ask, &query); err != nil {
		return err
	}
	known, err := a.openConversations(c.Context, repo)
	if err != nil {
		return err
	}
	defer known.Close()
	s := newStatistics(ops.all())
	s.groups = stats.New(ask.by)
	nothing := known.Untraced()
	if head, _, err := repo.Head(); err != nil || !head.IsZero() || len(query.Revs) > 0 {
		count := func() error { return s.lines(c.Context, repo, known, query, ask, a.progress("following lines")) }
		switch {
		case nothing:
			count = func() error { return graph.Check(c.Context, repo, query) }
		case ask.now != "":
			count = func() error { return s.linesNow(c.Context, repo, known, query, ask.now, a.progress("blaming files")) }
		}
		if err := count(); err != nil {
			return err
		}
	}
	whole := ask.now == "" && len(query.Revs)+len(query.Paths)+len(query.Options) == 0
	if !whole && !nothing && s.Lines.Commits == 0 {
		fmt.Fprintf(a.std.err, "git-trace: hint: no %s is what was asked for\n", ask.counted())
	}
	if err := s.conversations(known, whole); err != nil {
		return err
	}
	if nothing {
		a.hintNothing(repo)
	}
	switch {
	case ask.format == "json":
		return writeJSON(quietWriter{a.std.out}, s)
	case ask.format == "csv":
		return s.writeCSV(quietWriter{a.std.out})
	case ask.format == "markdown":
		_, err := io.WriteString(quietWriter{a.std.out}, s.markdown())
		return err
	case nothing && s.Conversations.Count == 0:
		return nil
	}
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	draw := s.draw
	if ask.grouped {
		draw = s.drawGroups
	}
	_, err = io.WriteString(screen.Out, draw(pen{screen.Color}, screen.Width))
	return errors.Join(err, screen.Close())
}

func newStatistics(named []string) *statistics {
	return &statistics{
		Schema: statsSchema, Range: append([]string{}, named...), Authors: []authorLines{}, Agents: []agentLines{},
		Models: []modelUse{}, Cost: costs{PricesAsOf: []string{}}, traces: map[events.TraceID]bool{},
		groups: stats.New(stats.By{Dimensions: []stats.Dimension{stats.Agent}}), Groups: []statsGroup{},
	}
}

// hintNothing gives the reason why all figures are zero. It does not read a history if the outcome is known.
func (a *app) hintNothing(repo *refs.Repo) {
	if a.tellOffer(repo, true) {
		return
	}
	fmt.Fprintln(a.std.err, "git-trace: hint: nothing is recorded here, so there is nothing to count "+
		"(git trace backfill looks into old transcripts)")
}

// countGrowth is by how many percent memory may grow between two collections in a command that goes through a history:
// it lives short, and holds one batch of commits at a time.
const countGrowth = 400

// lines counts the lines of the commits, groups them, and follows them where that is asked for.
func (s *statistics) lines(ctx context.Context, repo *refs.Repo, known *conversations, query graph.Query,
	ask *statsAsk, shown *progress) error {
	from := linesFrom(known)
	from.ByFile = ask.by.InFiles()
	commits, err := stats.Count(ctx, repo, from, query)
	if err != nil {
		return err
	}
	s.count(commits)
	if s.survival = ask.survival; !ask.survival {
		return nil
	}
	defer shown.clear()
	from.Tell = shown.at
	err = stats.Survival(ctx, repo, from, query, commits, s.groups)
	if errors.Is(err, stats.ErrManyTips) {
		return fail(exitUsage, err, "name one branch or range, and not --all")
	}
	return err
}

// countedCommits returns the commits with the figures of their lines.
func countedCommits(ctx context.Context, repo *refs.Repo, known *conversations, query graph.Query) ([]*graph.Commit,
	error) {
	return stats.Count(ctx, repo, linesFrom(known), query)
}

// linesFrom makes the source of the owners of lines.
func linesFrom(known *conversations) stats.Source {
	debug.SetGCPercent(countGrowth)
	source := graph.Source{Log: known.Log(), Searcher: known.Searcher(), AtOnce: searchBatch}
	return stats.Source{Source: source, Search: known.Searcher()}
}

// count adds up what the commits hold.
func (s *statistics) count(all []*graph.Commit) {
	s.groups = stats.GroupBy(all, s.groups.By)
	authors := map[[2]string]int{}
	agents := map[string]int{}
	for _, c := range all {
		s.Lines.Add(c)
		key := [2]string{c.Author, c.Mail}
		at, known := authors[key]
		if !known {
			at = len(s.Authors)
			authors[key] = at
			s.Authors = append(s.Authors, authorLines{Author: c.Author, Mail: c.Mail})
		}
		s.Authors[at].Add(c)
		for _, who := range c.Contributors {
			if who.Kind != events.OwnerAI {
				continue
			}
			at, known := agents[who.Agent]
			if !known {
				at = len(s.Agents)
				agents[who.Agent] = at
				s.Agents = append(s.Agents, agentLines{Agent: who.Agent, traces: map[events.TraceID]bool{}})
			}
			s.Agents[at].Lines += who.Lines
			if who.Trace != "" {
				s.Agents[at].traces[who.Trace] = true
				s.traces[who.Trace] = true
			}
		}
	}
	for i := range s.Agents {
		s.Agents[i].Conversations = len(s.Agents[i].traces)
	}
	slices.SortFunc(s.Authors, func(a, b authorLines) int {
		return cmp.Or(cmp.Compare(b.Added, a.Added), cmp.Compare(b.Commits, a.Commits), cmp.Compare(a.Author, b.Author),
			cmp.Compare(a.Mail, b.Mail))
	})
	slices.SortFunc(s.Agents, func(a, b agentLines) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Agent, b.Agent))
	})
}

// counted returns the conversations that count: all that are known, or those that wrote lines of the commits.
func (s *statistics) counted(known *conversations, whole bool) ([]view.Conversation, error) {
	if whole {
		return known.Conversations()
	}
	out := make([]view.Conversation, 0, len(s.traces))
	for _, id := range slices.Sorted(maps.Keys(s.traces)) {
		c, found, err := known.Conversation(id)
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, c)
		}
	}
	return out, nil
}

// conversations adds up what conversations used: those that wrote lines of the commits or, for the whole, all that are
// known.
func (s *statistics) conversations(known *conversations, whole bool) error {
	counted, err := s.counted(known, whole)
	if err != nil {
		return err
	}
	models := map[string]int{}
	use := func(name string, answers int, t tokens) {
		at, known := models[name]
		if !known {
			at = len(s.Models)
			models[name] = at
			s.Models = append(s.Models, modelUse{Model: name})
		}
		s.Models[at].Conversations++
		s.Models[at].Answers += answers
		s.Models[at].add(t)
	}
	for i := range counted {
		c := &counted[i]
		s.Conversations.Count++
		s.Conversations.Prompts += c.Prompts
		s.Conversations.Calls += c.Calls
		s.Conversations.counted = s.Conversations.counted || c.CallsKnown()
		s.charge(c)
		u := c.Usage
		if u == nil {
			continue
		}
		s.Conversations.Recorded++
		s.Conversations.Steps += u.Steps
		s.Cost.add(u)
		rest := tokens{u.Input, u.Output, u.CacheRead, u.CacheWrite}
		s.Tokens.add(rest)
		for _, m := range u.Models {
			t := tokens{m.Input, m.Output, m.CacheRead, m.CacheWrite}
			use(m.Model, m.Steps, t)
			rest.add(tokens{-t.Input, -t.Output, -t.CacheRead, -t.CacheWrite})
		}
		if rest != (tokens{}) { // the agent tells the sum only, or more than its steps add up to
			use("", 0, rest)
		}
	}
	slices.SortFunc(s.Models, func(a, b modelUse) int {
		return cmp.Or(cmp.Compare(b.sum(), a.sum()),
			cmp.Compare(a.Model, b.Model))
	})
	s.group()
	return nil
}
