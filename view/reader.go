package view

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/search"
	"github.com/git-trace/git-trace/refs"
)

// Reader answers questions about a repository: about lines, commits, conversations and ranges. [Open] makes one.
type Reader struct {
	repo       *refs.Repo
	log        *index.Index
	open       func() (Records, error)
	logged     []events.TraceID // the conversations of the logs; nil until they are needed
	logOnly    bool             // see Options
	opened     bool
	stored     Records                          // nil until they are opened, and without records
	records    map[events.TraceID]search.Digest // the digests that were read; all of them if whole is set
	whole      bool
	newest     map[agentSession]events.TraceID // nil until it is needed
	unreadable []events.TraceID                // conversations whose record cannot be read
	prompts    *Prompts
	objects    *refs.Objects
	named      *Log                            // nil until it is needed
	search     *unseen.Search                  // nil until it is needed
	owners     *blame.Evidence                 // nil until it is needed
	lines      *Lineage                        // nil until it is needed
	reach      *reach                          // nil until it is needed
	ctx        context.Context                 // context of a search: a reader lives as long as a command
	progress   Progress                        // display of a search; nil without a display
	typed      map[events.TraceID]bool         // conversations with prompts that no record has yet
	corrected  map[events.TraceID][]Correction // nil until they are needed
	prices     func() *prices.Table            // nil if costs are not needed
	last       lastRecord
	contents   [2]content // the last two contents
}

// Records gives the texts of conversations. The index for searching implements it.
type Records interface {
	Digests() ([]search.Digest, error)
	// IDs lists the conversations with a readable record, sorted; Some gives the digests of some of them.
	IDs() ([]events.TraceID, error)
	Some(ids []events.TraceID) ([]search.Digest, error)
	// Times returns the beginning and the end of all conversations, in the order of IDs.
	Times() ([]search.Times, error)
	Search(ctx context.Context, q search.Query) (search.Found, error)
	Calls(beginning string) ([]search.Call, error)
	Close()
}

// openStored opens the records, once.
func (r *Reader) openStored() error {
	if r.opened {
		return nil
	}
	stored, err := r.open()
	if err != nil {
		return err
	}
	r.stored, r.opened = stored, true
	return nil
}

// readSums reads the sums of all records, once.
func (r *Reader) readSums() error {
	if r.whole {
		return nil
	}
	if err := r.openStored(); err != nil {
		return err
	}
	var digests []search.Digest
	if r.stored != nil {
		var err error
		if digests, err = cached(r.stored.Digests()); err != nil {
			return err
		}
	}
	r.records = make(map[events.TraceID]search.Digest, len(digests))
	for _, d := range digests {
		if d.Unreadable == "" {
			r.records[d.Trace] = d
		} else {
			r.unreadable = append(r.unreadable, d.Trace)
		}
	}
	r.whole = true
	return nil
}

// readSome reads the sums of the records of the given conversations.
func (r *Reader) readSome(ids ...events.TraceID) error {
	if r.whole {
		return nil
	}
	if err := r.openStored(); err != nil || r.stored == nil {
		return err
	}
	digests, err := cached(r.stored.Some(ids))
	if err != nil {
		return err
	}
	if r.records == nil {
		r.records = map[events.TraceID]search.Digest{}
	}
	for _, d := range digests {
		r.records[d.Trace] = d
	}
	return nil
}

// IDs lists the ids of all conversations, sorted. Commands abbreviate ids so that they stay unique among these.
func (r *Reader) IDs() ([]events.TraceID, error) {
	ids, alone, err := r.ids("")
	if err != nil || len(alone) == 0 {
		return ids, err
	}
	ids = slices.Concat(ids, alone)
	slices.Sort(ids)
	return ids, nil
}

// ids lists the conversations of the logs. The result `alone` has the conversations that only have a record. The ids of
// alone begin with the given text. Both lists are sorted.
func (r *Reader) ids(beginning string) (logged, alone []events.TraceID, err error) {
	if logged, err = r.loggedIDs(); err != nil {
		return nil, nil, err
	}
	if err := r.openStored(); err != nil || r.stored == nil {
		return logged, nil, err
	}
	stored, err := cached(r.stored.IDs())
	if err != nil {
		return nil, nil, err
	}
	rest := logged
	for _, id := range stored {
		for len(rest) > 0 && rest[0] < id {
			rest = rest[1:]
		}
		if (len(rest) == 0 || rest[0] != id) && strings.HasPrefix(string(id), beginning) {
			alone = append(alone, id)
		}
	}
	return logged, alone, nil
}

// loggedIDs lists the conversations of the logs, sorted; it reads them once.
func (r *Reader) loggedIDs() (_ []events.TraceID, err error) {
	if r.logged == nil {
		r.logged, err = r.log.TraceIDs()
	}
	return r.logged, err
}

// Starts returns the beginnings of conversations, from their records.
func (r *Reader) Starts() (map[events.TraceID]string, error) {
	if err := r.readSums(); err != nil {
		return nil, err
	}
	out := make(map[events.TraceID]string, len(r.records))
	for id := range r.records {
		out[id] = r.records[id].Start
	}
	return out, nil
}

// patchDigits is the length of the whole id of a patch.
const patchDigits = 32

