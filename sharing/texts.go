package sharing

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// texts holds the records that were fetched from a remote, by their refs.
type texts struct {
	repo   *refs.Repo
	store  *store.Store
	label  string
	before map[string][]store.Entry
	now    map[string][]store.Entry // nil if it must be read again
}

func openTexts(ctx context.Context, repo *refs.Repo, label string) (*texts, error) {
	t := &texts{repo: repo, store: store.Open(repo), label: label}
	var err error
	if t.before, err = t.read(ctx); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *texts) close() { _ = t.store.Close() }

func (t *texts) read(ctx context.Context) (map[string][]store.Entry, error) {
	list, err := t.repo.RefsUnder(ctx, events.FetchedRef(t.label, "", ""))
	if err != nil {
		return nil, err
	}
	archived, err := t.repo.RefsUnder(ctx, events.ArchivedRef(t.label, "", ""))
	if err != nil {
		return nil, err
	}
	out := map[string][]store.Entry{}
	for _, r := range append(list, archived...) {
		if _, archive := events.ArchiveOf(r.Name); archive {
			continue
		}
		if kind := r.Name[strings.LastIndexByte(r.Name, '/')+1:]; kind == "records" || kind == "demanded" {
			out[r.Name], _ = t.store.On(r.Name) // none if it cannot be read
		}
	}
	return out, nil
}

// `current` returns the records, and reads them again only if refs have changed.
func (t *texts) current(ctx context.Context) (_ map[string][]store.Entry, err error) {
	if t.now == nil {
		t.now, err = t.read(ctx)
	}
	return t.now, err
}

// hold keeps the records that their writer's digest names, and returns a fault for each writer with other or missing
// records. It removes records fetched on demand if all records of the writer are here.
func (t *texts) hold(ctx context.Context, sound map[string]events.Publication) (wrong map[string]string, err error) {
	now, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	wrong = map[string]string{}
	for ref, list := range now {
		parts := strings.Split(ref, "/")
		writer, kind := parts[len(parts)-2], parts[len(parts)-1]
		var named []store.Entry
		for _, e := range list {
			if blob, shared := sound[writer].Records[e.Trace]; shared && blob == e.Blob {
				named = append(named, e)
			}
		}
		_, whole := now[events.FetchedRef(t.label, writer, "records")]
		_, archived := now[events.ArchivedRef(t.label, writer, "records")]
		if kind == "demanded" && (whole || archived) {
			named = nil
		}
		if kind == "records" && len(named) < len(sound[writer].Records) {
			wrong[writer] = "texts are missing that its digest names; the rest is read"
		}
		if len(named) == len(list) && (len(list) > 0 || kind == "records") {
			continue
		}
		if kind == "records" {
			wrong[writer] = "texts that its digest does not name; the rest is read"
		}
		t.now = nil
		if err := t.store.Keep(ctx, ref, named); err != nil {
			return nil, err
		}
	}
	return wrong, t.forget(ctx)
}

// forget clears the caches of texts that were removed or have changed.
func (t *texts) forget(ctx context.Context) error {
	now, err := t.current(ctx)
	if err != nil {
		return err
	}
	here := map[refs.OID]bool{}
	for _, list := range now {
		for _, e := range list {
			here[e.Blob] = true
		}
	}
	gone := false
	for _, list := range t.before {
		for _, e := range list {
			if here[e.Blob] {
				continue
			}
			gone = true
			name := filepath.Join(store.PromptCache(t.repo), string(e.Trace)+".json")
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if gone { // words of removed texts stay in the files of the index
		return os.RemoveAll(search.Dir(t.repo))
	}
	return nil
}
