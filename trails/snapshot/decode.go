package snapshot

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"github.com/git-trace/git-trace/refs"
)

// decodeState is the reverse of encodeState. It returns no directory for a state of the git method.
func decodeState(data []byte, format refs.ObjectFormat) (meta, *dir, error) {
	if len(data) < headerSize+4 || string(data[:len(stateMagic)]) != stateMagic || data[len(stateMagic)] != stateVersion {
		return meta{}, nil, errBadState
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return meta{}, nil, errBadState
	}
	r := &stateReader{in: body[len(stateMagic)+1:], hash: format.Size()}
	hash, text, dirs := int(r.u32()), int64(r.u32()), int64(r.u32())
	entries, others, names := int64(r.u32()), int64(r.u32()), int64(r.u32())
	if hash != format.Size() {
		return meta{}, nil, errBadState
	}
	size := int64(headerSize) + int64(hash) + text + dirs*int64(dirSize(hash)) + entries*int64(entrySize(hash)) + others*othersSize + names
	if size != int64(len(body)) {
		return meta{}, nil, errBadState
	}
	var m meta
	tree := r.oid()
	if err := json.Unmarshal(r.take(int(text)), &m); err != nil {
		return meta{}, nil, fmt.Errorf("%w: %w", errBadState, err)
	}
	m.Tree = tree
	r.names = string(body[int64(len(body))-names:])
	root, ok := r.tables(int(dirs), entries, others)
	if !ok {
		return meta{}, nil, errBadState
	}
	return m, root, nil
}

// otherMeta is the part of a good state file that holds the meta data beside the tree.
func otherMeta(data []byte, hash int) []byte {
	n := int(binary.LittleEndian.Uint32(data[len(stateMagic)+1+4:]))
	return data[headerSize+hash:][:n:n]
}

// stateReader reads records whose total size has been checked; only what they say can be wrong.
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

// readHead is the reverse of stateWriter.head.
func (d *dir) readHead(head []byte, hash int) {
	r := &stateReader{in: head, hash: hash}
	d.flags, d.st, d.tree, d.rules = r.u16(), r.stat(), r.oid(), r.oid()
	d.saved.head = head
}

// tables reads the directories and deals out the records to them. It checks every name, so that open need not.
func (r *stateReader) tables(dirs int, entries, others int64) (*dir, bool) {
	if dirs == 0 {
		return nil, entries == 0 && others == 0
	}
	slab, packs, places := make([]dir, dirs), make([]packed, dirs), make([]slot, dirs)
	for i := range slab {
		d := &slab[i]
		at, pathLen, namesLen := int64(r.u32()), int64(r.u16()), int64(r.u32())
		p := slot{parent: int32(r.u32()), entries: int32(r.u32()), others: int32(r.u32())}
		d.readHead(r.take(headSize(r.hash)), r.hash)
		entries, others = entries-int64(p.entries), others-int64(p.others)
		if at+pathLen+namesLen > int64(len(r.names)) || entries < 0 || others < 0 || p.entries < 0 || p.others < 0 || i > 0 && (p.parent < 0 || p.parent >= int32(i)) {
			return nil, false
		}
		d.path = r.names[at : at+pathLen]
		packs[i] = packed{names: r.names[at+pathLen : at+pathLen+namesLen], hash: r.hash}
		d.packed, d.saved.records = &packs[i], &packs[i]
		if i > 0 {
			places[p.parent].subs++
		}
		places[i] = p
	}
	if entries != 0 || others != 0 {
		return nil, false
	}
	hang(slab, places)
	for i := range packs {
		p := &packs[i]
		p.entries = r.take(int(places[i].entries) * entrySize(r.hash))
		p.others = r.take(int(places[i].others) * othersSize)
		if !p.namesFit() {
			return nil, false
		}
	}
	return &slab[0], true
}

// hang puts each directory below its parent.
func hang(slab []dir, places []slot) {
	room := make([]*dir, len(slab))
	for i := range slab[1:] {
		d := &slab[i+1]
		p := places[i+1].parent
		d.parent = &slab[p]
		if d.parent.subs == nil {
			n := places[p].subs
			d.parent.subs, room = room[:0:n], room[n:] // what is inserted later goes elsewhere
		}
		d.parent.subs = append(d.parent.subs, d)
	}
}

// slot is what the table says of a directory beside its own head.
type slot struct {
	parent, subs    int32 // parent by number; how many have this one for theirs
	entries, others int32
}

// namesFit tells whether the names of packed records lie within their directory's bytes.
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
