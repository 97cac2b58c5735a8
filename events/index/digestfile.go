package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/codec"
)

// The digest of this clone's log is kept in <common>/traces/cache/digest/own, the digest of the fetched logs in
// …/digest/fetched:
//
//	length of the head · head (digestHead) · the sorted rows · CRC-32 of all before it, big-endian
//
// A file is written whole, and anew when as much of its logs has come since as would be worth indexing. Like the index
// it is about one build of the text and believed for that one alone.
type digestHead struct {
	version    int
	generation string // generation of the text
	offset     int64  // there, after the last event that is covered
	heads      []headsOf
}

type headsOf struct {
	log   uint32
	heads []NamedCommit
}

func (h *digestHead) fields(f codec.Fields) {
	codec.Number(f, &h.version)
	f.Text(&h.generation)
	f.Integer(&h.offset)
	codec.List(f, &h.heads, func(l *headsOf) {
		codec.Number(f, &l.log)
		codec.List(f, &l.heads, func(c *NamedCommit) {
			f.Integer(&c.Seq)
			f.OID(&c.Commit)
		})
	})
}

const digestVersion = 6

// Digest updates the digests of all logs and returns them; all callers get the same one.
func (ix *Index) Digest(ctx context.Context) (*Digest, error) {
	return mended(ix, func() (*Digest, error) {
		if ix.digest != nil {
			return ix.digest, nil
		}
		d := &Digest{sources: ix.sources}
		for i, t := range ix.texts {
			one, err := t.digest(ctx, ix.digestPath([...]string{"own", "fetched"}[i]))
			if err != nil {
				return nil, fmt.Errorf("read digest of the log: %w", err)
			}
			d.texts = append(d.texts, one)
		}
		ix.digest = d
		return d, nil
	})
}

// `At` reads the event of a mention.
func (ix *Index) At(m Mention) (events.Event, bool, error) {
	if m.Log < 0 || m.Log >= len(ix.sources) || m.Seq < 1 {
		return events.Event{}, false, nil
	}
	return ix.within(m.Log, m.Seq)
}

// PatchAt finds the event that recorded a patch, and its place; false if there is none.
func (ix *Index) PatchAt(id events.PatchID) (Mention, events.Event, bool, error) {
	log, e, found, err := ix.firstIn(exact(byPatch, string(id)))
	return Mention{log, e.Seq}, e, found, err
}

func (ix *Index) digestPath(name string) string {
	return filepath.Join(ix.log.Repo().TracesDir(), "cache", "digest", name)
}

// digest reads the kept digest, and the later lines of the text.
func (t *text) digest(ctx context.Context, path string) (digestedText, error) {
	head, rows := readDigest(path)
	if head.generation != t.Generation() || head.offset < 0 || head.offset > t.Stored() {
		head, rows = digestHead{}, nil
	}
	g := newDigester()
	for _, h := range head.heads {
		g.heads[h.log] = h.heads
	}
	err := fault.InOrder(t.Parts(head.offset, t.Size(), partBytes), digestedPart, func(part *digester) error {
		g.join(part)
		return ctx.Err()
	})
	d := digestedText{of: t, stored: rows, recent: sortedRows(g.rows), heads: g.heads}
	if t.Stored() == t.Size() && t.Stored()-head.offset > smallRest {
		d.stored, d.recent = sortedRows(append(bytes.Clone(d.stored), d.recent...)), nil
		d.store(path)
	}
	return d, err
}

// digestedPart takes consecutive events.
func digestedPart(part events.TextPart) (*digester, error) {
	g := newDigester()
	var reader events.LineReader
	for line := range part.Lines() {
		e, err := reader.Read(line.Line)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", events.ErrCopyDamaged, err)
		}
		g.log = line.Log
		g.take(&reader, &e)
	}
	return g, nil
}

// join adds the rows of the next part of the text.
func (g *digester) join(next *digester) {
	g.rows = append(g.rows, next.rows...)
	for log, heads := range next.heads {
		g.log = log
		for _, h := range heads {
			g.head(h.Seq, h.Commit)
		}
	}
}

// store rewrites the file.
func (d *digestedText) store(path string) {
	head := digestHead{version: digestVersion, generation: d.of.Generation(), offset: d.of.Stored()}
	for log, heads := range d.heads {
		head.heads = append(head.heads, headsOf{log, heads})
	}
	writeDigest(path, head, d.stored)
}

// writeDigest stores digests. They are a cache: if one cannot be written, it is computed again.
func writeDigest(path string, head digestHead, rows []byte) {
	w := codec.Writer{}
	head.fields(&w)
	raw := append(binary.AppendUvarint(nil, uint64(len(w.Out))), w.Out...)
	raw = append(raw, rows...)
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	if refs.MakeDirs(filepath.Dir(path), 0o755) == nil { // like the other caches, as private as git's own directories
		_ = refs.WriteFileAtomic(path, raw, 0o644)
	}
}

// readDigest reads a file of writeDigest; it returns nothing for other files.
func readDigest(path string) (digestHead, []byte) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return digestHead{}, nil
	}
	head, rows, err := decodeDigest(raw)
	if err != nil {
		return digestHead{}, nil
	}
	return head, rows
}

var errNoDigest = errors.New("not a digest")

func decodeDigest(raw []byte) (head digestHead, rows []byte, err error) {
	const sum = 4
	if len(raw) < sum {
		return digestHead{}, nil, errNoDigest
	}
	body := raw[:len(raw)-sum]
	length, size := binary.Uvarint(body)
	if size <= 0 || length > uint64(len(body)-size) ||
		crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(raw[len(body):]) {
		return digestHead{}, nil, errNoDigest
	}
	r := codec.Reader{In: string(body[size:][:length])}
	rows = body[size:][length:]
	if head.fields(&r); r.End() != nil || head.version != digestVersion || len(rows)%digestRow > 0 {
		return digestHead{}, nil, errNoDigest
	}
	return head, rows, nil
}
