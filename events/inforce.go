package events

import (
	"bytes"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// InForce leaves out the anchors that a revision by the same voice has replaced. Later claims about a commit stay: they
// fill unknown lines, and replace nothing.
func InForce(list []Event) []Event {
	type place struct {
		voice  string
		commit refs.OID
	}
	last := map[place]int{}
	for i := range list {
		if revision, commit := revisionOf(&list[i]); revision > 0 {
			at := place{list[i].Voice(), commit}
			last[at] = max(last[at], revision)
		}
	}
	if len(last) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(e Event) bool {
		if e.Type != CommitAnchored || e.Claimed() {
			return false
		}
		data := DataOf[CommitData](e)
		return data.Revision < last[place{e.Voice(), data.Commit}]
	})
}

// Claimed reports whether an event comes from a later search, in others' files or old conversations.
func (e Event) Claimed() bool {
	return slices.Contains(e.Method, Backfill) || slices.Contains(e.Method, Import)
}

// Retold reports whether an event gives recorded lines to another owner, because of a later report.
func (e Event) Retold() bool {
	return slices.Contains(e.Method, SessionFile) || slices.Contains(e.Method, EditorLate)
}

// revisionOf returns the number of a revision, and its commit; 0 for any other event. Few events are revisions, and
// anchors may be large.
func revisionOf(e *Event) (int, refs.OID) {
	var d struct {
		Commit   refs.OID `json:"commit"`
		Revision int      `json:"revision"`
	}
	if e.Type != CommitAnchored || !bytes.Contains(e.Data, []byte(`"revision":`)) || ReadData(e.Data, &d) != nil {
		return 0, refs.OID{}
	}
	return d.Revision, d.Commit
}
