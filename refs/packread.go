package refs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PackReader reads objects of one pack, version 2 of gitformat-pack(5), without a git process. Both files are mapped
// into memory, so opening takes the same time for any size. It is not safe for concurrent use. Callers must close it.
type PackReader struct {
	format  ObjectFormat
	index   *PackIndex
	data    []byte
	release []func()
	bases   map[int64]packBase // contents to which deltas were applied, by offset
	held    int                // total bytes of bases
}

// packBase is the base of a delta. The reader owns its content.
type packBase struct {
	kind    int
	content []byte
}

// heldBases limits the number of bytes of bases that a reader caches. The versions of a file form one chain of deltas.
// Without the cache, each version would be computed again from the whole chain.
const heldBases = 8 << 20

// errNotHere is returned if the pack lacks an object, or the object's base.
var errNotHere = errors.New("not in this pack")

// OpenPack opens a pack. The path has no extension.
func OpenPack(path string, format ObjectFormat) (*PackReader, error) {
	p := &PackReader{format: format}
	raw, err := p.file(path + ".idx")
	if err == nil {
		p.index, err = ParsePackIndex(raw, format)
	}
	if err == nil {
		p.data, err = p.file(path + ".pack")
	}
	if err == nil && (len(p.data) < packHeader+format.Size() || string(p.data[:4]) != "PACK" ||
		binary.BigEndian.Uint32(p.data[4:]) != 2) {
		err = fmt.Errorf("%w: not a pack of version 2", ErrCorrupt)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("open pack %s: %w", filepath.Base(path), err)
	}
	return p, nil
}

const packHeader = 12

func (p *PackReader) file(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, fmt.Errorf("%w: empty file", ErrCorrupt)
	}
	data, release, err := mapFile(f, info.Size())
	if err != nil {
		return nil, err
	}
	p.release = append(p.release, release)
	return data, nil
}

// Close unmaps the files. Results stay valid.
func (p *PackReader) Close() {
	for _, release := range p.release {
		release()
	}
	p.release, p.bases = nil, nil
}

// Index returns the pack's index; it is invalid after Close.
func (p *PackReader) Index() *PackIndex { return p.index }

// Types of entries in a pack.
const (
	packCommit = 1 + iota
	packTree
	packBlob
	packTag
	_
	packOffsetDelta
	packRefDelta
)

// maxDeltas limits a chain of deltas. Git limits chains to pack.depth, 50 by default, and never makes longer ones than
// 4095.
const maxDeltas = 4095

// packEntry is the entry at one offset of a pack: a whole object, or a delta.
type packEntry struct {
	kind int
	size int64
	base int64 // offset of the base
	data []byte
}

// `At` reads the object at an offset. If it is larger than limit, the error is ErrTooLarge.
func (p *PackReader) At(offset, limit int64) (ObjectType, []byte, error) {
	type step struct {
		offset int64
		delta  []byte
	}
	var steps []step
	base, held := p.bases[offset]
	for ; !held; base, held = p.bases[offset] {
		e, err := p.entry(offset)
		if err != nil {
			return "", nil, err
		}
		if e.size > limit {
			return "", nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, e.size)
		}
		content, err := inflate(e.data, e.size)
		if err != nil {
			return "", nil, err
		}
		if e.kind != packOffsetDelta && e.kind != packRefDelta {
			if base = (packBase{e.kind, content}); len(steps) == 0 {
				return packTypes[e.kind], content, nil
			}
			p.keep(offset, base)
			break
		}
		if steps, offset = append(steps, step{offset, content}), e.base; len(steps) > maxDeltas {
			return "", nil, fmt.Errorf("%w: chain of %d deltas", ErrCorrupt, len(steps))
		}
	}
	if int64(len(base.content)) > limit {
		return "", nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(base.content))
	}
	if len(steps) == 0 {
		return packTypes[base.kind], bytes.Clone(base.content), nil
	}
	for i, s := range slices.Backward(steps) {
		var err error
		if base.content, err = patch(base.content, s.delta, limit); err != nil {
			return "", nil, err
		}
		if i > 0 {
			p.keep(s.offset, base)
		}
	}
	return packTypes[base.kind], base.content, nil
}

