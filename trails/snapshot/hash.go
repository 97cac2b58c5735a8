package snapshot

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
)

// job is a file or link to hash, and the result.
type job struct {
	d    *dir
	name string
	st   fileStat

	oid   refs.OID
	flags uint16
	git   bool  // only git can compute the blob
	err   error // reading failed
}

func (j *job) path() string { return join(j.d.path, j.name) }

// hash finds the id of every entry that needs one, and stores the content.
func (s *scan) hash() error {
	jobs := s.jobs()
	if s.e.Most > 0 && len(jobs) > s.e.Most {
		return ErrMany
	}
	s.hashAll(jobs)
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if err := s.hashByGit(jobs); err != nil {
		return err
	}
	for i := range jobs {
		if err := s.finish(&jobs[i]); err != nil {
			return err
		}
	}
	return nil
}

// maxTrusted limits the number of files whose ids are known from the index and that are still stored. If there are
// more, git wrote them, and the repository has their blobs.
const maxTrusted = 500

// jobs lists the files to hash. If the stat data in the index match a file, as after a checkout, its id is taken from
// the index.
func (s *scan) jobs() []job {
	var list []job
	trusted := 0
	for _, d := range s.touched {
		for i := range d.entries {
			e := &d.entries[i]
			if e.flags&flagTodo == 0 {
				continue
			}
			if s.idx != nil && e.flags&flagTracked != 0 {
				if ie := s.idx.find(join(d.path, e.name)); ie != nil && ie.matches(e.st, s.idx.mtimeSec) {
					if trusted++; s.stored == nil && trusted <= maxTrusted && e.oid != ie.oid {
						s.e.keepFromDisk(s.tree, join(d.path, e.name), ie.oid)
					}
					s.set(d, e, s.modeOf(e.st, ie), ie.oid)
					e.flags = flagTracked | flagFromIndex | s.racyFlag(e.st)
					s.e.changed = true
					continue
				}
			}
			list = append(list, job{d: d, name: e.name, st: e.st})
		}
	}
	return list
}

func (s *scan) hashAll(jobs []job) {
	workers := min(runtime.GOMAXPROCS(0), len(jobs)/4+1)
	conversion := s.e.meta.class()
	var next atomic.Int64
	run := func() {
		for s.ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(jobs) {
				return
			}
			s.hashOne(&jobs[i], conversion)
		}
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(fault.In(run))
	}
	run()
	group.Wait()
}

func (s *scan) hashOne(j *job, conversion class) {
	if j.st.isLink() {
		target, err := s.tree.readLink(j.path())
		if err != nil {
			j.err = err
			return
		}
		j.oid, j.err = s.store(target)
		return
	}
	f, err := s.tree.open(j.path())
	if err != nil {
		j.err = err
		return
	}
	defer func() { _ = f.Close() }()
	st, err := fdStat(f)
	if err != nil || !st.isFile() {
		j.err = errors.Join(err, errNotFile)
		return
	}
	switch {
	case conversion == classGit:
		j.git = true
	case st.size > streamSize:
		j.oid, j.err = s.e.storeStream(s.ctx, f, st.size, conversion == classEOL)
		if errors.Is(j.err, errConverted) {
			j.git, j.err = true, nil
		}
	default:
		content, err := readAll(f, st.size)
		if err != nil {
			j.err = err
			return
		}
		if conversion == classEOL && bytes.IndexByte(content, '\r') >= 0 {
			j.git = true
			return
		}
		j.oid, j.err = s.store(content)
	}
	if after, err := fdStat(f); err != nil || after != j.st {
		j.flags |= flagRacy
	}
}

func readAll(r io.Reader, size int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := buf.ReadFrom(r)
	return buf.Bytes(), err
}

// errStore marks a failure to write, which ends the snapshot. A failure to read only leaves out the file.
type errStore struct{ error }

func (e errStore) Unwrap() error { return e.error }

func (s *scan) store(content []byte) (refs.OID, error) {
	oid, err := s.e.repo.WriteLoose(s.e.repo.SideObjects(), refs.BlobObject, content)
	if err != nil {
		return refs.OID{}, errStore{err}
	}
	return oid, nil
}

// `finish` stores the result of a job in its entry.
func (s *scan) finish(j *job) error {
	i, ok := j.d.find(j.name)
	if !ok {
		return nil
	}
	e := &j.d.entries[i]
	s.e.changed = true
	var failed errStore
	switch {
	case errors.As(j.err, &failed):
		return failed
	case j.err != nil && isGone(j.err):
		s.dropEntry(j.d, e)
		j.d.flags |= dirRacy
		return nil
	case j.err != nil:
		return s.unreadable(j.d, e)
	}
	e.flags = e.flags&flagTracked | j.flags | s.racyFlag(e.st)
	var ie *indexEntry
	if !s.e.meta.Settings.FileMode && e.flags&flagTracked != 0 {
		idx, err := s.index()
		if err != nil {
			return err
		}
		ie = idx.find(j.path())
	}
	s.set(j.d, e, s.modeOf(e.st, ie), j.oid)
	return nil
}
