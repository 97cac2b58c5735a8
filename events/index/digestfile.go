package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// The digest of a log is kept in <common>/traces/cache/digest/<hash of the ref>:
//
//	a line of JSON (digestHead) · the sorted rows · CRC-32 of all before it, big-endian
//
// It is written whole, and anew when as much of the log has come since as would be worth indexing. Like the index it is
// about one build of the copy of the log and believed for that one alone.
type digestHead struct {
	Version    int           `json:"v"`
	Ref        string        `json:"ref"`
	Generation string        `json:"generation"` // of the copy
	Offset     int64         `json:"offset"`     // in the copy, behind the last event that is covered
	Rows       int           `json:"rows"`
	Heads      []NamedCommit `json:"heads,omitempty"`
}

const digestVersion = 2

// Digest brings the digests of all logs up to date and gives them.
func (ix *Index) Digest(ctx context.Context) (*Digest, error) {
	return mended(ix, func() (*Digest, error) {
		d := &Digest{}
		for _, s := range ix.sources {
			part, err := ix.digest(ctx, s)
			if err != nil {
				return nil, fmt.Errorf("read digest of the log: %w", err)
			}
			d.parts = append(d.parts, part)
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

func (ix *Index) digestPath(ref string) string {
	sum := blake3.Sum256([]byte(ref))
	return filepath.Join(ix.log.Repo().TracesDir(), "cache", "digest", hex.EncodeToString(sum[:8]))
}

func (ix *Index) digest(ctx context.Context, s *source) (digestPart, error) {
	part := digestPart{log: s.copy.Ref() + " " + s.copy.Generation(), last: s.copy.Last()}
	path := ix.digestPath(s.copy.Ref())
	head, rows := readDigest(path)
	if head.Ref != s.copy.Ref() || head.Generation != s.copy.Generation() || head.Offset < 0 ||
		head.Offset > s.copy.Stored() {
		head, rows = digestHead{}, nil
	}
	part.stored, part.heads = rows, head.Heads
	if head.Offset == s.copy.Size() {
		return part, nil
	}
	g := digester{heads: part.heads}
	for line, err := range s.copy.Scan(head.Offset) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return part, err
		}
		e, err := events.DecodeLine(line.Line)
		if err != nil {
			return part, fmt.Errorf("%w: %w", events.ErrCopyDamaged, err)
		}
		g.take(&e)
	}
	part.heads = g.heads
	if s.copy.Stored() < s.copy.Size() || s.copy.Stored()-head.Offset <= smallRest {
		part.recent = g.sorted()
		return part, nil
	}
	g.rows = append(g.rows, rows...)
	part.stored = g.sorted()
	writeDigest(path, digestHead{
		Version: digestVersion, Ref: s.copy.Ref(), Generation: s.copy.Generation(), Offset: s.copy.Stored(),
		Rows: len(part.stored) / digestRow, Heads: part.heads,
	}, part.stored)
	return part, nil
}

// writeDigest stores a digest. It is a cache: what cannot be written is computed again.
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

// readDigest reads what writeDigest wrote; anything else is no digest.
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

func decodeDigest(raw []byte) (digestHead, []byte, error) {
	const sum = 4
	if len(raw) < sum {
		return digestHead{}, nil, errNoDigest
	}
	body := raw[:len(raw)-sum]
	line, rows, found := bytes.Cut(body, []byte("\n"))
	if !found || crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(raw[len(body):]) {
		return digestHead{}, nil, errNoDigest
	}
	var head digestHead
	if err := json.Unmarshal(line, &head); err != nil || head.Version != digestVersion ||
		head.Rows*digestRow != len(rows) {
		return digestHead{}, nil, errNoDigest
	}
	return head, rows, nil
}
