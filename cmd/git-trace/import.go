package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
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
		return a.importEntire(c, ops)
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
	im := &importer{app: a, ctx: c.Context, repo: repo, format: format, json: c.Bool("json"), rows: rows}
	if format.Lines {
		return im.lines(files)
	}
	return im.conversations(files)
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

// importer imports files of one format.
type importer struct {
	app    *app
	ctx    context.Context
	repo   *refs.Repo
	format exchange.Format
	json   bool
	rows   *exchange.Rules

	objects *refs.Objects
	claims  map[refs.OID]*claim.Commit
	order   []refs.OID
	leftOut int // lines that are not in the commits where the files say
	strange int // statements about commits that are not here
}

// conversations stores the records of all files, or no record.
func (im *importer) conversations(files []string) error {
	for _, name := range files { // check before the lock, because a lock makes a file
		file, err := im.rows.OpenRecords(im.format, name)
		if err != nil {
			return exit.Fail(exit.Unchecked, exchange.FileFault(name, err), "nothing was imported")
		}
		_ = file.Close()
	}
	var lock *refs.FileLock // taken at the first record; its file remains
	defer func() {
		if lock != nil {
			lock.Unlock()
		}
	}()
	redactor, err := configured.Redactor(im.ctx, im.repo)
	if err != nil {
		return exit.Fail(exit.Unchecked, err, "")
	}
	reader, err := im.app.open(im.ctx, im.repo, view.Options{LogOnly: true})
	if err != nil {
		return err
	}
	defer reader.Close()
	s := store.Open(im.repo)
	defer func() { _ = s.Close() }()
	in := intake{ctx: im.ctx, store: s, log: reader.Log(), at: map[events.TraceID]int{}, known: map[events.TraceID]bool{}}
	defer in.close()
	for _, name := range files {
		err := im.rows.EachRecord(im.format, name, func(row int, r *records.Record) (err error) {
			if im.rows.Skip && !events.TraceID(r.TraceID).Valid() {
				im.rows.Taken--
				im.rows.Pass(fmt.Errorf("%s: row %d: trace id %.60q is not a UUID", name, row, r.TraceID))
				return nil
			}
			if lock == nil {
				if lock, err = store.Lock(im.repo, store.Patience); err != nil {
					return err
				}
			}
			redacted, err := redactor.Record(im.ctx, r)
			if err != nil {
				return err
			}
			return in.take(redacted)
		})
		if err != nil {
			return exit.Fail(exit.Unchecked, exchange.FileFault(name, err), "nothing was imported")
		}
	}
	if _, err := s.PutAll(im.ctx, in.changes); err != nil {
		return exit.Fail(exit.Unchecked, err, "nothing was imported")
	}
	if err := im.rows.Done(); err != nil {
		return err
	}
	return im.report(importReport{Stored: len(in.changes), Newer: in.newer, Here: len(in.known), Bad: im.rows.Left})
}

// intake decides which records of files are stored. It takes the newest generation of a conversation. It does not
// replace a conversation that was recorded here: the session file contains more.
type intake struct {
	ctx     context.Context
	store   *store.Store
	log     *view.Log
	changes []store.Change
	at      map[events.TraceID]int  // index of the conversation in changes
	known   map[events.TraceID]bool // conversations that exist here in this generation or a newer one
	newer   int                     // number of changes that replace an older generation
}

func (in *intake) close() {
	for _, change := range in.changes {
		_ = change.Record.Close()
	}
}

// take queues a record for storing, or closes it.
func (in *intake) take(r *redact.Record) error {
	trace, generation := r.Trace(), r.Head().GenerationIndex
	if i, found := in.at[trace]; found {
		if in.changes[i].Record.Head().GenerationIndex >= generation {
			return r.Close()
		}
		old := in.changes[i].Record
		in.changes[i].Record = r
		return old.Close()
	}
	entry, err := in.store.Find(in.ctx, trace)
	if errors.Is(err, store.ErrNotFound) || err == nil && !entry.Own() {
		in.add(store.Change{Record: r})
		return nil
	}
	if err != nil {
		return errors.Join(err, r.Close())
	}
	here, err := in.store.Read(entry)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	_, recorded, err := in.log.Trace(trace)
	if err != nil || recorded || here.GenerationIndex >= generation {
		in.known[trace] = true
		return errors.Join(err, r.Close())
	}
	in.newer++
	in.add(store.Change{Record: r, Base: entry.Blob})
	return nil
}

func (in *intake) add(change store.Change) {
	delete(in.known, change.Record.Trace())
	in.at[change.Record.Trace()] = len(in.changes)
	in.changes = append(in.changes, change)
}

const importSchema = "git-trace.import/1"

// importReport lists the imported data in the form of --json: conversations, lines or commits, depending on the format.
type importReport struct {
	Schema  string `json:"schema"`
	Format  string `json:"format"`
	Stored  int    `json:"stored"` // number of conversations
	Newer   int    `json:"newer"`  // conversations that replaced an older generation
	Here    int    `json:"here"`   // conversations that were already here
	Lines   int    `json:"lines"`
	Commits int    `json:"commits"`
	Moved   int    `json:"lines_left_out"`      // lines that are not where the files say
	Strange int    `json:"statements_left_out"` // statements about commits that are not here
	Bad     int    `json:"rows_left_out"`       // unreadable rows
}

// report prints the result of the import.
func (im *importer) report(r importReport) error {
	r.Schema, r.Format, r.Moved, r.Strange = importSchema, im.format.Name, im.leftOut, im.strange
	out := im.app.std.out
	if im.json {
		return writeJSON(out, r)
	}
	if im.format.Lines {
		fmt.Fprintf(out, "%s of %s imported\n", numbers.Count(r.Lines, "line"), numbers.Count(r.Commits, "commit"))
	} else {
		fmt.Fprint(out, numbers.Count(r.Stored, "conversation")+" stored")
		if r.Newer > 0 {
			fmt.Fprint(out, ", "+numbers.Thousands(r.Newer)+" instead of an older generation")
		}
		if r.Here > 0 {
			fmt.Fprint(out, ", "+numbers.Thousands(r.Here)+" already here")
		}
		fmt.Fprintln(out)
	}
	for _, left := range []struct {
		why   string
		what  string
		count int
	}{
		{"not at the place that the files give", "line", r.Moved},
		{"about commits that are not here", "statement", r.Strange},
	} {
		if left.count > 0 {
			fmt.Fprintf(im.app.std.err, "git-trace: warning: left out, %s: %s\n", left.why, numbers.Count(left.count, left.what))
		}
	}
	return nil
}

// newRowRules reads the options.
func (a *app) newRowRules(c *call) (*exchange.Rules, error) {
	most := c.Int("limit")
	if c.IsSet("limit") && most < 1 {
		return nil, exit.Usage("option '--limit': %d is not a number of conversations", most)
	}
	return &exchange.Rules{Err: a.std.err, Skip: c.Bool("skip-bad-rows"), Most: most}, nil
}
