package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"github.com/git-trace/git-trace/refs"
)

// store describes the state on disk.
type store struct {
	sum     uint32   // check sum of the state file; the journal begins with it
	size    int64    // size of the state file; 0 if there is none
	journal int64    // number of valid bytes in the journal
	tree    refs.OID // tree of the last snapshot
	meta    []byte   // the other meta data
	dropped []string // directories of the state that were removed, with their descendants
	file    *stateFile
}

// Close drops all changes that are not saved. Afterwards the engine is like one without a state.
func (e *Engine) Close() {
	_ = e.behind.wait() // the error belongs to a snapshot that will not be saved
	if e.release != nil {
		e.release()
	}
	e.meta, e.root, e.scratch, e.store, e.release, e.changed, e.broken = meta{}, nil, nil, store{}, nil, false, false
}

// loadTries is the number of times that reading starts again because a writer replaced the state.
const loadTries = 5

// load reads the state. Without a valid state the engine starts from nothing.
func (e *Engine) load() error {
	data, journal, err := e.readState()
	if err != nil || data == nil {
		return err
	}
	if _, err := os.Stat(e.repo.SideObjects()); err != nil {
		return nil //nolint:nilerr // the trees of the state are missing
	}
	e.adoptState(data, journal)
	return nil
}

// readState reads the state file and its journal, at one moment. Without a state file, or if a writer replaces it again
// and again, it returns nothing.
func (e *Engine) readState() (data, journal []byte, err error) {
	for range loadTries {
		e.Close()
		data, journal, same, err := e.read()
		if err != nil || data == nil || same {
			return data, journal, err
		}
	}
	e.Close()
	return nil, nil, nil
}

// read reads the state file and its journal. Without a state file it returns nothing. A reader does not hold a lock, so
// the result `same` reports whether the state file is still the same one after reading.
func (e *Engine) read() (data, journal []byte, same bool, err error) {
	f, err := os.Open(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, false, nil
	}
	if err != nil {
		return nil, nil, false, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, false, err
	}
	if data, err = e.content(f, info.Size()); err != nil {
		return nil, nil, false, err
	}
	journal, err = refs.ReadFile(journalPath(e.path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, false, err
	}
	now, err := os.Stat(e.path)
	return data, journal, err == nil && os.SameFile(info, now), nil
}

// content returns the content of the state file. If that is safe, the content is mapped until Close: nobody writes the
// file in place, and paths and names are copied from the mapping.
func (e *Engine) content(f *os.File, size int64) ([]byte, error) {
	if size <= 0 || e.remote { // another machine may truncate a mapped file
		return refs.ReadFile(f.Name())
	}
	data, release, err := mapFile(f, size)
	if err != nil {
		return refs.ReadFile(f.Name())
	}
	e.release = release
	return data, nil
}

// adoptState loads a state and its journal into the engine, if they are valid.
func (e *Engine) adoptState(data, journal []byte) {
	h, m, root, err := decodeState(data, e.repo.Format)
	if err != nil || m.Git == nil && root == nil {
		return // an invalid state is not an error: it is only a cache
	}
	st := store{sum: h.sum, size: int64(len(data)), meta: h.text, file: h.file}
	if err := replay(journal, e.repo.Format, &st, &m, root); err != nil || h.file.bad.Load() {
		return
	}
	st.tree = m.Tree
	e.meta, e.root, e.store = m, root, st
}

// `damaged` reports whether a part of the state file that was read after Open is damaged.
func (e *Engine) damaged() bool { return e.store.file != nil && e.store.file.bad.Load() }

// LastTree returns the tree of the last snapshot in a state file, or the zero id if there is no valid one.
func LastTree(path string, format refs.ObjectFormat) (refs.OID, error) {
	e := &Engine{repo: &refs.Repo{Format: format}, path: path, remote: true}
	data, journal, err := e.readState()
	if data != nil {
		e.adoptState(data, journal)
	}
	return e.meta.Tree, err
}

// errWriteAll says that the whole state must be written.
var errWriteAll = errors.New("the journal cannot be used")

// writeAll replaces the state file. The old journal is invalid then, whether or not it can be removed.
func (e *Engine) writeAll() error {
	data := encodeState(e.meta, e.root, e.repo.Format)
	if e.damaged() {
		return errBadState
	}
	if err := refs.WriteFileAtomic(e.path, data, 0o600); err != nil {
		return err
	}
	_ = os.Remove(journalPath(e.path))
	e.store = store{sum: binary.LittleEndian.Uint32(data[len(stateMagic)+1:]), size: int64(len(data)), tree: e.meta.Tree,
		meta: e.meta.other()}
	return nil
}

// append appends the changes to the journal.
func (e *Engine) append() error {
	if e.store.size == 0 || e.meta.Git != nil || e.root == nil || e.root.saved.head == nil {
		return errWriteAll
	}
	text := e.meta.other()
	changed := text
	if bytes.Equal(text, e.store.meta) {
		changed = nil
	}
	record, commit := e.record(changed)
	if len(record) == 0 {
		return nil
	}
	if e.store.journal == 0 {
		record = append(journalHeader(e.store.sum), record...)
	}
	if e.store.journal+int64(len(record)) > min(max(minJournal, e.store.size/8), maxJournal) {
		return errWriteAll
	}
	if err := appendAt(journalPath(e.path), record, e.store.journal); err != nil {
		return err
	}
	e.store.journal += int64(len(record))
	e.store.tree, e.store.meta, e.store.dropped = e.meta.Tree, text, nil
	commit()
	return nil
}

// appendAt appends to a file whose length must be `at`. Another length means that the file has changed, or that a
// killed process left an incomplete record.
func appendAt(path string, data []byte, at int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != at {
		return errWriteAll
	}
	_, err = f.WriteAt(data, at)
	return err
}
