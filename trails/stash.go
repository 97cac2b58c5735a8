package trails

import (
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/gitfacts"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/rename"
	"github.com/git-trace/git-trace/trails/snapshot"
)

// stashes weighs what a stash took out of the work tree.
type stashes struct {
	engine *Engine
	weighs *weigher
}

// attributeStashed settles the changes that a new stash took out of the work tree before anybody saw them: they
// belong to the possible writers since the last boundary, whoever brings them back.
func (st *stashes) attributeStashed(changes []snapshot.Change) error {
	if !st.weighs.tree.asks.Whole.Restored || st.weighs.tree.asks.Whole.Doubtful {
		return nil
	}
	var files []*file
	for _, stash := range gitfacts.Newer(st.weighs.tree.now.Stashes, st.weighs.tree.state.Git.Stashes) {
		if maker := st.weighs.tree.makerOf(stash); maker != nil {
			there := st.engine.newStep(maker, st.weighs.out.page)
			wg := there.weigh(&heard{env: st.weighs.out.heard.env, editor: &editor{}})
			there.looks.snap = maker.store.last
			found, err := (&stashes{st.engine, wg}).stashed(stash, nil)
			if err == nil {
				err = wg.settleFiles(found, wg.cuts.segments)
			}
			if err != nil {
				return err
			}
			continue
		}
		found, err := st.stashed(stash, changes)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	return st.weighs.settleFiles(files, st.weighs.cuts.segments)
}

// stashedAnew reports whether there is a stash that was not there at the last look at everything.
func (tree *workTree) stashedAnew() bool {
	return len(tree.now.Stashes) > 0 && !slices.Contains(tree.state.Git.Stashes, tree.now.Stashes[0])
}

// stashed lists the files of a stash whose contents differ from the last seen ones and were never seen.
func (st *stashes) stashed(stash refs.OID, changes []snapshot.Change) ([]*file, error) {
	blobs, err := st.weighs.tree.stashedBlobs(stash)
	if err != nil {
		return nil, err
	}
	var files []*file
	for path, blob := range blobs {
		f, err := st.unseen(path, blob, changes)
		if err != nil {
			return nil, err
		}
		if f != nil {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	untold, err := st.withdrawn(blobs, changes)
	if err != nil {
		return nil, err
	}
	vanished, err := st.vanished(blobs, changes)
	if err != nil {
		return nil, err
	}
	parts, _ := gitfacts.StashOf(st.weighs.tree.asks.Git, stash)
	files, err = st.weighs.tree.names.olderNames(&rename.Query{
		Moment: moment.Stashed, Changes: changesOf(files), Untold: untold, Vanished: vanished, Stash: parts, Stashed: blobs,
		Last: func() (rename.Seen, bool) { return asSeen{st.weighs.looks, changes}, true },
	}, files)
	if err != nil {
		return nil, err
	}
	var out []*file
	for _, f := range files {
		if f.new.oid.IsZero() || f.old.whole || f.new.whole {
			continue
		}
		f.vec = st.weighs.tree.origins.vectorOf(f.oldPath, f.old)
		f.early = slices.Contains(st.weighs.tree.origins.gitAt(f.path).Before.Stashes, stash)
		if f.oldPath != f.path {
			if err := st.weighs.tree.store.known.Link(f.oldPath, f.path); err != nil {
				return nil, err
			}
		}
		q := st.weighs.tree.origins.questionOf(f)
		q.Moment = moment.Stashed
		if f.from, err = q.Lines(); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// withdrawn lists the files that are gone and not in the stash: an untracked file may have their content under a
// new name.
func (st *stashes) withdrawn(stashed map[string]refs.OID, changes []snapshot.Change) ([]rename.File, error) {
	var out []rename.File
	for _, c := range changes {
		if _, told := stashed[c.Path]; told || c.Old.IsZero() || !c.New.IsZero() {
			continue
		}
		old, err := st.weighs.tree.store.read(c.OldMode, c.Old)
		if err != nil {
			return nil, err
		}
		out = append(out, rename.File{Path: c.Path, Mode: c.OldMode, OID: c.Old, Lines: old.lines})
	}
	return out, nil
}

// maxVanished bounds the contents of one path that a stash may have renamed.
const maxVanished = 4

// vanished lists the last contents of files that a stash deleted. They were gone when everything was looked at last.
func (st *stashes) vanished(stashed map[string]refs.OID, changes []snapshot.Change) ([]rename.File, error) {
	var out []rename.File
	for path, blob := range stashed {
		if !blob.IsZero() || !st.weighs.looks.lastSeen(path, changes).OID.IsZero() {
			continue
		}
		for _, had := range st.weighs.tree.store.known.Blobs(path, maxVanished) {
			old, err := st.weighs.tree.store.read(0, had)
			if err != nil {
				return nil, err
			}
			out = append(out, rename.File{Path: path, OID: had, Lines: old.lines})
		}
	}
	slices.SortStableFunc(out, func(a, b rename.File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// unseen returns the change from the last seen content of a path to a content that it was never seen with; nil if
// there is no such change.
func (st *stashes) unseen(path string, blob refs.OID, changes []snapshot.Change) (*file, error) {
	if _, known := st.weighs.tree.store.known.Get(path, blob); known {
		return nil, nil
	}
	entry := st.weighs.looks.lastSeen(path, changes)
	if entry.OID == blob {
		return nil, nil
	}
	f := &file{path: path, oldPath: path, oldMode: entry.Mode, newMode: entry.Mode}
	var err error
	if f.old, err = st.weighs.tree.store.read(entry.Mode, entry.OID); err != nil {
		return nil, err
	}
	f.new, err = st.weighs.tree.store.read(0, blob)
	return f, err
}

// lastSeen returns the entry of a path at the last look, before the changes that are found now.
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
