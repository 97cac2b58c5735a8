package snapshot

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// scan is one snapshot of git-trace's own method in progress. It changes the engine's directories in place; if it
// fails, the engine discards them.
type scan struct {
	ctx   context.Context // a scan is one call
	e     *Engine
	tree  *workTree
	start int64 // when it began
	slack int64

	stamp        indexStamp // the user's index
	indexChanged bool       // the state agrees with another one
	idx          *gitIndex  // nil until it is needed

	asker       ignorer
	queries     []query
	entered     []query // ignored names that the user has added to the index
	touched     []*dir
	before      map[string]Entry      // what paths held that may have changed
	passed      map[string]bool       // names that git skipped and does not skip now
	attrTouched bool                  // an attribute file was added, removed or changed
	sawUnread   bool                  // something could not be read
	stored      map[refs.OID]struct{} // trees that git has
	trees       [][]byte              // to be stored
}

// work holds the findings of a scan about one directory.
type work struct {
	self   finding
	found  []finding
	left   []string // names that have lost their entry in the index
	read   bool     // list it
	judge  bool     // ask about all its names again, and about the names below
	rules  bool     // its .gitignore was added, removed or changed
	dirty  bool     // its tree, or one below, must be built
	uneven bool     // has removed entries
	listed bool     // is in scan.touched
}

// finding is an lstat that does not agree with the state.
type finding struct {
	i   int // of the entry
	st  fileStat
	err error
	set bool
}

func (e *Engine) newScan(ctx context.Context, tree *workTree) (*scan, error) {
	s := &scan{
		ctx: ctx, e: e, tree: tree, start: e.now().UnixNano(), slack: fineSlack,
		asker: ignorer{repo: e.repo}, before: make(map[string]Entry),
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

// index returns the user's index. One that git-trace's own method cannot work beside ends the scan.
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

// touch is workOf for a directory whose entries change.
func (s *scan) touch(d *dir) *work {
	d.open()
	w := s.workOf(d)
	if !w.listed {
		w.listed = true
		s.touched = append(s.touched, d)
	}
	return w
}

// statShare bounds one part of a tree, in directories of each worker's share: small enough that the workers end at
// about the same time.
const statShare = 16

// statTree compares a directory and its descendants with the disk, by as many workers as there are processors: more
// do not help. The workers also read the directories' parts of the state.
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

// size returns the number of directories: d and its descendants. It does not read them.
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

// cut divides the descendants of d: upper has d and the directories above the parts, and each part has at most limit
// descendants.
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

// samePacked compares the entries of a directory without decoding them, until one differs.
func (s *scan) samePacked(st *statter, d *dir) bool {
	p := d.packed
	size := entrySize(p.hash)
	for at := 0; at < len(p.entries); at += size {
		r := stateReader{in: p.entries[at : at+size], names: p.names}
		name := r.name()
		_ = r.u32() // mode
		flags := r.u16()
		if got, err := st.lstat(d.path, name); err != nil || flags&flagRacy != 0 || got != r.stat() {
			return false
		}
	}
	return true
}

// set gives an entry a place in the tree, or removes it if the mode is 0.
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

// changes compares the noted contents with the present ones.
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
