package intake

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
)

// Importer imports files of one format.
type Importer struct {
	Caller

	Format exchange.Format
	Rows   *exchange.Rules

	ctx context.Context // an importer lives for one command

	objects *refs.Objects
	claims  map[refs.OID]*claim.Commit
	order   []refs.OID
	leftOut int // lines that are not in the commits where the files say
	strange int // statements about commits that are not here
}

// Import imports files; for a format of lines without files, the notes of the repository. The report is nil if nothing
// was imported.
func (im *Importer) Import(ctx context.Context, files []string) (*Imported, error) {
	im.ctx = ctx
	if im.Format.Lines {
		return im.lines(files)
	}
	return im.conversations(files)
}

// conversations stores the records of all files, or no record.
func (im *Importer) conversations(files []string) (*Imported, error) {
	for _, name := range files { // check before the lock, because a lock makes a file
		file, err := im.Rows.OpenRecords(im.Format, name)
		if err != nil {
			return nil, exit.Fail(exit.Unchecked, exchange.FileFault(name, err), "nothing was imported")
		}
		_ = file.Close()
	}
	var lock *refs.FileLock // taken at the first record; its file remains
	defer func() {
		if lock != nil {
			lock.Unlock()
		}
	}()
	redactor, err := configured.Redactor(im.ctx, im.Repo)
	if err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "")
	}
	reader, err := im.Open(im.ctx, im.Repo, view.Options{LogOnly: true})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	s := store.Open(im.Repo)
	defer func() { _ = s.Close() }()
	in := intake{ctx: im.ctx, store: s, log: reader.Log(), at: map[events.TraceID]int{}, known: map[events.TraceID]bool{}}
	defer in.close()
	for _, name := range files {
		err := im.Rows.EachRecord(im.Format, name, func(row int, r *records.Record) (err error) {
			if im.Rows.Skip && !events.TraceID(r.TraceID).Valid() {
				im.Rows.Taken--
				im.Rows.Pass(fmt.Errorf("%s: row %d: trace id %.60q is not a UUID", name, row, r.TraceID))
				return nil
			}
			if lock == nil {
				if lock, err = store.Lock(im.Repo, store.Patience); err != nil {
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
			return nil, exit.Fail(exit.Unchecked, exchange.FileFault(name, err), "nothing was imported")
		}
	}
	if _, err := s.PutAll(im.ctx, in.changes); err != nil {
		return nil, exit.Fail(exit.Unchecked, err, "nothing was imported")
	}
	if err := im.Rows.Done(); err != nil {
		return nil, err
	}
	return im.report(Imported{Stored: len(in.changes), Newer: in.newer, Here: len(in.known), Bad: im.Rows.Left}), nil
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

// Imported lists the imported data in the form of --json: conversations, lines or commits, depending on the format.
type Imported struct {
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

// report completes the result of the import.
func (im *Importer) report(r Imported) *Imported {
	r.Schema, r.Format, r.Moved, r.Strange = importSchema, im.Format.Name, im.leftOut, im.strange
	return &r
}

// Tell prints the result of the import.
func (im *Importer) Tell(r *Imported) {
	if im.Format.Lines {
		fmt.Fprintf(im.Out, "%s of %s imported\n", numbers.Count(r.Lines, "line"), numbers.Count(r.Commits, "commit"))
	} else {
		fmt.Fprint(im.Out, numbers.Count(r.Stored, "conversation")+" stored")
		if r.Newer > 0 {
			fmt.Fprint(im.Out, ", "+numbers.Thousands(r.Newer)+" instead of an older generation")
		}
		if r.Here > 0 {
			fmt.Fprint(im.Out, ", "+numbers.Thousands(r.Here)+" already here")
		}
		fmt.Fprintln(im.Out)
	}
	left := func(count int, what, why string) {
		if count > 0 {
			fmt.Fprintf(im.Err, "git-trace: warning: left out, %s: %s\n", why, numbers.Count(count, what))
		}
	}
	left(r.Moved, "line", "not where the files say")
	left(r.Strange, "statement", "about commits that are not here")
}
