package search

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/git-trace/git-trace/refs/codec"
)

// The file holds the digests, then a table, then where the table begins and how many entries it has. The table finds
// the digest of a conversation by its place in the index.
const (
	tableEntry = 20 // segment, conversation (4 each), offset (8), length (4)
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

// tableOf reads where the table is.
func tableOf(end []byte, size int64) (start, count int64, err error) {
	if len(end) != tableEnd {
		return 0, 0, fmt.Errorf("%w: no digests", errDamaged)
	}
	start, count = int64(binary.LittleEndian.Uint64(end)), int64(binary.LittleEndian.Uint64(end[8:]))
	if start < 0 || count < 0 || count > size/tableEntry || start != size-tableEnd-count*tableEntry {
		return 0, 0, fmt.Errorf("%w: the table of the digests does not fit", errDamaged)
	}
	return start, count, nil
}

// digestAt gives the digest of the conversation at a place, without reading the others.
func (ix *Index) digestAt(at place) (Digest, error) {
	if ix.digests != nil {
		for _, d := range ix.digests {
			if d.segment == at.segment && d.conversation == at.conversation {
				return d, nil
			}
		}
		return Digest{}, fmt.Errorf("%w: a conversation without a digest", errDamaged)
	}
	file, err := os.Open(ix.digestPath())
	if err != nil {
		return Digest{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Digest{}, err
	}
	end := make([]byte, tableEnd)
	if _, err := file.ReadAt(end, max(0, info.Size()-tableEnd)); err != nil {
		return Digest{}, err
	}
	start, count, err := tableOf(end, info.Size())
	if err != nil {
		return Digest{}, err
	}
	table := make([]byte, count*tableEntry)
	if _, err := file.ReadAt(table, start); err != nil {
		return Digest{}, err
	}
	number := func(i int) uint64 {
		e := table[i*tableEntry:]
		return uint64(binary.LittleEndian.Uint32(e))<<32 | uint64(binary.LittleEndian.Uint32(e[4:]))
	}
	want := uint64(at.segment)<<32 | uint64(at.conversation)
	i := sort.Search(int(count), func(i int) bool { return number(i) >= want })
	if i == int(count) || number(i) != want {
		return Digest{}, fmt.Errorf("%w: a conversation without a digest", errDamaged)
	}
	e := table[i*tableEntry:]
	offset, size := int64(binary.LittleEndian.Uint64(e[8:])), int64(binary.LittleEndian.Uint32(e[16:]))
	if offset < 0 || offset+size > start {
		return Digest{}, fmt.Errorf("%w: a digest lies outside", errDamaged)
	}
	raw := make([]byte, size)
	if _, err := file.ReadAt(raw, offset); err != nil {
		return Digest{}, err
	}
	return nextDigest(&codec.Reader{In: string(raw)})
}
