package snapshot

import (
	"encoding/binary"
	"hash/crc32"
	"sync/atomic"

	"github.com/git-trace/git-trace/refs"
)

// stateFile is the part of a state file that holds the directories.
type stateFile struct {
	table, records, names []byte
	text                  string // all names as one string; empty until all are needed
	over                  overlay
	hash                  int
	bad                   atomic.Bool // a reader found a damaged part
}

// stateHead is the beginning of a state file.
type stateHead struct {
	sum  uint32 // check sum of the bytes after the head; the journal names its state file by it
	text []byte // the other meta data
	tree refs.OID
	dirs int
	file *stateFile
}

// readHead reads and checks the beginning of a state file.
func readHead(data []byte, format refs.ObjectFormat) (stateHead, error) {
	hash := format.Size()
	if len(data) < headerSize+hash+4 || string(data[:len(stateMagic)]) != stateMagic ||
		data[len(stateMagic)] != stateVersion {
		return stateHead{}, errBadState
	}
	r := &stateReader{in: data[len(stateMagic)+1:], hash: hash}
	h := stateHead{sum: r.u32()}
	size, text, dirs, records, names := int(r.u32()), int64(r.u32()), int64(r.u32()), int64(r.u32()), int64(r.u32())
	head := int64(headerSize+hash) + text
	if size != hash || head+4 > int64(len(data)) {
		return stateHead{}, errBadState
	}
	if crc32.ChecksumIEEE(data[:head]) != binary.LittleEndian.Uint32(data[head:]) {
		return stateHead{}, errBadState
	}
	table := dirs * int64(rowSize(hash))
	if head+4+table+records+names != int64(len(data)) {
		return stateHead{}, errBadState
	}
	h.tree, h.dirs = r.oid(), int(dirs)
	h.text = r.take(int(text))
	body := data[head+4:]
	h.file = &stateFile{table: body[:table], records: body[table : table+records], names: body[table+records:], hash: hash}
	return h, nil
}

// decodeState is the reverse of encodeState. It returns no directory for a state of the git method. Directories below
// the top are read on demand, and the stateFile notes any damage found then.
func decodeState(data []byte, format refs.ObjectFormat) (stateHead, meta, *dir, error) {
	h, err := readHead(data, format)
	if err != nil {
		return h, meta{}, nil, err
	}
	m, err := parseMeta(h.text, h.tree)
	if err != nil || h.dirs == 0 {
		return h, m, nil, err
	}
	root := &dir{}
	if !h.file.read(root, &packed{}, 0, h.dirs) {
		return h, meta{}, nil, errBadState
	}
	return h, m, root, nil
}

// stateReader reads records whose total size has been checked. Only their content can be invalid.
type stateReader struct {
	in    []byte
	names string
	hash  int
}

func (r *stateReader) take(n int) []byte {
	b := r.in[:n]
	r.in = r.in[n:]
	return b
}

func (r *stateReader) u16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *stateReader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *stateReader) u64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

func (r *stateReader) name() string {
	at, n := int(r.u32()), int(r.u16())
	return r.names[at : at+n]
}

func (r *stateReader) stat() fileStat {
	return fileStat{mtime: int64(r.u64()), ctime: int64(r.u64()), size: int64(r.u64()), ino: r.u64(), mode: r.u32()}
}

func (r *stateReader) oid() refs.OID {
	oid, _ := refs.OIDFromBytes(r.take(r.hash))
	if oid.IsZero() {
		return refs.OID{}
	}
	return oid
}

// readHead reads the head that stateWriter.head wrote.
func (d *dir) readHead(head []byte, hash int) {
	r := &stateReader{in: head, hash: hash}
	d.flags, d.st, d.tree, d.rules = r.u16(), r.stat(), r.oid(), r.oid()
	d.saved.head = head
}

// read fills in the directory of a row. The rows from this one to `end` belong to its parent. It returns false for
// damaged data.
func (f *stateFile) read(d *dir, p *packed, row, end int) bool {
	size := rowSize(f.hash)
	r := &stateReader{in: f.table[row*size : (row+1)*size], hash: f.hash}
	sum, whole := r.u32(), r.in
	below, name, pathLen, namesLen := int64(r.u32()), int64(r.u32()), int64(r.u16()), int64(r.u32())
	record, entries, others := int64(r.u32()), int64(r.u32())*int64(entrySize(f.hash)), int64(r.u32())*othersSize
	if int64(row)+1+below > int64(end) || name+pathLen+namesLen > int64(len(f.names)) ||
		record+entries+others > int64(len(f.records)) {
		return false
	}
	records := f.records[record : record+entries+others]
	if rowSum(whole, f.names[name:name+pathLen+namesLen], records) != sum {
		return false
	}
	*p = packed{entries: records[:entries:entries], others: records[entries:], names: f.string(name+pathLen, namesLen),
		hash: f.hash}
	if !p.namesFit() {
		return false
	}
	d.path = f.string(name, pathLen)
	d.readHead(r.in, f.hash)
	d.packed, d.saved.records = p, p
	if below > 0 {
		d.unread = &rows{f, row + 1, row + 1 + int(below)}
	}
	return true
}

// readAll copies all names into one string.
func (f *stateFile) readAll() { f.text = string(f.names) }

// string copies some of the names, so that no part of the mapped file leaves the engine.
func (f *stateFile) string(at, n int64) string {
	if f.text != "" {
		return f.text[at : at+n]
	}
	return string(f.names[at : at+n])
}

// rows holds the rows of the descendants of a directory that are not read yet. Each child is followed by its own
// descendants.
type rows struct {
	file     *stateFile
	from, to int
}

// kids returns the direct subdirectories, sorted by name.
func (d *dir) kids() []*dir {
	u := d.unread
	if u == nil {
		return d.subs
	}
	d.unread = nil
	var starts []int
	size := rowSize(u.file.hash)
	for row := u.from; row < u.to; {
		starts = append(starts, row)
		below := int64(binary.LittleEndian.Uint32(u.file.table[row*size+4:]))
		row = int(min(int64(row)+1+below, int64(u.to)))
	}
	slab, packs := make([]dir, len(starts)), make([]packed, len(starts))
	d.subs = make([]*dir, 0, len(starts))
	for i, row := range starts {
		sub := &slab[i]
		if !u.file.read(sub, &packs[i], row, u.to) {
			u.file.bad.Store(true)
			return d.subs
		}
		if _, again := u.file.over.dirs[sub.path]; u.file.over.gone[sub.path] && !again {
			continue
		}
		sub.parent = d
		d.subs = append(d.subs, sub)
	}
	for _, sub := range u.file.newSubs(d) {
		d.insertSub(sub)
	}
	for _, sub := range d.subs {
		u.file.renew(sub)
	}
	return d.subs
}

// namesFit reports whether the names of packed records lie within the directory's bytes.
func (p *packed) namesFit() bool {
	return namesFit(p.entries, entrySize(p.hash), len(p.names)) && namesFit(p.others, othersSize, len(p.names))
}

func namesFit(records []byte, size, names int) bool {
	for ; len(records) >= size; records = records[size:] {
		at, n := binary.LittleEndian.Uint32(records), binary.LittleEndian.Uint16(records[4:])
		if int64(at)+int64(n) > int64(names) {
			return false
		}
	}
	return true
}
