package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Digest lists the contents in the logs: the lines that patches wrote, by their fingerprints, the contents of
// patches and commits, the changes of commits. A search for the owners of a commit without an anchor begins with
// it: it shows at once if the logs have nothing. Keys are cut to 48 bits: a finder has to check the event.
//
// It is kept apart from the index, in a file of its own, because most readers never need it.
type Digest struct {
	texts   []digestedText
	sources []*source
}

// digestedText is the digest of one text: the stored part, and the later part.
type digestedText struct {
	of     *text
	stored []byte // sorted rows
	recent []byte // likewise
	heads  map[uint32][]NamedCommit
}

// Mention is an event that names a key: its number in one of the logs.
type Mention struct {
	Log int // number of the log as the index counts logs: 0 is this clone's log
	Seq int64
}

// NamedCommit is a commit that a log names: it existed when the event was written.
type NamedCommit struct {
	Seq    int64
	Commit refs.OID
}

// A row is the kind of a key, its 6 bytes, the number of the log in its text in 3 bytes, and the number of the event in
// 5 bytes, all in big-endian order.
const (
	digestKey = 7
	digestLog = digestKey + 3
	digestRow = digestLog + 5

	digestLine      = 'l'
	digestBlob      = 'b'
	digestChange    = 'c'
	digestPath      = 'p' // of patches
	digestAnchor    = 'a' // commits that are anchored
	digestRewritten = 'r' // commits that took the place of another one
	digestEnded     = 'e' // calls that had ended before, or never ran
)

// Key names something that logs may mention.
type Key [digestKey]byte

// LineKey and the others are the keys of an event's contents.
func LineKey(f events.Fingerprint) Key { return digestKeyOf(digestLine, f[:]) }
func BlobKey(blob refs.OID) Key        { return digestKeyOf(digestBlob, blob.Bytes()) }
func ChangeKey(id events.ChangeID) Key { return digestKeyOf(digestChange, id.Bytes()) }
func PathKey(path string) Key          { return textKey(digestPath, events.EncodePath(path)) }
func AnchorKey(commit refs.OID) Key    { return digestKeyOf(digestAnchor, commit.Bytes()) }
func RewrittenKey(commit refs.OID) Key { return digestKeyOf(digestRewritten, commit.Bytes()) }
func EndedKey(toolCall string) Key     { return textKey(digestEnded, toolCall) }
func textKey(kind byte, stored string) Key {
	sum := blake3.Sum256([]byte(stored))
	return digestKeyOf(kind, sum[:])
}

// row returns the row of an event that mentions a key.
func (k Key) row(log uint32, seq int64) []byte {
	wide := binary.BigEndian.AppendUint64(nil, uint64(log)<<40|uint64(seq)) // numbers of events count from 1
	return append(k[:], wide...)
}

// Spoke reports whether a log mentions a key after the events with the given numbers, one for each log.
func (d *Digest) Spoke(of Key, since []int64) bool {
	for _, t := range d.texts {
		for _, rows := range [][]byte{t.stored, t.recent} {
			at := searchRows(rows, of[:])
			for at < len(rows) && bytes.Equal(rows[at:at+digestKey], of[:]) {
				log, _ := rowOf(rows[at:])
				if s := t.of.source(log); s != nil {
					at = searchRows(rows, of.row(log, since[s.at]+1))
					if at < len(rows) && bytes.Equal(rows[at:at+digestLog], of.row(log, 0)[:digestLog]) {
						return true
					}
				}
				at = searchRows(rows, of.row(log+1, 0))
			}
		}
	}
	return false
}

// Line finds the patches that wrote a line, in the order of the logs. It finds nothing for a blank line.
func (d *Digest) Line(f events.Fingerprint) []Mention {
	if f.Blank() {
		return nil
	}
	return d.find(digestLine, f[:])
}

// Blob finds the patches that led to a content, and the anchors of commits that have it.
func (d *Digest) Blob(blob refs.OID) []Mention { return d.find(digestBlob, blob.Bytes()) }

// Change finds the anchors with a file that was changed in the same way.
func (d *Digest) Change(id events.ChangeID) []Mention { return d.find(digestChange, id.Bytes()) }

func (d *Digest) Logs() int { return len(d.sources) }

// Heads lists the commits that a log names as checked out or made, in its order.
func (d *Digest) Heads(log int) []NamedCommit {
	s := d.sources[log]
	return d.texts[min(log, 1)].heads[s.copy.Number()]
}

// Last returns the number of the last event of a log.
func (d *Digest) Last(log int) int64 { return d.sources[log].copy.Last() }

// Names identifies the logs, and each build of a log.
func (d *Digest) Names() []string {
	var out []string
	for _, s := range d.sources {
		out = append(out, fmt.Sprintf("%s %s %d", s.copy.Ref(), s.Generation(), s.copy.Number()))
	}
	return out
}

func digestKeyOf(kind byte, name []byte) Key {
	key := Key{kind}
	copy(key[1:], name)
	return key
}

