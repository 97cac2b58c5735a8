package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/numbers"
	"github.com/git-trace/git-trace/records/purged"
	"github.com/git-trace/git-trace/refs"
)

// purgeSchema names the form of the JSON output; docs/schema/purge-1.schema.json describes it.
const purgeSchema = "git-trace.purge/1"

func (a *app) purgeCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:      "purge",
		Usage:     "take what must not be kept out of everything that git-trace stores",
		UsageText: "git trace purge (--trace <id> | --text <text> | --pattern <regexp> | --path <path>)… [--dry-run] [--yes]",
		Description: "Takes conversations, or what a text, an expression or a path names, out of every version of " +
			"every record, the\n" +
			"fetched ones and those that nothing leads to included, out of prompts, caches, spools and snapshots, and " +
			"deletes\n" +
			"the git objects, loose and packed. What is to be purged is written down first: a purge that was interrupted is\n" +
			"finished by the next one, by doctor --fix and by gc. The log of events holds no text and stays as it is, with " +
			"an\n" +
			"event that says that something was purged.\n" +
			"A text is taken out of whatever is recorded later too, so its conversations go on; it is not kept for that, " +
			"only\n" +
			"hashes under a key of yours. Conversations purged with --trace or --path are not recorded again by themselves.\n" +
			"What is left is told, with the reason, and the exit status is then 1. What was pushed, or fetched by somebody\n" +
			"else, cannot be recalled. Neither commits of yours nor the agent's own session files are touched.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "trace",
				Usage: "the conversation with this `id`; may be given more than once, as the others may"},
			&cli.StringSliceFlag{Name: "text",
				Usage: "`text`, as it stands and in the encodings that redaction knows; '-' reads it from standard input"},
			&cli.StringSliceFlag{Name: "pattern", Usage: "what matches the regular `expression`"},
			&cli.StringSliceFlag{Name: "path",
				Usage: "calls, results and snapshots of the file at this `path` below the top of the work tree"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
			jsonFlag(),
		},
	}, a.runPurge)
}

