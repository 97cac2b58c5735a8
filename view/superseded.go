package view

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/search"
)

// `superseded` reports whether an imported record does not count because another record has the same session: the log
// has events of that one, or its generation is newer. Some programs make a new trace id for each version of a session.
func (r *Reader) superseded(id events.TraceID, logged []*index.Trace) bool {
	d := r.records[id]
	if d.Session == "" {
		return false
	}
	if slices.ContainsFunc(logged, func(t *index.Trace) bool { return t.Session == d.Session && t.Agent == d.Agent }) {
		return true
	}
	if r.newest == nil {
		r.newest = newestRecords(r.records)
	}
	return r.newest[sessionOf(d)] != id
}

type agentSession struct{ agent, session string }

func sessionOf(d search.Digest) agentSession { return agentSession{d.Agent, d.Session} }

// newestRecords returns the records of the newest generation of each session; among equals, the record with the latest
// end.
func newestRecords(all map[events.TraceID]search.Digest) map[agentSession]events.TraceID {
	out := make(map[agentSession]events.TraceID, len(all))
	for id, d := range all {
		known, found := out[sessionOf(d)]
		k := all[known]
		if !found || cmp.Or(cmp.Compare(d.Generation, k.Generation), cmp.Compare(d.End, k.End), cmp.Compare(known, id)) > 0 {
			out[sessionOf(d)] = id
		}
	}
	return out
}
