package records

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"strings"
)

// LineHash is the content hash of attributed lines: "murmur3:" and the 32 hex digits of MurmurHash3_x64_128 with seed 0
// over the UTF-8 text, the second half of the hash first.
func LineHash(text string) string {
	var sum [16]byte
	high, low := murmur3(text)
	binary.BigEndian.PutUint64(sum[:8], low)
	binary.BigEndian.PutUint64(sum[8:], high)
	return "murmur3:" + hex.EncodeToString(sum[:])
}

// JoinedHash is the LineHash of lines without their line ends, joined by line feeds.
func JoinedHash(lines []string) string { return LineHash(strings.Join(lines, "\n")) }

const (
	murmurC1 = 0x87c37b91114253d5
	murmurC2 = 0x4cf5ad432745937f
)

// murmur3 gives the two halves of the hash, h1 and h2.
func murmur3(text string) (h1, h2 uint64) {
	size := uint64(len(text))
	for ; len(text) >= 16; text = text[16:] {
		h1 ^= murmurMix1(word(text[:8]))
		h1 = bits.RotateLeft64(h1, 27) + h2
		h1 = h1*5 + 0x52dce729
		h2 ^= murmurMix2(word(text[8:16]))
		h2 = bits.RotateLeft64(h2, 31) + h1
		h2 = h2*5 + 0x38495ab5
	}
	if len(text) > 8 {
		h2 ^= murmurMix2(word(text[8:]))
		text = text[:8]
	}
	if len(text) > 0 {
		h1 ^= murmurMix1(word(text))
	}
	h1 ^= size
	h2 ^= size
	h1 += h2
	h2 += h1
	h1 = murmurEnd(h1)
	h2 = murmurEnd(h2)
	h1 += h2
	h2 += h1
	return h1, h2
}

// word reads up to eight bytes, the first as the lowest.
func word(text string) uint64 {
	var w uint64
	for i := range len(text) {
		w |= uint64(text[i]) << (8 * i)
	}
	return w
}

func murmurMix1(k uint64) uint64 { return bits.RotateLeft64(k*murmurC1, 31) * murmurC2 }

func murmurMix2(k uint64) uint64 { return bits.RotateLeft64(k*murmurC2, 33) * murmurC1 }

func murmurEnd(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
