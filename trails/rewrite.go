package trails

import (
	"context"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/moment"
	"github.com/git-trace/git-trace/trails/origin"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// AtRewrite takes commits into the timeline that git made of others by itself, as the picks of a rebase: it lets anchor
// say, under the lock, which events record them. The work tree is not looked at, for it has no part in them: their
// lines come from the commits whose place they took and from their parents. A line that neither has is nobody's.
func (e *Engine) AtRewrite(
	ctx context.Context, at time.Time, commits []refs.OID, anchor func(*View) ([]events.Draft, error),
) error {
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.PostRewrite}}
		s.texts.contents = map[refs.OID][]byte{}
		v := &View{
			Known: s.known, Owners: s.owners, Objects: s.objects, Blob: s.blob,
			Unseen:   func(string, []byte) vector.Owner { return vector.Unknown },
			question: func(c Committed) *origin.Query { return s.committed(moment.Rewritten, c) },
		}
		drafts, err := anchor(v)
		if err != nil {
			return err
		}
		for _, d := range drafts {
			d.Time, d.Worktree = s.time, s.repo.WorktreeName()
			s.drafts = append(s.drafts, d)
		}
		s.state.Anchored = append(s.state.Anchored, commits...)
		return s.err
	})
}

// madeOf returns the last seen content of a path. It counts only if git has done nothing but commits until the
// commit in question. Then git did not write to the work tree, so that content is what somebody changed.
func (s *workTree) madeOf(commit refs.OID, path string) (origin.Candidate, bool) {
	if !s.gitAt(path).OnlyCommitsUntil(commit) {
		return origin.Candidate{}, false
	}
	return s.lastHeld(path)
}

// lastHeld returns the last seen content of a path. The work tree is not looked at, and the state is left as it is.
func (s *workTree) lastHeld(path string) (origin.Candidate, bool) {
	if !s.findLast() {
		return origin.Candidate{}, false
	}
	entry, found := s.last.Lookup(path)
	return origin.Candidate{Path: path, Blob: entry.OID}, found
}

// findLast opens the state that the last look left. One that cannot be read says nothing.
func (s *workTree) findLast() bool {
	if s.last == nil {
		eng, err := snapshot.Open(s.ctx, s.repo, snapshotState(s.repo))
		if err != nil {
			return false
		}
		s.last = eng
	}
	return true
}

// maxContents bounds the contents that are kept while successive commits are anchored, in bytes.
const maxContents = 16 << 20

// blob reads a content. If commits follow each other, one's result is the next one's base.
func (s *workTree) blob(oid refs.OID) ([]byte, error) {
	if raw, ok := s.texts.contents[oid]; ok {
		return raw, nil
	}
	raw, err := s.objects.Blob(oid)
	if err != nil || s.texts.contents == nil {
		return raw, err
	}
	if s.texts.kept += len(raw); s.texts.kept > maxContents {
		clear(s.texts.contents)
		s.texts.kept = len(raw)
	}
	s.texts.contents[oid] = raw
	return raw, nil
}
