package trails

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/ledger"
	"github.com/git-trace/git-trace/trails/snapshot"
	"github.com/git-trace/git-trace/trails/vector"
)

// Remembered returns the owners of the lines of a content, at the time when the path had it. If no boundary saw it,
// they are nobody's.
func Remembered(repo *refs.Repo, path string, content []byte) PendingLines {
	p, _ := remembered(repo, path, newText(repo.Format.Hash(refs.BlobObject, content), content))
	return p
}

func remembered(repo *refs.Repo, path string, t text) (p PendingLines, known bool) {
	p = PendingLines{Vector: vector.Uniform(len(t.lines), vector.Unknown), owners: ledger.NewOwners(repo)}
	v, known := ledger.NewKnown(repo).Get(path, t.oid)
	if known = known && v.Len() == len(t.lines); known {
		p.Vector = v
	}
	return p, known
}

// Announce looks at the work tree, so that its contents are kept. It notes which contents the paths are about to get
// back. A content that turns up as announced brings the owners of its lines.
func (e *Engine) Announce(ctx context.Context, at time.Time, contents map[string]refs.OID) error {
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.Manual}}
		if err := s.lookAtAll("manual"); err != nil {
			return err
		}
		if s.state.Expected == nil {
			s.state.Expected = map[string]refs.OID{}
		}
		maps.Copy(s.state.Expected, contents)
		return nil
	})
}

// Arrived looks at the work tree after contents were put there. One that did not come is not waited for any longer.
func (e *Engine) Arrived(ctx context.Context, at time.Time, contents map[string]refs.OID) error {
	return e.advance(ctx, at, func(s *step) error {
		s.env = events.Draft{Method: []events.Method{events.Manual}}
		err := s.lookAtAll("manual")
		for path := range contents {
			delete(s.state.Expected, path)
		}
		return err
	})
}

// Kept returns which contents of paths the timeline can give back: a boundary saw them there, and they are still
// stored.
func Kept(ctx context.Context, repo *refs.Repo, contents map[string]refs.OID) (map[string]bool, error) {
	out := map[string]bool{}
	if len(contents) == 0 {
		return out, nil
	}
	objects, known := repo.Objects(), ledger.NewKnown(repo)
	defer objects.Close()
	last, err := snapshot.Open(ctx, repo, snapshotState(repo))
	if err != nil {
		return nil, fmt.Errorf("open snapshot state: %w", err)
	}
	defer last.Close()
	for path, content := range contents {
		_, seen := known.Get(path, content)
		if entry, found := last.Lookup(path); seen || found && entry.OID == content {
			_, err := objects.Blob(content)
			out[path] = err == nil
		}
	}
	return out, nil
}
