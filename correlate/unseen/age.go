package unseen

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// A commit cannot have lines from a younger patch. The order of events in a log is certain; clocks are not. So the log
// is checked first. It names commits that were checked out or made. Such a commit and its ancestors existed when the
// event was written. Committer dates are checked second. They are compared with each other, not with the log's clock.
// For example: an agent types lines that a commit of last year already has. That commit does not become the agent's.

// age holds the evidence about the age of a commit.
type age struct {
	dated   time.Time
	parents []refs.OID
	named   map[int]int64           // number of the first event after which the commit existed, or never, by log
	before  bool                    // the commit existed before every log began
	belief  map[events.PatchID]bool // cached results of believes
	said    *bool                   // cached result of said; nil before the first use
}

// `never` stands for an event that does not exist: no event has so large a number.
const never = math.MaxInt64

// ownLog is the index of this clone's log among the logs.
const ownLog = 0

// person holds the author of a patch, and the place of the patch in the log.
type person struct {
	owner events.AnchorOwner
	at    index.Mention
	time  time.Time
	found bool
	void  bool // the call had ended before the patch, or never ran
}

// `believes` reports whether a patch can be the source of the commit's lines. Another clone may publish an anchor
// without its patch: then the anchor is enough.
func (f *file) believes(id events.PatchID) bool {
	if p, err := f.person(id); f.others && err == nil && !p.found {
		return true
	}
	known, done := f.age.belief[id]
	if !done {
		p, err := f.person(id)
		f.fail(err)
		switch {
		case p.void:
		case f.elsewhere && (!p.found || f.said(p.at.Log)):
		case p.found:
			known = !f.olderThan(f.age, p.at, p.time)
		default: // the timeline knows the patch, and its event is not yet in the log
			known = f.namedIn(f.age, 0) == never
		}
		f.age.belief[id] = known
	}
	return known
}

// `said` reports whether the log is this clone's, unless only other logs have an anchor of the commit. For example: a
// colleague picked a commit from here, and their log does not know its lines.
func (f *file) said(log int) bool {
	if log != ownLog {
		return false
	}
	if f.age.said == nil {
		named, err := f.index.ByCommit(f.commit)
		f.fail(err)
		own, err := f.index.OwnWriter()
		f.fail(err)
		here, there := false, false
		for _, e := range named {
			here = here || e.Type == events.CommitAnchored && e.Mine(own)
			there = there || e.Type == events.CommitAnchored && !e.Mine(own)
		}
		said := here || !there
		f.age.said = &said
	}
	return *f.age.said
}

// person finds the author of a patch.
func (s *Search) person(id events.PatchID) (person, error) {
	if p, done := s.people[id]; done {
		return p, nil
	}
	var p person
	at, e, found, err := s.index.PatchAt(id)
	if err != nil {
		return p, err
	}
	if found {
		p = person{owner: ownerOf(&e), at: at, time: e.Time, found: true, void: s.takenBack(&e)}
	}
	s.people[id] = p
	return p, nil
}

// takenBack reports whether the log says that the call of a patch never ran, or ended before the patch.
func (s *Search) takenBack(e *events.Event) bool {
	if s.ended == nil {
		ended, err := s.index.ByType(events.WindowAbandoned)
		s.fail(err)
		s.ended = map[string][]events.Event{}
		for i := range ended {
			s.ended[ended[i].ToolCall] = append(s.ended[ended[i].ToolCall], ended[i])
		}
	}
	return slices.ContainsFunc(s.ended[e.ToolCall], func(end events.Event) bool {
		d := events.DataOf[events.WindowData](end)
		return end.Trace == e.Trace && e.ToolCall != "" && d.TakesBack(e.Time)
	})
}

// ownerOf returns the owner of a patch in the form that anchors use.
func ownerOf(e *events.Event) events.AnchorOwner {
	p, ok := data[events.PatchData](e)
	if !ok {
		return events.AnchorOwner{Kind: events.OwnerUnknown}
	}
	if p.Owner != events.OwnerAI && p.Owner != events.OwnerMixed {
		return events.AnchorOwner{Kind: p.Owner, Patch: p.Patch}
	}
	return events.AnchorOwner{
		Kind: p.Owner, Patch: p.Patch, Trace: e.Trace, Agent: e.Agent, Session: e.Session, Subagent: e.Subagent,
		Model: p.Model, Tool: p.Tool, ToolCall: e.ToolCall, Prompt: p.Prompt, Step: e.Step,
		Candidates: p.Candidates, Limits: e.Limits,
	}
}

