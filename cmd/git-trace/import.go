package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/upkeep/intake"
	"github.com/git-trace/git-trace/view/exchange"
)

func importCommand() *command {
	return &command{
		Name: "import",
		Does: "read files of other programs",
		Form: "git trace import --from <format> [--limit <number>] [--skip-bad-rows] [--json] <file>|<directory>…\n" +
			"git trace import --from git-ai [--json] --notes\n" +
			"git trace import --from entire [--dry-run] [--json]",
		About: "Files of conversations become stored records, redacted like any other. Files of agent-trace and\n" +
			"git-ai say who wrote lines of commits. For commits that exist here, the owners are written to the\n" +
			"log, except where the log has better evidence. A file with an error is refused as a whole. A\n" +
			"second import of a file changes nothing. Files may be compressed with gzip or zstd. In a directory\n" +
			"it takes the files of the format. With entire it reads Entire's checkpoints in this repository,\n" +
			"looks for their lines in the commits, and prints what backfill prints.",
		Options: append([]optionUse{opt("from", exchange.EntireName+", "+exchange.Names(exchange.Format.Taken))},
			options("notes", "dry-run", "json", "limit", "skip-bad-rows")...),
		Examples: []example{
			{"git trace import --from opentraces traces.jsonl", "conversations of another machine"},
			{"git trace import --from opentraces --skip-bad-rows --limit 100 traces.jsonl",
				"the first hundred that can be read"},
		},
		Run:    (*app).importFiles,
		Traits: seals,
		Tries: []string{
			"--from git-ai --notes", "--from entire --dry-run", "--from git-ai a", "--from opentraces a", "--from ccpa a",
			"--from agent-trace a", "--from ccpa nosuch", "--from opentraces empty", "--from ccpa empty",
			"--from agent-trace empty", "--from git-ai empty",
		},
	}
}

func (a *app) importFiles(c *call, ops operands) error {
	if c.String("from") == exchange.EntireName {
		if len(ops.All()) > 0 || c.Bool("notes") {
			return exit.Usage("--from %s reads the branches of this repository, and takes neither a file nor --notes",
				exchange.EntireName)
		}
		b, err := a.filler(c)
		if err != nil {
			return err
		}
		return b.FillFromEntire(c.Context)
	}
	format, err := exchange.Find("from", c.String("from"), exchange.Format.Taken)
	if err != nil {
		return exchange.NotThere(ops.All(), err)
	}
	if c.Bool("dry-run") {
		return exit.Usage("option '--dry-run' needs --from %s", exchange.EntireName)
	}
	if !format.Taken() {
		return exit.Fail(exit.Misuse, fmt.Errorf("%s is made of records, and cannot be imported", format.Name),
			"formats that can be imported: "+exchange.Names(exchange.Format.Taken))
	}
	files, notes := ops.All(), c.Bool("notes")
	if files, err = a.ofFormat(files, format); err != nil {
		return err
	}
	switch {
	case notes && format.Name != gitai.Name:
		return exit.Usage("option '--notes' needs --from %s", gitai.Name)
	case notes && len(files) > 0:
		return exit.Usage("name files or --notes, not both")
	case !notes && len(files) == 0:
		return &exit.Failure{Code: exit.Misuse, Err: errors.New("no file was named"), Hint: "git trace import --from " +
			format.Name + " <file>…"}
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	rows, err := a.newRowRules(c)
	if err != nil {
		return err
	}
	if format.Lines && (rows.Skip || rows.Most > 0) {
		return exit.Usage("options '--limit' and '--skip-bad-rows' need a format of conversations")
	}
	im := &intake.Importer{Caller: a.caller(c, repo), Format: format, Rows: rows}
	made, err := im.Import(c.Context, files)
	if made != nil && c.Bool("json") {
		err = cmp.Or(writeJSON(a.std.out, made), err)
	} else if made != nil {
		im.Tell(made)
	}
	return err
}

// ofFormat returns the named files. From named directories it returns the files that have the format.
func (a *app) ofFormat(names []string, format exchange.Format) ([]string, error) {
	env, err := companion.Env()
	if err != nil {
		return nil, err
	}
	all, over, err := exchange.InDirectories(env, names)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, n := range all {
		if n.Dir != "" {
			is, known, err := exchange.Identify(n.File)
			other := err != nil || !known || is.Name != format.Name
			if over.Note(n.Dir, other); other {
				continue
			}
		}
		files = append(files, n.File)
	}
	if faults := over.Tell(a.std.err, "file of "+format.Name); len(faults) > 0 {
		return nil, exit.Fail(exit.Unchecked, errors.Join(faults...), "nothing was imported")
	}
	return files, nil
}

// newRowRules reads the options.
func (a *app) newRowRules(c *call) (*exchange.Rules, error) {
	most := c.Int("limit")
	if c.IsSet("limit") && most < 1 {
		return nil, exit.Usage("option '--limit': %d is not a number of conversations", most)
	}
	return &exchange.Rules{Err: a.std.err, Skip: c.Bool("skip-bad-rows"), Most: most}, nil
}
