package search

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"sort"

	"github.com/git-trace/git-trace/refs/codec"
)

// The file contains the digests, then a table, then the position of the table and the number of its entries. The table
// leads from a conversation's place in the index to its digest.
const (
	tableEntry = 20 // segment, conversation (4 bytes each), offset (8), length (4)
	tableEnd   = 16
)

func encodeDigests(digests []Digest) []byte {
	type entry struct {
		place
		offset, size int
	}
	var raw []byte
	var entries []entry
	for i := range digests {
		d := &digests[i]
		start := len(raw)
		raw = appendDigest(raw, d)
		if d.segment >= 0 {
			entries = append(entries, entry{place{d.segment, d.conversation}, start, len(raw) - start})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.conversation, b.conversation))
	})
	start := len(raw)
	for _, e := range entries {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(e.segment))
		raw = binary.LittleEndian.AppendUint32(raw, e.conversation)
		raw = binary.LittleEndian.AppendUint64(raw, uint64(e.offset))
		raw = binary.LittleEndian.AppendUint32(raw, uint32(e.size))
	}
	raw = binary.LittleEndian.AppendUint64(raw, uint64(start))
	return binary.LittleEndian.AppendUint64(raw, uint64(len(entries)))
}

func (ix *Index) digestPath() string {
	return filepath.Join(ix.dir, filepath.Base(ix.manifest.Digests))
}

func (ix *Index) readDigests() ([]Digest, error) {
	digests, table, err := ix.readDigestFile()
	if err != nil {
		return nil, err
	}
	r := &codec.Reader{In: digests}
	out := make([]Digest, 0, len(table)/tableEntry)
	for r.In != "" {
		d, err := nextDigest(r)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// tableOf reads the position of the table.
func tableOf(end []byte, size int64) (start, count int64, err error) {
	if len(end) != tableEnd {
		return 0, 0, fmt.Errorf("%w: no digests", errDamaged)
	}
	start, count = int64(binary.LittleEndian.Uint64(end)), int64(binary.LittleEndian.Uint64(end[8:]))
	if start < 0 || count < 0 || count > size/tableEntry || start != size-tableEnd-count*tableEntry {
		return 0, 0, fmt.Errorf("%w: the table of the digests has a wrong size", errDamaged)
	}
	return start, count, nil
}

// digestAt returns the digest of the conversation at a place, and does not decode other digests.
func (ix *Index) digestAt(at place) (Digest, error) {
	if ix.digests != nil {
		for _, d := range ix.digests {
			if d.segment == at.segment && d.conversation == at.conversation {
				return d, nil
			}
		}
		return Digest{}, fmt.Errorf("%w: a conversation without a digest", errDamaged)
	}
	file, err := ix.openDigests()
	if err != nil {
		return Digest{}, err
	}
	entry := func(i int) []byte { return []byte(file.table[i*tableEntry:][:tableEntry]) }
	number := func(e []byte) uint64 {
		return uint64(binary.LittleEndian.Uint32(e))<<32 | uint64(binary.LittleEndian.Uint32(e[4:]))
	}
	want := uint64(at.segment)<<32 | uint64(at.conversation)
	count := len(file.table) / tableEntry
	i := sort.Search(count, func(i int) bool { return number(entry(i)) >= want })
	if i == count || number(entry(i)) != want {
		return Digest{}, fmt.Errorf("%w: a conversation without a digest", errDamaged)
	}
	lies := spanOf(entry(i))
	return nextDigest(&codec.Reader{In: file.digests[lies.offset:][:lies.size]})
}

// spanOf returns the position of a digest, from an entry of the table.
func spanOf(entry []byte) span {
	return span{int(binary.LittleEndian.Uint64(entry[8:])), int(binary.LittleEndian.Uint32(entry[16:]))}
}
