package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

// The digest of the own log is kept in <common>/traces/cache/digest/own, the digests of all fetched logs together in
// …/digest/fetched:
//
//	length of the head · head (digestHead) · the sorted rows, log by log · CRC-32 of all before it, big-endian
//
// A file is written whole, and anew when as much of its logs has come since as would be worth indexing. Like the index
// it is about one build of the copy of each log and believed for that one alone.
type digestHead struct {
	version int
	logs    []digestedLog
}

type digestedLog struct {
	ref        string
	generation string // of the copy
	offset     int64  // in the copy, behind the last event that is covered
	count      int    // of rows
	heads      []NamedCommit

	rows []byte
}

func (h *digestHead) fields(f codec.Fields) {
	codec.Number(f, &h.version)
	codec.List(f, &h.logs, func(l *digestedLog) {
		codec.Texts(f, &l.ref, &l.generation)
		f.Integer(&l.offset)
		codec.Number(f, &l.count)
		codec.List(f, &l.heads, func(c *NamedCommit) {
			f.Integer(&c.Seq)
			f.OID(&c.Commit)
		})
	})
}

const digestVersion = 4

// Digest brings the digests of all logs up to date and gives them.
func (ix *Index) Digest(ctx context.Context) (*Digest, error) {
	return mended(ix, func() (*Digest, error) {
		d := &Digest{}
		for _, of := range [...]struct {
			name string
			logs []*source
		}{{"own", ix.sources[:1]}, {"fetched", ix.sources[1:]}} {
			parts, err := ix.digests(ctx, of.name, of.logs)
			if err != nil {
				return nil, fmt.Errorf("read digest of the log: %w", err)
			}
			d.parts = append(d.parts, parts...)
		}
		return d, nil
	})
}

// At reads the event of a mention.
func (ix *Index) At(m Mention) (events.Event, bool, error) {
	if m.Log < 0 || m.Log >= len(ix.sources) || m.Seq < 1 {
		return events.Event{}, false, nil
	}
	return ix.within(m.Log, m.Log+1, key(byNumber, "", m.Seq))
}

// PatchAt finds the event that recorded a patch, and says where it is; false if there is none.
func (ix *Index) PatchAt(id events.PatchID) (Mention, events.Event, bool, error) {
	for i := range ix.sources {
		e, found, err := ix.within(i, i+1, exact(byPatch, string(id)))
		if err != nil || found {
			return Mention{i, e.Seq}, e, found, err
		}
	}
	return Mention{}, events.Event{}, false, nil
}

func (ix *Index) digestPath(name string) string {
	return filepath.Join(ix.log.Repo().TracesDir(), "cache", "digest", name)
}

// digests returns the digests of some logs, which are kept in one file.
func (ix *Index) digests(ctx context.Context, name string, logs []*source) ([]digestPart, error) {
	if len(logs) == 0 {
		return nil, nil
	}
	path := ix.digestPath(name)
	kept := readDigest(path)
	parts := make([]digestPart, len(logs))
	var rest int64 // bytes of stored events that the file does not cover
	for i, s := range logs {
		c := s.copy
		at := kept[c.Ref()]
		if at.generation != c.Generation() || at.offset < 0 || at.offset > c.Stored() {
			at = digestedLog{}
		}
		parts[i] = digestPart{log: c.Ref() + " " + c.Generation(), last: c.Last(), stored: at.rows, heads: at.heads}
		if err := parts[i].readOn(ctx, c, at.offset); err != nil {
			return nil, err
		}
		if c.Stored() == c.Size() {
			rest += c.Stored() - at.offset
		}
	}
	if rest > smallRest {
		storeDigests(path, logs, parts)
	}
	return parts, nil
}

