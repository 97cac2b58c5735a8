package view

import (
	"cmp"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
)

// Log is the log for readers of owners: it gives owners the names of their conversations.
type Log struct {
	*index.Index
	reader *Reader
	known  map[events.TraceID]names
}

// Log returns the log with the names of conversations.
func (r *Reader) Log() *Log {
	if r.named == nil {
		r.named = &Log{Index: r.log, reader: r, known: map[events.TraceID]names{}}
	}
	return r.named
}

// names holds the names of a conversation and of its models.
type names struct {
	agent, session string
	models         []string
	last           int // the last prompt in its record; -1 without a record or without prompts
}

// Name gives an owner the names of its conversation. The model is left out if it does not belong to the conversation,
// unless the conversation has only one model. A prompt that is not in the record yet may have another model: somebody
// may have resumed the conversation with it.
func (l *Log) Name(o *events.AnchorOwner) {
	if l.reader.logOnly {
		return
	}
	n, known := l.known[o.Trace]
	if !known {
		n = l.reader.names(o.Trace)
		l.known[o.Trace] = n
	}
	o.Agent, o.Session = cmp.Or(n.agent, o.Agent), cmp.Or(n.session, o.Session)
	at := slices.IndexFunc(n.models, func(m string) bool { return sameModel(m, o.Model) })
	switch {
	case at >= 0:
		o.Model = n.models[at]
	case len(n.models) == 1 && (n.last < 0 || o.Prompt <= n.last):
		o.Model = n.models[0]
	case len(n.models) > 0:
		o.Model = ""
	default:
		o.Model = SharedModel(o.Model)
	}
}

// sameModel reports whether two names name one model. Hooks have the client's name, with dots or without the maker;
// records have the shared name.
func sameModel(a, b string) bool {
	if ModelName(a) == ModelName(b) {
		return true
	}
	return ModelName(SharedModel(a)) == ModelName(SharedModel(b))
}

// `names` returns the names of a conversation. It leaves out names that cannot be read.
func (r *Reader) names(id events.TraceID) names {
	if r.readSome(id) != nil {
		r.records, r.whole = nil, false
	}
	t, err := r.log.Names(id)
	if err != nil {
		return names{last: -1}
	}
	c, last := Conversation{Agent: t.Agent, Session: t.Session, Models: sharedModels(t.Models)}, -1
	if d, recorded := r.records[id]; recorded {
		c.name(&d)
		if d.LastPrompt > 0 {
			last = d.LastPrompt
		}
	}
	return names{c.Agent, c.Session, c.Models, last}
}

// Changed reports whether hooks recorded any change of a file.
func (l *Log) Changed() (bool, error) {
	changes, err := l.ByType(events.PatchRecorded)
	return len(changes) > 0, err
}
