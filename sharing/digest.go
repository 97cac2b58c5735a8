package sharing

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

var digestTypes = []events.Type{
	events.LogStarted, events.SessionStarted, events.SessionEnded, events.PromptSubmitted, events.CommitAnchored,
	events.CommitRewritten, events.LogPurged, events.RecordStored,
}

// Digest is the part of this clone's log that says who wrote the lines of published commits.
type Digest struct {
	Events        []events.Event // the original events, in the order of the log
	Commits       []refs.OID     // published ones, in the order of their first anchors
	Withheld      int            // recorded commits that are not published
	Conversations []events.TraceID
	Silent        int            // conversations without a line in a published commit
	stored        []events.Event // the record_stored events of all conversations
	all           []events.Event // the events of this clone's log that a digest may have
	Source        events.Witness
}

// Published reports which commits a remote has.
type Published = func([]refs.OID) (map[refs.OID]bool, error)

// MakeDigest reads this clone's log, and the logs that were set aside among the fetched ones.
func MakeDigest(ctx context.Context, log *events.Log, fetched []events.FetchedLog, published Published) (
	*Digest, error,
) {
	d, err := readOwn(ctx, log, fetched)
	var there map[refs.OID]bool
	if err == nil {
		there, err = d.findPublished(d.all, published)
	}
	if err != nil {
		return nil, fmt.Errorf("make digest: %w", err)
	}
	d.choose(d.all, there)
	return d, nil
}

// readOwn reads all events that may be in a digest.
func readOwn(ctx context.Context, log *events.Log, fetched []events.FetchedLog) (*Digest, error) {
	own, err := log.Copy(ctx, refs.EventsRef)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	if len(own.Notes) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrBrokenLog, own.Notes[0])
	}
	d := &Digest{Source: events.Witness{Seq: own.Last(), Event: own.LastID()}}
	if d.all, err = ofTypes(own, digestTypes...); err != nil {
		return nil, err
	}
	aside, err := setAside(ctx, log, fetched)
	if err != nil {
		return nil, err
	}
	if len(d.all) > 0 {
		d.Source.Writer = d.all[0].Writer
		bare, err := headless(d.all[0])
		if err != nil {
			return nil, err
		}
		d.all = slices.Insert(d.all, 1, append([]events.Event{bare}, aside...)...) // after the event that opens the log
		if len(aside) > 0 {
			d.all = d.all[1:] // the events set aside are older than this log
		}
	}
	return d, nil
}

// `headless` removes the checked-out commit from the event that opens a log.
func headless(e events.Event) (events.Event, error) {
	started := events.DataOf[events.LogStartedData](e)
	started.Head = refs.OID{}
	data, err := events.Encode(started)
	e.Data = data
	return e, err
}

