package trails

import (
	"context"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/vector"
)

// AtRewrite takes commits into the timeline that git made of others by itself, as the picks of a rebase: it lets anchor
// say, under the lock, which events record them. The work tree is not looked at, for it has no part in them: their lines
// come from the commits whose place they took and from their parents. A line that neither has is nobody's.
func (e *Engine) AtRewrite(
	ctx context.Context, at time.Time, commits []refs.OID, anchor func(*View) ([]events.Draft, error),
) error {
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.PostRewrite}}
		s.contents = map[refs.OID][]byte{}
		v := &View{
			Known: s.known, Owners: s.owners, Objects: s.objects, Blob: s.blob, nearest: s.current, origins: s.origins,
			Unseen: func(string, []byte) vector.Owner { return vector.Unknown },
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

// maxContents bounds the contents that are kept while commits that follow each other are anchored, in bytes.
const maxContents = 16 << 20

// blob reads a content. Where commits follow each other, what one made is what the next one changes.
func (s *step) blob(oid refs.OID) ([]byte, error) {
	if raw, ok := s.contents[oid]; ok {
		return raw, nil
	}
	raw, err := s.objects.Blob(oid)
	if err != nil || s.contents == nil {
		return raw, err
	}
	if s.kept += len(raw); s.kept > maxContents {
		clear(s.contents)
		s.kept = len(raw)
	}
	s.contents[oid] = raw
	return raw, nil
}
