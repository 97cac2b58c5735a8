package linediff

import (
	"bytes"
	"hash/maphash"
)

// intern numbers keys so that equal keys have the same number, from 0 without gaps. Numbers follow the order of first
// appearance, so the random seed of the hash does not affect the result.
func intern(a, b [][]byte) (aIDs, bIDs []int32, distinct int) {
	t := newTable(a, b)
	aIDs, bIDs = make([]int32, len(a)), make([]int32, len(b))
	for i, key := range a {
		aIDs[i] = t.id(key, i)
	}
	// Most of b equals a, in the same order: so the line after the last match is compared before the hash is used.
	next := 0
	for i, key := range b {
		if next < len(a) && bytes.Equal(key, a[next]) {
			bIDs[i] = aIDs[next]
			next++
			continue
		}
		id := t.id(key, len(a)+i)
		bIDs[i] = id
		if seen := int(t.entries[id].first); seen < len(a) {
			next = seen + 1
		}
	}
	return aIDs, bIDs, len(t.entries)
}

// table is an open-addressing hash table from keys to numbers.
type table struct {
	a, b    [][]byte
	seed    maphash.Seed
	slots   []int32 // number + 1; 0 is a free slot
	entries []entry
}

// entry is a key, given by its hash and by the place where it first appeared; places count through a and then b.
type entry struct {
	sum   uint32
	first int32
}

func newTable(a, b [][]byte) *table {
	most := len(a) + len(b)
	size := 16
	for size < most+most/4 {
		size *= 2
	}
	return &table{a: a, b: b, seed: maphash.MakeSeed(), slots: make([]int32, size),
		entries: make([]entry, 0, max(len(a), len(b))+most/8)}
}

func (t *table) id(key []byte, at int) int32 {
	hash := maphash.Bytes(t.seed, key)
	sum, mask := uint32(hash>>32), uint64(len(t.slots)-1)
	for slot := hash & mask; ; slot = (slot + 1) & mask {
		id := t.slots[slot] - 1
		if id < 0 {
			id = int32(len(t.entries))
			t.slots[slot] = id + 1
			t.entries = append(t.entries, entry{sum, int32(at)})
			return id
		}
		if e := t.entries[id]; e.sum == sum && bytes.Equal(t.key(e), key) {
			return id
		}
	}
}

func (t *table) key(e entry) []byte {
	if at := int(e.first); at < len(t.a) {
		return t.a[at]
	}
	return t.b[int(e.first)-len(t.a)]
}
