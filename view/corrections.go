package view

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Correction is a person's change of a call's lines: consecutive lines of a committed file that belong to the call or
// to the person.
type Correction struct {
	// `Later` says that an earlier commit has the call's lines unchanged. Then only the person's lines are listed; blame
	// has the agent's lines.
	Later  bool
	Patch  events.PatchID
	Commit refs.OID // a ref leads to it
	Path   string   // path as raw bytes
	Blob   refs.OID
	Start  int // first of the lines, from 1
	Count  int
	Human  int // the person's lines among them
	Call   string
	Wrote  []events.Fingerprint // fingerprints of the lines that the call wrote
}

// Corrections returns people's changes of the lines of a conversation. It takes only calls that wrote one hunk: with
// several hunks it is unknown which line replaced which.
func (r *Reader) Corrections(ctx context.Context, trace events.TraceID) ([]Correction, error) {
	if r.corrected == nil {
		if err := r.readCorrections(ctx); err != nil {
			return nil, err
		}
	}
	return r.corrected[trace], nil
}

// readCorrections finds the corrections of all conversations, once. A commit may have no line of the conversation, if a
// person changed all of them.
func (r *Reader) readCorrections(ctx context.Context) error {
	anchored, err := r.log.Anchored()
	if err != nil {
		return err
	}
	var all []Correction
	commits := map[refs.OID]bool{}
	holding := map[events.PatchID][]refs.OID{} // the commits that added a patch's lines unchanged
	for _, id := range anchored {
		known, err := belief.Of(r.log, id)
		if err != nil {
			return err
		}
		if found := correctionsIn(known); len(found) > 0 {
			all = append(all, found...)
			commits[id] = true
		}
		noteHolding(known, holding)
	}
	for i := range all {
		for _, id := range holding[all[i].Patch] {
			commits[id] = true
		}
	}
	reached, err := r.Reached(ctx, slices.Collect(maps.Keys(commits)))
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c Correction) bool { return !reached[c.Commit] })
	for i := range all {
		c := &all[i]
		c.Later = slices.ContainsFunc(holding[c.Patch], func(id refs.OID) bool { return id != c.Commit && reached[id] })
	}
	return r.byCall(all)
}

func noteHolding(known *belief.Commit, holding map[events.PatchID][]refs.OID) {
	for i := range known.Files {
		for _, run := range known.Files[i].Runs {
			if p := run.Owner.Patch; p != "" && !run.Beyond && !slices.Contains(holding[p], known.ID) {
				holding[p] = append(holding[p], known.ID)
			}
		}
	}
}

// correctionsIn finds the corrections in a commit. Calls are named by byCall.
func correctionsIn(known *belief.Commit) []Correction {
	var out []Correction
	for i := range known.Files {
		f := &known.Files[i]
		found := map[events.PatchID]*Correction{}
		broken := map[events.PatchID]bool{}
		for _, run := range f.Runs {
			patch, human := run.Owner.Patch, 0
			if run.Owner.Kind == events.OwnerHuman {
				patch, human = run.Owner.Previous, run.Count
			}
			if patch == "" || run.Beyond {
				continue
			}
			c := found[patch]
			if c == nil {
				c = &Correction{Commit: known.ID, Path: f.Path, Blob: f.Blob, Start: run.Start, Patch: patch}
				found[patch] = c
			}
			broken[patch] = broken[patch] || run.Start != c.Start+c.Count
			c.Count += run.Count
			c.Human += human
		}
		for patch, c := range found {
			if c.Human > 0 && !broken[patch] {
				out = append(out, *c)
			}
		}
	}
	slices.SortFunc(out, func(a, b Correction) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Start, b.Start))
	})
	return out
}

// byCall names the calls whose patches were changed, and leaves out calls with several hunks.
func (r *Reader) byCall(list []Correction) error {
	r.corrected = map[events.TraceID][]Correction{}
	for _, c := range list {
		wrote, found, err := r.log.Patch(c.Patch)
		if err != nil {
			return err
		}
		data := events.DataOf[events.PatchData](wrote)
		prints, err := events.DecodeFingerprints(data.Lines)
		if !found || err != nil || wrote.ToolCall == "" || len(prints) != data.NewCount || len(data.Kept) > 0 {
			continue // foreign, or not everything that the call wrote
		}
		patches, err := r.patchesOf(&wrote)
		if err != nil {
			return err
		}
		c.Call, c.Wrote = wrote.ToolCall, prints
		known := slices.ContainsFunc(r.corrected[wrote.Trace],
			func(k Correction) bool { return k.Call == c.Call && k.Commit == c.Commit })
		if patches == 1 && !known {
			r.corrected[wrote.Trace] = append(r.corrected[wrote.Trace], c)
		}
	}
	return nil
}

// patchesOf returns the number of hunks that an event's call wrote.
func (r *Reader) patchesOf(one *events.Event) (int, error) {
	of, err := r.log.ToolCall(one.ToolCall)
	n := 0
	for _, e := range of {
		if e.Type == events.PatchRecorded && e.Trace == one.Trace && e.Writer == one.Writer {
			n++
		}
	}
	return n, err
}
