package main

import (
	"bufio"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/upkeep/purge"
)

// purgeSchema names the form of the JSON output; docs/schema/purge-1.schema.json describes it.
const purgeSchema = "git-trace.purge/1"

func purgeCommand() *command {
	return &command{
		Name: "purge",
		Does: "remove texts, files or conversations from everything that git-trace stores",
		Form: "git trace purge [--trace <id>]… [--text <text>]… [--pattern <expression>]… " +
			"[--path <path>]… [--dry-run] [--yes]",
		About: "Removes conversations, or whatever matches a text, an expression or a path, from every version of\n" +
			"every record, also fetched and unreachable ones, and from prompts, caches, spools and snapshots.\n" +
			"It deletes the git objects, loose and packed. First it writes down its plan: the next purge,\n" +
			"doctor --fix or gc finishes an interrupted one. The log of events holds no text. It stays, with a\n" +
			"new event that says that something was purged. A purged text is also removed from later\n" +
			"recordings, so its conversations continue. git-trace keeps only hashes of it under a key of yours.\n" +
			"Conversations purged with --trace or --path are recorded again only on request. If something is\n" +
			"left, purge names it with the reason, and the exit status is 1. Copies that were pushed, or\n" +
			"fetched by others, stay there. Your commits and the agents' own session files are not touched.",
		Options: options("trace", "text", "pattern", "path", "dry-run", "yes", "json"),
		Examples: []example{
			{"git trace purge --dry-run --text 'retry limit'", "where a text was recorded"},
			{"printf %s \"$SECRET\" | git trace purge --yes --text -", "remove a secret without typing it"},
		},
		Run:    (*app).runPurge,
		Traits: alone | seals,
		Tries:  []string{"--text nothing --yes", "--text nothing --dry-run", "--path a --yes"},
	}
}

func (a *app) runPurge(c *call, _ operands) error {
	repo, err := a.repo()
	if err != nil {
		return err
	}
	target, err := a.purgeTarget(c, repo)
	if err != nil {
		return err
	}
	p, err := purge.Look(c.Context, repo, target)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "nothing was purged")
	}
	dry := c.Bool("dry-run")
	if !dry {
		if !c.Bool("yes") && !p.Empty() {
			if ok, err := a.confirmPurge(p); err != nil || !ok {
				return err
			}
		}
		if p, err = purge.Do(c.Context, repo, target); err != nil {
			return exit.Fail(exit.Unchecked, err,
				"the purge is incomplete; git trace doctor --fix finishes it, or the same command again")
		}
		if err := p.Finish(); err != nil {
			return exit.Fail(exit.Unchecked, err,
				"the purge is done, but the log does not say so; git trace doctor --fix writes it")
		}
	}
	if c.Bool("json") {
		err = writeJSON(terminal.Quietly(a.std.out), purgedJSON(p, dry))
	} else {
		a.sayPurged(p, dry)
	}
	if err != nil || dry || len(p.Left) == 0 {
		return err
	}
	return exit.Silent(exit.Finding)
}

