package refs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// PackIndex is the index of a pack, version 2 of gitformat-pack(5). It lists the objects and their offsets.
type PackIndex struct {
	ids     []byte // raw ids, sorted, one after the other
	small   []byte // a 4-byte offset for each id; if the top bit is set, the other bits are an index in `large`
	large   []byte // 8-byte offsets
	size    int    // bytes of an id
	objects int
}

var packIndexMagic = []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}

// ParsePackIndex reads an index file. It keeps a reference to `raw`.
func ParsePackIndex(raw []byte, format ObjectFormat) (*PackIndex, error) {
	const fanout = 256 * 4
	size := format.Size()
	if len(raw) < len(packIndexMagic)+fanout+2*size || !bytes.Equal(raw[:len(packIndexMagic)], packIndexMagic) {
		return nil, fmt.Errorf("%w: not a pack index of version 2", ErrCorrupt)
	}
	n := int64(binary.BigEndian.Uint32(raw[len(packIndexMagic)+fanout-4:]))
	body := raw[len(packIndexMagic)+fanout : len(raw)-2*size]
	if int64(len(body)) < n*int64(size+8) || (int64(len(body))-n*int64(size+8))%8 != 0 {
		return nil, fmt.Errorf("%w: pack index of %d objects has %d bytes", ErrCorrupt, n, len(raw))
	}
	count := int(n)
	x := &PackIndex{size: size, objects: count}
	x.ids, body = body[:count*size], body[count*size:]
	body = body[count*4:] // skip the check sums of the stored bytes
	x.small, x.large = body[:count*4], body[count*4:]
	return x, nil
}

func (x *PackIndex) Len() int { return x.objects }

// ID returns the id of object number i. Objects are numbered in the order of their ids.
func (x *PackIndex) ID(i int) OID {
	oid, _ := OIDFromBytes(x.ids[i*x.size : (i+1)*x.size])
	return oid
}

// Offset returns the offset of object number i in the pack. It is negative if the index is damaged there.
func (x *PackIndex) Offset(i int) int64 {
	at := binary.BigEndian.Uint32(x.small[i*4:])
	if at&(1<<31) == 0 {
		return int64(at)
	}
	k := int64(at&^(1<<31)) * 8
	if k+8 > int64(len(x.large)) {
		return -1
	}
	return int64(binary.BigEndian.Uint64(x.large[k:]))
}

// Find returns the number of an object.
func (x *PackIndex) Find(oid OID) (int, bool) {
	want := oid.Bytes()
	if len(want) != x.size {
		return 0, false
	}
	low, high := 0, x.objects
	for low < high {
		middle := (low + high) / 2
		switch bytes.Compare(x.ids[middle*x.size:(middle+1)*x.size], want) {
		case 0:
			return middle, true
		case -1:
			low = middle + 1
		default:
			high = middle
		}
	}
	return 0, false
}

// IDs lists the objects.
func (x *PackIndex) IDs() []OID {
	list := make([]OID, x.objects)
	for i := range list {
		list[i] = x.ID(i)
	}
	return slices.Clip(list)
}
