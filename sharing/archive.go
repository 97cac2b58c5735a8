package sharing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Errors of work on refs of other writers.
var (
	ErrNotChosen   = errors.New("nothing was chosen for this remote")
	ErrUnknown     = errors.New("a sound digest of that clone is not here")
	ErrNoLeave     = errors.New("the clone does not allow others to adopt its traces")
	ErrThereItself = errors.New("the clone publishes on that remote itself")
	ErrNotKept     = errors.New("the archives of this clone have nothing of that clone")
)

// Keeping is a plan to archive refs on a remote, made before anything is sent. Close it.
type Keeping struct {
	Remote  Remote
	URL     string // URL with credentials, as git uses it
	Writers []Archived
	Left    int // writers of that age whose logs cannot be read: they do not change

	plan   *Plan
	delete bool // delete the refs of the writers once they are in an archive
	most   int64
}

// Archived is a writer whose refs are kept in an archive.
type Archived struct {
	Writer  string
	Last    time.Time // when the writer published last
	Commits int       // number of commits with lines of this writer
	Texts   bool      // the archive also has the texts of the writer's conversations

	refs map[string]refs.OID // refs by their kinds
}

// Close frees the remote for another push.
func (k *Keeping) Close() { k.plan.Close() }

// openKeeping begins a plan for a remote with a chosen level.
func openKeeping(ctx context.Context, log *events.Log, s *Settings, remote Remote) (*Keeping, error) {
	p := &Plan{Remote: remote, repo: log.Repo(), log: log, settings: s}
	k := &Keeping{Remote: remote, plan: p}
	var err error
	if p.Writer, err = log.Writer(); err != nil {
		return nil, err
	}
	if k.most, err = s.MostFetched(); err != nil {
		return nil, err
	}
	switch {
	case p.Writer == "":
		return nil, ErrNothing
	case remote.Share == LevelNone || remote.Pinned == "":
		return nil, fmt.Errorf("%w: %s", ErrNotChosen, remote.Name)
	}
	if err := p.reach(ctx); err != nil {
		return nil, err
	}
	k.URL = p.URL
	return k, nil
}

// maxArchived limits the number of refs of traces on a remote that is to be archived.
const maxArchived = 100_000

// PlanArchive finds the writers on a remote who published nothing since a given day.
func PlanArchive(ctx context.Context, log *events.Log, s *Settings, remote Remote, since time.Time) (*Keeping, error) {
	k, err := openKeeping(ctx, log, s, remote)
	if err != nil {
		return nil, err
	}
	k.delete = true
	if err := k.findSilent(ctx, since); err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}

// refsOf lists the refs of other writers on a remote, by writer and kind.
func (k *Keeping) refsOf(ctx context.Context) (map[string]map[string]refs.OID, error) {
	found, err := there(ctx, k.plan.repo, k.URL, k.Remote.Prefix+"*")
	if err != nil {
		return nil, err
	}
	of := map[string]map[string]refs.OID{}
	for name, id := range found {
		writer, kind, _ := strings.Cut(strings.TrimPrefix(name, k.Remote.Prefix), "/")
		if events.IsWriter(writer) && writer != k.plan.Writer && slices.Contains(archiveKinds, kind) {
			if of[writer] == nil {
				of[writer] = map[string]refs.OID{}
			}
			of[writer][kind] = id
		}
	}
	return of, nil
}

// findSilent adds the writers whose last publication is older to the plan.
func (k *Keeping) findSilent(ctx context.Context, since time.Time) error {
	pulled, err := Pull(ctx, k.plan.log, k.Remote, What{Most: k.most, refs: maxArchived})
	if err != nil {
		return err
	}
	of, err := k.refsOf(ctx)
	if err != nil {
		return err
	}
	objects := k.plan.repo.Objects()
	defer func() { _ = objects.Close() }()
	for _, w := range pulled.Writers {
		tip := of[w.Writer]["digest"]
		if w.Ref != events.FetchedRef(k.Remote.Label, w.Writer, "digest") || tip.IsZero() {
			continue
		}
		c, err := objects.Commit(tip)
		switch {
		case err != nil || !c.Author.When.Before(since): // the writer has published since
		case w.LeftOut != "":
			k.Left++
		default:
			_, texts := of[w.Writer]["records"]
			k.Writers = append(k.Writers, Archived{
				Writer: w.Writer, Last: c.Author.When, Commits: w.Commits, Texts: texts, refs: of[w.Writer],
			})
		}
	}
	return nil
}

