package snapshot

import (
	"encoding/binary"

	"github.com/git-trace/git-trace/refs"
)

// encodeIndex returns an index file of version 2, without stat data. The entries must be sorted.
func encodeIndex(entries []indexEntry, format refs.ObjectFormat) []byte {
	out := append([]byte("DIRC"), 0, 0, 0, 2)
	out = binary.BigEndian.AppendUint32(out, uint32(len(entries)))
	for i := range entries {
		e, start := &entries[i], len(out)
		out = append(out, make([]byte, 24)...)
		out = binary.BigEndian.AppendUint32(out, e.mode)
		out = append(out, make([]byte, 12)...)
		out = e.oid.AppendTo(out)
		out = binary.BigEndian.AppendUint16(out, uint16(min(len(e.path), 0xfff)))
		out = append(out, e.path...)
		out = append(out, make([]byte, 8-(len(out)-start)%8)...)
	}
	sum := format.New()
	_, _ = sum.Write(out)
	return sum.Sum(out)
}
