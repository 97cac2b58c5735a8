package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// Remote writes anchors for the commits of a remote: first from this clone's log, then from other logs of that remote.
// The function `has` reports which commits the remote has. The parameter `label` names the remote in the refs of
// fetched logs. The function `open` opens the logs whose claims may be passed on.
func Remote(ctx context.Context, log *events.Log, label string, has func([]refs.OID) (map[refs.OID]bool, error),
	open func(*refs.Repo) (*index.Index, error)) error {
	err := own(ctx, log, has)
	if err == nil {
		err = passOn(ctx, log, label, has, open)
	}
	if err != nil {
		return fmt.Errorf("reconcile what the remote has: %w", err)
	}
	return nil
}

// own writes the anchors that this clone's log explains.
func own(ctx context.Context, log *events.Log, has func([]refs.OID) (map[refs.OID]bool, error)) error {
	reader, err := index.OpenOwn(log.Repo(), nil)
	if err != nil {
		return err
	}
	defer reader.Close()
	search := unseen.New(log.Repo(), reader)
	defer search.Close()
	commits, err := unheard(ctx, search, has)
	if err != nil {
		return err
	}
	found, _, err := Find(ctx, search, reader, commits, nil)
	if err != nil {
		return err
	}
	return Write(ctx, log, found)
}

// unheard returns the commits of a remote that a search may explain.
func unheard(ctx context.Context, search *unseen.Search, has func([]refs.OID) (map[refs.OID]bool, error)) (
	[]refs.OID, error) {
	commits, err := search.Unheard(ctx)
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	there, err := has(commits)
	return slices.DeleteFunc(commits, func(c refs.OID) bool { return !there[c] }), err
}

// passOn writes the missing anchors that other clones' logs explain. For example: the writer of a branch has left, and
// the server squashed the branch. A clone that fetched both knows the owners; a fresh clone would not.
func passOn(ctx context.Context, log *events.Log, label string, has func([]refs.OID) (map[refs.OID]bool, error),
	open func(*refs.Repo) (*index.Index, error)) error {
	reader, err := open(log.Repo())
	if err != nil {
		return err
	}
	defer reader.Close()
	if reader.Logs() == 1 {
		return nil
	}
	search := unseen.New(log.Repo(), reader)
	defer search.Close()
	commits, err := unheard(ctx, search, has)
	if err != nil {
		return err
	}
	told := teller{reader: reader, label: label, of: map[events.TraceID]bool{}, told: map[refs.OID]*belief.Commit{}}
	if commits, err = told.open(ctx, commits); err != nil {
		return err
	}
	var found []events.CommitData
	for batch := range slices.Chunk(commits, unseen.Batch) {
		known, err := belief.All(ctx, reader, search, batch)
		if err != nil {
			return err
		}
		for _, c := range known {
			if !c.Found {
				err = search.Settle(c)
			}
			data, why := told.found(c)
			if err := errors.Join(err, why); err != nil {
				return err
			}
			if len(data.Files) > 0 {
				found = append(found, data)
			}
		}
	}
	return Write(ctx, log, found, events.Import)
}

// teller knows the conversations that other clones publish on a remote.
type teller struct {
	reader *index.Index
	label  string
	of     map[events.TraceID]bool
	told   map[refs.OID]*belief.Commit // the anchors of the commits that have unknown lines
}

// open returns the commits that have lines for which no anchor names an owner.
func (t *teller) open(ctx context.Context, commits []refs.OID) ([]refs.OID, error) {
	known, err := belief.All(ctx, t.reader, nil, commits)
	var out []refs.OID
	for _, c := range known {
		if c.Added == 0 || c.Unknown > 0 {
			out, t.told[c.ID] = append(out, c.ID), c
		}
	}
	return out, err
}

// `tells` reports whether another clone published a conversation on that remote.
func (t *teller) tells(trace events.TraceID) (bool, error) {
	known, asked := t.of[trace]
	if asked || trace == "" {
		return known, nil
	}
	about, err := t.reader.ByTrace(trace)
	t.of[trace] = slices.ContainsFunc(about, func(e events.Event) bool {
		return e.From != nil && !e.From.Aside && e.From.Remote == t.label
	})
	return t.of[trace], err
}

// `found` returns the findings about a commit that are not published yet. It keeps only conversations that other clones
// publish.
func (t *teller) found(c *belief.Commit) (events.CommitData, error) {
	data := events.CommitData{Commit: c.ID, Added: c.Added}
	if !c.Found {
		return data, nil
	}
	place := map[*events.AnchorOwner]int{}
	for i := range c.Files {
		f := &c.Files[i]
		file := events.AnchorFile{Path: events.EncodePath(f.Path), Blob: f.Blob}
		before := t.told[c.ID].Runs(f.Path)
		for k := range f.Runs {
			r := &f.Runs[k]
			tells, err := t.tells(r.Owner.Trace)
			if err != nil {
				return data, err
			}
			if r.By != nil || !r.Knows() || r.Beyond || !tells || slices.ContainsFunc(before, func(b belief.Run) bool {
				return b.Knows() && b.Start < r.Start+r.Count && r.Start < b.Start+b.Count
			}) {
				continue
			}
			at, known := place[r.Owner]
			if !known {
				at = len(data.Owners)
				place[r.Owner], data.Owners = at, append(data.Owners, *r.Owner)
			}
			file.Runs = append(file.Runs, events.AnchorRun{Start: r.Start, Count: r.Count, Owner: at, Tier: r.Tier})
			data.AI += r.Count
		}
		if len(file.Runs) > 0 {
			data.Files = append(data.Files, file)
		}
	}
	data.Unknown = data.Added - data.AI
	return data, nil
}