// purgeTarget reads the target of a purge from the call.
func (a *app) purgeTarget(c *call, repo *refs.Repo) (*purge.Target, error) {
	texts, err := purged.New(repo)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err,
			"delete "+purged.Path(repo)+" to purge without them; data that they removed may then come back")
	}
	t := &purge.Target{Traces: map[events.TraceID]bool{}, Texts: texts}
	for _, text := range c.StringSlice("text") {
		if text == "-" { // a secret must not be on a command line, where other users can see it
			a.line.End()
			line, err := bufio.NewReader(a.std.in).ReadString('\n')
			if err != nil && line == "" {
				return nil, exit.Usage("there is no text on standard input")
			}
			text = strings.TrimRight(line, "\r\n")
		}
		if len(strings.TrimSpace(text)) < 4 {
			return nil, exit.Usage("option '--text': at least four characters are needed")
		}
		if _, err := texts.AddText(text); err != nil {
			return nil, exit.Usage("option '--text': %s", err)
		}
	}
	for _, text := range c.StringSlice("pattern") {
		pattern, err := regexp.Compile(text)
		if err != nil {
			return nil, exit.Usage("option '--pattern': %s", err)
		}
		if pattern.MatchString("") {
			return nil, exit.Usage("option '--pattern': the expression matches the empty text")
		}
		if _, err := texts.AddExpression(text); err != nil {
			return nil, exit.Usage("option '--pattern': %s", err)
		}
	}
	for _, path := range c.StringSlice("path") {
		path = strings.TrimPrefix(strings.Trim(path, "/"), "./")
		if path == "" {
			return nil, exit.Usage("option '--path': a path below the top of the work tree is needed")
		}
		if _, err := texts.AddPath(path); err != nil {
			return nil, err
		}
	}
	if err := a.purgeTraces(c, repo, t); err != nil {
		return nil, err
	}
	if t.None() {
		return nil, exit.Usage("what is to be purged? --trace, --text, --pattern or --path")
	}
	return t, nil
}

// purgeTraces finds conversations by their ids, in the log or among the records.
func (a *app) purgeTraces(c *call, repo *refs.Repo, t *purge.Target) error {
	ids := c.StringSlice("trace")
	if len(ids) == 0 {
		return nil
	}
	traces, err := a.findAll(c.Context, repo, ids)
	for _, trace := range traces {
		t.Traces[trace] = true
	}
	return err
}

// confirmPurge prints what the purge will do, and asks for consent.
func (a *app) confirmPurge(p *purge.Purge) (bool, error) {
	a.sayPurged(p, true)
	yes, err := a.confirm("purge this? it cannot be undone", "purges")
	if err == nil && !yes {
		fmt.Fprintln(a.std.err, "nothing was purged")
	}
	return yes, err
}

func (a *app) sayPurged(p *purge.Purge, dry bool) {
	w := terminal.Quietly(a.std.out)
	if p.Empty() {
		if len(p.Left) == 0 {
			fmt.Fprintln(w, "git-trace stores no such data")
		}
		a.sayLeft(p)
		if !dry && !p.Target.Texts.Empty() {
			fmt.Fprintln(a.std.err, "git-trace: hint: later recordings leave it out, too")
		}
		return
	}
	verb := "purged"
	if dry {
		verb = "would purge"
	}
	fmt.Fprintf(w, "%s\n", verb)
	all := func(n int) string { return numbers.Agree(n, " with all its versions", " with all their versions") }
	for _, one := range []struct {
		n          int
		what, rest string
	}{
		{len(p.Records.Removed), "record", all(len(p.Records.Removed))},
		{len(p.Records.Changed), "record", " in which it stood"},
		{p.Prompts, "typed prompt", ""},
		{p.Files, "file", ""},
		{p.Blobs, "content", " of snapshots"},
		{p.Lost, "version", " of an unreachable record"},
		{p.Objects, "git object", ""},
	} {
		if one.n > 0 {
			fmt.Fprintf(w, "  %s%s\n", numbers.Count(one.n, one.what), one.rest)
		}
	}
	for _, unread := range p.Records.Unread {
		fmt.Fprintf(w, "  %s as a whole: %s\n", unread.Ref, cells.Message(unread.Err.Error()))
	}
	if n := p.Interrupted(); n > 0 {
		fmt.Fprintf(w, "  the rest of %s that %s interrupted\n", numbers.Count(n, "purge"), numbers.Agree(n, "was", "were"))
	}
	a.sayLeft(p)
	if dry {
		return
	}
	a.sayBeyond(p)
}

