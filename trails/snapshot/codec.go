package snapshot

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	"github.com/git-trace/git-trace/refs"
)

// The state file: a fixed header, the meta data as JSON, then tables of fixed-size records for directories (parents
// first), entries and left-out names, each directory's in a row, then the bytes of all names, then a CRC-32C of
// everything before. All numbers are little-endian.
const (
	stateMagic   = "gtstate"
	stateVersion = 1
	headerSize   = len(stateMagic) + 1 + 6*4
	statSize     = 4*8 + 4
	othersSize   = 4 + 2 + 1
)

func dirSize(hash int) int   { return 4 + 2 + 4 + 4 + 4 + 2 + statSize + 2*hash }
func entrySize(hash int) int { return 4 + 2 + 4 + 2 + statSize + hash }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errBadState = errors.New("state file is damaged or of another version")

// load reads the state file; without a usable one the engine starts anew.
func (e *Engine) load() error {
	e.meta, e.root, e.scratch, e.changed, e.broken = meta{}, nil, nil, false, false
	data, err := os.ReadFile(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(e.repo.SideObjects()); err != nil {
		return nil // the trees the state speaks of are gone
	}
	m, root, err := decodeState(data, e.repo.Format)
	if err != nil || m.Git == nil && root == nil {
		return nil //nolint:nilerr // a state is only a cache of the work tree
	}
	e.meta, e.root = m, root
	return nil
}

func (e *Engine) encode() ([]byte, error) {
	return encodeState(e.meta, e.root, e.repo.Format)
}

func encodeState(m meta, root *dir, format refs.ObjectFormat) ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var dirs []*dir
	if root != nil {
		dirs = root.all(nil)
	}
	entries, others, names := 0, 0, 0
	for _, d := range dirs {
		entries, others, names = entries+len(d.entries), others+len(d.others), names+len(d.path)
		for i := range d.entries {
			names += len(d.entries[i].name)
		}
		for i := range d.others {
			names += len(d.others[i].name)
		}
	}
	hash := format.Size()
	size := headerSize + len(text) + len(dirs)*dirSize(hash) + entries*entrySize(hash) + others*othersSize + names + 4
	w := &stateWriter{out: make([]byte, 0, size), names: make([]byte, 0, names), hash: hash}
	w.out = append(append(w.out, stateMagic...), stateVersion)
	for _, n := range []int{hash, len(text), len(dirs), entries, others, names} {
		w.u32(uint32(n))
	}
	w.out = append(w.out, text...)
	w.tables(dirs)
	w.out = append(w.out, w.names...)
	return binary.LittleEndian.AppendUint32(w.out, crc32.Checksum(w.out, castagnoli)), nil
}

type stateWriter struct {
	out, names []byte
	hash       int
}

func (w *stateWriter) u16(v uint16) { w.out = binary.LittleEndian.AppendUint16(w.out, v) }
func (w *stateWriter) u32(v uint32) { w.out = binary.LittleEndian.AppendUint32(w.out, v) }
func (w *stateWriter) u64(v uint64) { w.out = binary.LittleEndian.AppendUint64(w.out, v) }

func (w *stateWriter) name(s string) {
	w.u32(uint32(len(w.names)))
	w.u16(uint16(len(s)))
	w.names = append(w.names, s...)
}

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

func (w *stateWriter) tables(dirs []*dir) {
	number := make(map[*dir]uint32, len(dirs))
	for i, d := range dirs {
		number[d] = uint32(i)
		w.name(d.path)
		w.u32(number[d.parent])
		w.u32(uint32(len(d.entries)))
		w.u32(uint32(len(d.others)))
		w.u16(d.flags)
		w.stat(d.st)
		w.oid(d.tree)
		w.oid(d.rules)
	}
	for _, d := range dirs {
		for i := range d.entries {
			x := &d.entries[i]
			w.name(x.name)
			w.u32(x.mode)
			w.u16(x.flags & savedFlags)
			w.stat(x.st)
			w.oid(x.oid)
		}
	}
	for _, d := range dirs {
		for _, o := range d.others {
			w.name(o.name)
			w.out = append(w.out, byte(o.kind))
		}
	}
}

// decodeState is the reverse of encodeState. It returns no directory for a state of the git method.
func decodeState(data []byte, format refs.ObjectFormat) (meta, *dir, error) {
	if len(data) < headerSize+4 || string(data[:len(stateMagic)]) != stateMagic || data[len(stateMagic)] != stateVersion {
		return meta{}, nil, errBadState
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return meta{}, nil, errBadState
	}
	r := &stateReader{in: body[len(stateMagic)+1:], format: format}
	hash, text, dirs := int(r.u32()), int64(r.u32()), int64(r.u32())
	entries, others, names := int64(r.u32()), int64(r.u32()), int64(r.u32())
	size := int64(headerSize) + text + dirs*int64(dirSize(hash)) + entries*int64(entrySize(hash)) + others*othersSize + names
	if hash != format.Size() || size != int64(len(body)) {
		return meta{}, nil, errBadState
	}
	var m meta
	if err := json.Unmarshal(r.take(int(text)), &m); err != nil {
		return meta{}, nil, fmt.Errorf("%w: %w", errBadState, err)
	}
	r.names = string(body[int64(len(body))-names:])
	root, ok := r.tables(int(dirs), int(entries), int(others))
	if !ok {
		return meta{}, nil, errBadState
	}
	return m, root, nil
}

// stateReader reads records whose total size has been checked; only what they say can be wrong.
type stateReader struct {
	in     []byte
	names  string
	format refs.ObjectFormat
	bad    bool
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
	at, n := int64(r.u32()), int64(r.u16())
	if at+n > int64(len(r.names)) {
		r.bad = true
		return ""
	}
	return r.names[at : at+n]
}

func (r *stateReader) stat() fileStat {
	return fileStat{mtime: int64(r.u64()), ctime: int64(r.u64()), size: int64(r.u64()), ino: r.u64(), mode: r.u32()}
}

func (r *stateReader) oid() refs.OID {
	oid, _ := refs.OIDFromBytes(r.take(r.format.Size()))
	if oid.IsZero() {
		return refs.OID{}
	}
	return oid
}

func (r *stateReader) tables(dirs, entries, others int) (*dir, bool) {
	slab, flat, rest := make([]dir, dirs), make([]entry, entries), make([]leftOut, others)
	e, o := 0, 0
	for i := range slab {
		d := &slab[i]
		d.path = r.name()
		parent, ne, no := int(r.u32()), int(r.u32()), int(r.u32())
		d.flags, d.st, d.tree, d.rules = r.u16(), r.stat(), r.oid(), r.oid()
		if r.bad || ne > entries-e || no > others-o || i > 0 && parent >= i {
			return nil, false
		}
		d.entries, d.others = flat[e:e+ne:e+ne], rest[o:o+no:o+no]
		e, o = e+ne, o+no
		if i > 0 {
			d.parent = &slab[parent]
			d.parent.subs = append(d.parent.subs, d)
		}
	}
	for i := range flat {
		flat[i] = entry{name: r.name(), mode: r.u32(), flags: r.u16() & savedFlags, st: r.stat(), oid: r.oid()}
	}
	for i := range rest {
		rest[i] = leftOut{name: r.name(), kind: nameKind(r.take(1)[0])}
	}
	if r.bad || e != entries || o != others {
		return nil, false
	}
	if dirs == 0 {
		return nil, true
	}
	return &slab[0], true
}
