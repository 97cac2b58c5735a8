package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/serve/dataset"
	"github.com/git-trace/git-trace/serve/dataset/shards"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/lookup"
)

// tableOptions are the options for tables alone.
var tableOptions = []string{"shard-size", "partition", "anonymise"}

// tableFlags returns the forms of these options.
func tableFlags() []optionUse {
	return []optionUse{opt("shard-size", "").Or("256M"), opt("partition", ""), opt("anonymise", "")}
}

// tableMemory is the memory in bytes above which an export of tables collects garbage more often. The rest of 200 MB is
// for memory that Go does not count, and for the companion.
const tableMemory = 96 << 20

// exportTables writes the tables of the repository into a directory.
func (a *app) exportTables(c *call, format string, words []string) error {
	o, by, err := askTables(c, format, words)
	if err != nil {
		return err
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	from := dataset.Source{Repo: repo, Known: known.Reader, Force: c.Bool("force")}
	if from.Name, err = dataset.RepositoryName(c.Context, repo); err != nil {
		return err
	}
	o.By, o.Name = by, from.Name
	if c.Bool("anonymise") {
		if from.Hide, err = dataset.OwnAnonymiser(); err != nil {
			return err
		}
		o.Name = from.Hide.Hash("name", o.Name)
	}
	o.Key = dataset.ShortDigest(o.Name)
	state, err := tableState(c, repo, known, &o)
	if err != nil {
		return err
	}
	o.Source = dataset.SourceName(from.Hide, state)
	from.Lines = linesFrom(known)
	debug.SetMemoryLimit(tableMemory)
	return a.writeTables(c.Context, from, o)
}

// askTables reads the options and the directory from the call.
func askTables(c *call, format string, words []string) (o shards.Options, by []string, err error) {
	if len(words) != 1 {
		return o, nil, exit.Fail(exit.Misuse, fmt.Errorf("%s needs one directory for the tables", format),
			"git trace export --format "+format+" <directory>")
	}
	for _, name := range []string{"notes", "redact-auto", "words", "include-human"} {
		if c.IsSet(name) {
			return o, nil, exit.Usage("option '--%s' cannot be used with --format %s", name, format)
		}
	}
	for _, list := range c.StringSlice("partition") {
		for name := range strings.SplitSeq(list, ",") {
			if !slices.Contains(dataset.Partitions, name) {
				return o, nil, exit.NoSuch("partition", name, dataset.Partitions)
			}
			if slices.Contains(by, name) {
				return o, nil, exit.Usage("--partition names %s twice", name)
			}
			by = append(by, name)
		}
	}
	o = shards.Options{Dir: words[0], Ext: format}
	o.Size, err = dataset.ShardSize(c.String("shard-size"))
	return o, by, err
}

// tableState describes everything that decides the rows: equal states give equal rows.
func tableState(c *call, repo *refs.Repo, known *lookup.Conversations, o *shards.Options) (string, error) {
	head, _, err := repo.Head()
	if err != nil {
		return "", err
	}
	tips, err := known.Prompts().Records.Tips(c.Context)
	if err != nil {
		return "", err
	}
	asOf := ""
	if table := prices.InUse(c.Context, repo); table != nil {
		asOf = table.AsOf
	}
	state, err := json.Marshal([]any{version.Number, o.Name, o.Ext, o.Size, o.By, c.Bool("force"), head,
		known.Log().State(), tips, asOf})
	if err != nil {
		return "", err
	}
	return string(state), nil
}

// writeTables writes the missing tables, and the description of the data set.
func (a *app) writeTables(ctx context.Context, from dataset.Source, o shards.Options) error {
	if o.Ext == exchange.Parquet {
		pack, err := dataset.StartPacker(ctx)
		if err != nil {
			return err
		}
		defer pack.Close()
		o.Pack = pack.Pack
	}
	set, err := shards.Begin(o)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	defer func() { _ = set.Close() }()
	m, err := set.Written()
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	var out dataset.Written
	if m == nil || set.Went() {
		if out, err = dataset.Write(ctx, from, set); err != nil {
			return exit.Fail(exit.Unchecked, err, "finished files are kept: the same command continues")
		}
		if m, err = set.Finish(); err != nil {
			return exit.Fail(exit.Unchecked, err, "")
		}
	}
	if err := set.Columns(dataset.Tables()); err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	if err := dataset.Card(o.Dir, o.Ext, from.Hide != nil); err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	rows := int64(0)
	for _, f := range m.Files {
		rows += f.Rows
	}
	fmt.Fprintf(a.std.out, "%s: %s in %s, %d written now\n", cells.Message(o.Name), numbers.Count(int(rows), "row"),
		numbers.Count(len(m.Files), "file"), set.Made())
	if from.Known.Untraced() {
		a.hintNothing(from.Repo)
	}
	return leftOut(a, out)
}

// leftOut reports conversations whose steps were not written.
func leftOut(a *app, out dataset.Written) error {
	faults := make([]error, len(out.LeftOut))
	for i, trace := range out.LeftOut {
		faults[i] = exchange.Blocked(trace)
	}
	return terminal.Faults(a.std.err, faults)
}
