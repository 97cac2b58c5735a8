package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/agenttrace"
	"github.com/git-trace/git-trace/records/gitai"
	"github.com/git-trace/git-trace/records/otel"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/records/treetrace"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/version"
	"github.com/git-trace/git-trace/view"
)

func (a *app) exportCommand() *cli.Command {
	return readingCommand(&cli.Command{
		Name:  "export",
		Usage: "write conversations, or who wrote the lines of commits, in a format of other programs",
		UsageText: "git trace export --format <format> [--notes] [--force] [--redact-auto] " +
			"[<conversation> | <revision range>]…\n" +
			"git trace export --format otlp --endpoint <address> [<conversation> | <revision range>]…\n" +
			"git trace export --format parquet|jsonl [--shard-size <size>] [--partition <columns>] [--anonymise] <directory>",
		Description: "opentraces, ccpa, atif and treetrace give the stored records of conversations: all, the " +
			"named ones, or the ones that\n" +
			"wrote lines of the commits of a range. agent-trace and git-ai give, for each commit of a range (HEAD if\n" +
			"none is named) or each commit that holds lines of a named conversation, who wrote its lines. One JSON object\n" +
			"a line on standard output; --notes puts git-ai's notes under " + gitai.NotesRef +
			" instead. tracestate gives, for\n" +
			"each answer of a conversation, what the model saw and what it did; dpo gives pairs of answers to the same\n" +
			"state: the one that was given, and the one that took its place.\n\n" +
			"otlp with --endpoint sends the spans to a collector of OpenTelemetry, by HTTP in JSON. Only this command sends\n" +
			"them; an environment variable cannot cause it. Headers come from OTEL_EXPORTER_OTLP_HEADERS. It needs\n" +
			"git-trace-serve.\n\n" +
			"   git trace export --format otlp --endpoint http://localhost:4318 main..HEAD\n\n" +
			"parquet and jsonl write tables into a directory: conversations, prompts, steps, calls, patches, commits, lines\n" +
			"and lives, as docs/datasets.md describes them. Many repositories may write into one directory. The same command\n" +
			"again writes only changes, and continues an interrupted run. parquet needs git-trace-serve.\n\n" +
			"   git trace export --format parquet --partition repo,month ~/data\n" +
			"   git trace export --format jsonl --shard-size 64M --anonymise ~/data",
		Flags: slices.Concat([]cli.Flag{
			opt("format", formatNames(exchange.given)).flag(),
			opt("force", "much of a conversation could not be read").flag(),
		}, options("notes", "redact-auto", "words", "include-human", "endpoint"), trainingFlags(), tableFlags()),
	}, a.export)
}

func (a *app) export(c *cli.Context, ops operands) error {
	format, err := exchangeTo(c.String("format"), exchange.given)
	if err != nil {
		return err
	}
	if c.Bool("notes") && format.name != gitai.Name {
		return usage("option '--notes' goes with --format %s", gitai.Name)
	}
	if c.IsSet("words") && !format.tree {
		return usage("option '--words' goes with --format %s", treetrace.Name)
	}
	train, err := a.training(c, format)
	if err != nil {
		return err
	}
	if c.IsSet("endpoint") && format.name != otel.Name {
		return usage("option '--endpoint' goes with --format %s", otel.Name)
	}
	if format.tables {
		return a.exportTables(c, format.name, ops.all())
	}
	for _, name := range tableOptions {
		if c.IsSet(name) {
			return usage("option '--%s' goes with %s and %s", name, parquetName, jsonlName)
		}
	}
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	e := &exporter{
		app: a, ctx: c.Context, repo: repo, known: known, format: train.into(format),
		out:   &stickyWriter{Writer: quietWriter{a.std.out}},
		force: c.Bool("force"), damage: unread{w: a.std.err},
	}
	end, err := e.tell(train)
	if err != nil {
		return err
	}
	defer end()
	if err := e.choose(ops.all()); err != nil {
		return reportAmbiguous(a.std.err, err)
	}
	to, err := sendingTo(c)
	if err != nil {
		return err
	}
	switch {
	case to != nil:
		e.out = &stickyWriter{Writer: to.in}
		err = to.done(a, e.conversations())
	case format.lines:
		err = e.commits(c.Bool("notes"))
	case format.tree:
		err = e.writeTree(c, treetrace.Encode)
	default:
		err = errors.Join(e.conversations(), train.done())
	}
	if err != nil {
		return err
	}
	return e.damage.fault()
}

