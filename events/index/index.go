package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Index answers questions about the events of a repository. It is for one goroutine. Close it.
type Index struct {
	log     *events.Log
	store   *store    // nil if there is none, or if it cannot be read
	sources []*source // the logs that are read, this clone's log first
	texts   []*text   // the text of this clone's log, and the text of all others, if any
	own     string    // the writer of this clone's log; "" until it is needed
	digest  *Digest   // nil until it is needed
	notes   []string
	fetched []events.FetchedLog // fetched logs that are read
	signers map[string]string   // signers by voices; nil until they are needed
	by      map[string]string   // signers by refs; nil until they are needed
	remotes []string            // remotes of the configuration; nil until they are needed
	trust   string              // the remote that trace.remote names
	posed   []string            // events under ids of others, which are left out

	retold Retold            // the rewriting that was read last; its number is 0 before
	summed Trace             // the conversation that was summed up last; its id is empty before
	here   map[refs.OID]bool // whether the repository has a commit that others name; see near

	several  bool     // remotes have logs of one id
	alone    bool     // logs of others are not read
	signed   bool     // only signed logs of others are read
	progress Progress // display of a build; nil without a display
}

// Open brings the caches of all logs up to date and opens them.
func Open(repo *refs.Repo) (*Index, error) { return OpenShowing(repo, nil) }

// OpenOwn does the same as Open, without the logs of others, for results that go into this clone's log.
func OpenOwn(repo *refs.Repo, progress Progress) (*Index, error) {
	return opened(&Index{log: events.OpenLog(repo), progress: progress, alone: true})
}

// `Alone` reports whether logs of others are left unread ([OpenOwn]).
func (ix *Index) Alone() bool { return ix.alone }

// OpenSigned does the same as Open, with only the signed logs of others, whatever trace.trust allows. It is for results
// that are passed on under a signature.
func OpenSigned(repo *refs.Repo) (*Index, error) {
	return opened(&Index{log: events.OpenLog(repo), signed: true})
}

// OpenShowing does the same as Open, and reports its progress: the first time a long log takes seconds.
func OpenShowing(repo *refs.Repo, progress Progress) (*Index, error) {
	return opened(&Index{log: events.OpenLog(repo), progress: progress})
}

func opened(ix *Index) (*Index, error) {
	if err := ix.open(context.Background(), false); err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return ix, nil
}

// Repo returns the repository with the logs' commits.
func (ix *Index) Repo() *refs.Repo { return ix.log.Repo() }

// Progress gets the number of indexed bytes and of all bytes.
type Progress func(done, total int64)

// Rebuild deletes the caches of all logs and makes them again, and returns the number of events in them. The result
// `notes` lists faults that did not stop it, such as an incomplete log or a cache that cannot be written.
func Rebuild(ctx context.Context, repo *refs.Repo, progress Progress) (count int64, notes []string, err error) {
	log := events.OpenLog(repo)
	if err := forget(log); err != nil {
		return 0, notes, fmt.Errorf("rebuild: %w", err)
	}
	ix := &Index{log: log, progress: progress}
	if err := ix.open(ctx, true); err != nil {
		return 0, notes, fmt.Errorf("rebuild: %w", err)
	}
	defer ix.Close()
	for _, s := range ix.sources {
		count += s.copy.Last()
	}
	for _, t := range ix.texts {
		if t.Stored() < t.Size() {
			notes = append(notes, "the cache of "+t.bucket+" cannot be written")
		}
	}
	return count, append(notes, ix.notes...), nil
}

// forget deletes the caches.
func forget(log *events.Log) error {
	return errors.Join(removeStore(storePath(log)), log.ForgetCopies())
}

func storePath(log *events.Log) string {
	return filepath.Join(log.Repo().TracesDir(), "cache", "index.db")
}