func (a *app) runPurge(c *cli.Context, ops operands) error {
	if err := ops.none(); err != nil {
		return err
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	target, err := a.purgeTarget(c, repo)
	if err != nil {
		return err
	}
	p := newPurging(c.Context, repo, target, true)
	if err := p.run(); err != nil {
		return fail(exitUnchecked, err, "nothing was purged")
	}
	dry := c.Bool("dry-run")
	if !dry && !p.empty() {
		if !c.Bool("yes") {
			if ok, err := a.confirmPurge(p); err != nil || !ok {
				return err
			}
		}
		p = newPurging(c.Context, repo, target, false)
		if err := p.run(); err != nil {
			return fail(exitUnchecked, err,
				"some of it is done; git trace doctor --fix does the rest, or the same command again")
		}
		if err := p.finish(); err != nil {
			return fail(exitUnchecked, err, "it is done, and the log does not say so; git trace doctor --fix writes it")
		}
	}
	if c.Bool("json") {
		err = writeJSON(quietWriter{a.std.out}, p.json(dry))
	} else {
		a.sayPurged(p, dry)
	}
	if err != nil || dry || len(p.left) == 0 {
		return err
	}
	return silent(exitFinding)
}

// purgeTarget reads what is to be purged.
func (a *app) purgeTarget(c *cli.Context, repo *refs.Repo) (*purgeTarget, error) {
	texts, err := purged.New(repo)
	if err != nil {
		return nil, fail(exitUnchecked, err,
			"delete "+purged.Path(repo)+" to purge without them; what they kept out may then come back")
	}
	t := &purgeTarget{traces: map[events.TraceID]bool{}, texts: texts}
	for _, text := range c.StringSlice("text") {
		if text == "-" { // a secret has no place on a command line, where other users can see it
			a.line.end()
			line, err := bufio.NewReader(a.std.in).ReadString('\n')
			if err != nil && line == "" {
				return nil, usage("there is no text on standard input")
			}
			text = strings.TrimRight(line, "\r\n")
		}
		if len(strings.TrimSpace(text)) < 4 {
			return nil, usage("option '--text': at least four characters are needed")
		}
		if _, err := texts.AddText(text); err != nil {
			return nil, usage("option '--text': %s", err)
		}
	}
	for _, text := range c.StringSlice("pattern") {
		pattern, err := regexp.Compile(text)
		if err != nil {
			return nil, usage("option '--pattern': %s", err)
		}
		if pattern.MatchString("") {
			return nil, usage("option '--pattern': the expression matches the empty text")
		}
		if _, err := texts.AddExpression(text); err != nil {
			return nil, usage("option '--pattern': %s", err)
		}
	}
	for _, path := range c.StringSlice("path") {
		path = strings.TrimPrefix(strings.Trim(path, "/"), "./")
		if path == "" {
			return nil, usage("option '--path': a path below the top of the work tree is needed")
		}
		t.paths = append(t.paths, path)
	}
	if err := a.purgeTraces(c, repo, t); err != nil {
		return nil, err
	}
	if t.none() {
		return nil, usage("what is to be purged? --trace, --text, --pattern or --path")
	}
	return t, nil
}

// purgeTraces finds conversations by their ids, in the log or among the records.
func (a *app) purgeTraces(c *cli.Context, repo *refs.Repo, t *purgeTarget) error {
	ids := c.StringSlice("trace")
	if len(ids) == 0 {
		return nil
	}
	known, err := a.openConversations(c.Context, repo)
	if err != nil {
		return err
	}
	defer known.close()
	for _, id := range ids {
		trace, err := known.find(id)
		if err != nil {
			return reportAmbiguous(a.std.err, err)
		}
		t.traces[trace] = true
	}
	return nil
}

// confirmPurge says what will be done and asks whether it shall be.
func (a *app) confirmPurge(p *purging) (bool, error) {
	a.sayPurged(p, true)
	yes, err := a.confirm("purge that? it cannot be undone", "purges")
	if err == nil && !yes {
		fmt.Fprintln(a.std.err, "nothing was purged")
	}
	return yes, err
}

func (a *app) sayPurged(p *purging, dry bool) {
	w := quietWriter{a.std.out}
	if p.empty() {
		fmt.Fprintln(w, "nothing that git-trace stores holds that")
		a.sayLeft(p)
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
		{len(p.records.Removed), "record", all(len(p.records.Removed))},
		{len(p.records.Changed), "record", " in which it stood"},
		{p.prompts, "typed prompt", ""},
		{p.files, "file", ""},
		{p.blobs, "content", " of snapshots"},
		{p.lost, "version", " of a record that nothing leads to"},
		{p.objects, "git object", ""},
	} {
		if one.n > 0 {
			fmt.Fprintf(w, "  %s%s\n", plural(one.n, one.what), one.rest)
		}
	}
	for _, unread := range p.records.Unread {
		fmt.Fprintf(w, "  %s as a whole: %s\n", unread.Ref, printable(unread.Err.Error()))
	}
	if n := len(p.plans); n > 0 {
		fmt.Fprintf(w, "  the rest of %s that %s interrupted\n", plural(n, "purge"), numbers.Agree(n, "was", "were"))
	}
	a.sayLeft(p)
	if dry {
		return
	}
	a.sayBeyond(p)
}

// sayLeft says what is left and why.
func (a *app) sayLeft(p *purging) {
	if len(p.left) == 0 {
		return
	}
	w := quietWriter{a.std.out}
	fmt.Fprintln(w, "left")
	for _, l := range p.left {
		fmt.Fprintf(w, "  %s: %s\n", printable(l.What), printable(l.Why))
		if l.Mend != "" {
			fmt.Fprintf(w, "    %s\n", printable(l.Mend))
		}
	}
}

// purgeJSON is what was purged, or would be.
type purgeJSON struct {
	Schema  string           `json:"schema"`
	DryRun  bool             `json:"dry_run"`
	Removed []events.TraceID `json:"removed"` // conversations whose records are gone
	Changed []events.TraceID `json:"changed"` // those that something was taken out of
	Prompts int              `json:"prompts"`
	Files   int              `json:"files"`
	Blobs   int              `json:"blobs"`   // contents of snapshots
	Objects int              `json:"objects"` // of git, deleted
	Lost    int              `json:"lost"`    // versions of records that nothing led to
	Unread  []string         `json:"unread"`  // fetched refs that could not be read, and go
	Left    []leftover       `json:"left"`
}

func (p *purging) json(dry bool) purgeJSON {
	out := purgeJSON{
		Schema: purgeSchema, DryRun: dry, Prompts: p.prompts, Files: p.files, Blobs: p.blobs, Objects: p.objects,
		Lost:   p.lost,
		Unread: []string{}, Left: append([]leftover{}, p.left...),
		Removed: slices.Sorted(maps.Keys(p.records.Removed)), Changed: slices.Sorted(maps.Keys(p.records.Changed)),
	}
	for _, unread := range p.records.Unread {
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

// tell writes to the log that something was purged, without saying what.
func (p *purging) tell() error {
	data := events.PurgeData{
		What: p.target.kind(), Removed: len(p.records.Removed), Changed: len(p.records.Changed), Objects: p.objects,
		Files: p.files + p.prompts,
	}
	for trace := range p.records.Removed {
		data.Traces = append(data.Traces, trace)
	}
	for trace := range p.records.Changed {
		data.Traces = append(data.Traces, trace)
	}
	slices.Sort(data.Traces)
	raw, err := events.Encode(data)
	if err != nil {
		return err
	}
	log := events.OpenLog(p.repo)
	_, err = log.Append(p.ctx, []events.Draft{{
		Type: events.LogPurged, Time: time.Now(), Method: []events.Method{events.Manual}, Data: raw,
	}})
	if !errors.Is(err, events.ErrSpooled) {
		return err
	}
	_, _ = log.Drain(p.ctx) // what was in the way may have passed; else the next writer appends it
	return nil
}
