package snapshot

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/git-trace/git-trace/refs"
)

// The state file begins with a header: the size of each part, the id of the tree, the other meta data (metacodec.go),
// and a CRC-32 of all these. After the header come a table of directories (parents first), their records, and the bytes
// of all paths and names. All numbers are little-endian. Each directory has its own check sum, so a reader can read one
// directory alone: the cost of a snapshot of one file does not depend on the number of files. The records of a
// directory are decoded when they are needed. The journal, a file next to the state file, has later changes; see
// journal.go.
const (
	stateMagic   = "gtstate"
	stateVersion = 5
	headerSize   = len(stateMagic) + 1 + 6*4
	statSize     = 4*8 + 4
	othersSize   = 4 + 2 + 1
	entryFixed   = 4 + 2 + 4 + 2 + statSize
	rowFixed     = 4 + 4 + 4 + 2 + 4 + 4 + 4 + 4
)

func rowSize(hash int) int   { return rowFixed + headSize(hash) }
func headSize(hash int) int  { return 2 + statSize + 2*hash }
func entrySize(hash int) int { return entryFixed + hash }

var errBadState = errors.New("state file is damaged or of another version")

// packed is the content of a directory as the state file encodes it. Name offsets count from the start of names.
type packed struct {
	entries, others []byte
	names           string
	hash            int
}

// `saved` holds a directory in its encoded form on disk: its head (flags, state, tree, rules) and its records. Save
// compares it with the new form, so nobody needs to note changes.
type saved struct {
	head    []byte // nil if the state on disk does not have the directory
	records *packed
}

// encodeState writes a state. Without a root it writes a state of the git method. Afterwards each directory holds its
// part on disk.
func encodeState(m meta, root *dir, format refs.ObjectFormat) []byte {
	text := m.other()
	var dirs []*dir
	if root != nil {
		dirs = root.all(nil)
	}
	hash := format.Size()
	packs := make([]*packed, len(dirs))
	records, names := 0, 0
	for i, d := range dirs {
		if packs[i] = d.packed; packs[i] == nil {
			packs[i] = pack(d, hash)
		}
		p := packs[i]
		records, names = records+len(p.entries)+len(p.others), names+len(d.path)+len(p.names)
	}
	w := &stateWriter{hash: hash}
	w.out = make([]byte, 0, headerSize+hash+len(text)+4+len(dirs)*rowSize(hash)+records+names)
	w.out = append(append(w.out, stateMagic...), stateVersion)
	sumAt := len(w.out)
	for _, n := range []int{0, hash, len(text), len(dirs), records, names} {
		w.u32(uint32(n))
	}
	w.oid(m.Tree)
	w.out = append(w.out, text...)
	w.u32(0)
	body := len(w.out)
	w.tables(dirs, packs, records)
	binary.LittleEndian.PutUint32(w.out[sumAt:], crc32.ChecksumIEEE(w.out[body:]))
	binary.LittleEndian.PutUint32(w.out[body-4:], crc32.ChecksumIEEE(w.out[:body-4]))
	return w.out
}

type stateWriter struct {
	out  []byte
	hash int
}

func (w *stateWriter) u16(v uint16) { w.out = binary.LittleEndian.AppendUint16(w.out, v) }
func (w *stateWriter) u32(v uint32) { w.out = binary.LittleEndian.AppendUint32(w.out, v) }
func (w *stateWriter) u64(v uint64) { w.out = binary.LittleEndian.AppendUint64(w.out, v) }

func (w *stateWriter) stat(s fileStat) {
	w.u64(uint64(s.mtime))
	w.u64(uint64(s.ctime))
	w.u64(uint64(s.size))
	w.u64(s.ino)
	w.u32(s.mode)
}

func (w *stateWriter) oid(o refs.OID) {
	n := len(w.out) + w.hash
	w.out = o.AppendTo(w.out)
	for len(w.out) < n { // the zero id
		w.out = append(w.out, 0)
	}
}

// head writes the data of the directory itself.
func (w *stateWriter) head(d *dir) {
	w.u16(d.flags)
	w.stat(d.st)
	w.oid(d.tree)
	w.oid(d.rules)
}

