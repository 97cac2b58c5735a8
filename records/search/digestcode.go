package search

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// A digest is stored as its members one after the other: numbers as varints, texts with their length in front. A list
// of conversations reads all of them, and JSON took most of its time.

func appendDigest(raw []byte, d *Digest) []byte {
	text := func(list ...string) {
		for _, s := range list {
			raw = append(binary.AppendUvarint(raw, uint64(len(s))), s...)
		}
	}
	number := func(list ...int64) {
		for _, n := range list {
			raw = binary.AppendVarint(raw, n)
		}
	}
	text(string(d.Trace), string(d.Blob.Bytes()))
	number(flag(d.Own), flag(d.Blocked))
	text(d.Agent, d.Session, d.Title, d.Start, d.End, d.Unreadable, d.PromptText, d.CostBy, d.PricesAsOf)
	number(int64(d.PromptIndex), int64(d.HeldPrompts), int64(d.LastPrompt), int64(d.Generation), int64(d.Steps),
		int64(d.Prompts), int64(d.Calls), int64(d.Redactions), d.Input, d.Output, d.CacheRead, d.CacheWrite)
	number(flag(d.Cost != nil))
	if d.Cost != nil {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(*d.Cost))
	}
	number(int64(len(d.Models)))
	for _, m := range d.Models {
		text(m.Model)
		number(int64(m.Steps), m.Input, m.Output, m.CacheRead, m.CacheWrite)
	}
	number(int64(len(d.Commits)))
	text(d.Commits...)
	number(int64(d.segment), int64(d.conversation))
	return raw
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// digestReader takes stored digests apart; texts are parts of what is read. After its first fault it gives nothing.
type digestReader struct {
	raw string
	bad bool
}

func (r *digestReader) number() int64 {
	// binary.Varint wants bytes; a varint is at most ten.
	var head [binary.MaxVarintLen64]byte
	n, size := binary.Varint(head[:copy(head[:], r.raw)])
	if r.bad || size <= 0 {
		r.bad = true
		return 0
	}
	r.raw = r.raw[size:]
	return n
}

func (r *digestReader) text() string {
	var head [binary.MaxVarintLen64]byte
	n, size := binary.Uvarint(head[:copy(head[:], r.raw)])
	if r.bad || size <= 0 || n > uint64(len(r.raw)-size) {
		r.bad = true
		return ""
	}
	out := r.raw[size : size+int(n)]
	r.raw = r.raw[size+int(n):]
	return out
}

// length is the length of a list, each element of which takes a byte at least.
func (r *digestReader) length() int {
	n := r.number()
	if n < 0 || n > int64(len(r.raw)) {
		r.bad = true
		return 0
	}
	return int(n)
}

// next reads a digest.
func (r *digestReader) next() (Digest, error) {
	d := Digest{Trace: events.TraceID(r.text())}
	if blob := r.text(); blob != "" {
		id, err := refs.OIDFromBytes([]byte(blob))
		d.Blob, r.bad = id, r.bad || err != nil
	}
	d.Own, d.Blocked = r.number() == 1, r.number() == 1
	for _, s := range []*string{&d.Agent, &d.Session, &d.Title, &d.Start, &d.End, &d.Unreadable, &d.PromptText, &d.CostBy,
		&d.PricesAsOf} {
		*s = r.text()
	}
	for _, n := range []*int{&d.PromptIndex, &d.HeldPrompts, &d.LastPrompt, &d.Generation, &d.Steps, &d.Prompts, &d.Calls,
		&d.Redactions} {
		*n = int(r.number())
	}
	for _, n := range []*int64{&d.Input, &d.Output, &d.CacheRead, &d.CacheWrite} {
		*n = r.number()
	}
	if r.number() == 1 {
		if len(r.raw) < 8 {
			return Digest{}, fmt.Errorf("%w: a digest ends early", errDamaged)
		}
		cost := math.Float64frombits(binary.LittleEndian.Uint64([]byte(r.raw[:8])))
		d.Cost, r.raw = &cost, r.raw[8:]
	}
	for range r.length() {
		m := ModelUse{Model: r.text(), Steps: int(r.number())}
		m.Input, m.Output, m.CacheRead, m.CacheWrite = r.number(), r.number(), r.number(), r.number()
		d.Models = append(d.Models, m)
	}
	for range r.length() {
		d.Commits = append(d.Commits, r.text())
	}
	d.segment, d.conversation = int(r.number()), uint32(r.number())
	if r.bad {
		return Digest{}, fmt.Errorf("%w: a digest", errDamaged)
	}
	return d, nil
}
