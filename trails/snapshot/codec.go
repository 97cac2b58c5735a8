package snapshot

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/git-trace/git-trace/refs"
)

// The state file: a fixed header, the id of the tree, the other meta data as JSON, a table of directories (parents first), then for each directory
// its entries and left-out names as fixed-size records, then the bytes of all paths and names, then a CRC-32C of
// everything before. All numbers are little-endian. A directory's records stay as they are, packed, until somebody asks
// for them: most snapshots touch few directories. What changed since the file was written stands in the journal beside
// it; see journal.go.
const (
	stateMagic   = "gtstate"
	stateVersion = 3
	headerSize   = len(stateMagic) + 1 + 6*4
	statSize     = 4*8 + 4
	othersSize   = 4 + 2 + 1
	entryFixed   = 4 + 2 + 4 + 2 + statSize
)

func dirSize(hash int) int   { return 4 + 2 + 4 + 4 + 4 + 4 + headSize(hash) }
func headSize(hash int) int  { return 2 + statSize + 2*hash }
func entrySize(hash int) int { return entryFixed + hash }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errBadState = errors.New("state file is damaged or of another version")

// packed is the content of a directory as it stands in the state file. Name offsets count from the start of names.
type packed struct {
	entries, others []byte
	names           string
	hash            int
}

// saved is what the state on disk has of a directory: its head (flags, state, tree, rules) and its records. They are
// compared with what is to be written, so that no change has to be noted when it is made.
type saved struct {
	head    []byte // nil if the directory is not there
	records *packed
}

func encodeState(m meta, root *dir, format refs.ObjectFormat) ([]byte, error) {
	text, err := m.other()
	if err != nil {
		return nil, err
	}
	var dirs []*dir
	if root != nil {
		dirs = root.all(nil)
	}
	hash := format.Size()
	w := &stateWriter{hash: hash}
	for _, d := range dirs {
		if p := d.packed; p != nil {
			w.entries, w.others, w.size = w.entries+len(p.entries)/entrySize(hash), w.others+len(p.others)/othersSize, w.size+len(d.path)+len(p.names)
			continue
		}
		w.entries, w.others, w.size = w.entries+len(d.entries), w.others+len(d.others), w.size+len(d.path)
		for i := range d.entries {
			w.size += len(d.entries[i].name)
		}
		for i := range d.others {
			w.size += len(d.others[i].name)
		}
	}
	size := headerSize + hash + len(text) + len(dirs)*dirSize(hash) + w.entries*entrySize(hash) + w.others*othersSize + w.size + 4
	w.out, w.names = make([]byte, 0, size), make([]byte, 0, w.size)
	w.out = append(append(w.out, stateMagic...), stateVersion)
	for _, n := range []int{hash, len(text), len(dirs), w.entries, w.others, w.size} {
		w.u32(uint32(n))
	}
	w.oid(m.Tree)
	w.out = append(w.out, text...)
	w.tables(dirs)
	w.out = append(w.out, w.names...)
	return binary.LittleEndian.AppendUint32(w.out, crc32.Checksum(w.out, castagnoli)), nil
}

type stateWriter struct {
	out, names            []byte
	hash                  int
	entries, others, size int
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
	for len(w.out) < n { // no id
		w.out = append(w.out, 0)
	}
}

// head is what belongs to a directory itself.
func (w *stateWriter) head(d *dir) {
	w.u16(d.flags)
	w.stat(d.st)
	w.oid(d.tree)
	w.oid(d.rules)
}

func (w *stateWriter) tables(dirs []*dir) {
	number := make(map[*dir]uint32, len(dirs))
	packs := make([]*packed, len(dirs))
	for i, d := range dirs {
		number[d] = uint32(i)
		if packs[i] = d.packed; packs[i] == nil {
			packs[i] = pack(d, w.hash)
		}
		p := packs[i]
		w.u32(uint32(len(w.names)))
		w.u16(uint16(len(d.path)))
		w.u32(uint32(len(p.names)))
		w.u32(number[d.parent])
		w.u32(uint32(len(p.entries) / entrySize(w.hash)))
		w.u32(uint32(len(p.others) / othersSize))
		w.head(d)
		d.saved = saved{w.out[len(w.out)-headSize(w.hash):], p}
		w.names = append(append(w.names, d.path...), p.names...)
	}
	for _, p := range packs {
		w.out = append(append(w.out, p.entries...), p.others...)
	}
}

// pack is the reverse of open.
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

// open decodes a directory's records.
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
