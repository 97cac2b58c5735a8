package snapshot

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// scan is a running snapshot by git-trace's own method. It changes the engine's directories in place. If it fails, the
// engine discards them.
type scan struct {
	ctx   context.Context // a scan is a single call
	e     *Engine
	tree  *workTree
	start int64 // time when it began
	slack int64

	stamp        indexStamp // the user's index
	indexChanged bool       // the state belongs to another index
	idx          *gitIndex  // nil before the first use

	asker       ignorer
	queries     []query
	entered     []query // ignored names that the user has added to the index
	touched     []*dir
	before      map[string]Entry      // earlier entries of paths that may have changed, by path
	passed      map[string]bool       // names that git skipped before and does not skip now
	attrTouched bool                  // an attribute file was added, removed or changed
	sawUnread   bool                  // something could not be read
	named       []string              // paths that the monitor named; nil means all
	near        map[*dir]bool         // directories that may have changed, and those above them; nil means all
	listed      []string              // directories that were listed
	relied      bool                  // the snapshot at reliedAt relied on a monitor
	reliedAt    int64                 // nanoseconds since 1970
	stored      map[refs.OID]struct{} // trees that the repository has
	trees       [][]byte              // trees that must be stored
}

// work holds a scan's findings about one directory.
type work struct {
	self   finding
	found  []finding
	left   []string // names whose entry in the index was removed
	read   bool     // must be listed
	judge  bool     // all its names, and the names below it, must be checked again
	rules  bool     // the directory's .gitignore was added, removed or changed
	dirty  bool     // the tree of the directory or a tree below must be built
	uneven bool     // has removed entries
	listed bool     // is already in scan.touched
}

// finding is an lstat result that differs from the state.
type finding struct {
	i   int // number of the entry
	st  fileStat
	err error
	set bool
}

func (e *Engine) newScan(ctx context.Context, tree *workTree) (*scan, error) {
	s := &scan{
		ctx: ctx, e: e, tree: tree, start: e.now().UnixNano(), slack: fineSlack,
		asker: ignorer{repo: e.repo}, before: make(map[string]Entry), relied: e.meta.Heard.Relied,
		reliedAt: e.meta.Heard.At,
	}
	if e.remote {
		s.slack = coarseSlack
	}
	var err error
	if s.stamp, err = stampIndex(e.userIndex(), e.repo.Format); err != nil {
		return nil, err
	}
	s.indexChanged = s.stamp != e.meta.Index
	return s, nil
}

func (s *scan) close() { s.asker.close() }

// index returns the user's index. If git-trace's own method does not support the index, it returns an error that ends
// the scan.
func (s *scan) index() (*gitIndex, error) {
	if s.idx == nil {
		idx, err := loadIndex(s.ctx, s.e.repo, s.e.userIndex())
		if err != nil {
			return nil, err
		}
		if err := idx.unsupported(); err != nil {
			return nil, err
		}
		s.idx = idx
	}
	return s.idx, nil
}

func (s *scan) workOf(d *dir) *work {
	if d.w == nil {
		d.w = &work{}
	}
	return d.w
}

// touch does the same as workOf, for a directory whose entries will change: it also decodes the entries and lists the
// directory in touched.
func (s *scan) touch(d *dir) *work {
	d.open()
	w := s.workOf(d)
	if !w.listed {
		w.listed = true
		s.touched = append(s.touched, d)
	}
	return w
}

// statShare is the number of parts per worker into which a tree is divided: enough that all workers end at about the
// same time.
const statShare = 16

