package index

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// A row lists the events of a log under a term. Its key is one byte for the kind of term, the term, a NUL, the number
// of the log in its text in four bytes, and the number of the first of the events in eight. Its value is a run of
// places. So the events of one term lie side by side, in the order of the log. The terms of one kind lie in the order
// of their bytes, so an id is found by its beginning.
type row struct{ key, run []byte }

// place is the place of an event in a copy.
type place struct {
	offset int64
	length int
}

// kind is the kind of a term.
type kind byte

// The kinds of term. The letters are part of the stored index; a change takes a new storeVersion.
const (
	byNumber  kind = 's' // no term: all events
	byID      kind = 'i' // the first idTerm hex digits of the event's id
	byType    kind = 't'
	byTrace   kind = 'c'
	bySession kind = 'n' // the agent's own session id; one row a conversation
	byPath    kind = 'p' // paths as stored
	byCommit  kind = 'g' // hex digits of an anchored commit, or of either side of a rewriting
	byAnchor  kind = 'a' // hex digits of an anchored commit
	byOld     kind = 'o' // a pair of a rewriting, see pairOf: the old commit first
	byNew     kind = 'w' // the new commit first
	byPatch   kind = 'h'
	byTool    kind = 'u' // tool call id
)

// idTerm is the number of digits of an event id in the index; the event itself has the rest.
const idTerm = 16

// longestTerm keeps keys within the database's limit; longer terms are cut and distinguished by a hash.
const longestTerm = 512

// prefixOf returns the beginning of all keys of a kind whose terms begin with a text.
func prefixOf(k kind, beginning string) []byte {
	return append([]byte{byte(k)}, beginning...)
}

// `exact` returns the beginning of all keys of one term.
func exact(k kind, term string) []byte { return appendExact(nil, k, term) }

func appendExact(b []byte, k kind, term string) []byte {
	if len(term) > longestTerm {
		sum := blake3.Sum256([]byte(term))
		term = term[:longestTerm-len(sum)] + string(sum[:])
	}
	if b = append(b, byte(k)); k == byNumber {
		return b
	}
	// A term with a NUL, which only a foreign log could hold, must not pass for a shorter one.
	return append(append(b, strings.ReplaceAll(term, "\x00", "\x01")...), 0)
}

// number returns the key for the number of an event in this log.
func (s *source) number(seq int64) []byte {
	key := binary.BigEndian.AppendUint32(exact(byNumber, ""), s.copy.Number())
	return binary.BigEndian.AppendUint64(key, uint64(seq))
}

// After a term and its NUL a key has behindTerm bytes: the number of the log in logBytes, and the number of the event.
const (
	logBytes   = 4
	behindTerm = logBytes + 8
)

// logOf returns the number of the log that a key leads to.
func logOf(key []byte) uint32 { return logAt(key[:len(key)-8]) }

// logAt returns the number of a log at the end of a key.
func logAt(key []byte) uint32 { return binary.BigEndian.Uint32(key[len(key)-logBytes:]) }

// `unique` reports whether hardly any two events have the same term.
func (k kind) unique() bool { return k == byID || k == byPatch }

// Besides separates the first commit of a pair from the rest of its term, which begins with this many digits of the
// pair's number.
const (
	besides   = 1
	nthDigits = 8
)

// pairOf returns the term of a pair of commits: the first commit, the number of the pair in its event, and the second
// commit. So a reader needs no event.
func pairOf(first string, nth int, second string) string {
	return fmt.Sprintf("%s%c%0*x%s", first, besides, nthDigits, nth, second)
}

// seqOf returns the number of the event that a key leads to.
func seqOf(key []byte) int64 { return int64(binary.BigEndian.Uint64(key[len(key)-8:])) }

// `named` holds the names in an event's data.
type named struct {
	Paths []string `json:"paths"`
	Pairs []struct {
		Old string `json:"old"`
		New string `json:"new"`
	} `json:"pairs"`
	Model  string            `json:"model"`
	patch  events.PatchData  // data of a patch_recorded
	commit events.CommitData // data of a commit_anchored
}

// read decodes the data of an event.
func (n *named) read(reader *events.LineReader, e *events.Event) error {
	switch e.Type {
	case events.PatchRecorded:
		err := reader.ReadData(e.Data, &n.patch)
		n.Model = n.patch.Model
		return err
	case events.WindowOpened, events.WindowClosed:
		var window events.WindowData
		err := reader.ReadData(e.Data, &window)
		n.Model, n.Paths = window.Model, window.Paths
		return err
	case events.CommitAnchored:
		return reader.ReadData(e.Data, &n.commit)
	}
	return json.Unmarshal(e.Data, n)
}

// namesThings reports whether the data of a type hold anything for the index.
func namesThings(t events.Type) bool {
	switch t {
	case events.SessionStarted, events.WindowOpened, events.WindowClosed, events.PatchRecorded,
		events.CaptureIncomplete, events.CommitAnchored, events.CommitRewritten:
		return true
	}
	return false
}

// terms returns the terms of an event, and the names in its data; only the terms if the data cannot be read.
func (n *named) terms(reader *events.LineReader, e *events.Event, add func(k kind, term string)) {
	*n = named{}
	some := func(k kind, term string) {
		if term != "" {
			add(k, term)
		}
	}
	add(byNumber, "")
	add(byID, string(e.ID)[len("b3:"):][:idTerm])
	add(byType, string(e.Type))
	some(byTrace, string(e.Trace))
	some(byTool, e.ToolCall)
	if !e.Known() || !namesThings(e.Type) {
		return
	}
	if n.read(reader, e) != nil {
		*n = named{}
		return
	}
	switch e.Type {
	case events.SessionStarted:
		some(bySession, e.Session)
	case events.PatchRecorded:
		some(byPatch, string(n.patch.Patch))
		some(byPath, n.patch.Path)
		some(byPath, n.patch.OldPath)
	case events.CommitAnchored:
		commit := n.commit.Commit.String()
		some(byCommit, commit)
		some(byAnchor, commit)
		for _, f := range n.commit.Files {
			some(byPath, f.Path)
		}
	case events.CommitRewritten:
		for i, p := range n.Pairs {
			some(byCommit, p.Old)
			some(byCommit, p.New)
			before, err := refs.ParseOID(p.Old)
			after, wrong := refs.ParseOID(p.New)
			if err == nil && wrong == nil && before != after && !after.IsZero() {
				add(byOld, pairOf(p.Old, i, p.New))
				add(byNew, pairOf(p.New, i, p.Old))
			}
		}
	default:
		for _, p := range n.Paths {
			some(byPath, p)
		}
	}
}
