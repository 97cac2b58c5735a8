package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

// logSchema names the form of the JSON output; docs/schema/log-1.schema.json describes it.
const logSchema = "git-trace.log/1"

func (a *app) logCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "log",
		Usage:     "the conversations, newest first",
		UsageText: "git trace log [<options>]",
		Description: "Each conversation with its agent and model, what was asked first, the lines it added and " +
			"removed, and\n" +
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

func (a *app) log(c *cli.Context, ops operands) error {
	if err := ops.none(); err != nil {
		return err
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.close()
	all, err := known.Conversations()
	if err != nil {
		return err
	}
	list, err := chooseConversations(c, repo, all)
	if err != nil {
		return err
	}
	if err := known.Complete(c.Context, list); err != nil {
		return err
	}
	if c.Bool("json") {
		return writeJSON(quietWriter{a.std.out}, struct {
			Schema        string              `json:"schema"`
			Conversations []view.Conversation `json:"conversations"`
		}{logSchema, list})
	}
	switch {
	case len(list) > 0:
	case len(all) == 0:
		fmt.Fprintln(a.std.err, "git-trace: hint: no conversation is recorded here (git trace status)")
		return nil
	case c.Int("max-count") != 0:
		fmt.Fprintf(a.std.err, "git-trace: hint: of %s here none is what was asked for\n", plural(len(all), "conversation"))
		return nil
	default:
		return nil
	}
	short, err := known.short()
	if err != nil {
		return err
	}
	return a.drawLog(c, repo, list, short)
}

// chooseConversations leaves those that the options ask for.
func chooseConversations(c *cli.Context, repo *refs.Repo, all []view.Conversation) ([]view.Conversation, error) {
	since, err := gitDate(c, repo, "since")
	if err != nil {
		return nil, err
	}
	until, err := gitDate(c, repo, "until")
	if err != nil {
		return nil, err
	}
	wanted := c.StringSlice("agent")
	if err := checkAgents(wanted, all); err != nil {
		return nil, err
	}
	out := []view.Conversation{}
	for _, t := range all {
		if n := c.Int("max-count"); n >= 0 && len(out) == n {
			break
		}
		if len(wanted) > 0 && !slices.Contains(wanted, t.Agent) || !since.IsZero() && t.Last.Before(since) ||
			!until.IsZero() && t.First.After(until) {
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
	at := time.Unix(seconds, 0)
	if isNow := time.Since(at).Abs() < time.Minute; isNow && !saysNow(text) {
		return time.Time{}, usage("option '--%s': '%s' is no date", option, text)
	}
	return at, nil
}

// saysNow tells whether a text may stand for the present moment, for which git takes whatever it does not understand.
func saysNow(text string) bool {
	lower := strings.ToLower(text)
	return strings.ContainsAny(text, "0123456789") || strings.Contains(lower, "now") || strings.Contains(lower, "today")
}

// checkAgents refuses names that no known agent has, nor any of the conversations here.
func checkAgents(names []string, here []view.Conversation) error {
	known := agents.Names()
	for i := range here {
		known = append(known, here[i].Agent)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			slices.Sort(known)
			return &failure{
				code: exitUsage, err: fmt.Errorf("unknown agent '%s'", name),
				hint: "known are: " + strings.Join(slices.DeleteFunc(slices.Compact(known), func(n string) bool { return n == "" }),
					", "),
			}
		}
	}
	return nil
}