// statTree compares a directory and its descendants with the disk. It uses as many workers as there are processors;
// more do not help. The workers also read the directories from the state file.
func (s *scan) statTree(top *dir) error {
	if top.parent == nil && top.unread != nil {
		top.unread.file.readAll()
	}
	workers := runtime.GOMAXPROCS(0)
	upper, parts := top.cut(top.size() / (workers * statShare))
	workers = min(workers, len(parts)/2+1)
	var next atomic.Int64
	run := func(st *statter) {
		var below []*dir
		for s.ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(parts) {
				return
			}
			below = parts[i].all(below[:0])
			for _, d := range below {
				if s.ctx.Err() != nil {
					return
				}
				s.statDir(st, d)
			}
		}
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(fault.In(func() {
			st := newStatter(s.tree)
			if own, err := s.tree.another(); err == nil {
				defer own.close()
				st = newStatter(own)
			}
			run(st)
		}))
	}
	st := newStatter(s.tree)
	for _, d := range upper {
		s.statDir(st, d)
	}
	run(st)
	group.Wait()
	return s.ctx.Err()
}

// size returns the number of directories in d, including d. It does not read them.
func (d *dir) size() int {
	if d.unread != nil {
		return 1 + d.unread.to - d.unread.from
	}
	n := 1
	for _, sub := range d.subs {
		n += sub.size()
	}
	return n
}

// cut divides the descendants of d into parts with at most `limit` descendants each. The result `upper` has d and all
// directories above the parts.
func (d *dir) cut(limit int) (upper, parts []*dir) {
	rest := []*dir{d}
	for len(rest) > 0 {
		x := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if x != d && x.size() <= limit+1 {
			parts = append(parts, x)
			continue
		}
		upper = append(upper, x)
		rest = append(rest, x.kids()...)
	}
	return upper, parts
}

func (s *scan) statDir(st *statter, d *dir) {
	got, err := st.lstat(d.path, "")
	if err != nil || got != d.st {
		s.workOf(d).self = finding{st: got, err: err, set: true}
	}
	if err != nil && isGone(err) || err == nil && !got.isDir() {
		return
	}
	if d.packed != nil && s.samePacked(st, d) {
		return
	}
	d.open()
	for i := range d.entries {
		e := &d.entries[i]
		got, err := st.lstat(d.path, e.name)
		if err != nil || got != e.st || e.flags&flagRacy != 0 {
			w := s.workOf(d)
			w.found = append(w.found, finding{i: i, st: got, err: err, set: true})
		}
	}
}

// samePacked compares the entries of a directory with the disk, without decoding them, until one differs.
func (s *scan) samePacked(st *statter, d *dir) bool {
	p := d.packed
	size := entrySize(p.hash)
	for at := 0; at < len(p.entries); at += size {
		r := stateReader{in: p.entries[at : at+size], names: p.names}
		name := r.name()
		_ = r.u32() // skip the mode
		flags := r.u16()
		if got, err := st.lstat(d.path, name); err != nil || flags&flagRacy != 0 || got != r.stat() {
			return false
		}
	}
	return true
}

// `set` changes an entry's mode and id in the tree. If the mode is 0, it removes the entry from the tree.
func (s *scan) set(d *dir, e *entry, mode uint32, oid refs.OID) {
	if e.mode == mode && e.oid == oid {
		return
	}
	s.note(join(d.path, e.name), e.mode, e.oid)
	e.mode, e.oid = mode, oid
	s.markDirty(d)
}

func (s *scan) note(path string, mode uint32, oid refs.OID) {
	if _, ok := s.before[path]; !ok {
		s.before[path] = Entry{mode, oid}
	}
}

func (s *scan) markDirty(d *dir) {
	for ; d != nil && !s.workOf(d).dirty; d = d.parent {
		d.w.dirty = true
	}
}

// changes returns the differences between the earlier entries (before) and the present ones.
func (s *scan) changes() []Change {
	var list []Change
	for path, was := range s.before {
		is, _ := s.e.Lookup(path)
		if is != was {
			list = append(list, Change{
				Path: path, OldMode: was.Mode, NewMode: is.Mode, Old: was.OID, New: is.OID, PassedOver: s.passedOver(path),
			})
		}
	}
	return list
}
