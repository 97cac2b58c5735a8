package events

import (
	"encoding/hex"
	"io"

	"github.com/zeebo/blake3"
)

// ChangeID identifies a commit's change of one file, as git-patch-id(1) does: equal changes at other places, of other
// files or in other white space have one id. It is 16 hex digits of the BLAKE3 of the changed lines without their white
// space, hunk by hunk, removed lines first.
type ChangeID string

// changeBytes is the length of a change id before it is written in hex.
const changeBytes = 8

// Bytes returns the id in binary form; nil for a text that is not an id.
func (c ChangeID) Bytes() []byte {
	raw, err := hex.DecodeString(string(c))
	if err != nil || len(raw) != changeBytes {
		return nil
	}
	return raw
}

// ChangeHash computes the ids of changes, one after the other. The zero value is ready for use.
type ChangeHash struct {
	sum   *blake3.Hasher
	begun bool
	line  []byte // the last line taken: its sign, its ink, a line feed
}

// Hunk begins the next hunk.
func (c *ChangeHash) Hunk() { c.write([]byte("@\n")) }

// Removed adds a removed line of the hunk, with or without its line ending.
func (c *ChangeHash) Removed(line []byte) { c.ink('-', line) }

// Added adds an added line of the hunk.
func (c *ChangeHash) Added(line []byte) { c.ink('+', line) }

func (c *ChangeHash) ink(sign byte, line []byte) {
	c.line = append(appendInk(append(c.line[:0], sign), line), '\n')
	c.write(c.line)
}

// Print returns the fingerprint of the last line that was taken; see FingerprintOf.
func (c *ChangeHash) Print() Fingerprint { return printOf(c.line[1 : len(c.line)-1]) }

func (c *ChangeHash) write(p []byte) {
	if c.sum == nil {
		c.sum = blake3.New()
	}
	c.begun = true
	_, _ = io.Writer(c.sum).Write(p) // a hash accepts any input
}

// ID returns the id of the lines since the last call; empty without lines.
func (c *ChangeHash) ID() ChangeID {
	if !c.begun {
		return ""
	}
	id := hex.EncodeToString(c.sum.Sum(nil)[:changeBytes])
	c.sum.Reset()
	c.begun = false
	return ChangeID(id)
}