// sayLeft prints the data that the purge leaves, with the reason.
func (a *app) sayLeft(p *purge.Purge) {
	if len(p.Left) == 0 {
		return
	}
	w := terminal.Quietly(a.std.out)
	fmt.Fprintln(w, "left")
	for _, l := range p.Left {
		fmt.Fprintf(w, "  %s: %s\n", cells.Message(l.What), cells.Message(l.Why))
		if l.Mend != "" {
			fmt.Fprintf(w, "    %s\n", cells.Message(l.Mend))
		}
	}
}

// purgeJSON lists the results of a purge, done or planned.
type purgeJSON struct {
	Schema  string           `json:"schema"`
	DryRun  bool             `json:"dry_run"`
	Removed []events.TraceID `json:"removed"` // conversations whose records were removed
	Changed []events.TraceID `json:"changed"` // conversations whose records were changed
	Prompts int              `json:"prompts"`
	Files   int              `json:"files"`
	Blobs   int              `json:"blobs"`   // number of contents of snapshots
	Objects int              `json:"objects"` // number of deleted git objects
	Lost    int              `json:"lost"`    // number of unreachable versions of records
	Unread  []string         `json:"unread"`  // fetched refs that could not be read, and were removed
	Left    []purge.Left     `json:"left"`
}

func purgedJSON(p *purge.Purge, dry bool) purgeJSON {
	out := purgeJSON{
		Schema: purgeSchema, DryRun: dry, Prompts: p.Prompts, Files: p.Files, Blobs: p.Blobs, Objects: p.Objects,
		Lost:   p.Lost,
		Unread: []string{}, Left: append([]purge.Left{}, p.Left...),
		Removed: slices.Sorted(maps.Keys(p.Records.Removed)), Changed: slices.Sorted(maps.Keys(p.Records.Changed)),
	}
	for _, unread := range p.Records.Unread {
		out.Unread = append(out.Unread, unread.Ref)
	}
	if out.Removed == nil {
		out.Removed = []events.TraceID{}
	}
	if out.Changed == nil {
		out.Changed = []events.TraceID{}
	}
	return out
}

// Data that a purge cannot reach is not a finding, because nobody can change that. It is described as exactly as
// possible.

// mostFiles is the number of session files that are listed.
const mostFiles = 5

// sayBeyond lists copies outside git-trace's store.
func (a *app) sayBeyond(p *purge.Purge) {
	hint := func(format string, args ...any) {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", cells.Message(fmt.Sprintf(format, args...)))
	}
	who := "what was pushed"
	if names := a.remotesOf(p); len(names) > 0 {
		who += " to " + strings.Join(names, ", ")
	}
	hint("%s, or fetched by others, stays there, as does data in other clones on this machine: change "+
		"a secret that left", who)
	files := a.sessionFiles(p)
	for _, file := range files[:min(len(files), mostFiles)] {
		hint("the agent's own session file still holds it: %s", file)
	}
	if n := len(files) - mostFiles; n > 0 {
		hint("%s more hold it too", numbers.Count(n, "session file"))
	}
	hint("the agents' own files and your commits are not touched")
}

func (a *app) remotesOf(p *purge.Purge) []string {
	out, err := p.Repo.Git(a.life, nil, "remote")
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}

// sessionFiles lists the session files of the changed conversations that still contain the text.
func (a *app) sessionFiles(p *purge.Purge) []string {
	env, err := companion.Env()
	if err != nil {
		return nil
	}
	known, err := a.openConversations(a.life, p.Repo)
	if err != nil {
		return nil
	}
	defer known.Close()
	var out []string
	for _, trace := range p.Touched() {
		t, found, err := known.Conversation(trace)
		if err != nil || !found {
			continue
		}
		path, err := recorder.SessionFile(env, waiting.Session{Trace: trace, Agent: t.Agent, Session: t.Session,
			WorkTree: p.Repo.WorkTree})
		if err != nil || slices.Contains(out, path) {
			continue
		}
		held := p.Target.Traces[trace]
		if !held {
			held, err = p.Target.HoldsFile(path)
		}
		if err == nil && held {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}