// Find lists everything whose id begins with a text, like the index of the log. It adds conversations that only have a
// record or lines of commits, by their id and by the id of the agent's session.
func (r *Reader) Find(text string) ([]index.Candidate, error) {
	if found, err := r.findWhole(text); err != nil || len(found) > 0 {
		return found, err
	}
	if err := r.readSums(); err != nil || text == "" {
		return nil, err
	}
	found, err := r.log.Find(text)
	if err != nil {
		return nil, err
	}
	var more []index.Candidate
	add := func(id events.TraceID, agent, session string) {
		logged := slices.ContainsFunc(found, func(c index.Candidate) bool {
			return c.Kind == index.FoundTrace &&
				c.ID == string(id)
		})
		if !logged && (strings.HasPrefix(string(id), text) || strings.HasPrefix(session, text)) {
			e := events.Event{Trace: id, Agent: agent, Session: session}
			more = append(more, index.Candidate{Kind: index.FoundTrace, ID: string(id), Event: e})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.records)) {
		add(id, r.records[id].Agent, r.records[id].Session)
	}
	for _, id := range r.unreadable {
		add(id, "", "")
	}
	said, err := r.called(text)
	if err != nil {
		return nil, err
	}
	for _, c := range said {
		logged := func(k index.Candidate) bool { return k.Kind == index.FoundToolCall && k.ID == c.ID }
		if !slices.ContainsFunc(found, logged) {
			d := r.records[c.Trace]
			e := events.Event{Trace: c.Trace, Agent: d.Agent, Session: d.Session, ToolCall: c.ID}
			more = append(more, index.Candidate{Kind: index.FoundToolCall, ID: c.ID, Event: e})
		}
	}
	if len(found)+len(more) == 0 {
		logged, err := r.log.Traces()
		if err != nil {
			return nil, err
		}
		for i := range logged { // a conversation that only anchors name has no event in the index
			add(logged[i].ID, logged[i].Agent, logged[i].Session)
		}
	}
	return append(more, found...), nil
}

// findWhole finds a conversation or a patch by its full id, if it is in a log. It reads no record.
func (r *Reader) findWhole(text string) ([]index.Candidate, error) {
	if len(text) == patchDigits {
		found, err := r.log.Find(text)
		if err != nil || slices.ContainsFunc(found, func(c index.Candidate) bool { return c.Kind == index.FoundPatch }) {
			return found, err
		}
	}
	logged, err := r.loggedIDs()
	if err != nil {
		return nil, err
	}
	if _, whole := slices.BinarySearch(logged, events.TraceID(text)); !whole {
		return nil, nil
	}
	return r.log.Find(text)
}

// Lines finds the commits that hold lines of conversations.
func (r *Reader) Lines() (*Lineage, error) {
	if r.lines == nil {
		ctx := r.ctx
		lines := newLineage(r.log)
		found, err := r.findUnheard(ctx)
		if err != nil {
			return nil, err
		}
		lines.found, lines.reached = found, func(list []refs.OID) (map[refs.OID]bool, error) { return r.Reached(ctx, list) }
		lines.search = func(list []refs.OID) ([]*belief.Commit, error) {
			return belief.All(ctx, r.log, r.Searcher(), list)
		}
		r.lines = lines
	}
	return r.lines, nil
}

// Conversations lists all conversations, the latest first. Conversations without a time come at the end, in the order
// of their ids.
func (r *Reader) Conversations() ([]Conversation, error) { return r.first("", math.MaxInt) }

// InOrder yields the conversations whose ids begin with a text, in the order of Conversations. Each is completed when
// it is reached, so a caller that stops early saves time. An error ends the sequence.
func (r *Reader) InOrder(beginning string) iter.Seq2[Conversation, error] {
	return func(yield func(Conversation, error) bool) {
		list, err := r.ordered(beginning)
		if err != nil {
			yield(Conversation{}, err)
			return
		}
		for _, sum := range list {
			c, err := r.unite(sum.Trace)
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// datedSum is a conversation in the log, with its last time in the log and its record.
type datedSum struct {
	*index.Trace
	last time.Time
}

// `ordered` returns the logs' summaries of conversations, in the order of Conversations. For a conversation with only a
// record, the summary has only the id.
func (r *Reader) ordered(beginning string) ([]datedSum, error) {
	if err := r.readSums(); err != nil {
		return nil, err
	}
	logged, err := r.log.Sums()
	if err != nil {
		return nil, err
	}
	out := make([]datedSum, 0, len(logged)+len(r.records))
	put := func(sum *index.Trace, d *search.Digest) {
		if strings.HasPrefix(string(sum.ID), beginning) {
			c := Conversation{First: sum.First, Last: sum.Last}
			c.spread(d.Start)
			c.spread(d.End)
			out = append(out, datedSum{sum, c.Last})
		}
	}
	stored := 0
	for _, sum := range logged {
		d, recorded := r.records[sum.ID]
		if recorded {
			stored++
		}
		put(sum, &d)
	}
	if stored < len(r.records) {
		known := make(map[events.TraceID]bool, len(logged))
		for i := range logged {
			known[logged[i].ID] = true
		}
		for id, d := range r.records {
			if !known[id] && !r.superseded(id, logged) {
				put(&index.Trace{ID: id}, &d)
			}
		}
	}
	slices.SortFunc(out, func(a, b datedSum) int {
		if order := b.last.Compare(a.last); order != 0 {
			return order
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return out, nil
}

// Conversation returns the conversation with an id; the result `found` is false if there is none.
func (r *Reader) Conversation(id events.TraceID) (c Conversation, found bool, err error) {
	if err := r.readSome(id); err != nil {
		return c, false, err
	}
	sum, logged, err := r.log.Trace(id)
	if err != nil {
		return c, false, err
	}
	if _, recorded := r.records[id]; !logged && !recorded && len(sum.Held) == 0 {
		return c, false, nil
	}
	sum.ID = id
	c, err = r.unite(&sum)
	return c, err == nil, err
}
