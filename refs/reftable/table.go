package reftable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

const (
	magic      = "REFT"
	headerV1   = 24
	headerV2   = 28
	footerRest = 5*8 + 4 // size of the footer without its copy of the header
	maxDepth   = 8       // levels of indexes; two levels hold a hundred million refs
)

// file is the source of a table.
type file interface {
	io.ReaderAt
	io.Closer
}

// table is one open file of a stack.
type table struct {
	file    file
	header  int64  // size of the header, which is part of the first block
	aligned int64  // size of a block of refs with its padding; 0 means no padding
	idSize  int    // size of an object id in bytes
	first   uint64 // number of its first change
	end     int64  // position of the footer

	refs section
	logs section
}

// section is the position of the blocks of one kind in a table, and of the first block of their index, or 0 if there is
// none.
type section struct {
	kind       byte
	start, end int64
	index      int64
	present    bool
}

func openTable(path string) (*table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	t, err := newTable(f, info.Size())
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return t, nil
}

// newTable reads the header and the footer.
func newTable(f file, size int64) (*table, error) {
	t := &table{file: f, header: headerV1, idSize: 20}
	head := make([]byte, headerV2)
	if err := readAt(f, head[:headerV1], 0); err != nil {
		return nil, err
	}
	if string(head[:4]) != magic {
		return nil, fmt.Errorf("%w: no header", ErrCorrupt)
	}
	switch head[4] {
	case 1:
	case 2:
		t.header = headerV2
		if err := readAt(f, head, 0); err != nil {
			return nil, err
		}
		switch id := string(head[headerV1:]); id {
		case "sha1":
		case "s256":
			t.idSize = 32
		default:
			return nil, fmt.Errorf("%w: hash %q", ErrUnsupported, id)
		}
	default:
		return nil, fmt.Errorf("%w: version %d", ErrUnsupported, head[4])
	}
	t.aligned = int64(uint24(head[5:]))
	t.first = binary.BigEndian.Uint64(head[8:])
	return t, t.readFooter(head[:t.header], size)
}

func (t *table) readFooter(head []byte, size int64) error {
	foot := make([]byte, int(t.header)+footerRest)
	end := size - int64(len(foot))
	t.end = end
	if end < t.header {
		return fmt.Errorf("%w: cut off", ErrCorrupt)
	}
	if err := readAt(t.file, foot, end); err != nil {
		return err
	}
	sum := len(foot) - 4
	if string(foot[:t.header]) != string(head) || crc32.ChecksumIEEE(foot[:sum]) != binary.BigEndian.Uint32(foot[sum:]) {
		return fmt.Errorf("%w: wrong check sum of the footer", ErrCorrupt)
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(foot[int(t.header)+8*i:])) }
	refIndex, objects, objectIndex, logs, logIndex := at(0), at(1)>>5, at(2), at(3), at(4)
	for _, position := range []int64{refIndex, objects, objectIndex, logs, logIndex} {
		if position < 0 || position > end {
			return fmt.Errorf("%w: section outside of the table", ErrCorrupt)
		}
	}
	t.refs = section{kind: 'r', end: nearest(end, refIndex, objects, objectIndex, logs, logIndex), index: refIndex}
	t.logs = section{kind: 'g', start: logs, end: nearest(end, logIndex), index: logIndex, present: logs > 0}
	if end == t.header {
		return nil // there are no blocks
	}
	kind := make([]byte, 1)
	if err := readAt(t.file, kind, t.header); err != nil {
		return err
	}
	t.refs.present = kind[0] == 'r'
	t.logs.present = t.logs.present || kind[0] == 'g' // the table has only reflogs
	return nil
}

// `nearest` returns the smallest of the positions that are set, or `end`.
func nearest(end int64, positions ...int64) int64 {
	for _, p := range positions {
		if p > 0 && p < end {
			end = p
		}
	}
	return end
}

// `scan` calls the function `each` for the records of a section, beginning with the first record whose key is not less
// than `want`, until `each` returns false. The bytes are valid only during the call.
func (t *table) scan(s section, want []byte, each func(key []byte, kind byte, value *reader) (bool, error)) error {
	if !s.present {
		return nil
	}
	position, err := t.seek(s, want)
	for err == nil && position < s.end {
		var b block
		if b, err = t.block(position); err != nil || b.kind != s.kind {
			break
		}
		more := true
		err = b.each(func(key []byte, kind byte, value *reader) (bool, error) {
			passed := string(key) < string(want)
			if passed {
				return true, t.skip(s.kind, kind, value)
			}
			more, err = each(key, kind, value)
			return more, err
		})
		if !more || err != nil {
			break
		}
		if b.next <= position {
			return fmt.Errorf("%w: blocks form a cycle", ErrCorrupt)
		}
		position = b.next
	}
	return err
}

// seek finds the block that has a key, or in which the key would be. If the section has an index, seek follows it.
// Without an index, or within a level of several blocks, it reads from the first block on.
func (t *table) seek(s section, want []byte) (int64, error) {
	if s.index == 0 {
		return s.start, nil
	}
	position := s.index
	for depth := 0; depth < maxDepth; {
		b, err := t.block(position)
		if err != nil {
			return 0, err
		}
		if b.kind == s.kind {
			return position, nil
		}
		if b.kind != 'i' {
			return s.end, nil // want is after the last key
		}
		below, found := int64(0), false
		err = b.each(func(key []byte, _ byte, value *reader) (bool, error) {
			to, err := value.varint()
			if string(key) >= string(want) {
				below, found = int64(to), true
			}
			return !found, err
		})
		switch {
		case err != nil:
			return 0, err
		case found:
			position = below
			depth++
		case b.next >= t.end:
			return s.end, nil
		default:
			position = b.next
		}
	}
	return 0, fmt.Errorf("%w: index too deep", ErrCorrupt)
}

func readAt(f io.ReaderAt, to []byte, position int64) error {
	_, err := f.ReadAt(to, position)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: cut off", ErrCorrupt)
	}
	return err
}

func uint24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }
