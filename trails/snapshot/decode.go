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
	size := int64(headerSize) + text + dirs*int64(dirSize(hash)) + entries*int64(entrySize(hash)) + others*othersSize + names
	if size != int64(len(body)) {
		return meta{}, nil, errBadState
	}
	var m meta
	if err := json.Unmarshal(r.take(int(text)), &m); err != nil {
		return meta{}, nil, fmt.Errorf("%w: %w", errBadState, err)
	}
	r.names = string(body[int64(len(body))-names:])
	root, ok := r.tables(int(dirs), entries, others)
	if !ok {
		return meta{}, nil, errBadState
	}
	return m, root, nil
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

// tables reads the directories and deals out the records to them. It checks every name, so that open need not.
func (r *stateReader) tables(dirs int, entries, others int64) (*dir, bool) {
	if dirs == 0 {
		return nil, entries == 0 && others == 0
	}
	slab, packs, counts := make([]dir, dirs), make([]packed, dirs), make([][2]int64, dirs)
	for i := range slab {
		d := &slab[i]
		at, pathLen, namesLen := int64(r.u32()), int64(r.u16()), int64(r.u32())
		parent := int(r.u32())
		counts[i] = [2]int64{int64(r.u32()), int64(r.u32())}
		d.flags, d.st, d.tree, d.rules = r.u16(), r.stat(), r.oid(), r.oid()
		entries, others = entries-counts[i][0], others-counts[i][1]
		if at+pathLen+namesLen > int64(len(r.names)) || entries < 0 || others < 0 || i > 0 && parent >= i {
			return nil, false
		}
		d.path = r.names[at : at+pathLen]
		packs[i] = packed{names: r.names[at+pathLen : at+pathLen+namesLen], hash: r.hash}
		d.packed = &packs[i]
		if i > 0 {
			d.parent = &slab[parent]
			d.parent.subs = append(d.parent.subs, d)
		}
	}
	if entries != 0 || others != 0 {
		return nil, false
	}
	for i := range packs {
		p := &packs[i]
		p.entries = r.take(int(counts[i][0]) * entrySize(r.hash))
		p.others = r.take(int(counts[i][1]) * othersSize)
		if !namesFit(p.entries, entrySize(r.hash), len(p.names)) || !namesFit(p.others, othersSize, len(p.names)) {
			return nil, false
		}
	}
	return &slab[0], true
}

// namesFit tells whether the names of packed records lie within their directory's bytes.
func namesFit(records []byte, size, names int) bool {
	for ; len(records) >= size; records = records[size:] {
		at, n := binary.LittleEndian.Uint32(records), binary.LittleEndian.Uint16(records[4:])
		if int64(at)+int64(n) > int64(names) {
			return false
		}
	}
	return true
}
