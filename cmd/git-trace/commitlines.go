package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/correlate"
	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/correlate/claim"
	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/correlate/unseen"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// commitOwners finds the owners of the lines that commits added, like blame.
type commitOwners struct {
	ctx      context.Context
	repo     *refs.Repo
	evidence *blame.Evidence
	search   *unseen.Search // nil for none
	reader   *index.Index
	log      belief.Log // the same, or with the names of conversations
	objects  *refs.Objects
	hooked   map[events.TraceID]*callsHooked
}

// newCommitOwners looks into the log and, if there is a search, for commits that no hook reported.
func newCommitOwners(ctx context.Context, repo *refs.Repo, reader *index.Index, search *unseen.Search) *commitOwners {
	return &commitOwners{ctx: ctx, repo: repo, reader: reader, log: reader, search: search,
		evidence: blame.NewEvidence(repo, reader, nil), objects: repo.Objects(), hooked: map[events.TraceID]*callsHooked{}}
}

// named gives owners the names of their conversations.
func (o *commitOwners) named(known *conversations) *commitOwners {
	o.log = known.Log()
	return o
}

func (o *commitOwners) close() { _ = o.objects.Close() }

// linesOf returns the lines that a commit added, file by file; submodules and files without lines have none.
func linesOf(c *history.Commit) []claim.Lines {
	var out []claim.Lines
	for i := range c.Files {
		f := &c.Files[i]
		if f.NewMode == refs.ModeGitlink || f.New.IsZero() {
			continue
		}
		lines := claim.Lines{Path: f.Path, Blob: f.New}
		for _, h := range f.Hunks {
			for n := range h.Added {
				lines.Added = append(lines.Added, h.NewStart+n)
			}
		}
		if len(lines.Added) > 0 {
			out = append(out, lines)
		}
	}
	return out
}

// Commits are asked about together, so that git is not asked about each by itself, in batches of so many commits and
// added lines.
const (
	ownersBatch = 256
	ownersLines = 100_000
)

// each yields the owners in the commits of a list, parents before children. Within a batch git is asked in reverse
// order: packs store the newest contents whole, and older ones as differences.
func (o *commitOwners) each(list []history.Commit, yield func(*history.Commit, *events.CommitData) error) error {
	debug.SetGCPercent(countGrowth)
	asked := slices.Clone(list)
	for batch := range slices.Chunk(asked, ownersBatch) {
		slices.Reverse(batch)
	}
	batch := make([]history.Commit, 0, ownersBatch)
	var known []*events.CommitData
	read, lines := 0, 0
	return history.Walk(o.ctx, o.repo, asked, func(c *history.Commit) error {
		batch = append(batch, *c)
		for i := range c.Files {
			lines += c.Files[i].AddedLines()
		}
		read++
		whole := len(batch) == ownersBatch || read == len(asked)
		if !whole && lines < ownersLines {
			return nil
		}
		more, err := o.of(batch[len(known):])
		if err != nil {
			return err
		}
		if known, lines = append(known, more...), 0; !whole {
			for i := range batch {
				batch[i].Forget()
			}
			return nil
		}
		for i, data := range slices.Backward(known) {
			if err := yield(&batch[i], data); err != nil {
				return err
			}
		}
		clear(batch)
		batch, known = batch[:0], nil
		return nil
	})
}

// of returns the owners in some commits.
func (o *commitOwners) of(commits []history.Commit) ([]*events.CommitData, error) {
	ids := make([]refs.OID, len(commits))
	for i := range commits {
		ids[i] = commits[i].ID
	}
	var search belief.Searcher
	if o.search != nil {
		o.search.Given(commits)
		search = o.search
	}
	known, err := belief.All(o.ctx, o.log, search, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*events.CommitData, len(commits))
	for i := range commits {
		out[i] = ownersOf(&commits[i], known[i])
	}
	return out, nil
}