// exporter writes the chosen conversations or commits in a format.
type exporter struct {
	app    *app
	ctx    context.Context
	repo   *refs.Repo
	known  *conversations
	format exchange
	out    *stickyWriter

	traces []events.TraceID // that were named
	revs   []string         // revisions and ranges that were named
	force  bool             // also what should be looked at first
	byTime bool             // in the order of their beginning
	damage unread
}

// choose sorts the words into conversations and revisions.
func (e *exporter) choose(words []string) error {
	for _, word := range words {
		if strings.Contains(word, "..") || strings.HasPrefix(word, "^") {
			e.revs = append(e.revs, word)
			continue
		}
		trace, err := e.known.find(word)
		if err == nil {
			e.traces = append(e.traces, trace)
			continue
		}
		if _, gitErr := e.repo.Git(e.ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options",
			word+"^{commit}"); gitErr != nil {
			var none *failure
			if errors.As(err, &none) && none.code == exitFinding {
				return fail(exitGit, fmt.Errorf("'%s' is neither a conversation nor a commit", word), none.hint)
			}
			return err
		}
		e.revs = append(e.revs, word)
	}
	if len(e.revs) > 0 && len(e.traces) > 0 {
		return usage("name conversations or revisions, not both")
	}
	return nil
}

// history lists the commits that were asked for.
func (e *exporter) history() ([]history.Commit, error) {
	debug.SetGCPercent(countGrowth)
	if len(e.traces) > 0 {
		list := make([]view.Conversation, 0, len(e.traces))
		for _, trace := range e.traces {
			one, _, err := e.known.Conversation(trace)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		if err := e.known.Complete(e.ctx, list); err != nil {
			return nil, err
		}
		args := []string{"--no-walk=unsorted"}
		for i := range list {
			for _, held := range list[i].Commits {
				args = append(args, held.Commit.String())
			}
		}
		if len(args) == 1 {
			return nil, nil
		}
		return history.List(e.ctx, e.repo, append(args, "--ignore-missing", "--")...)
	}
	if len(e.revs) == 0 {
		if head, _, err := e.repo.Head(); err == nil && head.IsZero() {
			return nil, nil
		}
	}
	if e.known.Untraced() { // git judges the revisions, and no commit is listed
		_, err := commitsOf(e.ctx, e.repo, e.revs, false, "--max-count=0")
		return nil, err
	}
	return history.List(e.ctx, e.repo, append(slices.Clone(e.revs), "--")...)
}

// commits writes who wrote the lines of each commit.
func (e *exporter) commits(asNotes bool) error {
	list, err := e.history()
	if err != nil {
		return err
	}
	var notes *notesWriter
	if asNotes {
		if notes, err = newNotesWriter(e.ctx, e.repo); err != nil {
			return err
		}
	}
	out := newLineWriter(e.out)
	objects := e.repo.Objects()
	defer objects.Close()
	told := 0
	err = e.known.Commits(list, func(c *history.Commit, data *events.CommitData) error {
		e.damage.note(c)
		e.only(data)
		if !slices.ContainsFunc(data.Owners, func(o events.AnchorOwner) bool { return o.Kind != events.OwnerUnknown }) {
			return nil
		}
		told++
		if e.format.name == gitai.Name {
			return e.note(c, data, notes, out)
		}
		content := addedLines(c)
		if c.Cut() {
			content = view.Content(objects, c.ID)
		}
		record, err := agenttrace.FromCommit(data, c.Committed, version.Number, content)
		if err != nil {
			return err
		}
		var line bytes.Buffer
		if err := agenttrace.Write(&line, record); err != nil {
			return err
		}
		return out.line(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
	})
	if err == nil && notes != nil {
		if err = notes.done(); err == nil && told > 0 {
			fmt.Fprintf(e.app.std.out, "%s under %s\n", plural(notes.count, "note"), gitai.NotesRef)
		}
	}
	if err = errors.Join(err, out.flush()); err == nil && told == 0 {
		fmt.Fprintln(e.app.std.err,
			"git-trace: hint: nothing is known of the lines of these commits (git trace backfill looks into old transcripts)")
	}
	return err
}

// addedLines returns the lines that a commit added to its files, each at its place. The other lines are empty: the
// trace says nothing about them.
func addedLines(c *history.Commit) agenttrace.Source {
	files := make(map[string]*history.File, len(c.Files))
	for i := range c.Files {
		files[c.Files[i].Path] = &c.Files[i]
	}
	return func(path string) ([]string, error) {
		var lines []string
		if f := files[path]; f != nil {
			for _, h := range f.Hunks {
				end := h.NewStart - 1 + len(h.Added)
				lines = append(lines, make([]string, max(0, end-len(lines)))...)
				for n, line := range h.Added {
					lines[h.NewStart-1+n] = string(line)
				}
			}
		}
		return lines, nil
	}
}

// only leaves the lines of the conversations that were named.
func (e *exporter) only(data *events.CommitData) {
	if len(e.traces) == 0 {
		return
	}
	for i := range data.Owners {
		if !slices.Contains(e.traces, data.Owners[i].Trace) {
			data.Owners[i] = events.AnchorOwner{Kind: events.OwnerUnknown}
		}
	}
}

// commitNote is the line of a commit in an exported file of notes.
type commitNote struct {
	Commit string `json:"commit"`
	Note   string `json:"note"`
}

func (e *exporter) note(c *history.Commit, data *events.CommitData, notes *notesWriter, out *lineWriter) error {
	note, leftOut := gitai.FromCommit(data, c.Author)
	if leftOut > 0 {
		fmt.Fprintf(e.app.std.err, "git-trace: warning: %s: a note cannot hold the %s of %s\n",
			c.ID, numbers.Agree(leftOut, "name", "names"), plural(leftOut, "file"))
	}
	text, err := note.Bytes()
	if err != nil {
		return err
	}
	if notes != nil {
		notes.write(c.ID, text)
		return nil
	}
	line, err := marshal(commitNote{c.ID.String(), string(text)})
	if err != nil {
		return err
	}
	return out.line(line)
}

// conversations writes stored records.
func (e *exporter) conversations() error {
	told := 0
	faults, err := e.each(func(record *records.Record) error {
		if err := e.format.write(e.out, record); err != nil {
			return err
		}
		told++
		return nil
	})
	if err != nil {
		return err
	}
	if told == 0 && len(faults) == 0 {
		fmt.Fprintln(e.app.std.err, "git-trace: hint: no conversation has a stored record")
	}
	return e.app.allFaults(faults)
}

// each returns the stored records that are wanted. What is wrong with one does not keep the others back.
func (e *exporter) each(yield func(*records.Record) error) (faults []error, err error) {
	s := e.known.Prompts().Records
	wanted, err := e.wanted()
	if err != nil {
		return nil, err
	}
	list, err := s.List(e.ctx)
	if err != nil {
		return nil, fail(exitUnchecked, err, "")
	}
	if list = slices.DeleteFunc(list, func(one store.Entry) bool {
		return wanted != nil && !wanted[one.Trace]
	}); e.byTime {
		if list, err = e.inOrder(list); err != nil {
			return nil, err
		}
	}
	for _, entry := range list {
		delete(wanted, entry.Trace)
		record, err := s.Read(entry)
		switch {
		case err != nil:
		case record.Blocked() && !e.force:
			err = blockedRecord(entry.Trace)
		default:
			err = yield(record)
		}
		if e.out.err != nil {
			return nil, fmt.Errorf("write records: %w", err)
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	for _, trace := range e.traces {
		if wanted[trace] {
			faults = append(faults, noRecord(trace))
		}
	}
	return faults, nil
}

// inOrder puts entries into the order in which their conversations began.
func (e *exporter) inOrder(list []store.Entry) ([]store.Entry, error) {
	starts, err := e.known.Starts()
	if err != nil {
		return nil, err
	}
	begin := func(one store.Entry) steering.Begin {
		return steering.Begin{Start: starts[one.Trace], Trace: string(one.Trace)}
	}
	slices.SortStableFunc(list, func(a, b store.Entry) int { return begin(a).Compare(begin(b)) })
	return list, nil
}

// wanted returns the named conversations, and the conversations that wrote lines of the named commits; nil stands
// for all.
func (e *exporter) wanted() (map[events.TraceID]bool, error) {
	if len(e.traces)+len(e.revs) == 0 {
		return nil, nil
	}
	wanted := map[events.TraceID]bool{}
	for _, trace := range e.traces {
		wanted[trace] = true
	}
	if len(e.revs) == 0 {
		return wanted, nil
	}
	list, err := e.history()
	if err != nil {
		return nil, err
	}
	err = e.known.Commits(list, func(c *history.Commit, data *events.CommitData) error {
		e.damage.note(c)
		for i := range data.Owners {
			if data.Owners[i].Trace != "" {
				wanted[data.Owners[i].Trace] = true
			}
		}
		return nil
	})
	return wanted, err
}

// notesWriter puts notes under git-ai's ref: all by two processes, since git-notes(1) adds one at a time and writes the
// whole tree for each.
type notesWriter struct {
	ctx  context.Context
	repo *refs.Repo
	has  map[string]bool // commits whose note is of somebody else

	stream bytes.Buffer // for git-fast-import(1): all notes but the last
	last   refs.OID
	text   []byte // of the last
	count  int
}

func newNotesWriter(ctx context.Context, repo *refs.Repo) (*notesWriter, error) {
	w := &notesWriter{ctx: ctx, repo: repo, has: map[string]bool{}}
	err := eachNote(ctx, repo, func(commit string, text []byte) error {
		note, err := gitai.Parse(text)
		w.has[commit] = err != nil || note.Metadata.GitAIVersion != gitai.Writer
		return nil //nolint:nilerr // what cannot be read is not ours
	})
	return w, err
}

func (w *notesWriter) write(commit refs.OID, text []byte) {
	if w.has[commit.String()] {
		return
	}
	if !w.last.IsZero() {
		fmt.Fprintf(&w.stream, "N inline %s\ndata %d\n%s\n", w.last, len(w.text), w.text)
	}
	w.last, w.text = commit, append(bytes.TrimRight(text, "\n"), '\n') // as git-notes(1) ends a note
	w.count++
}

// done stores the written notes. git-notes(1) adds the last note, which gives the tree its own form.
func (w *notesWriter) done() error {
	if w.last.IsZero() {
		return nil
	}
	if w.stream.Len() > 0 {
		who, err := w.repo.Git(w.ctx, nil, "var", "GIT_COMMITTER_IDENT")
		if err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
		const message = "Notes added by 'git-trace export'\n"
		head := fmt.Sprintf("commit %s\ncommitter %sdata %d\n%s", gitai.NotesRef, who, len(message), message)
		if _, err := w.repo.ReadRef(gitai.NotesRef); err == nil {
			head += "from " + gitai.NotesRef + "^0\n"
		}
		in := io.MultiReader(strings.NewReader(head), &w.stream)
		if _, err := w.repo.Git(w.ctx, in, "fast-import", "--quiet", "--date-format=raw"); err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
	}
	_, err := w.repo.Git(w.ctx, bytes.NewReader(w.text), "notes", "--ref="+gitai.NotesRef, "add", "-f", "-F", "-",
		w.last.String())
	if err != nil {
		return fmt.Errorf("write note: %w", err)
	}
	return nil
}

// eachNote yields the notes under git-ai's ref.
func eachNote(ctx context.Context, repo *refs.Repo, yield func(commit string, text []byte) error) error {
	if _, err := repo.ReadRef(gitai.NotesRef); err != nil {
		if errors.Is(err, refs.ErrRefMissing) {
			return nil
		}
		return err
	}
	out, err := repo.Git(ctx, nil, "notes", "--ref="+gitai.NotesRef, "list")
	if err != nil {
		return fmt.Errorf("list notes: %w", err)
	}
	objects := repo.Objects()
	defer func() { _ = objects.Close() }()
	for line := range strings.Lines(string(out)) {
		blob, commit, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		id, err := refs.ParseOID(blob)
		if err != nil {
			return fmt.Errorf("list notes: %w", err)
		}
		text, err := objects.Blob(id)
		if err != nil {
			return fmt.Errorf("read note of %.7s: %w", commit, err)
		}
		if err := yield(commit, text); err != nil {
			return err
		}
	}
	return nil
}