// readOn takes in what a log says behind an offset.
func (p *digestPart) readOn(ctx context.Context, c *events.Copy, from int64) error {
	if from == c.Size() {
		return nil
	}
	g := digester{heads: p.heads}
	err := eachPart(c, from, partBytes, digestedPart, func(part *digester, _ int64) error {
		g.join(part)
		return ctx.Err()
	})
	if err == nil {
		err = g.read(c.Scan(max(from, c.Stored())))
	}
	p.heads, p.recent = g.heads, g.sorted()
	return err
}

// digestedPart takes in some events that follow each other.
func digestedPart(lines iter.Seq2[events.CopyLine, error]) (*digester, error) {
	var g digester
	err := g.read(lines)
	return &g, err
}

func (g *digester) read(lines iter.Seq2[events.CopyLine, error]) error {
	var reader events.LineReader
	for line, err := range lines {
		if err != nil {
			return err
		}
		e, err := reader.Read(line.Line)
		if err != nil {
			return fmt.Errorf("%w: %w", events.ErrCopyDamaged, err)
		}
		g.take(&reader, &e)
	}
	return nil
}

// join adds what the next part of the log says.
func (g *digester) join(next *digester) {
	g.rows = append(g.rows, next.rows...)
	for _, h := range next.heads {
		g.head(h.Seq, h.Commit)
	}
}

// storeDigests writes the file anew. A log that lies in memory in part is left out.
func storeDigests(path string, logs []*source, parts []digestPart) {
	head := digestHead{version: digestVersion}
	var rows []byte
	for i, s := range logs {
		if s.copy.Stored() < s.copy.Size() || s.copy.Generation() == "" {
			continue
		}
		p := &parts[i]
		if len(p.recent) > 0 {
			g := digester{rows: append(bytes.Clone(p.stored), p.recent...)}
			p.stored, p.recent = g.sorted(), nil
		}
		head.logs = append(head.logs, digestedLog{ref: s.copy.Ref(), generation: s.copy.Generation(),
			offset: s.copy.Stored(), count: len(p.stored) / digestRow, heads: p.heads})
		rows = append(rows, p.stored...)
	}
	writeDigest(path, head, rows)
}

// writeDigest stores digests. They are a cache: what cannot be written is computed again.
func writeDigest(path string, head digestHead, rows []byte) {
	w := codec.Writer{}
	head.fields(&w)
	raw := append(binary.AppendUvarint(nil, uint64(len(w.Out))), w.Out...)
	raw = append(raw, rows...)
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	if refs.MakeDirs(filepath.Dir(path), 0o755) == nil { // as the other caches: what git's own directories allow
		_ = refs.WriteFileAtomic(path, raw, 0o644)
	}
}

// readDigest reads what writeDigest wrote, by ref; anything else is not a digest.
func readDigest(path string) map[string]digestedLog {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	head, err := decodeDigest(raw)
	if err != nil {
		return nil
	}
	out := make(map[string]digestedLog, len(head.logs))
	for _, l := range head.logs {
		out[l.ref] = l
	}
	return out
}

var errNoDigest = errors.New("not a digest")

func decodeDigest(raw []byte) (digestHead, error) {
	const sum = 4
	if len(raw) < sum {
		return digestHead{}, errNoDigest
	}
	body := raw[:len(raw)-sum]
	length, size := binary.Uvarint(body)
	if size <= 0 || length > uint64(len(body)-size) ||
		crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(raw[len(body):]) {
		return digestHead{}, errNoDigest
	}
	var head digestHead
	r := codec.Reader{In: string(body[size:][:length])}
	if head.fields(&r); r.End() != nil || head.version != digestVersion {
		return digestHead{}, errNoDigest
	}
	rows := body[size:][length:]
	for i := range head.logs {
		l := &head.logs[i]
		if l.count < 0 || l.count > len(rows)/digestRow {
			return digestHead{}, errNoDigest
		}
		l.rows, rows = rows[:l.count*digestRow], rows[l.count*digestRow:]
	}
	if len(rows) > 0 {
		return digestHead{}, errNoDigest
	}
	return head, nil
}