// keep caches a base for the next object of its chain. If the cache is full, keep empties it first.
func (p *PackReader) keep(offset int64, base packBase) {
	if len(base.content) > heldBases/8 {
		return
	}
	if p.held += len(base.content); p.held > heldBases || p.bases == nil {
		p.bases, p.held = map[int64]packBase{}, len(base.content)
	}
	p.bases[offset] = base
}

var packTypes = [...]ObjectType{packCommit: CommitObject, packTree: TreeObject, packBlob: BlobObject,
	packTag: TagObject}

// read reads an object. The error is errNotHere if the pack does not have it.
func (p *PackReader) read(oid OID, limit int64) (ObjectType, []byte, error) {
	i, ok := p.index.Find(oid)
	if !ok {
		return "", nil, errNotHere
	}
	return p.At(p.index.Offset(i), limit)
}

// entry parses the entry at an offset.
func (p *PackReader) entry(offset int64) (packEntry, error) {
	end := int64(len(p.data) - p.format.Size())
	if offset < packHeader || offset >= end {
		return packEntry{}, fmt.Errorf("%w: no object can be at byte %d of %d in a pack", ErrCorrupt, offset, len(p.data))
	}
	in := p.data[offset:end]
	e := packEntry{kind: int(in[0] >> 4 & 7), size: int64(in[0] & 15)}
	at, shift := 1, 4
	for more := in[0]&0x80 != 0; more; at, shift = at+1, shift+7 {
		if at == len(in) || shift > 56 {
			return e, fmt.Errorf("%w: object header does not end", ErrCorrupt)
		}
		e.size |= int64(in[at]&0x7f) << shift
		more = in[at]&0x80 != 0
	}
	in = in[at:]
	switch e.kind {
	case packCommit, packTree, packBlob, packTag:
	case packOffsetDelta:
		back, n := offsetVarint(in)
		if n == 0 || back <= 0 || back > offset-packHeader {
			return e, fmt.Errorf("%w: delta without a base", ErrCorrupt)
		}
		e.base, in = offset-back, in[n:]
	case packRefDelta:
		if len(in) < p.format.Size() {
			return e, fmt.Errorf("%w: object header does not end", ErrCorrupt)
		}
		oid, err := OIDFromBytes(in[:p.format.Size()])
		if err != nil {
			return e, err
		}
		i, ok := p.index.Find(oid)
		if !ok {
			return e, errNotHere
		}
		e.base, in = p.index.Offset(i), in[p.format.Size():]
	default:
		return e, fmt.Errorf("%w: unknown type of object", ErrCorrupt)
	}
	e.data = in
	return e, nil
}

// offsetVarint parses the distance of a base: seven bits in each byte, most significant first, and each continuation
// byte adds one. The result `n` is 0 if the number does not end.
func offsetVarint(in []byte) (value int64, n int) {
	for n = 0; n < len(in) && n < 9; n++ {
		value = value<<7 | int64(in[n]&0x7f)
		if in[n]&0x80 == 0 {
			return value, n + 1
		}
		value++
	}
	return 0, 0
}

// inflate reads a zlib stream of exactly size bytes. It ignores the input after the stream.
func inflate(in []byte, size int64) ([]byte, error) {
	if size > 1100*int64(len(in)) { // no deflate stream expands more
		return nil, fmt.Errorf("%w: object size differs from its header", ErrCorrupt)
	}
	z, err := inflater(bytes.NewReader(in))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	out := make([]byte, size)
	if _, err := io.ReadFull(z, out); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	var one [1]byte // reading past the end makes the reader compare the check sum
	if n, err := z.Read(one[:]); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("%w: object size differs from its header", ErrCorrupt)
	}
	inflaters.Put(z)
	return out, nil
}