// open opens the copies, then the store. If build is set, it stores everything; otherwise it indexes a small rest in
// memory.
func (ix *Index) open(ctx context.Context, build bool) error {
	for try := 0; ; try++ {
		err := ix.openCopies(ctx)
		if err == nil {
			ix.gatherTexts()
			err = ix.openStore(build)
		}
		if err == nil || !damaged(err) || try > 0 {
			return err
		}
		ix.Close()
		if err := forget(ix.log); err != nil {
			return err
		}
	}
}

func (ix *Index) openCopies(ctx context.Context) error {
	own, err := ix.log.Copy(ctx, refs.EventsRef)
	if err != nil {
		return err
	}
	ix.sources, ix.digest, ix.summed = []*source{{copy: own}}, nil, Trace{}
	ix.notes = own.Notes
	fetched, err := ix.log.Fetched(ctx)
	if err != nil {
		return err
	}
	writer, err := ix.log.Writer()
	if err != nil {
		ix.notes = append(ix.notes, err.Error())
	}
	read, nameless := fetched[:0], []string(nil)
	for _, f := range fetched {
		switch f.Writer {
		case "":
			nameless = append(nameless, fmt.Sprintf("left out: %s names no writer", f.Ref))
		case writer: // a fetched copy of this clone's own log
		default:
			read = append(read, f)
		}
	}
	ix.notes = append(ix.notes, few(nameless)...)
	if read, err = ix.trusted(ctx, read); err != nil {
		return err
	}
	ix.fetched, ix.signers, ix.by, ix.posed, ix.several = read, nil, nil, nil, false
	copies, err := ix.log.Copies(ctx, read)
	if err != nil {
		return err
	}
	sound := copies[:0]
	var wrong []string
	for _, c := range copies {
		if c.Err != nil {
			wrong = append(wrong, fmt.Sprintf("left out: %v", c.Err))
			continue
		}
		sound = append(sound, c)
	}
	ix.notes = append(ix.notes, few(wrong)...)
	return ix.takeOf(ctx, sound)
}

// fewNotes limits the number of left-out logs that are named one by one.
const fewNotes = 3

// `few` replaces many notes by one.
func few(notes []string) []string {
	if len(notes) <= fewNotes {
		return notes
	}
	return []string{fmt.Sprintf("left out: %d logs of others; git trace verify --fetched names them", len(notes))}
}

// Close releases the files.
func (ix *Index) Close() {
	for _, s := range ix.sources {
		s.copy.Close()
	}
	ix.sources, ix.texts, ix.digest, ix.summed = nil, nil, nil, Trace{}
	if ix.store != nil {
		ix.closeStore()
	}
}

// Logs returns the number of logs that are read: this clone's, and the fetched ones.
func (ix *Index) Logs() int { return len(ix.sources) }

// Empty reports whether no log has an event.
func (ix *Index) Empty() bool {
	return !slices.ContainsFunc(ix.sources, func(s *source) bool { return s.copy.Last() > 0 })
}

// State returns a text that identifies the present content of all logs. It changes whenever a log changes.
func (ix *Index) State() string {
	var out strings.Builder
	for _, s := range ix.sources {
		fmt.Fprintf(&out, "%s %s %d\n", s.copy.Ref(), s.copy.LastID(), s.copy.Last())
	}
	return out.String()
}

// Notes lists the missing parts of the answers, a sentence each: a damaged log, a fetched log that was left out.
func (ix *Index) Notes() []string { return ix.notes }

// errDamaged reports a damaged store.
var errDamaged = errors.New("index is damaged")

func damaged(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, events.ErrCopyDamaged)
}

// `mended` runs a query, and once more on fresh caches after it found damage.
func mended[T any](ix *Index, query func() (T, error)) (T, error) {
	out, err := query()
	if !damaged(err) {
		return out, err
	}
	ix.Close()
	if err := forget(ix.log); err != nil {
		return out, fmt.Errorf("mend index: %w", err)
	}
	if err := ix.open(context.Background(), false); err != nil {
		return out, fmt.Errorf("mend index: %w", err)
	}
	return query()
}