// `young` returns the commits that may be younger than the beginning of some log. Recorded patches cannot be the source
// of older commits.
func (s *Search) young(ctx context.Context, commits []refs.OID) ([]refs.OID, error) {
	var asked []refs.OID
	for _, c := range commits {
		if s.ages[c] != nil {
			continue
		}
		a, err := s.dated(c)
		if err != nil {
			continue
		}
		s.ages[c] = a
		asked = append(asked, c)
	}
	if began, err := refs.ParseOID(s.began(ctx)); err == nil && len(asked) > 0 && s.legible(began) {
		old, err := s.reached(ctx, asked, []index.NamedCommit{{Commit: began}})
		if err != nil {
			return nil, err
		}
		for c := range old {
			a := s.ages[c]
			a.before = true
			for log := range s.digest.Logs() {
				if heads := s.digest.Heads(log); len(heads) > 0 {
					a.named[log] = heads[0].Seq
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(commits), func(c refs.OID) bool { return s.ages[c] == nil || s.old(c) }), nil
}

// Ahead finds the age of commits that will be searched one by one later. It calls git once for all of them.
func (s *Search) Ahead(ctx context.Context, commits []refs.OID) error {
	if s.untraced() {
		return nil
	}
	if err := s.prepare(ctx); err != nil {
		return fmt.Errorf("search owners: %w", err)
	}
	if _, err := s.young(ctx, commits); err != nil {
		return fmt.Errorf("search owners: %w", err)
	}
	return nil
}

// `dated` returns the date and the parents of a commit. A walk of the history has read both; at the end of a shallow
// history git shows no parents.
func (s *Search) dated(commit refs.OID) (*age, error) {
	a := &age{named: map[int]int64{}, belief: map[events.PatchID]bool{}}
	if given := s.given[commit]; given != nil && len(given.Parents) == 1 {
		a.dated, a.parents = given.Committed, given.Parents
		return a, nil
	}
	decoded, err := s.objects.Commit(commit)
	a.dated, a.parents = decoded.Committer.When, decoded.Parents
	return a, err
}

// `old` reports whether a commit is known to be older than the logs.
func (s *Search) old(commit refs.OID) bool {
	a := s.ages[commit]
	return a != nil && a.before
}

// `reached` returns the commits that are heads, or ancestors of heads.
func (s *Search) reached(ctx context.Context, commits []refs.OID, heads []index.NamedCommit) (map[refs.OID]bool,
	error) {
	if len(commits) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, c := range commits {
		in.WriteString(c.String() + "\n")
	}
	for _, h := range heads {
		in.WriteString("^" + h.Commit.String() + "\n")
	}
	// A head may be missing in this clone.
	out, err := s.repo.Git(ctx, strings.NewReader(in.String()), "rev-list", "--ignore-missing", "--stdin")
	if err != nil {
		return nil, err
	}
	reached := map[refs.OID]bool{}
	for _, c := range commits {
		reached[c] = true
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		if c, err := refs.ParseOID(lines.Text()); err == nil {
			delete(reached, c)
		}
	}
	return reached, nil
}

// heads lists the commits that a log names and that this clone may have, each at its first mention. A log may name any
// number of missing commits, and git takes long to search for each of them.
func (s *Search) heads(log int) []index.NamedCommit {
	if out, done := s.here[log]; done {
		return out
	}
	seen := map[refs.OID]bool{}
	out := slices.DeleteFunc(slices.Clone(s.digest.Heads(log)), func(h index.NamedCommit) bool {
		again := seen[h.Commit]
		seen[h.Commit] = true
		return again || !s.objects.MayBeStored(h.Commit) || !s.legible(h.Commit)
	})
	s.here[log] = out
	return out
}

// `legible` reports whether a commit can be read. It checks only if the history is known to be damaged, which is rare.
func (s *Search) legible(commit refs.OID) bool {
	if s.repo.Grafts == "" {
		return true
	}
	_, err := s.objects.Commit(commit)
	return err == nil
}

// namedIn returns the number of the first event of a log that proves that the commit existed. The first call searches
// for all commits in question.
func (s *Search) namedIn(a *age, log int) int64 {
	if seq, done := a.named[log]; done {
		return seq
	}
	heads := s.heads(log)
	if len(heads) == 0 {
		return never
	}
	open := map[refs.OID]*age{}
	for c, one := range s.ages {
		if _, done := one.named[log]; !done {
			open[c] = one
			one.named[log] = never
		}
	}
	s.fail(s.firstNaming(context.Background(), open, heads, func(a *age, h index.NamedCommit) { a.named[log] = h.Seq }))
	return a.named[log]
}

// `promptly` is the time within which the hook of a commit writes to the log, if the clock of the machine is right.
const promptly = 10 * time.Minute

// olderThan reports whether a commit existed before a patch. The patch is given by its place in the logs and its time.
func (s *Search) olderThan(a *age, patch index.Mention, when time.Time) bool {
	if s.namedIn(a, patch.Log) < patch.Seq {
		return true
	}
	heads := s.digest.Heads(patch.Log)
	n, _ := slices.BinarySearchFunc(heads, patch.Seq, func(h index.NamedCommit, seq int64) int { return int(h.Seq - seq) })
	for at := n - 1; at >= 0 && at >= n-4; at-- {
		head, err := s.objects.Commit(heads[at].Commit)
		if err != nil {
			continue // the head is missing
		}
		dated := head.Committer.When
		if a.dated.Before(dated) {
			return true
		}
		// If the log's clock agrees with the dates of commits, the time of the patch counts too.
		e, found, err := s.index.At(index.Mention{Log: patch.Log, Seq: heads[at].Seq})
		s.fail(err)
		lag := e.Time.Sub(dated)
		honest := found && e.Type == events.CommitAnchored && lag > -promptly && lag < promptly
		return honest && a.dated.Before(when.Add(-promptly))
	}
	return false
}
