package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// The digest of the own log is kept in <common>/traces/cache/digest/own, those of all fetched logs together in
// …/digest/fetched:
//
//	a line of JSON (digestHead) · the sorted rows, log by log · CRC-32 of all before it, big-endian
//
// A file is written whole, and anew when as much of its logs has come since as would be worth indexing. Like the index
// it is about one build of the copy of each log and believed for that one alone.
type digestHead struct {
	Version int           `json:"v"`
	Logs    []digestedLog `json:"logs"`
}

type digestedLog struct {
	Ref        string        `json:"ref"`
	Generation string        `json:"generation"` // of the copy
	Offset     int64         `json:"offset"`     // in the copy, behind the last event that is covered
	Rows       int           `json:"rows"`
	Heads      []NamedCommit `json:"heads,omitempty"`

	rows []byte
}

const digestVersion = 3

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
	return ix.firstOf(func() []*source { return ix.sources[m.Log:min(m.Log+1, len(ix.sources))] },
		key(byNumber, "", m.Seq))
}

// PatchAt finds the event that recorded a patch, and says where it is; false if there is none.
func (ix *Index) PatchAt(id events.PatchID) (Mention, events.Event, bool, error) {
	for i := range ix.sources {
		e, found, err := ix.firstOf(func() []*source { return ix.sources[i:min(i+1, len(ix.sources))] },
			exact(byPatch, string(id)))
		if err != nil || found {
			return Mention{i, e.Seq}, e, found, err
		}
	}
	return Mention{}, events.Event{}, false, nil
}

func (ix *Index) digestPath(name string) string {
	return filepath.Join(ix.log.Repo().TracesDir(), "cache", "digest", name)
}

// digests are those of some logs, which are kept in one file.
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
		if at.Generation != c.Generation() || at.Offset < 0 || at.Offset > c.Stored() {
			at = digestedLog{}
		}
		parts[i] = digestPart{log: c.Ref() + " " + c.Generation(), last: c.Last(), stored: at.rows, heads: at.Heads}
		if err := parts[i].readOn(ctx, c, at.Offset); err != nil {
			return nil, err
		}
		if c.Stored() == c.Size() {
			rest += c.Stored() - at.Offset
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

// digestedPart takes in the events whose lines begin in a part of what is stored.
func digestedPart(c *events.Copy, start, end int64) (*digester, error) {
	var g digester
	err := g.read(c.Part(start, end))
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
		g.take(&e)
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
	head := digestHead{Version: digestVersion}
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
		head.Logs = append(head.Logs, digestedLog{Ref: s.copy.Ref(), Generation: s.copy.Generation(),
			Offset: s.copy.Stored(), Rows: len(p.stored) / digestRow, Heads: p.heads})
		rows = append(rows, p.stored...)
	}
	writeDigest(path, head, rows)
}

// writeDigest stores digests. They are a cache: what cannot be written is computed again.
func writeDigest(path string, head digestHead, rows []byte) {
	line, err := json.Marshal(head)
	if err != nil {
		return
	}
	raw := append(append(line, '\n'), rows...)
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	if refs.MakeDirs(filepath.Dir(path), 0o755) == nil { // as the other caches: what git's own directories allow
		_ = refs.WriteFileAtomic(path, raw, 0o644)
	}
}

// readDigest reads what writeDigest wrote, by ref; anything else is no digest.
func readDigest(path string) map[string]digestedLog {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	head, err := decodeDigest(raw)
	if err != nil {
		return nil
	}
	out := make(map[string]digestedLog, len(head.Logs))
	for _, l := range head.Logs {
		out[l.Ref] = l
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
	line, rows, found := bytes.Cut(body, []byte("\n"))
	if !found || crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(raw[len(body):]) {
		return digestHead{}, errNoDigest
	}
	var head digestHead
	if err := json.Unmarshal(line, &head); err != nil || head.Version != digestVersion {
		return digestHead{}, errNoDigest
	}
	for i := range head.Logs {
		l := &head.Logs[i]
		if l.Rows < 0 || l.Rows > len(rows)/digestRow {
			return digestHead{}, errNoDigest
		}
		l.rows, rows = rows[:l.Rows*digestRow], rows[l.Rows*digestRow:]
	}
	if len(rows) > 0 {
		return digestHead{}, errNoDigest
	}
	return head, nil
}
