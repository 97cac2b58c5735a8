package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
)

// The file of the digests is JSON lines, then a table that finds the line of a conversation by its place in the index, then
// where the table begins and how many entries it has.
const (
	tableEntry = 20 // segment, conversation (4 each), offset (8), length (4)
	tableEnd   = 16
)

// storedDigest is a digest with where the conversation is in the index.
type storedDigest struct {
	Digest
	Segment      int    `json:"segment"`
	Conversation uint32 `json:"conversation"`
}

func encodeDigests(digests []Digest) ([]byte, error) {
	type line struct {
		place
		offset, size int
	}
	var raw []byte
	var lines []line
	for _, d := range digests {
		text, err := json.Marshal(storedDigest{d, d.segment, d.conversation})
		if err != nil {
			return nil, err
		}
		if d.segment >= 0 {
			lines = append(lines, line{place{d.segment, d.conversation}, len(raw), len(text)})
		}
		raw = append(append(raw, text...), '\n')
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.conversation, b.conversation))
	})
	start := len(raw)
	for _, l := range lines {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(l.segment))
		raw = binary.LittleEndian.AppendUint32(raw, l.conversation)
		raw = binary.LittleEndian.AppendUint64(raw, uint64(l.offset))
		raw = binary.LittleEndian.AppendUint32(raw, uint32(l.size))
	}
	raw = binary.LittleEndian.AppendUint64(raw, uint64(start))
	return binary.LittleEndian.AppendUint64(raw, uint64(len(lines))), nil
}

func (ix *Index) digestPath() string {
	return filepath.Join(ix.dir, filepath.Base(ix.manifest.Digests))
}

func (ix *Index) readDigests() ([]Digest, error) {
	raw, err := os.ReadFile(ix.digestPath())
	if err != nil {
		return nil, err
	}
	start, _, err := tableOf(raw[max(0, len(raw)-tableEnd):], int64(len(raw)))
	if err != nil {
		return nil, err
	}
	var out []Digest
	for line := range bytes.Lines(raw[:start]) {
		d, err := decodeDigest(line)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func decodeDigest(line []byte) (Digest, error) {
	var d storedDigest
	if err := json.Unmarshal(line, &d); err != nil {
		return Digest{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	d.Digest.segment, d.Digest.conversation = d.Segment, d.Conversation
	return d.Digest, nil
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
	line := make([]byte, size)
	if _, err := file.ReadAt(line, offset); err != nil {
		return Digest{}, err
	}
	return decodeDigest(line)
}
