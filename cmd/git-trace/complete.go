package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cli"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/upkeep/settings"
	"github.com/git-trace/git-trace/view/exchange"
)

// completer suggests the next word of a command line. A shell runs it at each press of the key. So it hides errors, and
// reads nothing slower than an index.
type completer struct {
	a   *app
	out io.Writer
}

// complete prints candidates for the last word after `git trace`, one a line: a word, a tab, and its meaning. The line
// :file stands for any file, :ref for any revision.
func (a *app) complete(words []string) {
	c := &completer{a: a, out: a.std.out}
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	switch {
	case len(words) == 1 && strings.HasPrefix(last, "-"):
		c.words(last, "--version", "--no-pager", "--git-dir=", "--work-tree=", "-C")
	case len(words) == 2 && words[0] == "help" && strings.HasPrefix(last, "-"):
		c.words(last, "--all")
	case len(words) == 1, len(words) == 2 && words[0] == "help":
		c.verbs(last)
	default:
		if command := called(words); command != nil {
			c.arguments(command, words[1:len(words)-1], last)
		}
	}
}

func (c *completer) put(word, means string) { fmt.Fprintf(c.out, "%s\t%s\n", word, means) }

func (c *completer) words(typed string, list ...string) {
	for _, word := range list {
		if strings.HasPrefix(word, typed) {
			fmt.Fprintln(c.out, word)
		}
	}
}

func (c *completer) verbs(typed string) {
	for _, command := range allCommands() {
		if strings.HasPrefix(command.Name, typed) {
			c.put(command.Name, command.Does)
		}
	}
}

func (c *completer) arguments(command *command, before []string, typed string) {
	if slices.Contains(before, "--") {
		fmt.Fprintln(c.out, ":file")
		return
	}
	if name, value, found := strings.Cut(typed, "="); found && strings.HasPrefix(name, "--") {
		c.value(command, name, value)
		return
	}
	if len(before) > 0 && c.value(command, before[len(before)-1], typed) {
		return
	}
	if strings.HasPrefix(typed, "-") {
		c.options(command, typed)
		return
	}
	c.operand(command, typed)
}

// options offers the command's own options, and git's options if it takes them.
func (c *completer) options(command *command, typed string) {
	for _, o := range command.Options {
		name, does := o.Text()
		if name, _, _ = strings.Cut(name, " "); strings.HasPrefix(strings.TrimSuffix(name, ","), typed) {
			c.put(strings.TrimSuffix(name, ","), does)
		}
	}
	if !command.Is(likeGit) {
		return
	}
	repo, err := c.a.repo()
	if err != nil {
		return
	}
	if out, err := repo.Git(c.a.life, nil, command.Name, "--git-completion-helper"); err == nil {
		c.words(typed, strings.Fields(string(out))...)
	}
}

// choiceOf finds the allowed values of an option in its description.
var choiceOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([a-z_-]+(?:\\|[a-z_-]+)+)`")
})

// value offers values for an option, and reports whether it takes a value.
func (c *completer) value(command *command, option, typed string) bool {
	at := slices.IndexFunc(command.Options, func(o optionUse) bool {
		return slices.ContainsFunc(slices.Concat(o.Names, o.Also), func(n string) bool { return cli.Dashed(n) == option })
	})
	if at < 0 || command.Options[at].Kind == cli.TakesNothing {
		return false
	}
	name := command.Options[at].Names[0]
	if found := choiceOf().FindStringSubmatch(command.Options[at].Does); found != nil {
		c.words(typed, strings.Split(found[1], "|")...)
		return true
	}
	switch {
	case name == "agent":
		c.words(typed, agents.Names()...)
	case name == "color":
		c.words(typed, "always", "never", "auto")
	case name == "by":
		c.words(typed, dimensions()...)
	case name == "to":
		c.words(typed, "commits", "conversations", "log")
	case name == "show-prompts":
		c.words(typed, "none", "first", "all")
	case name == "format" && command.Name == "trailers":
		c.words(typed, "assisted-by", "co-author")
	case name == "format" && command.Name == "check":
		c.words(typed, "text", "json", "sarif")
	case name == "format" && command.Name == "graph":
		c.words(typed, "text", "dot", "mermaid", "html")
	case name == "format" && command.Name == "stats":
		c.words(typed, statsFormats...)
	case name == "format" && command.Name != "log":
		c.formats(typed, exchange.Format.Given)
	case name == "from":
		c.formats(typed, exchange.Format.Taken)
	case name == "trace":
		c.conversations(typed)
	case slices.Contains([]string{"contents", "output", "path", "system", "transcripts", "words", "write", "key"}, name):
		fmt.Fprintln(c.out, ":file")
	}
	return true
}

func (c *completer) formats(typed string, which func(exchange.Format) bool) {
	for _, format := range exchange.Formats() {
		if which(format) {
			c.words(typed, format.Name)
		}
	}
}

// operandIn finds the operands in a command's usage.
var operandIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<[^<>]*>`)
})

// operand offers operands by the command's usage.
func (c *completer) operand(command *command, typed string) {
	var ids, refs, files bool
	for _, name := range operandIn().FindAllString(command.Form, -1) {
		switch strings.Trim(name, "<>") {
		case "id", "trace", "conversation", "moment":
			ids = true
		case "rev", "commit", "revision range", "branch", "base", "tag":
			refs = true
		case "path", "file":
			files = true
		case "remote":
			c.remotes(typed)
		case "setting":
			for _, s := range settings.All {
				if strings.HasPrefix(strings.ToLower(s.Key), strings.ToLower(typed)) {
					c.put(s.Key, s.Means)
				}
			}
		case "shell":
			c.words(typed, shells...)
		}
	}
	offered := 0
	if ids {
		offered = c.conversations(typed)
	}
	if typed == "" && offered > 0 {
		return // any branch or file is possible, too, but a newest conversation is likely
	}
	if refs && !strings.Contains(typed, "#") {
		fmt.Fprintln(c.out, ":ref")
	}
	if files {
		fmt.Fprintln(c.out, ":file")
	}
}

func (c *completer) remotes(typed string) {
	repo, err := c.a.repo()
	if err != nil {
		return
	}
	if out, err := repo.Git(c.a.life, nil, "remote"); err == nil {
		c.words(typed, strings.Fields(string(out))...)
	}
}

// mostOffered limits the conversations that are offered: a longer list does not help.
const mostOffered = 50

// conversations offers the newest conversations whose ids begin with the typed text, each with its agent and its first
// prompt, and returns their number.
func (c *completer) conversations(typed string) int {
	_, known, err := c.a.recorded(context.WithoutCancel(c.a.life))
	if err != nil {
		return 0
	}
	defer known.Close()
	typed = strings.ToLower(typed)
	all, err := known.Newest(typed, mostOffered)
	if err != nil {
		return 0
	}
	short, err := known.Short()
	if err != nil {
		return 0
	}
	if err := known.Prompted(all); err != nil {
		return 0
	}
	const longest = 60
	for i := range all {
		id := short(all[i].Trace)
		if len(typed) > len(id) {
			id = string(all[i].Trace)
		}
		said := strings.TrimSpace(all[i].Agent + " " + show.NameOf(&all[i]))
		c.put(id, cells.Cut(cells.Safe(said), longest))
	}
	return len(all)
}
