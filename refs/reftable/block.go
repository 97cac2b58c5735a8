package reftable

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
)

// block is one decompressed block.
type block struct {
	kind    byte
	records []byte
	next    int64 // position of the next block
}

// block reads the block at a position of the file. In the first block, the header of the file comes before the header
// of the block.
func (t *table) block(position int64) (block, error) {
	skip := int64(0)
	if position == 0 {
		skip = t.header
	}
	var head [4]byte
	if err := readAt(t.file, head[:], position+skip); err != nil {
		return block{}, err
	}
	b := block{kind: head[0]}
	body := int64(uint24(head[1:])) - skip - int64(len(head)) // size of the decompressed bytes
	if body < 2 {
		return block{}, fmt.Errorf("%w: block without length", ErrCorrupt)
	}
	from := position + skip + int64(len(head))
	switch b.kind {
	case 'g':
		size, err := b.inflate(t.file, from, body)
		if err != nil {
			return block{}, err
		}
		b.next = from + size
	case 'r', 'i', 'o':
		if from+body > t.end {
			return block{}, fmt.Errorf("%w: block is cut off", ErrCorrupt)
		}
		b.records = make([]byte, body)
		if err := readAt(t.file, b.records, from); err != nil {
			return block{}, err
		}
		b.next = from + body
		if t.aligned > 0 { // the next block begins after the padding
			b.next = position + max(t.aligned, b.next-position)
		}
	default:
		return block{}, fmt.Errorf("%w: block of kind %q", ErrUnsupported, b.kind)
	}
	restarts := 2 + 3*(int(b.records[len(b.records)-2])<<8|int(b.records[len(b.records)-1]))
	if restarts > len(b.records) {
		return block{}, fmt.Errorf("%w: block without records", ErrCorrupt)
	}
	b.records = b.records[:len(b.records)-restarts]
	return b, nil
}

// inflate decompresses the records, and returns the number of bytes that they take in the file.
func (b *block) inflate(f io.ReaderAt, from, size int64) (int64, error) {
	const most = 1 << 25 // more than deflate makes of the largest block
	in := &counter{in: bufio.NewReader(io.NewSectionReader(f, from, most))}
	z, err := zlib.NewReader(in)
	if err != nil {
		return 0, fmt.Errorf("%w: deflated block: %w", ErrCorrupt, err)
	}
	defer func() { _ = z.Close() }() // ReadAll has reported its errors
	b.records, err = io.ReadAll(io.LimitReader(z, size+1))
	if err != nil {
		return 0, fmt.Errorf("%w: deflated block: %w", ErrCorrupt, err)
	}
	if int64(len(b.records)) != size {
		return 0, fmt.Errorf("%w: wrong length of a deflated block", ErrCorrupt)
	}
	return in.count, nil
}

// counter counts the bytes that are read. It provides single bytes, so that compress/flate does not read past the end.
type counter struct {
	in    *bufio.Reader
	count int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.count += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.in.ReadByte()
	if err == nil {
		c.count++
	}
	return b, err
}

// `each` calls the function `take` for every record in order, with its key, the three bits of its kind, and the value.
// The function `take` must read the whole value, unless it returns false.
func (b block) each(take func(key []byte, kind byte, value *reader) (more bool, err error)) error {
	in := &reader{rest: b.records}
	var key []byte
	for len(in.rest) > 0 {
		prefix, err := in.varint()
		if err != nil {
			return err
		}
		length, err := in.varint()
		if err != nil {
			return err
		}
		suffix, err := in.bytes(length >> 3)
		if err != nil {
			return err
		}
		if prefix > uint64(len(key)) {
			return fmt.Errorf("%w: name shares more than the previous name has", ErrCorrupt)
		}
		key = append(key[:prefix], suffix...)
		more, err := take(key, byte(length&7), in)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// reader reads values from the beginning of some bytes.
type reader struct{ rest []byte }

var errShort = fmt.Errorf("%w: record is cut off", ErrCorrupt)

// varint reads a number in the encoding of pack offsets: seven bits in each byte, most significant first, and each
// continuation byte adds one.
func (r *reader) varint() (uint64, error) {
	var v uint64
	for i := 0; i < len(r.rest); i++ {
		c := r.rest[i]
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			r.rest = r.rest[i+1:]
			return v, nil
		}
		if v++; v >= 1<<56 {
			return 0, errors.Join(ErrCorrupt, errors.New("number is too large"))
		}
	}
	return 0, errShort
}

func (r *reader) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(r.rest)) {
		return nil, errShort
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out, nil
}

// text reads a varint, and as many bytes as it says.
func (r *reader) text() ([]byte, error) {
	n, err := r.varint()
	if err != nil {
		return nil, err
	}
	return r.bytes(n)
}
