package gitblame

import (
	"encoding/binary"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Digits starts the computation of the length of short ids, and returns a function that waits for the result.
func (s *Session) Digits() func() int { return later(s, s.digits) }

// digits returns the length of git's short ids: from --abbrev, otherwise from core.abbrev, otherwise from the size of
// the repository.
func (s *Session) digits() int {
	if s.opts.LongHash {
		return 2 * s.repo.Format.Size()
	}
	value := s.opts.Abbrev
	if value == "" {
		value, _ = s.settings().Get("core.abbrev")
	}
	return DigitsOf(s.repo, value)
}

// DigitsOf returns the length of git's short ids for a value of core.abbrev. The value is empty if the setting is
// missing.
func DigitsOf(repo *refs.Repo, value string) int {
	full := 2 * repo.Format.Size()
	switch n, err := strconv.Atoi(value); {
	case err == nil && n == 0:
		return full
	case err == nil:
		return min(max(n, leastDigits), full)
	}
	switch strings.ToLower(value) {
	case "no", "off", "false":
		return full
	}
	return enoughDigits(packedObjects(repo))
}

// DefaultDigits is the length of a short id if nothing sets another length.
const DefaultDigits = 7

const leastDigits = 4

// enoughDigits computes the length as git does: with 2^n objects a collision is likely for ids of 2n bits, which is n/2
// hex digits.
func enoughDigits(objects uint64) int {
	return max(DefaultDigits, (bits.Len64(objects)+1)/2)
}

// packedObjects returns the number of objects in the repository's packs. Like git, it does not count loose objects.
func packedObjects(repo *refs.Repo) uint64 {
	var total uint64
	indexes, _ := filepath.Glob(filepath.Join(refs.QuoteGlob(repo.MainObjects()), "pack", "*.idx"))
	for _, index := range indexes {
		total += packSize(index)
	}
	return total
}

// packSize reads the number of objects from a pack index: the last entry of its fan-out table (gitformat-pack(5)). The
// table is at the start of the file in version 1, and after eight bytes in version 2.
func packSize(index string) uint64 {
	f, err := os.Open(index)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 8+4*256)
	if _, err := io.ReadFull(f, head); err != nil {
		return 0
	}
	if string(head[:4]) != "\xfftOc" {
		head = head[:4*256]
	}
	return uint64(binary.BigEndian.Uint32(head[len(head)-4:]))
}
