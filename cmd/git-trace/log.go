package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
)

// logSchema names the form of the JSON output; docs/schema/log-1.schema.json describes it.
const logSchema = "git-trace.log/1"

func (a *app) logCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "log",
		Usage:     "the conversations, newest first",
		UsageText: "git trace log [<options>]",
		Description: "Each conversation with its agent and model, what was asked first, the lines it added and removed, and\n" +
			"the commits that hold lines of it. `git trace show <id>` shows one in full.",
		Flags: []cli.Flag{
			limitFlag("conversations"),
			&cli.StringSliceFlag{Name: "agent", Usage: "only conversations of this `agent`; may be given more than once"},
			&cli.StringFlag{Name: "since", Aliases: []string{"after"}, Usage: "only conversations that went on after `date`"},
			&cli.StringFlag{Name: "until", Aliases: []string{"before"}, Usage: "only conversations that began before `date`"},
			jsonFlag(), colorFlag(),
		},
	}, a.log)
}

// conversation is what log tells of a trace.
type conversation struct {
	Trace   events.TraceID `json:"trace"`
	Agent   string         `json:"agent"`
	Session string         `json:"session"`
	Writer  string         `json:"writer"`
	Models  []string       `json:"models"`
	First   time.Time      `json:"first"`
	Last    time.Time      `json:"last"`
	Prompts int            `json:"prompts"`
	Calls   int            `json:"calls"`
	Added   int            `json:"added"`
	Removed int            `json:"removed"`
	Files   int            `json:"files"`
	Commits []commitLines  `json:"commits"`
	Prompt  *promptText    `json:"prompt"` // the first one whose text is kept
}

// promptText is a prompt with its text.
type promptText struct {
	Index int    `json:"index"`
	Text  string `json:"text"`
}

func (a *app) log(c *cli.Context, ops operands) error {
	if err := ops.none(); err != nil {
		return err
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	reader, err := a.openIndex(repo)
	if err != nil {
		return err
	}
	defer reader.Close()
	all, err := reader.Traces()
	if err != nil {
		return err
	}
	digests, err := a.recordDigests(c, repo)
	if err != nil {
		return err
	}
	all = withRecords(all, digests)
	chosen, err := chooseTraces(c, repo, all)
	if err != nil {
		return err
	}
	told, err := conversations(repo, reader, chosen, digests)
	if err != nil {
		return err
	}
	list := entries(told, digests)
	if c.Bool("json") {
		return writeJSON(quietWriter{a.std.out}, struct {
			Schema        string     `json:"schema"`
			Conversations []logEntry `json:"conversations"`
		}{logSchema, list})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.std.err, "git-trace: hint: no conversation is recorded here (git trace status)")
		return nil
	}
	ids := make([]string, len(all))
	for i, t := range all {
		ids[i] = string(t.ID)
	}
	return a.drawLog(c, repo, list, abbreviator(ids))
}

// chooseTraces leaves those that the options ask for.
func chooseTraces(c *cli.Context, repo *refs.Repo, all []index.Trace) ([]index.Trace, error) {
	since, err := gitDate(c, repo, "since")
	if err != nil {
		return nil, err
	}
	until, err := gitDate(c, repo, "until")
	if err != nil {
		return nil, err
	}
	agents := map[string]bool{}
	for _, name := range c.StringSlice("agent") {
		agents[name] = true
	}
	var out []index.Trace
	for _, t := range all {
		if n := c.Int("max-count"); n >= 0 && len(out) == n {
			break
		}
		if len(agents) > 0 && !agents[t.Agent] || !since.IsZero() && t.Last.Before(since) || !until.IsZero() && t.First.After(until) {
			continue
		}
		out = append(out, t)
	}
	return out, nil
}

// gitDate has git read a date, in any form that git log takes; zero when the option was not given.
func gitDate(c *cli.Context, repo *refs.Repo, option string) (time.Time, error) {
	text := c.String(option)
	if text == "" {
		return time.Time{}, nil
	}
	out, err := repo.Git(c.Context, nil, "rev-parse", "--since="+text)
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(string(out)), "--max-age="), 10, 64)
	if err != nil {
		return time.Time{}, usage("option '--%s': '%s' is no date", option, text)
	}
	return time.Unix(seconds, 0), nil
}

// conversations gathers what is told of each trace.
func conversations(repo *refs.Repo, reader *index.Index, traces []index.Trace, digests map[events.TraceID]search.Digest) ([]conversation, error) {
	lines, err := newLineage(reader)
	if err != nil {
		return nil, err
	}
	prompts, err := newFirstPrompts(repo)
	if err != nil {
		return nil, err
	}
	defer prompts.texts.close()
	out := make([]conversation, 0, len(traces))
	for _, t := range traces {
		commits, err := lines.holding(t)
		if err != nil {
			return nil, err
		}
		out = append(out, conversation{
			Trace: t.ID, Agent: t.Agent, Session: t.Session, Writer: t.Writer, Models: append([]string{}, t.Models...),
			First: t.First, Last: t.Last, Prompts: t.Prompts, Calls: t.Calls, Added: t.Added, Removed: t.Removed,
			Files: t.Files(), Commits: commits, Prompt: prompts.of(t, digests),
		})
	}
	return out, nil
}

// firstPrompts finds the first prompt of each conversation whose text this machine has.
type firstPrompts struct {
	texts *promptTexts
	typed map[events.TraceID]bool // conversations with prompts that are in no record yet
}

func newFirstPrompts(repo *refs.Repo) (*firstPrompts, error) {
	texts := newPromptTexts(repo)
	typed, err := texts.typed.Traces()
	return &firstPrompts{texts, typed}, err
}

// of gives the prompt of a conversation, nil where there is none. What the digests of records hold is not looked for in the
// records.
func (p *firstPrompts) of(t index.Trace, digests map[events.TraceID]search.Digest) *promptText {
	d, recorded := digests[t.ID]
	if recorded && !p.typed[t.ID] {
		switch {
		case d.PromptIndex == 0 || d.PromptIndex > earliest:
			return nil
		case len(d.PromptText) < search.PromptLength-utf8.UTFMax: // not cut
			return &promptText{d.PromptIndex, strings.ToValidUTF8(d.PromptText, "\ufffd")}
		}
	}
	if !recorded && !p.typed[t.ID] {
		return nil
	}
	return firstPrompt(p.texts, t)
}

// earliest is how many prompts are looked for the first whose text is here: those before it may have been submitted before
// recording began.
const earliest = 3

// firstPrompt looks for the text of the first prompt in what was typed and in the record.
func firstPrompt(texts *promptTexts, t index.Trace) *promptText {
	for i := 1; i <= min(t.Prompts, earliest); i++ {
		if text, ok, err := texts.Get(t.ID, i); err == nil && ok {
			return &promptText{i, strings.ToValidUTF8(text, "\ufffd")}
		}
	}
	return nil
}