// PlanAdopt plans to publish fetched digests of writers who publish elsewhere, for example in a fork. The writers must
// have allowed it. Their texts are included if they are here and the remote's level has texts.
func PlanAdopt(ctx context.Context, log *events.Log, s *Settings, remote Remote, writers []string) (*Keeping, error) {
	k, err := openKeeping(ctx, log, s, remote)
	if err != nil {
		return nil, err
	}
	if err := k.findAdoptable(ctx, writers); err != nil {
		k.Close()
		return nil, err
	}
	return k, nil
}

// findAdoptable adds writers to the plan, if all of them can be adopted.
func (k *Keeping) findAdoptable(ctx context.Context, writers []string) error {
	of, err := k.refsOf(ctx)
	if err != nil {
		return err
	}
	fetched, err := k.plan.log.Fetched(ctx)
	if err != nil {
		return err
	}
	for _, writer := range writers {
		if !events.IsWriter(writer) {
			return fmt.Errorf("%w: %s", ErrNoWriter, writer)
		}
		if _, itself := of[writer]["digest"]; itself || writer == k.plan.Writer {
			return fmt.Errorf("%w: %s", ErrThereItself, writer)
		}
		w, err := k.adoptable(ctx, fetched, writer)
		if err != nil {
			return err
		}
		k.Writers = append(k.Writers, w)
	}
	return nil
}

// `adoptable` finds a writer's refs from other remotes. Of several digests it takes the longest.
func (k *Keeping) adoptable(ctx context.Context, fetched []events.FetchedLog, writer string) (Archived, error) {
	var best events.Publication
	w := Archived{Writer: writer}
	for _, f := range fetched {
		if f.Writer != writer || !f.Digest || f.Remote == k.Remote.Label {
			continue
		}
		p, err := k.plan.log.ReadPublication(f.Tip)
		if err != nil || p.Head.Events <= best.Head.Events {
			continue
		}
		told, err := anchoredOn(ctx, k.plan.log, f.Ref) // the digest is checked by this call
		if err != nil {
			continue
		}
		best, w.Commits, w.refs = p, len(told), map[string]refs.OID{"digest": f.Tip}
		if !k.Remote.Share.Wider(LevelCommits) {
			continue
		}
		records, err := k.plan.log.Tip(strings.TrimSuffix(f.Ref, "digest") + "records")
		if err != nil {
			return w, err
		}
		if w.Texts = !records.IsZero(); w.Texts {
			w.refs["records"] = records
		}
	}
	switch {
	case w.refs == nil:
		return w, fmt.Errorf("%w: %s", ErrUnknown, writer)
	case best.Head.Adopt != mayAdopt:
		return w, fmt.Errorf("%w: %s", ErrNoLeave, writer)
	}
	objects := k.plan.repo.Objects()
	c, err := objects.Commit(best.Commit)
	w.Last = c.Author.When
	return w, errors.Join(err, objects.Close())
}

// Refs returns the number of the writers' refs that the remote would lose.
func (k *Keeping) Refs() int {
	n := 0
	for _, w := range k.Writers {
		n += len(w.refs)
	}
	return n
}

// Keep puts the refs of the writers into archives, and then deletes the refs on the remote if that was planned. Each
// step is atomic: a remote never loses data.
func (k *Keeping) Keep(ctx context.Context, verify bool) error {
	if err := k.bring(ctx); err != nil {
		return err
	}
	for writers := range slices.Chunk(k.Writers, perArchive/2) {
		if err := k.keep(ctx, verify, writers); err != nil {
			return err
		}
	}
	if !k.delete {
		return nil
	}
	return k.pull(ctx)
}

// pull updates the refs here after a change of the remote.
func (k *Keeping) pull(ctx context.Context) error {
	_, err := Pull(ctx, k.plan.log, k.Remote, What{Most: k.most, refs: maxArchived})
	return err
}

// bring fetches the writers' other refs.
func (k *Keeping) bring(ctx context.Context) error {
	objects := k.plan.repo.Objects()
	defer func() { _ = objects.Close() }()
	var lacking strings.Builder
	for _, w := range k.Writers {
		for kind, id := range w.refs {
			if _, err := objects.Commit(id); err != nil {
				fmt.Fprintf(&lacking, "%s%s/%s\n", k.Remote.Prefix, w.Writer, kind)
			}
		}
	}
	if lacking.Len() == 0 {
		return nil
	}
	return k.fetch(ctx, lacking.String())
}