var errDelta = fmt.Errorf("%w: delta that does not fit its base", ErrCorrupt)

// patch applies a delta to its base.
func patch(base, delta []byte, limit int64) ([]byte, error) {
	from, n := binary.Uvarint(delta)
	if n <= 0 || from != uint64(len(base)) {
		return nil, errDelta
	}
	delta = delta[n:]
	size, n := binary.Uvarint(delta)
	if n <= 0 || size > 1<<62 {
		return nil, errDelta
	}
	if int64(size) > limit {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	delta = delta[n:]
	// One byte of a delta makes at most 16 MiB, so a larger size is wrong.
	out := make([]byte, 0, min(int64(size), int64(len(delta))<<24))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		var part []byte
		switch {
		case op&0x80 != 0:
			at, length, used := copyOperands(op, delta)
			if used < 0 || at+length > int64(len(base)) {
				return nil, errDelta
			}
			part, delta = base[at:at+length], delta[used:]
		case op == 0 || int(op) > len(delta):
			return nil, errDelta
		default:
			part, delta = delta[:op], delta[op:]
		}
		if uint64(len(out)+len(part)) > size {
			return nil, errDelta
		}
		out = append(out, part...)
	}
	if uint64(len(out)) != size {
		return nil, errDelta
	}
	return out, nil
}

// copyOperands parses the offset and the length of a copy from the base. The result `used` is negative if the operands
// are incomplete.
func copyOperands(op byte, in []byte) (at, length int64, used int) {
	for i := range 7 {
		if op&(1<<i) == 0 {
			continue
		}
		if used == len(in) {
			return 0, 0, -1
		}
		if i < 4 {
			at |= int64(in[used]) << (8 * i)
		} else {
			length |= int64(in[used]) << (8 * (i - 4))
		}
		used++
	}
	if length == 0 {
		length = 0x10000
	}
	return at, length, used
}

// packSet holds the packs of some object directories. They are opened at the first use.
type packSet struct {
	format ObjectFormat
	dirs   []string
	packs  []*PackReader
	loaded bool
	some   bool // only some of the packs are open
}

// maxPacks is the largest number of packs that are read here. If there are more, git reads them, because it may have an
// index over all of them.
const maxPacks = 40

// `read` searches all packs. The error is errNotHere if no pack has the whole object.
func (s *packSet) read(oid OID, limit int64) (ObjectType, []byte, error) {
	s.load()
	for _, p := range s.packs {
		typ, content, err := p.read(oid, limit)
		if err == nil || errors.Is(err, ErrTooLarge) {
			return typ, content, err
		}
	}
	return "", nil, errNotHere
}

// mayHave reports whether one of the packs has an object, or may have it because it is not open.
func (s *packSet) mayHave(oid OID) bool { return s.has(oid) || s.some }

// `has` reports whether one of the open packs has an object.
func (s *packSet) has(oid OID) bool {
	s.load()
	return slices.ContainsFunc(s.packs, func(p *PackReader) bool {
		_, found := p.index.Find(oid)
		return found
	})
}

func (s *packSet) load() {
	if s.loaded {
		return
	}
	s.loaded = true
	var paths []string
	for _, dir := range s.dirs {
		entries, err := os.ReadDir(filepath.Join(dir, "pack"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".idx"); ok && strings.HasPrefix(name, "pack-") {
				paths = append(paths, filepath.Join(dir, "pack", name))
			}
		}
	}
	if len(paths) > maxPacks {
		s.some = true
		return
	}
	for _, path := range paths {
		p, err := OpenPack(path, s.format)
		if err != nil {
			s.some = true
			continue
		}
		s.packs = append(s.packs, p)
	}
}

func (s *packSet) close() {
	for _, p := range s.packs {
		p.Close()
	}
	s.packs, s.loaded = nil, false
}
