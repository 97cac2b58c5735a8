package purged

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"

	"github.com/zeebo/blake3"
)

// print identifies a text that is not kept.
type print struct {
	Length int    `json:"length"`
	Weak   uint16 `json:"weak"`   // the rolling hash
	Strong string `json:"strong"` // 16 bytes of keyed BLAKE3, in hexadecimal
}

const strongSize = 16

// `keyed` returns the hash function for strong hashes under a key.
func keyed(key []byte) (*blake3.Hasher, error) {
	h, err := blake3.NewKeyed(key)
	if err != nil {
		return nil, fmt.Errorf("key of purges: %w", err)
	}
	return h, nil
}

func printOf(key []byte, text string) (print, error) {
	h, err := keyed(key)
	if err != nil {
		return print{}, err
	}
	r := rollerOf(key, len(text))
	for i := range len(text) {
		r.add(text[i])
	}
	return print{len(text), uint16(r.sum), strong(h, text)}, nil // its low bits
}

// `strong` returns the strong hash of a text. It resets the parameter `h` first.
func strong(h *blake3.Hasher, text string) string {
	h.Reset()
	_, _ = h.WriteString(text)
	return hex.EncodeToString(h.Sum(nil)[:strongSize])
}

// roller is the rolling hash of a window: a polynomial modulo 2^61-1, evaluated at a secret point that is derived from
// the key. So the hash reveals nothing without the key.
type roller struct {
	base uint64
	out  uint64 // the factor of a window's first byte
	sum  uint64
}

const modulus = 1<<61 - 1

func rollerOf(key []byte, length int) roller {
	sum := blake3.Sum256(append([]byte("place\x00"), key...))
	r := roller{base: binary.LittleEndian.Uint64(sum[:])%(modulus-256) + 256, out: 1}
	for range length - 1 {
		r.out = times(r.out, r.base)
	}
	return r
}

func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduce((lo & modulus) + (lo>>61 | hi<<3))
}

func reduce(x uint64) uint64 {
	x = x&modulus + x>>61
	if x >= modulus {
		x -= modulus
	}
	return x
}

func (r *roller) add(c byte) { r.sum = reduce(times(r.sum, r.base) + uint64(c) + 1) }

func (r *roller) drop(c byte) { r.sum = reduce(r.sum + modulus - times(r.out, uint64(c)+1)) }

// finder searches for prints. It searches for all prints of the same length at once.
type finder struct {
	hash    *blake3.Hasher
	lengths map[int]*window
	longest int
}

type window struct {
	start roller
	weak  [1 << 16 / 64]uint64 // a bit for each weak hash in the set
	texts map[string]bool      // texts by their strong hashes
}

// mostLength limits the length of a searched text, in bytes.
const mostLength = 1 << 20

func newFinder(key []byte, prints []print) (*finder, error) {
	f := &finder{lengths: map[int]*window{}}
	if len(prints) == 0 { // there may be no key
		return f, nil
	}
	var err error
	if f.hash, err = keyed(key); err != nil {
		return nil, err
	}
	for _, p := range prints {
		if p.Length < 1 || p.Length > mostLength || len(p.Strong) != 2*strongSize {
			return nil, fmt.Errorf("a print of %d bytes", p.Length)
		}
		w := f.lengths[p.Length]
		if w == nil {
			w = &window{start: rollerOf(key, p.Length), texts: map[string]bool{}}
			f.lengths[p.Length] = w
		}
		w.weak[p.Weak/64] |= 1 << (p.Weak % 64)
		w.texts[p.Strong] = true
		f.longest = max(f.longest, p.Length)
	}
	return f, nil
}

// find returns the positions of purged texts; if `any` is set, only the first one.
func (f *finder) find(text string, any bool) [][2]int {
	if len(f.lengths) == 0 {
		return nil
	}
	var out [][2]int
	hash := f.hash.Clone() // several texts are searched in parallel
	for length, w := range f.lengths {
		if len(text) < length {
			continue
		}
		r := w.start
		for i := range length - 1 {
			r.add(text[i])
		}
		for end := length; end <= len(text); end++ {
			r.add(text[end-1])
			// its low bits
			if low := uint16(r.sum); w.weak[low/64]&(1<<(low%64)) != 0 && w.texts[strong(hash, text[end-length:end])] {
				out = append(out, [2]int{end - length, end})
				if any {
					return out
				}
			}
			r.drop(text[end-length])
		}
	}
	return out
}