// tables writes the table of directories, their records and their names. A row is
//
//	u32 CRC-32 of the rest of the row, the path, the names and the records · u32 directories below ·
//	u32 start of path and names · u16 length of path · u32 length of names · u32 start of the records · u32 entries ·
//	u32 others · head
func (w *stateWriter) tables(dirs []*dir, packs []*packed, records int) {
	hash := w.hash
	below := countBelow(dirs)
	recordsAt, namesAt := len(w.out)+len(dirs)*rowSize(hash), len(w.out)+len(dirs)*rowSize(hash)+records
	out := w.out[:cap(w.out)]
	record, name := recordsAt, namesAt
	for i, d := range dirs {
		p, row := packs[i], len(w.out)
		w.u32(0)
		w.u32(below[i])
		w.u32(uint32(name - namesAt))
		w.u16(uint16(len(d.path)))
		w.u32(uint32(len(p.names)))
		w.u32(uint32(record - recordsAt))
		w.u32(uint32(len(p.entries) / entrySize(hash)))
		w.u32(uint32(len(p.others) / othersSize))
		w.head(d)
		firstName, firstRecord := name, record
		name += copy(out[name:], d.path)
		name += copy(out[name:], p.names)
		record += copy(out[record:], p.entries)
		record += copy(out[record:], p.others)
		sum := rowSum(w.out[row+4:], out[firstName:name], out[firstRecord:record])
		binary.LittleEndian.PutUint32(w.out[row:], sum)
		d.saved = saved{w.out[len(w.out)-headSize(hash):], p}
	}
	w.out = out
}

// rowSum returns the check sum of a directory.
func rowSum(row, names, records []byte) uint32 {
	sum := crc32.ChecksumIEEE(row)
	sum = crc32.Update(sum, crc32.IEEETable, names)
	return crc32.Update(sum, crc32.IEEETable, records)
}

// countBelow returns the number of descendants of each directory. In the list, parents come first.
func countBelow(dirs []*dir) []uint32 {
	number := make(map[*dir]int, len(dirs))
	below := make([]uint32, len(dirs))
	for i, d := range dirs {
		number[d] = i
	}
	for i := len(dirs) - 1; i > 0; i-- {
		below[number[dirs[i].parent]] += below[i] + 1
	}
	return below
}

// pack encodes a directory; it is the reverse of open.
func pack(d *dir, hash int) *packed {
	var names []byte
	w := &stateWriter{hash: hash, out: make([]byte, 0, len(d.entries)*entrySize(hash)+len(d.others)*othersSize)}
	name := func(s string) {
		w.u32(uint32(len(names)))
		w.u16(uint16(len(s)))
		names = append(names, s...)
	}
	for i := range d.entries {
		x := &d.entries[i]
		name(x.name)
		w.u32(x.mode)
		w.u16(x.flags & savedFlags)
		w.stat(x.st)
		w.oid(x.oid)
	}
	n := len(w.out)
	for _, o := range d.others {
		name(o.name)
		w.out = append(w.out, byte(o.kind))
	}
	return &packed{entries: w.out[:n], others: w.out[n:], names: string(names), hash: hash}
}

// open decodes the records of a directory.
func (d *dir) open() {
	p := d.packed
	if p == nil {
		return
	}
	d.packed = nil
	size := entrySize(p.hash)
	d.entries = make([]entry, len(p.entries)/size)
	for i := range d.entries {
		r := &stateReader{in: p.entries[i*size : (i+1)*size], names: p.names, hash: p.hash}
		d.entries[i] = entry{name: r.name(), mode: r.u32(), flags: r.u16() & savedFlags, st: r.stat(), oid: r.oid()}
	}
	d.others = make([]dirName, len(p.others)/othersSize)
	for i := range d.others {
		r := &stateReader{in: p.others[i*othersSize : (i+1)*othersSize], names: p.names}
		d.others[i] = dirName{name: r.name(), kind: nameKind(r.take(1)[0])}
	}
}