// fetch fetches refs of the remote. The parameter `lines` has a refspec on each line.
func (k *Keeping) fetch(ctx context.Context, lines string) error {
	err := arriving(ctx, k.plan.repo, orMost(k.most), lines, fetching("--stdin", "--", k.URL)...)
	if err != nil && !errors.Is(err, ErrTooMuch) {
		err = unreached(err)
	}
	return err
}

// `keep` puts the refs of some writers into archives, in one push.
func (k *Keeping) keep(ctx context.Context, verify bool, writers []Archived) error {
	p := k.plan
	p.Refs = nil
	var gone []Ref
	for _, kind := range archiveKinds {
		kept := map[string]refs.OID{}
		for _, w := range writers {
			id, ok := w.refs[kind]
			if !ok {
				continue
			}
			kept[w.Writer] = id
			gone = append(gone, Ref{
				Name: k.Remote.Prefix + w.Writer + "/" + kind, Old: id, Force: true,
				kept: events.FetchedRef(k.Remote.Label, w.Writer, kind),
			})
		}
		if err := k.add(ctx, kind, kept); err != nil {
			return err
		}
	}
	if k.delete {
		p.Refs = append(p.Refs, gone...)
	}
	if len(p.Refs) == 0 {
		return nil
	}
	_, err := p.sendAll(ctx, verify)
	return err
}

// `add` plans a new archive of one kind of refs, with its former entries and the new ones.
func (k *Keeping) add(ctx context.Context, kind string, kept map[string]refs.OID) error {
	if len(kept) == 0 {
		return nil
	}
	ref, had, err := k.archive(ctx, kind)
	if err != nil {
		return err
	}
	maps.DeleteFunc(kept, func(writer string, id refs.OID) bool { return had[writer] == id })
	if len(kept) == 0 {
		return nil
	}
	if ref.New, err = k.plan.settings.writeArchive(ctx, k.plan.log, ref.Old, kept); err != nil {
		return err
	}
	k.plan.Refs = append(k.plan.Refs, ref)
	return nil
}

// archive reads the remote's present archive of this clone, of one kind.
func (k *Keeping) archive(ctx context.Context, kind string) (Ref, map[string]refs.OID, error) {
	ref := Ref{Name: k.plan.ref("archive/" + kind), kept: k.plan.kept("archive/" + kind)}
	found, err := there(ctx, k.plan.repo, k.URL, ref.Name)
	if err != nil {
		return ref, nil, err
	}
	if ref.Old = found[ref.Name]; ref.Old.IsZero() {
		return ref, nil, nil
	}
	had, err := newBounds(maxArchived).readArchive(ctx, k.plan.repo, ref.Old)
	if err != nil { // another directory with this clone's id may have written it
		if err := k.fetch(ctx, ref.Name+"\n"); err != nil {
			return ref, nil, err
		}
		if had, err = newBounds(maxArchived).readArchive(ctx, k.plan.repo, ref.Old); err != nil {
			return ref, nil, fmt.Errorf("%s: %w", ref.Name, err)
		}
	}
	return ref, had, nil
}

// Drop removes writers from this clone's archives on a remote, with their histories. It returns the number of their
// refs.
func Drop(ctx context.Context, log *events.Log, s *Settings, remote Remote, writers []string,
	verify bool) (int, error) {
	k, err := openKeeping(ctx, log, s, remote)
	if err != nil {
		return 0, err
	}
	defer k.Close()
	dropped := 0
	for _, kind := range archiveKinds {
		ref, had, err := k.archive(ctx, kind)
		if err != nil {
			return 0, err
		}
		before := len(had)
		maps.DeleteFunc(had, func(writer string, _ refs.OID) bool { return slices.Contains(writers, writer) })
		if len(had) == before {
			continue
		}
		dropped += before - len(had)
		if ref.New, err = s.writeArchive(ctx, log, refs.OID{}, had); err != nil {
			return 0, err
		}
		ref.Force = true
		k.plan.Refs = append(k.plan.Refs, ref)
	}
	if dropped == 0 {
		return 0, fmt.Errorf("%w: %s", ErrNotKept, strings.Join(writers, ", "))
	}
	if _, err := k.plan.sendAll(ctx, verify); err != nil {
		return 0, err
	}
	return dropped, k.pull(ctx)
}
