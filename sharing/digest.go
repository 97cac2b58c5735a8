package sharing

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records/store"
	"github.com/git-trace/git-trace/refs"
)

// urlLabel names the refs of what was fetched from a URL that no remote has.
func urlLabel(url string) string {
	sum := blake3.Sum256([]byte(Bare(url)))
	return "url-" + hex.EncodeToString(sum[:8])
}

// digestTypes are the types of which events can be in a digest.
var digestTypes = []events.Type{
	events.LogStarted, events.SessionStarted, events.SessionEnded, events.PromptSubmitted, events.CommitAnchored,
	events.CommitRewritten, events.LogPurged, events.RecordStored,
}

// Digest is what of the own log tells who wrote the lines of published commits.
type Digest struct {
	Events        []events.Event // the originals, in the order of the log
	Commits       []refs.OID     // published ones, in the order of their first anchors
	Withheld      int            // commits that are recorded and not published
	Conversations []events.TraceID
	Silent        int            // conversations that left no line in a published commit
	stored        []events.Event // record_stored, of all conversations
	Source        events.Witness
}

// MakeDigest reads the own log. Published tells of commits whether the remote has them.
func MakeDigest(ctx context.Context, log *events.Log, published func([]string) (map[string]bool, error)) (*Digest,
	error) {
	own, err := log.Copy(ctx, refs.EventsRef)
	if err != nil {
		return nil, fmt.Errorf("make digest: %w", err)
	}
	defer own.Close()
	if len(own.Notes) > 0 {
		return nil, fmt.Errorf("make digest: %w: %s", ErrBrokenLog, own.Notes[0])
	}
	all, last, err := candidates(own)
	if err != nil {
		return nil, fmt.Errorf("make digest: %w", err)
	}
	d := &Digest{Source: events.Witness{Writer: last.Writer, Seq: last.Seq, Event: last.ID}}
	there, err := d.findPublished(all, published)
	if err != nil {
		return nil, fmt.Errorf("make digest: %w", err)
	}
	d.choose(all, there)
	return d, nil
}

// candidates reads the events of the types that can be in a digest, and the last event of all.
func candidates(own *events.Copy) (all []events.Event, last events.Event, err error) {
	marks := make([][]byte, len(digestTypes))
	for i, t := range digestTypes {
		marks[i] = []byte(`"type":"` + string(t) + `"`)
	}
	var end []byte
	for line, err := range own.Scan(0) {
		if err != nil {
			return nil, last, err
		}
		end = append(end[:0], line.Line...)
		if !slices.ContainsFunc(marks, func(m []byte) bool { return bytes.Contains(line.Line, m) }) {
			continue
		}
		e, err := events.DecodeLine(bytes.Clone(line.Line))
		if err != nil {
			return nil, last, err
		}
		if slices.Contains(digestTypes, e.Type) {
			all = append(all, e)
		}
	}
	if end != nil {
		last, err = events.DecodeLine(end)
	}
	return all, last, err
}

// findPublished asks which of the commits that are named are published.
func (d *Digest) findPublished(all []events.Event, published func([]string) (map[string]bool, error)) (
	map[refs.OID]bool, error) {
	var names []string
	anchored := map[refs.OID]bool{}
	for i := range all {
		switch all[i].Type {
		case events.CommitAnchored:
			c := events.DataOf[events.CommitData](all[i]).Commit
			if !anchored[c] {
				anchored[c] = true
				names = append(names, c.String())
			}
		case events.CommitRewritten:
			for _, p := range events.DataOf[events.RewriteData](all[i]).Pairs {
				if !p.New.IsZero() {
					names = append(names, p.New.String())
				}
			}
		}
	}
	slices.Sort(names)
	reached, err := published(slices.Compact(names))
	if err != nil {
		return nil, err
	}
	there := map[refs.OID]bool{}
	for name, is := range reached {
		if id, err := refs.ParseOID(name); err == nil && is {
			there[id] = true
		}
	}
	for c := range anchored {
		if !there[c] {
			d.Withheld++
		}
	}
	return there, nil
}

// choose fills the digest.
func (d *Digest) choose(all []events.Event, there map[refs.OID]bool) {
	var anchors []events.Event
	for i := range all {
		if all[i].Type == events.CommitAnchored && there[events.DataOf[events.CommitData](all[i]).Commit] {
			anchors = append(anchors, all[i])
		}
	}
	owning := map[events.TraceID]bool{}
	for _, a := range events.InForce(anchors) {
		for _, t := range owners(events.DataOf[events.CommitData](a)) {
			owning[t] = true
		}
	}
	d.Conversations = slices.Sorted(maps.Keys(owning))
	silent, seen := map[events.TraceID]bool{}, map[refs.OID]bool{}
	for _, e := range all {
		chosen := true
		switch e.Type {
		case events.SessionStarted, events.SessionEnded, events.PromptSubmitted:
			if chosen = owning[e.Trace]; !chosen {
				silent[e.Trace] = true
			}
		case events.RecordStored:
			chosen = false // until it is known which of them leave
			d.stored = append(d.stored, e)
		case events.CommitAnchored:
			c := events.DataOf[events.CommitData](e).Commit
			if chosen = there[c]; chosen && !seen[c] {
				seen[c] = true
				d.Commits = append(d.Commits, c)
			}
		case events.CommitRewritten:
			chosen = slices.ContainsFunc(events.DataOf[events.RewriteData](e).Pairs, func(p events.RewritePair) bool {
				return there[p.New]
			})
		}
		if chosen {
			d.Events = append(d.Events, e)
		}
	}
	d.Silent = len(silent)
}

// owners are the conversations that own a line of a commit.
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

// told is an event as a digest has it: without the name of the work tree in which it happened.
func told(e events.Event) events.Draft {
	d := e.Draft()
	d.Worktree = ""
	return d
}

// missing are the events of the digest that are not in an earlier one, of which content gives what its events say.
func (d *Digest) missing(content map[events.ID]bool) ([]events.Draft, error) {
	var out []events.Draft
	for _, e := range d.Events {
		draft := told(e)
		id, err := draft.Content()
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		if !content[id] {
			content[id] = true
			out = append(out, draft)
		}
	}
	return out, nil
}

// name adds what the log says of the records that leave, so that a reader can tell them from others.
func (d *Digest) name(sent []store.Entry) {
	for _, e := range d.stored {
		blob := events.DataOf[events.RecordData](e).Blob
		if slices.ContainsFunc(sent, func(s store.Entry) bool { return s.Trace == e.Trace && s.Blob == blob }) {
			d.Events = append(d.Events, e)
		}
	}
}