// setAside returns the events of this clone's logs under its former ids.
func setAside(ctx context.Context, log *events.Log, fetched []events.FetchedLog) (all []events.Event, err error) {
	for _, f := range fetched {
		if !f.Aside {
			continue
		}
		c, err := log.Copy(ctx, f.Ref)
		if err != nil {
			return nil, err
		}
		of, err := ofTypes(c, digestTypes[1:]...)
		c.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

// ofTypes reads the events of some types, in the order of the log.
func ofTypes(log *events.Copy, types ...events.Type) (all []events.Event, err error) {
	marks := make([][]byte, len(types))
	for i, t := range types {
		marks[i] = []byte(`"type":"` + string(t) + `"`)
	}
	for line, err := range log.Lines() {
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(marks, func(m []byte) bool { return bytes.Contains(line.Line, m) }) {
			continue
		}
		e, err := events.DecodeLine(bytes.Clone(line.Line))
		if err != nil {
			return nil, err
		}
		if slices.Contains(types, e.Type) {
			all = append(all, e)
		}
	}
	return all, nil
}

// `anchored` returns the commits that events anchor.
func anchored(all []events.Event) map[refs.OID]bool {
	out := map[refs.OID]bool{}
	for i := range all {
		if all[i].Type == events.CommitAnchored {
			out[commitOf(all[i])] = true
		}
	}
	return out
}

// commitOf returns the commit of an anchor without reading the rest, which may be long.
func commitOf(e events.Event) refs.OID {
	return events.DataOf[struct {
		Commit refs.OID `json:"commit"`
	}](e).Commit
}

// findPublished finds the published commits among the commits in events.
func (d *Digest) findPublished(all []events.Event, published Published) (map[refs.OID]bool, error) {
	told := anchored(all)
	named := maps.Clone(told)
	for i := range all {
		switch all[i].Type {
		case events.LogStarted:
			named[events.DataOf[events.LogStartedData](all[i]).Head] = true
		case events.CommitRewritten:
			for _, p := range events.DataOf[events.RewriteData](all[i]).Pairs {
				named[p.New], named[p.Old] = true, true
			}
		}
	}
	delete(named, refs.OID{}) // the zero id stands for a commit without a replacement
	there, err := published(slices.Collect(maps.Keys(named)))
	if err != nil {
		return nil, err
	}
	for c := range told {
		if !there[c] {
			d.Withheld++
		}
	}
	return there, nil
}

// choose fills the digest with the events that may be published.
func (d *Digest) choose(all []events.Event, there map[refs.OID]bool) {
	var anchors []events.Event
	for i := range all {
		if all[i].Type == events.CommitAnchored && there[commitOf(all[i])] {
			anchors = append(anchors, all[i])
		}
	}
	owning := map[events.TraceID]bool{}
	for _, a := range events.InForce(anchors) {
		if passedOn(&a) {
			continue // another clone publishes these conversations
		}
		for _, t := range owners(events.DataOf[events.CommitData](a)) {
			owning[t] = true
		}
	}
	d.Conversations = slices.Sorted(maps.Keys(owning))
	silent, seen := map[events.TraceID]bool{}, map[refs.OID]bool{}
	for _, e := range all {
		chosen := true
		switch e.Type {
		case events.LogStarted:
			head := events.DataOf[events.LogStartedData](e).Head
			chosen = len(d.Events) == 0 && (head.IsZero() || there[head])
		case events.SessionStarted, events.SessionEnded, events.PromptSubmitted:
			if chosen = owning[e.Trace]; !chosen {
				silent[e.Trace] = true
			}
		case events.RecordStored:
			chosen = false // until it is known which records leave
			d.stored = append(d.stored, e)
		case events.CommitAnchored:
			c := commitOf(e)
			if chosen = there[c]; chosen && !seen[c] {
				seen[c] = true
				d.Commits = append(d.Commits, c)
			}
		case events.CommitRewritten:
			// The event leaves whole or not at all, so that it is the same in every digest.
			pairs := events.DataOf[events.RewriteData](e).Pairs
			chosen = slices.ContainsFunc(pairs, func(p events.RewritePair) bool { return there[p.New] }) &&
				!slices.ContainsFunc(pairs, func(p events.RewritePair) bool { return !there[p.Old] })
		}
		if chosen {
			d.Events = append(d.Events, e)
		}
	}
	d.Silent = len(silent)
}

// passedOn reports whether an anchor repeats other clones' claims (package reconcile).
func passedOn(e *events.Event) bool {
	return slices.Contains(e.Method, events.Manual) && slices.Contains(e.Method, events.Import)
}

// owners returns the conversations that own a line of a commit.
func owners(c events.CommitData) []events.TraceID {
	var out []events.TraceID
	for _, f := range c.Files {
		for _, r := range f.Runs {
			if r.Owner >= 0 && r.Owner < len(c.Owners) && c.Owners[r.Owner].Trace != "" {
				out = append(out, c.Owners[r.Owner].Trace)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// `told` returns an event in its form for a digest: only with the listed members ([Leaves]), and with times cut to a
// span, if there is one.
func told(e events.Event, span time.Duration) events.Draft {
	d := e.Draft()
	d.Worktree, d.Data = "", listed(e.Type, d.Data)
	if span > 0 && d.Trace != "" {
		d.Time = d.Time.Truncate(span)
	}
	return d
}

// `missing` returns the events that an earlier digest does not have; the parameter `content` has the ids of the earlier
// events. An event with a differently cut time counts as published.
func (d *Digest) missing(content map[events.ID]bool, span time.Duration) ([]events.Draft, error) {
	var out []events.Draft
	for _, e := range d.Events {
		if e.Type == events.LogStarted && len(content) > 0 {
			continue // in each form
		}
		var today events.ID
		known := false
		for i, cut := range slices.Concat([]time.Duration{span}, cuts()) {
			id, err := told(e, cut).Content()
			if err != nil {
				return nil, fmt.Errorf("event %d: %w", e.Seq, err)
			}
			if i == 0 {
				today = id
			}
			if known = content[id]; known {
				break
			}
		}
		if !known { // an equal event may follow: two different events may be equal after the cut
			content[today] = true
			out = append(out, told(e, span))
		}
	}
	return out, nil
}

// name adds the events of the records that leave, with the blobs that leave instead of the stored ones. So a reader
// recognises these records.
func (d *Digest) name(sent []store.Entry, leaves map[refs.OID]refs.OID) {
	for _, e := range d.stored {
		here := events.DataOf[events.RecordData](e).Blob
		blob, looked := leaves[here]
		if looked && slices.ContainsFunc(sent, func(s store.Entry) bool { return s.Trace == e.Trace && s.Blob == blob }) {
			e.Data = bytes.ReplaceAll(e.Data, []byte(here.String()), []byte(blob.String()))
			d.Events = append(d.Events, e)
		}
	}
}
