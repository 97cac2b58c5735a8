package diff

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Writer identifies an owner of lines: a conversation, people, or unknown, either before or during the recording.
type Writer struct {
	Kind  events.OwnerKind // ai, human, older or unknown; mixed lines count as ai
	Trace events.TraceID   // empty if several conversations could have written the lines
	Agent string
	Model string
}

// Churn counts the lines that a writer added in the commits of a range, and how many of them are gone.
type Churn struct {
	Writer
	Written, Gone int
	Kept          int // lines of these commits that exist at the end
}

// writerOf returns the writer of a line.
func writerOf(kind events.OwnerKind, trace events.TraceID, agent, model string) Writer {
	switch kind {
	case events.OwnerAI, events.OwnerMixed:
		return Writer{events.OwnerAI, trace, agent, model}
	case events.OwnerHuman, events.OwnerOlder:
		return Writer{Kind: kind}
	case events.OwnerUnknown:
	}
	return Writer{Kind: events.OwnerUnknown}
}

// key returns only the fields that identify the writer.
func (w Writer) key() Writer { return Writer{Kind: w.Kind, Trace: w.Trace} }

// mostSearched is the number of commits up to which owners are also searched in commits without hooks.
const mostSearched = 500

// churn counts the lines that the commits between the sides added, and those that are gone again.
func (f *finder) churn() error {
	if f.history == nil || f.o.reverse || f.sides.new.Kind != Commit || f.sides.part {
		return nil
	}
	began, err := belief.BeginningOf(f.from.Log)
	if err != nil {
		return err
	}
	ids := make([]refs.OID, len(f.history.commits))
	for i, c := range f.history.commits {
		ids[i] = c.ID
	}
	searcher := f.from.Searcher
	if len(ids) > mostSearched {
		searcher = nil
	}
	known, err := belief.All(f.ctx, f.from.Log, searcher, ids)
	if err != nil {
		return err
	}
	inside := map[refs.OID]events.OwnerKind{} // the owner of lines without a known one, by commit
	for i, c := range known {
		inside[c.ID] = began.Nobodys(c, time.Unix(f.history.commits[i].Committer.Time, 0))
	}
	at := map[Writer]int{}
	add := func(w Writer, written, kept int) {
		i, seen := at[w.key()]
		if !seen {
			i = len(f.Churn)
			at[w.key()] = i
			f.Churn = append(f.Churn, Churn{Writer: w})
		}
		f.Churn[i].Written += written
		f.Churn[i].Kept += kept
	}
	var unheard []refs.OID
	for _, c := range known {
		if !c.Speaks() {
			unheard = append(unheard, c.ID)
		}
	}
	counted, err := f.from.Added(f.ctx, unheard)
	if err != nil {
		return err
	}
	for id, n := range counted {
		add(Writer{Kind: inside[id]}, n, 0)
	}
	for _, c := range known {
		told := 0
		for i := range c.Files {
			for _, r := range c.Files[i].Runs {
				if !r.Beyond {
					told += r.Count
					kind := r.Owner.Kind
					if !kind.Known() {
						kind = inside[c.ID]
					}
					add(writerOf(kind, r.Owner.Trace, r.Owner.Agent, r.Owner.Model), r.Count, 0)
				}
			}
		}
		if rest := c.Added - told; rest > 0 {
			add(Writer{Kind: inside[c.ID]}, rest, 0)
		}
	}
	for _, file := range f.Files {
		file.each(Added, func(l *Line) {
			if o := l.Owner; o != nil && inside[o.Commit.ID] != "" {
				add(writerOf(o.Owner.Kind, o.Owner.Trace, o.Owner.Agent, o.Owner.Model), 0, 1)
			}
		})
	}
	for i := range f.Churn {
		f.Churn[i].Gone = max(f.Churn[i].Written-f.Churn[i].Kept, 0)
	}
	slices.SortStableFunc(f.Churn, func(a, b Churn) int {
		return cmp.Or(cmp.Compare(b.Gone, a.Gone), cmp.Compare(a.Trace, b.Trace))
	})
	return nil
}
