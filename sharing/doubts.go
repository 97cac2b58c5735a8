package sharing

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
)

// Doubt says that one writer saw events of another writer's log that the remote does not show. Each publication names
// the ends of the other writers' digests at that time. So a remote that hides events must also hide all later
// publications.
type Doubt struct {
	Writer string    `json:"writer"`  // the writer of the log
	Event  int64     `json:"event"`   // number of the event
	SeenBy string    `json:"seen_by"` // the writer who names it
	On     time.Time `json:"on"`      // the time of that publication
	Ends   int64     `json:"ends"`    // the last event in the log that the remote shows
	Anew   bool      `json:"anew"`    // the digest was started again: a clone that saw the event may not have pulled since
}

// String describes the doubt.
func (d Doubt) String() string {
	what := "and it has another one there"
	if d.Event > d.Ends {
		what = fmt.Sprintf("and it ends at %d", d.Ends)
	}
	if d.Anew {
		what += "; its writer began it anew"
	}
	return fmt.Sprintf("%s saw event %d of %s on %s, %s", d.SeenBy, d.Event, d.Writer, d.On.Format("2 Jan 2006"), what)
}

// `shown` is a digest as a remote shows it.
type shown struct {
	made   time.Time
	head   events.PublicationHead
	copied *events.Copy
}

// doubts compares the ends that digests of a remote name with the digests themselves. A digest that was published after
// the other named it may be a new one, and is not in doubt. It returns the first doubt about each log.
func doubts(ctx context.Context, log *events.Log, fetched []events.FetchedLog, label string) ([]Doubt, error) {
	fetched = slices.DeleteFunc(slices.Clone(fetched), func(f events.FetchedLog) bool {
		return f.Remote != label || !f.Digest || f.Writer == ""
	})
	copies, err := log.Copies(ctx, fetched)
	if err != nil {
		return nil, err
	}
	there := map[string]shown{}
	objects := log.Repo().Objects()
	defer func() { _ = objects.Close() }()
	for _, c := range copies {
		if c.Err != nil {
			continue
		}
		defer c.Copy.Close()
		p, err := log.ReadPublication(c.Tip)
		if err != nil {
			continue
		}
		if commit, err := objects.Commit(c.Tip); err == nil {
			there[c.Writer] = shown{commit.Author.When, p.Head, c.Copy}
		}
	}
	said := map[string][]Doubt{}
	for writer, by := range there {
		for _, w := range by.head.Seen {
			of, here := there[w.Writer]
			if here && w.Writer != writer && !of.made.After(by.made) {
				said[w.Writer] = append(said[w.Writer], Doubt{w.Writer, w.Seq, writer, by.made, of.head.Events, false})
			}
		}
	}
	out := []Doubt{}
	for writer, list := range said {
		slices.SortFunc(list, func(a, b Doubt) int { return bytes.Compare([]byte(a.SeenBy), []byte(b.SeenBy)) })
		first, err := firstDoubt(there[writer], list, there)
		if err != nil {
			return nil, err
		}
		for _, d := range first {
			purged, err := ofTypes(there[writer].copied, events.LogPurged)
			if err != nil {
				return nil, err
			}
			d.Anew = timesAnew(purged) > 0
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Doubt) int { return bytes.Compare([]byte(a.Writer), []byte(b.Writer)) })
	return out, nil
}

// firstDoubt returns the first named event that a log does not have. It reads the log once.
func firstDoubt(of shown, said []Doubt, there map[string]shown) ([]Doubt, error) {
	ids := map[int64]events.ID{}
	for _, d := range said {
		if d.Event > of.head.Events {
			return []Doubt{d}, nil
		}
		ids[d.Event] = ""
	}
	at := int64(0)
	for line, err := range of.copied.Lines() {
		if err != nil {
			return nil, err
		}
		at++
		if _, asked := ids[at]; !asked {
			continue
		}
		e, err := events.DecodeLine(bytes.Clone(line.Line))
		if err != nil {
			return nil, err
		}
		ids[at] = e.ID
	}
	for _, d := range said {
		for _, w := range there[d.SeenBy].head.Seen {
			if w.Writer == d.Writer && w.Seq == d.Event && w.Event != ids[d.Event] {
				return []Doubt{d}, nil
			}
		}
	}
	return nil, nil
}
