package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// indexEntry is one entry of a git index (gitformat-index(5)).
type indexEntry struct {
	path  string
	oid   refs.OID
	mode  uint32
	stage uint8
	flags uint8

	// The stat data that git compares, 32 bits each.
	ctimeSec, ctimeNano, mtimeSec, mtimeNano, ino, size uint32
}

// Flags of an index entry.
const (
	assumeUnchanged uint8 = 1 << iota
	skipWorktree
	intentToAdd
)

// gitIndex is a decoded index: entries sorted by path, then stage.
type gitIndex struct {
	entries  []indexEntry
	mtimeSec int64  // time stamp of the index file: entries with younger files are racily clean
	trees    []byte // the TREE extension, not decoded
	sparse   bool   // has whole directories as entries (index.sparse)
	folded   map[string]struct{}
}

var (
	errBadIndex   = errors.New("index is corrupt")
	errIndexParts = errors.New("index needs git to read it")
)

// readIndex reads the index file of a work tree. A missing file counts as an empty index.
func readIndex(path string, format refs.ObjectFormat) (*gitIndex, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &gitIndex{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	raw := make([]byte, info.Size())
	if _, err := io.ReadFull(f, raw); err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	idx, err := parseIndex(raw, format)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	idx.mtimeSec = info.ModTime().Unix()
	return idx, nil
}

// parseIndex decodes versions 2, 3 and 4. It does not check the checksum at the end: git replaces the file by rename,
// and may leave the checksum out (index.skipHash). It returns errIndexParts for a split index, and for an unknown
// mandatory extension.
func parseIndex(raw []byte, format refs.ObjectFormat) (*gitIndex, error) {
	if len(raw) < 12+format.Size() || string(raw[:4]) != "DIRC" {
		return nil, errBadIndex
	}
	version, count := binary.BigEndian.Uint32(raw[4:]), binary.BigEndian.Uint32(raw[8:])
	if version < 2 || version > 4 {
		return nil, errIndexParts
	}
	p := &indexParser{raw: raw[:len(raw)-format.Size()], at: 12, version: version, hash: format.Size()}
	if int64(count)*int64(40+p.hash) > int64(len(raw)) {
		return nil, errBadIndex
	}
	if version < 4 {
		p.text = string(p.raw)
	}
	idx := &gitIndex{entries: make([]indexEntry, 0, count)}
	for range count {
		e, ok := p.entry()
		if !ok {
			return nil, errBadIndex
		}
		idx.entries = append(idx.entries, e)
	}
	if err := p.extensions(idx); err != nil {
		return nil, err
	}
	if p.unnamed {
		return nil, errBadIndex
	}
	return idx, nil
}

type indexParser struct {
	raw     []byte
	text    string // the same bytes as a string, so that paths need no allocations
	at      int
	version uint32
	hash    int
	prev    []byte // version 4: the previous path
	unnamed bool
}

func (p *indexParser) entry() (indexEntry, bool) {
	fixed := 40 + p.hash + 2
	if p.at+fixed > len(p.raw) {
		return indexEntry{}, false
	}
	b, start := p.raw[p.at:p.at+fixed], p.at
	e := indexEntry{
		ctimeSec: binary.BigEndian.Uint32(b), ctimeNano: binary.BigEndian.Uint32(b[4:]),
		mtimeSec: binary.BigEndian.Uint32(b[8:]), mtimeNano: binary.BigEndian.Uint32(b[12:]),
		ino: binary.BigEndian.Uint32(b[20:]), mode: binary.BigEndian.Uint32(b[24:]), size: binary.BigEndian.Uint32(b[36:]),
	}
	e.oid, _ = refs.OIDFromBytes(b[40 : 40+p.hash])
	flags := binary.BigEndian.Uint16(b[40+p.hash:])
	e.stage = uint8(flags >> 12 & 3)
	if flags&0x8000 != 0 {
		e.flags |= assumeUnchanged
	}
	p.at += fixed
	if flags&0x4000 != 0 {
		if p.version < 3 || p.at+2 > len(p.raw) {
			return indexEntry{}, false
		}
		more := binary.BigEndian.Uint16(p.raw[p.at:])
		p.at += 2
		if more&0x4000 != 0 {
			e.flags |= skipWorktree
		}
		if more&0x2000 != 0 {
			e.flags |= intentToAdd
		}
	}
	var ok bool
	if p.version == 4 {
		e.path, ok = p.compressedPath()
	} else {
		e.path, ok = p.paddedPath(start)
	}
	p.unnamed = p.unnamed || e.path == "" // in a split index, entries that replace a shared entry have no path
	return e, ok
}

// paddedPath returns a path that ends in one to eight NULs. They pad the entry to a multiple of eight bytes.
func (p *indexParser) paddedPath(start int) (string, bool) {
	n := strings.IndexByte(p.text[p.at:], 0)
	if n < 0 {
		return "", false
	}
	path := p.text[p.at : p.at+n]
	p.at = start + (p.at+n-start+8)&^7
	return path, p.at <= len(p.raw)
}

// compressedPath reads the number of bytes to drop from the previous path, and the bytes that replace them. It returns
// the path.
func (p *indexParser) compressedPath() (string, bool) {
	drop, n := offsetVarint(p.raw[p.at:])
	if n == 0 || drop > uint64(len(p.prev)) {
		return "", false
	}
	p.at += n
	end := bytes.IndexByte(p.raw[p.at:], 0)
	if end < 0 {
		return "", false
	}
	p.prev = append(p.prev[:len(p.prev)-int(drop)], p.raw[p.at:p.at+end]...)
	p.at += end + 1
	return string(p.prev), true
}

// offsetVarint reads a number in the variable-length encoding of pack offsets, in which each continuation byte adds
// one. It returns 0 bytes if the number does not end.
func offsetVarint(b []byte) (value uint64, n int) {
	for n < len(b) && n < 9 {
		c := b[n]
		n++
		value |= uint64(c & 0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value = (value + 1) << 7
	}
	return 0, 0
}

func (p *indexParser) extensions(idx *gitIndex) error {
	for p.at+8 <= len(p.raw) {
		name, size := string(p.raw[p.at:p.at+4]), int64(binary.BigEndian.Uint32(p.raw[p.at+4:]))
		p.at += 8
		if int64(p.at)+size > int64(len(p.raw)) {
			return errBadIndex
		}
		body := p.raw[p.at : p.at+int(size)]
		p.at += int(size)
		switch {
		case name == "TREE":
			idx.trees = body
		case name == "sdir":
			idx.sparse = true
		case name[0] < 'A' || name[0] > 'Z': // "link" (split index) and other extensions that a reader must understand
			return errIndexParts
		}
	}
	return nil
}

// storedTrees returns the tree ids in the index's cache tree that are valid: git has written these trees.
func (x *gitIndex) storedTrees(format refs.ObjectFormat) map[refs.OID]struct{} {
	trees := make(map[refs.OID]struct{})
	for b := x.trees; len(b) > 0; {
		nul := bytes.IndexByte(b, 0)
		if nul < 0 {
			break
		}
		line := bytes.IndexByte(b[nul+1:], '\n')
		if line < 1 {
			break
		}
		valid := b[nul+1] != '-' // a negative count: the tree has changed since it was written
		b = b[nul+1+line+1:]
		if !valid {
			continue
		}
		if len(b) < format.Size() {
			break
		}
		oid, _ := refs.OIDFromBytes(b[:format.Size()])
		trees[oid] = struct{}{}
		b = b[format.Size():]
	}
	return trees
}