func (d *Digest) find(kind byte, name []byte) []Mention {
	key := digestKeyOf(kind, name)
	var out []Mention
	for _, t := range d.texts {
		for _, rows := range [][]byte{t.stored, t.recent} {
			for at := searchRows(rows, key[:]); at < len(rows) && bytes.Equal(rows[at:at+digestKey], key[:]); at += digestRow {
				log, seq := rowOf(rows[at:])
				if s := t.of.source(log); s != nil {
					out = append(out, Mention{s.at, seq})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Mention) int { return cmp.Compare(a.Log, b.Log) })
	return out
}

// searchRows returns the offset of the first row that does not sort before a prefix.
func searchRows(rows, prefix []byte) int {
	low, high := 0, len(rows)/digestRow
	for low < high {
		mid := (low + high) / 2
		if bytes.Compare(rows[mid*digestRow:mid*digestRow+len(prefix)], prefix) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low * digestRow
}

// rowOf returns the number of the log and of the event in a row.
func rowOf(row []byte) (log uint32, seq int64) {
	wide := binary.BigEndian.Uint64(row[digestKey:digestRow])
	return uint32(wide >> 40), int64(wide & (1<<40 - 1))
}

// digester gathers rows.
type digester struct {
	log   uint32 // log of the event that is taken
	rows  []byte
	heads map[uint32][]NamedCommit
}

func newDigester() *digester { return &digester{heads: map[uint32][]NamedCommit{}} }

func (g *digester) add(key Key, seq int64) { g.rows = append(g.rows, key.row(g.log, seq)...) }

// digested holds the members of data for a digest.
type digested struct {
	Head  refs.OID `json:"head"`
	Pairs []struct {
		New refs.OID `json:"new"`
	} `json:"pairs"`
}

// take adds the contents of an event. It skips unreadable data.
func (g *digester) take(reader *events.LineReader, e *events.Event) {
	switch e.Type {
	case events.LogStarted, events.PatchRecorded, events.CommitAnchored, events.SessionStarted, events.SessionEnded,
		events.SnapshotTaken, events.CommitRewritten, events.WindowAbandoned:
	default:
		return
	}
	if !e.Known() {
		return
	}
	switch e.Type {
	case events.PatchRecorded:
		var d events.PatchData
		if reader.ReadData(e.Data, &d) == nil {
			g.patch(e, &d)
		}
		return
	case events.CommitAnchored:
		var d events.CommitData
		if reader.ReadData(e.Data, &d) == nil {
			g.anchor(e, &d)
		}
		return
	default:
	}
	var d digested
	if json.Unmarshal(e.Data, &d) != nil {
		return
	}
	if e.Type == events.WindowAbandoned {
		g.add(EndedKey(e.ToolCall), e.Seq)
		return
	}
	g.head(e.Seq, d.Head)
	for _, p := range d.Pairs {
		g.add(RewrittenKey(p.New), e.Seq)
		g.head(e.Seq, p.New)
	}
}

func (g *digester) patch(e *events.Event, d *events.PatchData) {
	g.add(textKey(digestPath, d.Path), e.Seq)
	if d.OldPath != "" {
		g.add(textKey(digestPath, d.OldPath), e.Seq)
	}
	if !d.After.IsZero() {
		g.add(BlobKey(d.After), e.Seq)
	}
	prints, err := events.DecodeFingerprints(d.Lines)
	if err != nil {
		return
	}
	slices.SortFunc(prints, func(a, b events.Fingerprint) int { return bytes.Compare(a[:], b[:]) })
	for _, f := range slices.Compact(prints) {
		if !f.Blank() {
			g.add(LineKey(f), e.Seq)
		}
	}
}

func (g *digester) anchor(e *events.Event, d *events.CommitData) {
	g.add(AnchorKey(d.Commit), e.Seq)
	for _, f := range d.Files {
		if !f.Blob.IsZero() && !e.Claimed() { // no timeline saw a claimed content
			g.add(BlobKey(f.Blob), e.Seq)
		}
		if f.Change.Bytes() != nil {
			g.add(ChangeKey(f.Change), e.Seq)
		}
	}
	if slices.Contains(e.Method, events.PostCommit) { // the subject of an anchor may be much older, see Method
		g.head(e.Seq, d.Commit)
	}
}

func (g *digester) head(seq int64, commit refs.OID) {
	heads := g.heads[g.log]
	if last := len(heads) - 1; !commit.IsZero() && (last < 0 || heads[last].Commit != commit) {
		g.heads[g.log] = append(heads, NamedCommit{seq, commit})
	}
}

// sortedRows puts rows in order.
func sortedRows(rows []byte) []byte {
	n := len(rows) / digestRow
	order := make([]int, n)
	for i := range order {
		order[i] = i * digestRow
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(bytes.Compare(rows[a:a+digestRow], rows[b:b+digestRow]))
	})
	out := make([]byte, 0, len(rows))
	for _, at := range order {
		out = append(out, rows[at:at+digestRow]...)
	}
	return out
}
