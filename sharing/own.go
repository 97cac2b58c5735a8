package sharing

import (
	"context"
	"errors"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// ErrNothingLost reports that a remote has nothing of this clone that the clone itself has not.
var ErrNothingLost = errors.New("the remote has nothing of this clone that the clone itself has lost")

// Regained is what PullOwn did.
type Regained struct {
	Old, New string // ids of the writer
	From, To int64  // the events that are on the remote alone, by their numbers in the log that was lost
	Pulled   *Pulled
}

// PullOwn is for a clone that came out of a backup older than its publications. The log that is here becomes
// one of another writer, as what the remote has under that id does. So what was lost is read from there. The clone goes
// on under a new id.
func PullOwn(ctx context.Context, log *events.Log, r Remote, most int64) (out Regained, err error) {
	p := &Plan{Remote: r, repo: log.Repo(), log: log}
	if p.Writer, err = log.Writer(); err != nil {
		return out, err
	}
	own, err := log.Copy(ctx, refs.EventsRef)
	if err != nil {
		return out, err
	}
	p.Digest = &Digest{Source: events.Witness{Writer: p.Writer, Seq: own.Last(), Event: own.LastID()}}
	own.Close()
	name := p.ref("digest")
	found, err := there(ctx, p.repo, r.Name, name)
	if err != nil {
		return out, err
	}
	if found[name].IsZero() {
		return out, ErrNothingLost
	}
	if err := p.bring(ctx, r.Name, found[name]); err != nil {
		return out, err
	}
	ahead := p.isOurs(ctx, found[name])
	switch {
	case ahead == nil:
		return out, ErrNothingLost
	case !errors.Is(ahead, ErrBehind) && !errors.Is(ahead, ErrDiverged):
		return out, ahead
	}
	lost, err := log.ReadPublication(found[name])
	if err != nil {
		return out, err
	}
	out.From, out.To = p.Digest.Source.Seq+1, lost.Head.Source.Seq
	if out.Old, out.New, err = log.SetAside(ctx); err != nil {
		return out, err
	}
	out.Pulled, err = Pull(ctx, log, r, What{Most: most})
	return out, err
}
