package trails

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// settleStashes settles the changes that a new stash removed from the work tree before anybody saw them: they belong to
// the possible writers since the last boundary, whoever brings them back.
func (s *step) settleStashes(h *heard, changes []snapshot.Change) error {
	if !s.tree.asks.Whole.Restored || s.tree.asks.Whole.Doubtful {
		return nil
	}
	var here []refs.OID
	for _, stash := range gitfacts.Newer(s.tree.now.Stashes, s.tree.state.Git.Stashes) {
		maker := s.tree.makerOf(stash)
		if maker == nil {
			here = append(here, stash)
			continue
		}
		there := s.engine.newStep(maker, s.page, s.seen.caller)
		there.looks.snap = maker.store.last
		err := there.settle(&heard{env: h.env, editor: &editor{}}, func(wg *weigher) ([]finding, error) {
			return wg.attributeStashed([]refs.OID{stash}, nil)
		})
		if err != nil {
			return err
		}
	}
	return s.settle(h, func(wg *weigher) ([]finding, error) { return wg.attributeStashed(here, changes) })
}

// attributeStashed finds the owners of the changes that stashes removed.
func (wg *weigher) attributeStashed(stashes []refs.OID, changes []snapshot.Change) ([]finding, error) {
	var files []*file
	for _, stash := range stashes {
		found, err := wg.stashed(stash, changes)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return wg.settleFiles(files, wg.cuts.segments)
}

// stashedAnew reports whether there is a new stash since the last full snapshot.
func (tree *workTree) stashedAnew() bool {
	return len(tree.now.Stashes) > 0 && !slices.Contains(tree.state.Git.Stashes, tree.now.Stashes[0])
}

// `stashed` lists the files of a stash with contents that were never seen and differ from the last seen ones.
func (wg *weigher) stashed(stash refs.OID, changes []snapshot.Change) ([]*file, error) {
	blobs, err := wg.tree.stashedBlobs(stash)
	if err != nil {
		return nil, err
	}
	var files []*file
	for path, blob := range blobs {
		f, err := wg.unseen(path, blob, changes)
		if err != nil {
			return nil, err
		}
		if f != nil {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	untold, err := wg.untold(blobs, changes)
	if err != nil {
		return nil, err
	}
	parts, _ := gitfacts.StashOf(wg.tree.asks.Git, stash)
	files, err = wg.tree.names.olderNames(&rename.Query{
		Moment: moment.Stashed, Changes: changesOf(files), Untold: untold, Stash: parts, Stashed: blobs,
		Last: func() (rename.Seen, bool) { return asSeen{wg.looks, changes}, true },
	}, files)
	if err != nil {
		return nil, err
	}
	var out []*file
	for _, f := range files {
		if f.new.OID.IsZero() || f.old.Whole || f.new.Whole {
			continue
		}
		f.vec = wg.tree.origins.vectorOf(f.oldPath, f.old)
		f.early = slices.Contains(wg.tree.origins.gitAt(f.path).Before.Stashes, stash)
		if f.oldPath != f.path {
			wg.tree.store.known.Link(f.oldPath, f.path)
		}
		q := wg.tree.origins.questionOf(f)
		q.Moment = moment.Stashed
		if f.from, err = q.Lines(); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// maxVanished limits the number of contents of one path that may have a new name in a stash.
const maxVanished = 4

// `untold` lists the deleted files that are not in the stash: an untracked file in the stash may have their content
// under a new name. It adds the last contents of files that the stash deleted and that the last full snapshot did not
// see.
func (wg *weigher) untold(stashed map[string]refs.OID, changes []snapshot.Change) (out []*rename.File, err error) {
	add := func(path string, mode uint32, oid refs.OID) {
		old, readErr := wg.tree.store.read(mode, oid)
		err = cmp.Or(err, readErr)
		out = append(out, &rename.File{Path: path, Mode: mode, OID: oid, Lines: old.Lines})
	}
	for _, c := range changes {
		if _, told := stashed[c.Path]; !told && !c.Old.IsZero() && c.New.IsZero() {
			add(c.Path, c.OldMode, c.Old)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(stashed)) {
		if stashed[path].IsZero() && wg.looks.lastSeen(path, changes).OID.IsZero() {
			for _, had := range wg.tree.store.known.Blobs(path, maxVanished) {
				add(path, 0, had)
			}
		}
	}
	return out, err
}

// `unseen` returns the change from the last seen content of a path to a content that no look has seen there; nil if
// there is no such change.
func (wg *weigher) unseen(path string, blob refs.OID, changes []snapshot.Change) (*file, error) {
	if _, known := wg.tree.store.known.Get(path, blob); known {
		return nil, nil
	}
	entry := wg.looks.lastSeen(path, changes)
	if entry.OID == blob {
		return nil, nil
	}
	f := &file{path: path, oldPath: path, oldMode: entry.Mode, newMode: entry.Mode}
	var err error
	if f.old, err = wg.tree.store.read(entry.Mode, entry.OID); err != nil {
		return nil, err
	}
	f.new, err = wg.tree.store.read(0, blob)
	return f, err
}

// lastSeen returns the entry of a path at the last look, before the present changes.
func (l *looks) lastSeen(path string, changes []snapshot.Change) snapshot.Entry {
	entry, _ := l.snap.Lookup(path)
	for _, c := range changes {
		if c.Path == path {
			entry = snapshot.Entry{Mode: c.OldMode, OID: c.Old}
		}
	}
	return entry
}

// stashedBlobs lists the contents of the paths that a stash changes; nil if the stash cannot be read.
func (tree *workTree) stashedBlobs(stash refs.OID) (map[string]refs.OID, error) {
	parts, found := gitfacts.StashOf(tree.asks.Git, stash)
	if !found {
		return nil, nil
	}
	return parts.Blobs(tree.asks.Git)
}
