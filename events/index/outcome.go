package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// A summary also has the outcome of a conversation: the number of files that its patches changed, and the commits
// with its lines. Without it a list of conversations would read the whole log.

// Held is the number of lines of a conversation in a commit. Part is the part of the commit's anchor that names them.
type Held struct {
	Commit refs.OID
	Part   int
	Lines  int
}

// pathSet is a set of paths that answers only their number: sorted hashes of hashSize bytes each.
type pathSet []byte

const (
	hashSize = 4
	// Bounds of a foreign log's part in a summary.
	mostPaths = MostFiles
	mostHeld  = 1024
)

// movedLines is the tier of lines from another place (docs/format.md).
const movedLines = "moved_lines"

// MostFiles is the largest value of Files.
const MostFiles = 4096

// Files returns the number of files that the patches of the conversation changed; MostFiles means this number or more.
func (t *Trace) Files() int { return len(t.Paths) / hashSize }

func (s pathSet) with(path string) pathSet {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path))
	return s.withHash(binary.BigEndian.AppendUint32(nil, h.Sum32()))
}

func (s pathSet) withHash(hash []byte) pathSet {
	low, high := 0, len(s)/hashSize
	for low < high {
		mid := (low + high) / 2
		switch bytes.Compare(s[mid*hashSize:][:hashSize], hash) {
		case 0:
			return s
		case -1:
			low = mid + 1
		default:
			high = mid
		}
	}
	if len(s) >= mostPaths*hashSize {
		return s
	}
	return slices.Insert(s, low*hashSize, hash...)
}

// `hold` notes lines in a commit. A later anchor of the same part of the same commit replaces an earlier one.
func (t *Trace) hold(h Held) {
	i, found := slices.BinarySearchFunc(t.Held, h, func(a, b Held) int {
		return cmp.Or(bytes.Compare(a.Commit.Bytes(), b.Commit.Bytes()), cmp.Compare(a.Part, b.Part))
	})
	switch {
	case found:
		t.Held[i].Lines = h.Lines
	case len(t.Held) < mostHeld:
		t.Held = slices.Insert(t.Held, i, h)
	}
}

// `holds` reports whether a commit holds lines of the conversation, by the last anchors.
func (t *Trace) holds() bool {
	return slices.ContainsFunc(t.Held, func(h Held) bool { return h.Lines > 0 })
}

// joinOutcome adds the outcome in another part of the log, or in another log.
func (t *Trace) joinOutcome(o *Trace) {
	t.Paths, t.Held = slices.Clone(t.Paths), slices.Clone(t.Held)
	for paths := o.Paths; len(paths) >= hashSize; paths = paths[hashSize:] {
		t.Paths = t.Paths.withHash(paths[:hashSize])
	}
	if len(t.Held) == 0 {
		t.Held = slices.Clone(o.Held)
		return
	}
	for _, h := range o.Held {
		t.hold(h)
	}
}

// mostHeldElsewhere limits the number of commits that another clone may name for one conversation: each is looked at.
const mostHeldElsewhere = 128

// `heard` returns the summary of a conversation in this log. Another clone's log may name only mostHeldElsewhere
// commits.
func (s *source) heard(t Trace) Trace {
	if !s.own() {
		t.Held = t.Held[:min(len(t.Held), mostHeldElsewhere)]
	}
	return t
}

// `near` removes commits that are not in the repository, and keeps at most MostReplaced of these. A reader of one
// conversation looks at each commit, and another clone may invent any number.
func (ix *Index) near(held []Held) []Held {
	if len(held) <= MostReplaced {
		return held
	}
	if ix.here == nil {
		ix.here = map[refs.OID]bool{}
	}
	objects := ix.Repo().Objects()
	defer func() { _ = objects.Close() }()
	absent := 0
	return slices.DeleteFunc(slices.Clone(held), func(h Held) bool {
		here, asked := ix.here[h.Commit]
		if !asked {
			here = objects.MayBeStored(h.Commit)
			ix.here[h.Commit] = here
		}
		if !here {
			absent++
		}
		return !here && absent > MostReplaced
	})
}

// anchor notes for every conversation how many lines the commit of an anchor holds. The conversations' own events may
// be elsewhere: in an earlier part of the log, or in another one.
func (r *recent) anchor(e *events.Event, n *events.CommitData) {
	if e.Type != events.CommitAnchored || n.Commit.IsZero() {
		return
	}
	lines := map[events.TraceID]int{}
	if n.Revision > 0 { // it names the conversations that lost their lines
		for _, o := range n.Owners {
			if o.Trace != "" {
				lines[o.Trace] = 0
			}
		}
	}
	afterwards := slices.Contains(e.Method, events.Backfill)
	for _, f := range n.Files {
		for _, run := range f.Runs {
			if afterwards && run.Tier == movedLines {
				continue // they were committed before: this commit only put them elsewhere
			}
			if run.Owner < 0 || run.Owner >= len(n.Owners) || run.Count <= 0 {
				continue
			}
			if o := &n.Owners[run.Owner]; o.Trace != "" {
				r.trace(o.Trace).named(o.Agent, o.Session, o.Model)
				lines[o.Trace] += run.Count
			}
		}
	}
	for trace, count := range lines {
		r.trace(trace).hold(Held{Commit: n.Commit, Part: n.Part, Lines: count})
	}
}

// `named` takes the owner of lines from an anchor. It counts only if the conversation has no events of its own.
func (t *Trace) named(agent, session, model string) {
	if t.Events == 0 {
		t.Agent, t.Session = cmp.Or(t.Agent, agent), cmp.Or(t.Session, session)
		t.uses(model)
	}
}

// trace returns the summary of a conversation in this part of the log whose event is taken.
func (r *recent) trace(id events.TraceID) *Trace {
	by := tracedBy{r.log, id}
	t := r.traces[by]
	if t == nil {
		t = &Trace{ID: id}
		r.traces[by] = t
	}
	return t
}
