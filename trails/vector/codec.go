package vector

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/codec"
)

// The binary form of a vector has the number of the format, the table of owners in the order of their first line, and
// the runs. Numbers are unsigned varints.
//
//	byte: format, 1
//	number of owners, then for each owner:
//	        byte: kind in bits 0-1, form of the patch in bits 2-3, form of the previous patch in bits 4-5,
//	        bit 6: whether the line has another form
//	        patch, previous patch: nothing, the 16 bytes of 32 hex digits, or a length and text, depending on the form
//	number of runs, then for each run: its number of lines, the index of its owner
//
// A vector has exactly one binary form. Decode accepts no other.
const codecVersion = 1

// maxLines limits the number of lines of a vector.
const maxLines = math.MaxInt32

// The binary forms of a patch id.
const (
	formNone = iota
	formHex
	formText
)

// ErrCorrupt is returned for bytes that are not an encoded vector.
var ErrCorrupt = errors.New("not an encoded ownership vector")

var kindCodes = [...]events.OwnerKind{events.OwnerUnknown, events.OwnerHuman, events.OwnerAI, events.OwnerMixed}

// Encode writes the binary form of v.
func Encode(v Vector) []byte {
	index := map[Owner]uint64{}
	var owners []Owner
	for _, run := range v.runs {
		if _, seen := index[run.Owner]; !seen {
			index[run.Owner] = uint64(len(owners))
			owners = append(owners, run.Owner)
		}
	}
	raw := []byte{codecVersion}
	raw = binary.AppendUvarint(raw, uint64(len(owners)))
	for _, owner := range owners {
		raw = appendOwner(raw, owner)
	}
	raw = binary.AppendUvarint(raw, uint64(len(v.runs)))
	for _, run := range v.runs {
		raw = binary.AppendUvarint(raw, uint64(run.Count))
		raw = binary.AppendUvarint(raw, index[run.Owner])
	}
	return raw
}

func appendOwner(raw []byte, owner Owner) []byte {
	patch, patchForm := packID(owner.Patch)
	previous, previousForm := packID(owner.Previous)
	head := patchForm<<2 | previousForm<<4
	if owner.Reformatted {
		head |= 1 << 6
	}
	for code, kind := range kindCodes {
		if kind == owner.Kind {
			head |= byte(code)
		}
	}
	return append(append(append(raw, head), patch...), previous...)
}

// packID returns the bytes of an id, and the number of their form.
func packID(id events.PatchID) ([]byte, byte) {
	if id == "" {
		return nil, formNone
	}
	if raw, err := hex.DecodeString(string(id)); err == nil && len(raw) == 16 && hex.EncodeToString(raw) == string(id) {
		return raw, formHex
	}
	return append(binary.AppendUvarint(nil, uint64(len(id))), id...), formText
}

// Decode reads the binary form of a vector. For bytes that [Encode] would not write, the error wraps ErrCorrupt.
func Decode(raw []byte) (Vector, error) {
	r := codec.Reader{In: string(raw)}
	if version := r.Byte(); !r.Failed && version != codecVersion {
		return Vector{}, fmt.Errorf("decode vector: format %d: %w", version, ErrCorrupt)
	}
	var owners []Owner
	for range r.Size() {
		owners = append(owners, readOwner(&r))
	}
	var b Builder
	for range r.Size() {
		lines, owner := r.Uvarint(), r.Uvarint()
		if r.Failed || lines > uint64(maxLines-b.Len()) || owner >= uint64(len(owners)) {
			return Vector{}, fmt.Errorf("decode vector: %w", ErrCorrupt)
		}
		b.Add(owners[owner], int(lines))
	}
	v := b.Vector()
	if r.Failed || !bytes.Equal(Encode(v), raw) {
		return Vector{}, fmt.Errorf("decode vector: %w", ErrCorrupt)
	}
	return v, nil
}

func readOwner(r *codec.Reader) Owner {
	head := r.Byte()
	return Owner{
		Kind: kindCodes[head&3], Patch: readID(r, head>>2&3), Previous: readID(r, head>>4&3), Reformatted: head>>6&1 == 1,
	}
}

func readID(r *codec.Reader, form byte) events.PatchID {
	switch form {
	case formNone:
		return ""
	case formHex:
		return events.PatchID(hex.EncodeToString([]byte(r.Take(16))))
	case formText:
		return events.PatchID(r.Take(r.Uvarint()))
	}
	r.Fail()
	return ""
}
