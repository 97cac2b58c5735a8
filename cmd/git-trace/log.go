package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/trails/route"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

func logCommand() *command {
	return &command{
		Name: "log",
		Does: "the conversations, newest first",
		Form: "git trace log [<options>] [<revision range>] [[--] <path>…]",
		About: "Lists each conversation with its agent, model and title or first prompt, the lines that it added\n" +
			"and removed, and the commits with its lines. `git trace show <id>` shows one in full. With a range it\n" +
			"lists the conversations that wrote lines of these commits. With paths it lists the conversations\n" +
			"that changed a file below them.\n\n" +
			"--prompts lists each prompt below its conversation, with the time that the agent\n" +
			"took; with --since and --until only prompts of that time, with --oneline a line for each prompt.\n\n" +
			"In --format, %h is the short id and %H the full one, %a the agent, %m the model, %s the first\n" +
			"prompt, %r and %i the time of the last event (relative, ISO 8601), %p and %c the numbers of\n" +
			"prompts and calls, %+ and %- the lines added and removed, %k the lines in commits, %$ the cost,\n" +
			"%n a new line, %% a %.",
		Options: slices.Concat([]optionUse{limitFlag("conversations"), opt("agent", "")}, periodFlags(),
			options("author", "grep", "oneline", "stat", "prompts"),
			[]optionUse{opt("format", "one line for each conversation"), jsonFlag(), colorFlag()}),
		Examples: []example{
			{"git trace log", "all conversations, the newest first"},
			{"git trace log --since=1.week --stat", "conversations of last week, with their files"},
			{"git trace log --prompts --since=1.week", "what was asked in the last week, and how long each took"},
			{"git trace log main..topic -- server.go", "conversations that wrote lines of a file on a branch"},
		},
		Run:    (*app).log,
		Traits: common | bounded | anew,
		Shows:  []string{"", "--json"},
	}
}

func (a *app) log(c *call, ops operands) error {
	form := c.String("format")
	if form != "" && (c.Bool("oneline") || c.Bool("stat") || c.Bool("prompts")) {
		return exit.Usage("--format excludes --oneline, --stat and --prompts")
	}
	if err := show.CheckForm(form); err != nil {
		return err
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	want, err := choice(c, ops, repo, known)
	if err != nil {
		return orConversation(err, ops.List, known)
	}
	list, err := known.Choose(c.Context, want)
	if errors.Is(err, search.ErrNoWords) {
		return exit.Usage("option '--grep': there is no word in '%s'", want.Text)
	}
	if err != nil {
		return err
	}
	items := make([]answers.LogItem, len(list))
	for i := range list {
		items[i].Conversation = &list[i]
	}
	if c.Bool("prompts") {
		if items, err = withPrompts(c.Context, known, items, want); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		digits, err := known.Digits()
		if err != nil {
			return err
		}
		return writeJSON(terminal.Quietly(a.std.out),
			answers.Log{Schema: answers.LogSchema, IDDigits: digits, Conversations: items})
	}
	if len(items) == 0 {
		return a.hintNone(c, repo, known)
	}
	short, err := known.Short()
	if err != nil {
		return err
	}
	return a.drawLog(c, repo, known, items, short)
}

// withPrompts adds the prompts of the requested time. It leaves out conversations without such prompts.
func withPrompts(
	ctx context.Context, known *lookup.Conversations, list []answers.LogItem, want view.Choice,
) ([]answers.LogItem, error) {
	out := []answers.LogItem{}
	for _, item := range list {
		var err error
		if item.Asked, err = known.Asked(ctx, item.Trace, want.Since, want.Until); err != nil {
			return nil, err
		}
		if len(item.Asked) > 0 {
			out = append(out, item)
		}
	}
	return out, nil
}

// orConversation extends the error for an unknown commit, if the name is the id of a conversation.
func orConversation(err error, named []string, known *lookup.Conversations) error {
	var git *refs.GitError
	if !errors.As(err, &git) {
		return err
	}
	for _, id := range named {
		if _, unknown := known.FindTrace(id); unknown == nil {
			id = cells.Message(id)
			return exit.Fail(exit.Git, fmt.Errorf("'%s' is a conversation, not a commit", id), "git trace show "+id)
		}
	}
	return err
}

// hintNone prints the reason why a list is empty.
func (a *app) hintNone(c *call, repo *refs.Repo, known *lookup.Conversations) error {
	all, err := known.Conversations()
	switch {
	case err != nil:
		return err
	case len(all) == 0 && !a.tellOffer(repo, true):
		fmt.Fprintln(a.std.err, "git-trace: hint: no conversation is recorded here (git trace status)")
	case len(all) == 0:
	case c.Int("max-count") != 0:
		fmt.Fprintf(a.std.err, "git-trace: hint: none of %s here matches\n", numbers.Count(len(all), "conversation"))
	}
	return nil
}

// choice derives the choice of conversations from the options and operands.
func choice(c *call, ops operands, repo *refs.Repo, known *lookup.Conversations) (want view.Choice, err error) {
	want = view.Choice{Agents: c.StringSlice("agent"), Text: c.String("grep"), Limit: c.Int("max-count"),
		Brief: !c.Bool("json") && c.String("format") == ""}
	if want.Since, err = gitDate(c, repo, "since"); err != nil {
		return want, err
	}
	if want.Until, err = gitDate(c, repo, "until"); err != nil {
		return want, err
	}
	if err := checkAgents(want.Agents, known); err != nil {
		return want, err
	}
	query, err := graphQuery(c, repo, ops)
	if err != nil {
		return want, err
	}
	for _, path := range query.Paths {
		stored, inside := storedPath(repo, query.Dir, path)
		if !inside {
			return want, exit.Fail(exit.Git, fmt.Errorf("'%s' is outside of the work tree", path), "")
		}
		want.Paths = append(want.Paths, stored)
	}
	if author := c.String("author"); len(query.Revs) > 0 || author != "" {
		var options []string
		if author != "" {
			options = append(options, "--author="+author)
		}
		commits, err := lookup.Commits(c.Context, repo, query.Revs, len(query.Revs) == 0, options...)
		if err != nil {
			return want, err
		}
		want.Commits = make(map[refs.OID]bool, len(commits))
		for _, id := range commits {
			want.Commits[id] = true
		}
	}
	return want, nil
}

// storedPath returns a path in git's form: relative to the top of the work tree, which is "". `given` is relative to
// `dir`; in a bare repository it already has git's form.
func storedPath(repo *refs.Repo, dir, given string) (stored string, inside bool) {
	if repo.Bare() {
		return strings.TrimPrefix(path.Clean(given), "."), true
	}
	abs := given
	if !filepath.IsAbs(given) {
		abs = filepath.Join(dir, given)
	}
	if stored, inside = route.Relative(repo, abs); inside {
		return stored, true
	}
	named, err1 := os.Stat(abs)
	top, err2 := os.Stat(repo.WorkTree)
	return "", err1 == nil && err2 == nil && os.SameFile(named, top)
}

// gitDate reads a date in any form of git log, by running git; zero if the option is missing.
func gitDate(c *call, repo *refs.Repo, option string) (time.Time, error) {
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
		return time.Time{}, exit.Usage("option '--%s': '%s' is not a date", option, text)
	}
	at := time.Unix(seconds, 0)
	if isNow := time.Since(at).Abs() < time.Minute; isNow && !saysNow(text) {
		return time.Time{}, exit.Usage("option '--%s': '%s' is not a date", option, text)
	}
	return at, nil
}

