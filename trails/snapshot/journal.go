package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// The journal holds the changes since the state file was written. With it, a snapshot with few changes writes little,
// and does not replace a file, which file systems would flush first. The journal begins with the check sum of its state
// file. After it come records:
//
//	u32 length of the rest, without the check sum
//	id of the tree · u32 length of the other meta data (0: unchanged) · u32 removed directories · u32 directories
//	the other meta data (metacodec.go)
//	removed directory: u16 length and path
//	directory, parents first: u16 length of path · u32 length of names · u32 entries · u32 others · head · path ·
//	entries · others · names
//	u32 CRC-32 of everything except the length
//
// A reader applies the records in order, up to the first incomplete one. A killed process left that one, and its
// snapshot is taken again.
const (
	journalMagic = "gtjourn\x01"
	journalHead  = len(journalMagic) + 4
	// minJournal is the size in bytes up to which a journal always grows before the state file is rewritten. Above it, the
	// limit is an eighth of the state file, up to maxJournal, because every hook reads the journal.
	minJournal = 64 << 10
	maxJournal = 256 << 10
)

func journalPath(state string) string { return state + ".journal" }

func journalHeader(sum uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte(journalMagic), sum)
}

// record encodes the differences from the state on disk, or returns nil if there are none. The caller calls commit when
// the record is on disk.
func (e *Engine) record(meta []byte) (record []byte, commit func()) {
	hash := e.repo.Format.Size()
	w, h := &stateWriter{hash: hash}, &stateWriter{hash: hash}
	type change struct {
		d *dir
		saved
	}
	var changes []change
	for _, d := range e.root.known(nil) {
		h.out = h.out[:0]
		h.head(d)
		records := d.packed
		if records == nil {
			records = pack(d, hash)
		}
		if !bytes.Equal(h.out, d.saved.head) || !records.equal(d.saved.records) {
			changes = append(changes, change{d, saved{slices.Clone(h.out), records}})
		}
	}
	if meta == nil && e.meta.Tree == e.store.tree && len(changes) == 0 && len(e.store.dropped) == 0 {
		return nil, func() {}
	}
	w.u32(0)
	w.oid(e.meta.Tree)
	for _, n := range []int{len(meta), len(e.store.dropped), len(changes)} {
		w.u32(uint32(n))
	}
	w.out = append(w.out, meta...)
	for _, path := range e.store.dropped {
		w.u16(uint16(len(path)))
		w.out = append(w.out, path...)
	}
	for _, c := range changes {
		w.u16(uint16(len(c.d.path)))
		w.u32(uint32(len(c.records.names)))
		w.u32(uint32(len(c.records.entries) / entrySize(hash)))
		w.u32(uint32(len(c.records.others) / othersSize))
		w.out = append(append(w.out, c.head...), c.d.path...)
		w.out = append(append(append(w.out, c.records.entries...), c.records.others...), c.records.names...)
	}
	binary.LittleEndian.PutUint32(w.out, uint32(len(w.out)-4))
	w.u32(crc32.ChecksumIEEE(w.out[4:]))
	return w.out, func() {
		for _, c := range changes {
			c.d.saved = c.saved
		}
	}
}

func (p *packed) equal(q *packed) bool {
	return p == q || q != nil && p.names == q.names && bytes.Equal(p.entries, q.entries) && bytes.Equal(p.others, q.others)
}

// replay applies a journal to its state, and notes how many bytes of the journal are valid. It ignores the journal of
// another state. A directory gets its changes when it is read. If the content is invalid, replay returns an error, and
// the state is lost.
func replay(journal []byte, format refs.ObjectFormat, st *store, m *meta, root *dir) error {
	if root == nil || len(journal) < journalHead || !bytes.Equal(journal[:journalHead], journalHeader(st.sum)) {
		return nil
	}
	at := int64(journalHead)
	var last, text []byte // the tree and the other meta data of the last record
	for {
		body, ok := recordAt(journal[at:])
		if !ok {
			break
		}
		r := &recordReader{in: body, hash: format.Size()}
		tree, other, err := r.apply(st.file)
		if err != nil {
			return fmt.Errorf("%w: journal: %w", errBadState, err)
		}
		if last = tree; len(other) > 0 {
			text = other
		}
		at += int64(len(body)) + 8
	}
	st.journal = at
	if last == nil {
		return nil
	}
	if text != nil {
		var err error
		if *m, err = parseMeta(text, refs.OID{}); err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		st.meta = text
	}
	m.Tree = (&stateReader{in: last, hash: format.Size()}).oid()
	st.file.renew(root)
	return nil
}

// recordAt returns the body of the first record, if the record is complete.
func recordAt(journal []byte) ([]byte, bool) {
	if len(journal) < 8 {
		return nil, false
	}
	n := int64(binary.LittleEndian.Uint32(journal))
	if n+8 > int64(len(journal)) {
		return nil, false
	}
	body := journal[4 : 4+n]
	return body, binary.LittleEndian.Uint32(journal[4+n:]) == crc32.ChecksumIEEE(body)
}

// recordReader reads one record. After the first error it returns only zeros.
type recordReader struct {
	in   []byte
	hash int
	bad  bool
}

func (r *recordReader) take(n int64) []byte {
	if r.bad || n > int64(len(r.in)) {
		r.bad = true
		return nil
	}
	b := r.in[:n:n]
	r.in = r.in[n:]
	return b
}

func (r *recordReader) u16() int64 {
	if b := r.take(2); b != nil {
		return int64(binary.LittleEndian.Uint16(b))
	}
	return 0
}

func (r *recordReader) u32() int64 {
	if b := r.take(4); b != nil {
		return int64(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// apply applies a record to a state file, and returns the tree and the other meta data in it.
func (r *recordReader) apply(f *stateFile) (tree, other []byte, err error) {
	tree = r.take(int64(r.hash))
	text, dropped, dirs := r.u32(), r.u32(), r.u32()
	other = r.take(text)
	for range dropped {
		if r.bad {
			break
		}
		f.drop(string(r.take(r.u16())))
	}
	for range dirs {
		if r.bad {
			break
		}
		if err := r.dir(f); err != nil {
			return nil, nil, err
		}
	}
	if r.bad || len(r.in) > 0 {
		return nil, nil, errors.New("record does not end where it should")
	}
	return tree, other, nil
}

// dir reads one directory of a record.
func (r *recordReader) dir(f *stateFile) error {
	path, names, entries, others := r.u16(), r.u32(), r.u32(), r.u32()
	head := r.take(int64(headSize(r.hash)))
	name := string(r.take(path))
	n := newer{head: head}
	n.entries, n.others = r.take(entries*int64(entrySize(r.hash))), r.take(others*othersSize)
	n.names = r.take(names)
	if r.bad || !namesFit(n.entries, entrySize(r.hash), len(n.names)) || !namesFit(n.others, othersSize, len(n.names)) {
		return errors.New("directory does not fit its record")
	}
	f.put(name, n)
	return nil
}