// ownersOf returns the owners of the lines that a commit added, as an anchor has them.
func ownersOf(c *history.Commit, known *belief.Commit) *events.CommitData {
	data := &events.CommitData{Commit: c.ID, Parents: c.Parents}
	index := map[string]int{}
	ownerAt := func(run *belief.Run) (at int, tier string) {
		owner := events.AnchorOwner{Kind: events.OwnerUnknown}
		if run != nil {
			owner, tier = *run.Owner, run.Tier
			owner.Candidates, owner.Limits = nil, nil
		}
		key := fmt.Sprint(owner)
		at, found := index[key]
		if !found {
			at = len(data.Owners)
			index[key], data.Owners = at, append(data.Owners, owner)
		}
		return at, tier
	}
	for _, lines := range linesOf(c) {
		file := events.AnchorFile{Path: events.EncodePath(lines.Path), Blob: lines.Blob}
		runs := known.Runs(lines.Path)
		var before *belief.Run // that the line before lies in; nil where nobody knows
		at, tier := -1, ""
		for _, line := range lines.Added {
			for len(runs) > 0 && runs[0].Start+runs[0].Count <= line {
				runs = runs[1:]
			}
			var run *belief.Run
			if len(runs) > 0 && runs[0].Start <= line && runs[0].Knows() {
				run = &runs[0]
			}
			if at < 0 || run != before {
				at, tier = ownerAt(run)
				before = run
			}
			data.Added++
			if last := len(file.Runs) - 1; last >= 0 && file.Runs[last].Owner == at &&
				file.Runs[last].Start+file.Runs[last].Count == line {
				file.Runs[last].Count++
				continue
			}
			file.Runs = append(file.Runs, events.AnchorRun{Start: line, Count: 1, Owner: at, Tier: tier})
		}
		data.Files = append(data.Files, file)
	}
	return data
}

// unknown names the lines of a commit without a known owner.
func (o *commitOwners) unknown(commit refs.OID) claim.Unknown {
	return o.ofKind(commit, events.OwnerUnknown, "")
}

// dispute lets calls that no hook reported take lines that count as a person's, if the commit has them exactly as
// written.
func (o *commitOwners) dispute(commit refs.OID) *claim.Dispute {
	return &claim.Dispute{Persons: o.persons(commit), May: func(owner events.AnchorOwner, tier string) bool {
		if !correlate.Disputes(tier) {
			return false
		}
		if owner.Trace == "" {
			return false
		}
		calls, known := o.hooked[owner.Trace]
		if !known {
			calls = hookedCalls(o.reader, owner.Trace)
			o.hooked[owner.Trace] = calls
		}
		return calls == nil || calls.native && !calls.told[owner.ToolCall]
	}}
}

// callsHooked has the calls of a conversation that hooks reported.
type callsHooked struct {
	told   map[string]bool
	native bool // by the ids that the session file has
}

// hookedCalls returns these calls; nil for a conversation that no hook reported.
func hookedCalls(reader *index.Index, trace events.TraceID) *callsHooked {
	_, hooked, err := told(reader, trace)
	if err == nil && !hooked {
		return nil
	}
	out := &callsHooked{told: map[string]bool{}, native: err == nil}
	known, err := reader.ByTrace(trace)
	out.native = out.native && err == nil
	for _, e := range known {
		if e.Type == events.WindowOpened || e.Type == events.WindowClosed || e.Type == events.WindowAbandoned {
			out.told[e.ToolCall] = true
			out.native = out.native && !slices.Contains(e.Limits, events.LimitIDMissing)
		}
	}
	return out
}

// persons reports which lines of a commit are a person's.
func (o *commitOwners) persons(commit refs.OID) claim.Unknown {
	return o.ofKind(commit, events.OwnerHuman)
}

func (o *commitOwners) ofKind(commit refs.OID, kinds ...events.OwnerKind) claim.Unknown {
	return func(path string, lines []int) ([]bool, error) {
		answers, err := o.evidence.Committed(o.ctx, commit, path, lines)
		if err != nil {
			return nil, err
		}
		out := make([]bool, len(answers))
		for i := range answers {
			out[i] = slices.Contains(kinds, answers[i].Kind)
		}
		return out, nil
	}
}

// anchored reports whether the log has an anchor of a commit.
func (o *commitOwners) anchored(commit refs.OID) (bool, error) {
	n, err := o.reader.Anchors(commit)
	return n > 0, err
}

// content returns the lines of the files of a commit.
func (o *commitOwners) content(commit refs.OID) func(path string) ([]string, error) {
	return func(path string) ([]string, error) {
		_, typ, raw, err := o.objects.ReadRev(commit.String() + ":" + path)
		if err != nil {
			return nil, err
		}
		if typ != refs.BlobObject || len(raw) == 0 {
			return nil, nil
		}
		return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n"), nil
	}
}

// appendDrafts appends events in batches that a log takes.
func appendDrafts(ctx context.Context, log *events.Log, drafts []events.Draft) error {
	const most, bytes = 500, 8 << 20
	for len(drafts) > 0 {
		n, size := 0, 0
		for n < len(drafts) && n < most && (n == 0 || size+len(drafts[n].Data) < bytes) {
			size += len(drafts[n].Data)
			n++
		}
		within, cancel := context.WithTimeout(ctx, time.Minute)
		_, err := log.Append(within, drafts[:n])
		cancel()
		if err != nil {
			return err
		}
		drafts = drafts[n:]
	}
	return nil
}