// saysNow reports whether a text means the present. git reads every unknown text as the present.
func saysNow(text string) bool {
	lower := strings.ToLower(text)
	return strings.ContainsAny(text, "0123456789") || strings.Contains(lower, "now") || strings.Contains(lower, "today")
}

// checkAgents rejects a name if no known agent and no conversation here has it.
func checkAgents(names []string, here *lookup.Conversations) error {
	known := agents.Names()
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		for c, err := range here.InOrder("") {
			if err != nil {
				return err
			}
			known = append(known, c.Agent)
		}
		if !slices.Contains(known, name) {
			slices.Sort(known)
			known = slices.DeleteFunc(slices.Compact(known), func(n string) bool { return n == "" })
			return exit.NoSuch("agent", name, known)
		}
	}
	return nil
}

func (a *app) drawLog(c *call, repo *refs.Repo, known *lookup.Conversations, items []answers.LogItem,
	short func(events.TraceID) string) error {
	form := c.String("format")
	screen, err := a.screen(repo, c.String("color"))
	if err != nil {
		return err
	}
	d, out := show.NewLogDrawer(screen, items, short, time.Now()), bufio.NewWriter(screen.Out)
	for i := range items {
		one := items[i].Conversation
		var text string
		switch {
		case form != "":
			if text, err = d.Formatted(one, form); err != nil {
				return errors.Join(err, screen.Close())
			}
		case c.Bool("oneline") && c.Bool("prompts"):
			text = d.Asked(&items[i], true)
		case c.Bool("oneline"):
			text = d.Line(one)
		default:
			text = d.Conversation(one)
		}
		if c.Bool("stat") {
			files, err := known.Files(one)
			if err != nil {
				return errors.Join(err, screen.Close())
			}
			text += d.Stat(files)
		}
		if c.Bool("prompts") && !c.Bool("oneline") {
			text += d.Asked(&items[i], false)
		}
		if _, err := out.WriteString(text); err != nil {
			return errors.Join(err, screen.Close())
		}
	}
	return errors.Join(out.Flush(), screen.Close())
}
