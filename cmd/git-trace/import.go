package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/correlate/carry"
	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/fault"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/agenttrace"
	"github.com/git-trace/git-trace/records/foreign"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/records/jsonl"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
)

func (a *app) importCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:  "import",
		Usage: "read files of other programs",
		UsageText: "git trace import --from <format> [--json] <file>|<directory>…\n" +
			"git trace import --from git-ai [--json] --notes",
		Description: "Files of conversations become stored records, redacted like any other. Files of agent-trace and\n" +
			"git-ai say who wrote lines of commits. For commits that exist here, this is written to the log,\n" +
			"except where the log knows better. A file with an error is refused as a whole. A second import of\n" +
			"a file changes nothing. Files may be compressed with gzip or zstd. In a directory it takes the\n" +
			"files of the format.",
		Flags: append([]cli.Flag{opt("from", formatNames(exchange.taken)).flag()},
			options("notes", "json")...),
	}, a.importFiles)
}

func (a *app) importFiles(c *cli.Context, ops operands) error {
	format, err := exchangeOf("from", c.String("from"), exchange.taken)
	if err != nil {
		return notThere(ops.all(), err)
	}
	if !format.taken() {
		return fail(exitUsage, fmt.Errorf("%s is made of records, and cannot be taken in", format.name),
			"formats that are taken in: "+formatNames(exchange.taken))
	}
	files, notes := ops.all(), c.Bool("notes")
	if files, err = a.ofFormat(files, format); err != nil {
		return err
	}
	switch {
	case notes && format.name != gitai.Name:
		return usage("option '--notes' goes with --from %s", gitai.Name)
	case notes && len(files) > 0:
		return usage("name files or --notes, not both")
	case !notes && len(files) == 0:
		return &failure{code: exitUsage, err: errors.New("no file was named"), hint: "git trace import --from " +
			format.name + " <file>…"}
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	im := &importer{app: a, ctx: c.Context, repo: repo, format: format, json: c.Bool("json")}
	if format.lines {
		return im.lines(files)
	}
	return im.conversations(files)
}

// ofFormat returns the named files, and the files of named directories that have the format.
func (a *app) ofFormat(names []string, format exchange) ([]string, error) {
	env, err := systemEnv()
	if err != nil {
		return nil, err
	}
	all, over, err := inDirectories(env, names)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, n := range all {
		if n.dir != "" {
			is, known, err := identifyExchange(n.file)
			other := err != nil || !known || is.name != format.name
			if over.note(n.dir, other); other {
				continue
			}
		}
		files = append(files, n.file)
	}
	if faults := over.tell(a, "file of "+format.name); len(faults) > 0 {
		return nil, fail(exitUnchecked, errors.Join(faults...), "nothing was taken in")
	}
	return files, nil
}

// importer takes in files of one format.
type importer struct {
	app    *app
	ctx    context.Context
	repo   *refs.Repo
	format exchange
	json   bool

	objects *refs.Objects
	claims  map[refs.OID]*claim.Commit
	order   []refs.OID
	leftOut int // lines that are not where the files say
	strange int // statements about commits that are not here
}

// conversations stores the records of files: all of them, or none.
func (im *importer) conversations(files []string) error {
	for _, name := range files { // before the lock, which leaves a file behind
		file, err := openRecords(im.format, name)
		if err != nil {
			return fail(exitUnchecked, fileFault(name, err), "nothing was taken in")
		}
		_ = file.Close()
	}
	var lock *refs.FileLock // from the first record on: its file stays
	defer func() {
		if lock != nil {
			lock.Unlock()
		}
	}()
	redactor, err := configured.Redactor(im.ctx, im.repo)
	if err != nil {
		return fail(exitUnchecked, err, "")
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
		err := im.app.eachRecord(im.format, name, func(_ int, r *records.Record) (err error) {
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
			return fail(exitUnchecked, fileFault(name, err), "nothing was taken in")
		}
	}
	if _, err := s.PutAll(im.ctx, in.changes); err != nil {
		return fail(exitUnchecked, err, "nothing was taken in")
	}
	return im.report(importReport{Stored: len(in.changes), Newer: in.newer, Here: len(in.known)})
}

// intake decides which records of files are stored. Of several generations of a conversation the newest is. A
// conversation that was recorded here stays as it is: its session file says more.
type intake struct {
	ctx     context.Context
	store   *store.Store
	log     *view.Log
	changes []store.Change
	at      map[events.TraceID]int  // where a conversation stands in changes
	known   map[events.TraceID]bool // conversations that were there in this generation or a newer one
	newer   int                     // of the changes, those that take the place of an older generation
}

func (in *intake) close() {
	for _, change := range in.changes {
		_ = change.Record.Close()
	}
}

// take takes a record or closes it.
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

// importReport lists the imported facts, as --json gives them: conversations of formats that are made of them, lines
// and commits of the others.
type importReport struct {
	Schema  string `json:"schema"`
	Format  string `json:"format"`
	Stored  int    `json:"stored"` // conversations
	Newer   int    `json:"newer"`  // of them, those that take the place of an older generation
	Here    int    `json:"here"`   // conversations that were already here
	Lines   int    `json:"lines"`
	Commits int    `json:"commits"`
	Moved   int    `json:"lines_left_out"`      // not where the files say
	Strange int    `json:"statements_left_out"` // about commits that are not here
}

// report prints the result of the import.
func (im *importer) report(r importReport) error {
	r.Schema, r.Format, r.Moved, r.Strange = importSchema, im.format.name, im.leftOut, im.strange
	out := im.app.std.out
	if im.json {
		return writeJSON(out, r)
	}
	if im.format.lines {
		fmt.Fprintf(out, "%s of %s taken in\n", plural(r.Lines, "line"), plural(r.Commits, "commit"))
	} else {
		fmt.Fprint(out, plural(r.Stored, "conversation")+" stored")
		if r.Newer > 0 {
			fmt.Fprint(out, ", "+thousands(r.Newer)+" in the place of an older generation")
		}
		if r.Here > 0 {
			fmt.Fprint(out, ", "+thousands(r.Here)+" already here")
		}
		fmt.Fprintln(out)
	}
	for _, left := range []struct {
		why   string
		what  string
		count int
	}{
		{"not being where the files say", "line", r.Moved},
		{"being about commits that are not here", "statement", r.Strange},
	} {
		if left.count > 0 {
			fmt.Fprintf(im.app.std.err, "git-trace: warning: left out, %s: %s\n", left.why, plural(left.count, left.what))
		}
	}
	return nil
}

// eachRecord reads all of a file once, then yields its records: a file with a fault yields none. It reports the
// elements that are in no record.
func (a *app) eachRecord(format exchange, name string, yield func(int, *records.Record) error) error {
	file, err := openRecords(format, name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return a.readRecords(format, file, name, yield)
}

// readRecords yields the records of a file, and reports the elements that are in no record.
func (a *app) readRecords(format exchange, file io.Reader, name string, yield func(int, *records.Record) error) error {
	var told records.Captured
	read := func(yield func(int, *records.Record) error) error { return format.read(file, yield) }
	err := ahead(read, func(row int, r *records.Record) error {
		told.Add(r)
		return yield(row, r)
	})
	if err == nil && len(told.Skipped) > 0 {
		fmt.Fprintf(a.std.err, "git-trace: hint: %s\n", printable(name+": "+told.String()))
	}
	return err
}

// errStopped ends a reading whose records nobody wants any more.
var errStopped = errors.New("stopped")

// ahead reads the next records while one is taken: both take about as long.
func ahead(read func(yield func(int, *records.Record) error) error, yield func(int, *records.Record) error) error {
	type row struct {
		number int
		record *records.Record
	}
	rows, stop := make(chan row, 1), make(chan struct{})
	var failed error
	fault.Go(func() {
		defer close(rows)
		failed = read(func(number int, record *records.Record) error {
			select {
			case rows <- row{number, record}:
				return nil
			case <-stop:
				return errStopped
			}
		})
	})
	for one := range rows {
		if err := yield(one.number, one.record); err != nil {
			close(stop)
			for range rows { // until the reading has ended: its file is closed next
			}
			return err
		}
	}
	return failed
}

// openRecords opens a file that was read once without a fault.
func openRecords(format exchange, name string) (io.ReadCloser, error) {
	file, err := openForeign(name)
	if err != nil {
		return nil, err
	}
	err = format.read(file, func(int, *records.Record) error { return nil })
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, refs.PathCause(err)
	}
	return openForeign(name)
}

// foreignFile is a file of others, uncompressed.
type foreignFile struct {
	io.ReadCloser
	file *os.File
}

func openForeign(name string) (*foreignFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, refs.PathCause(err)
	}
	in, err := foreign.Uncompressed(file, unzstd)
	if err != nil {
		return nil, errors.Join(refs.PathCause(err), file.Close())
	}
	return &foreignFile{in, file}, nil
}

// Name returns the name of the file.
func (f *foreignFile) Name() string { return f.file.Name() }

// Close closes both.
func (f *foreignFile) Close() error { return errors.Join(f.ReadCloser.Close(), f.file.Close()) }

// lines writes the files' claims about commits to the log.
func (im *importer) lines(files []string) error {
	im.objects = im.repo.Objects()
	defer func() { _ = im.objects.Close() }()
	im.claims = map[refs.OID]*claim.Commit{}
	if len(files) == 0 {
		err := eachNote(im.ctx, im.repo, func(commit string, text []byte) error {
			if err := im.note(commit, text); err != nil { // the others can be read
				fmt.Fprintf(im.app.std.err, "git-trace: warning: left out the note of %.7s: %s\n", printable(commit),
					printable(err.Error()))
			}
			return nil
		})
		if err != nil {
			return fail(exitUnchecked, err, "nothing was taken in")
		}
	}
	for _, name := range files {
		if err := im.file(name); err != nil {
			return fail(exitUnchecked, fileFault(name, err), "nothing was taken in")
		}
	}
	return im.write()
}

func (im *importer) file(name string) error {
	file, err := openForeign(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if im.format.name == agenttrace.Name {
		return refs.PathCause(agenttrace.Read(file, im.agentTrace))
	}
	in := jsonl.NewReader(file, 0)
	for {
		raw, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refs.PathCause(err)
		}
		var line commitNote
		if err := json.Unmarshal(raw, &line); err != nil || line.Commit == "" || line.Note == "" {
			return in.Fault(errors.New("not a commit and its note"))
		}
		if err := im.note(line.Commit, []byte(line.Note)); err != nil {
			return in.Fault(err)
		}
	}
}

// agentTrace takes a record in.
func (im *importer) agentTrace(_ int, r *agenttrace.Record) error {
	if r.VCS == nil || r.VCS.Type != "git" {
		im.strange++
		return nil
	}
	commit, found := im.commit(r.VCS.Revision)
	if !found {
		im.strange++
		return nil
	}
	data, leftOut, err := r.Commit(im.content(commit))
	if err != nil {
		return err
	}
	im.add(data, leftOut)
	return nil
}

// note takes a note in.
func (im *importer) note(name string, text []byte) error {
	note, err := gitai.Parse(text)
	if err != nil {
		return err
	}
	commit, found := im.commit(name)
	if !found {
		im.strange++
		return nil
	}
	content := im.content(commit)
	data, leftOut := note.Commit(commit, func(path string) (int, error) {
		lines, err := content(path)
		return len(lines), err
	})
	im.add(data, leftOut)
	return nil
}

func (im *importer) add(data *events.CommitData, leftOut int) {
	im.leftOut += leftOut
	c := im.claims[data.Commit]
	if c == nil {
		c = &claim.Commit{CommitData: events.CommitData{Commit: data.Commit}}
		im.claims[data.Commit], im.order = c, append(im.order, data.Commit)
	}
	c.Add(data)
}

// commit reports whether a full id names a commit that is here.
func (im *importer) commit(name string) (refs.OID, bool) {
	id, err := refs.ParseOID(name)
	if err != nil {
		return id, false
	}
	_, err = im.objects.Commit(id)
	return id, err == nil
}

func (im *importer) content(commit refs.OID) func(path string) ([]string, error) {
	return view.Content(im.objects, commit)
}

// write writes the claims for lines without a better answer.
func (im *importer) write() error {
	reader, err := im.app.open(im.ctx, im.repo, view.Options{LogOnly: true})
	if err != nil {
		return err
	}
	defer reader.Close()
	if err := im.carry(); err != nil {
		return err
	}
	owners := newCommitOwners(im.ctx, reader)
	args := []string{"--no-walk=unsorted"}
	for _, id := range im.order {
		args = append(args, id.String())
	}
	var list []history.Commit
	if len(im.order) > 0 {
		if list, err = history.List(im.ctx, im.repo, append(args, "--")...); err != nil {
			return err
		}
	}
	var drafts []events.Draft
	now := time.Now()
	commits, added := 0, 0
	damage := &unread{w: im.app.std.err}
	err = history.Walk(im.ctx, im.repo, list, func(h *history.Commit) error {
		damage.note(h)
		c := im.claims[h.ID]
		c.Parents, c.Lines = h.Parents, view.LinesOf(h)
		if c.Anchored, err = owners.anchored(h.ID); err != nil {
			return err
		}
		if err := c.Fill(owners.unknown(h.ID), nil); err != nil {
			return err
		}
		more, err := c.Drafts(events.Import, now)
		if err != nil || len(more) == 0 {
			return err
		}
		drafts = append(drafts, more...)
		commits++
		added += c.AI + c.Human
		return nil
	})
	if err != nil {
		return err
	}
	if err := appendDrafts(im.ctx, events.OpenLog(im.repo), drafts); err != nil {
		return fail(exitUnchecked, err, "")
	}
	if err := im.report(importReport{Lines: added, Commits: commits}); err != nil {
		return err
	}
	return damage.fault()
}

// carry adds claims about the commits that took the place of described ones.
func (im *importer) carry() error {
	described := make([]*events.CommitData, 0, len(im.order))
	for _, id := range im.order {
		described = append(described, &im.claims[id].CommitData)
	}
	return carry.Find(im.ctx, im.repo, described, func(found *events.CommitData) error {
		im.add(found, 0)
		return nil
	})
}
