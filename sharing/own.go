package sharing

import (
	"context"
	"errors"

	"github.com/git-trace/git-trace/events"
)

// ErrNothingLost reports that this clone still has all its events that a remote has.
var ErrNothingLost = errors.New("the remote has nothing of this clone that the clone itself has lost")

// Lost describes events that a remote has under this clone's id and that the clone does not have. The clone may have
// published them and then been restored from a backup, or somebody else wrote them.
type Lost struct {
	Events   []events.Event
	From, To int64 // numbers in the lost log, according to the remote's digest
	Signed   bool  // this clone's key signed the events

	log    *events.Log
	remote Remote
}

// Regained is the result of Take.
type Regained struct {
	Old, New string // ids of the writer
	Pulled   *Pulled
}

// FindLost asks a remote for events that this clone lost. It changes nothing.
func FindLost(ctx context.Context, log *events.Log, s *Settings, r Remote) (*Lost, error) {
	p := &Plan{Remote: r, repo: log.Repo(), log: log, settings: s}
	var err error
	if p.Writer, err = log.Writer(); err != nil {
		return nil, err
	}
	if p.fetched, err = log.Fetched(ctx); err != nil {
		return nil, err
	}
	if p.Digest, err = readOwn(ctx, log, p.fetched); err != nil {
		return nil, err
	}
	name := p.ref("digest")
	found, err := there(ctx, p.repo, r.Name, name)
	if err != nil {
		return nil, err
	}
	if found[name].IsZero() {
		return nil, ErrNothingLost
	}
	if err := p.bring(ctx, r.Name, found[name]); err != nil {
		return nil, err
	}
	lost, err := log.ReadPublication(found[name])
	if err != nil {
		return nil, err
	}
	var more *NotOwn
	switch err := p.isOwn(ctx, lost); {
	case err == nil, errors.As(err, &more) && len(more.Events) == 0:
		return nil, ErrNothingLost
	case more == nil:
		return nil, err
	}
	l := &Lost{
		Events: more.Events, From: p.Digest.Source.Seq + 1, To: lost.Head.Source.Seq, log: log, remote: r,
	}
	if s.signs() {
		l.Signed, err = p.signedByUs(ctx, lost.Commit)
	}
	return l, err
}

// Take is for a clone that was restored from a backup older than its publications. It sets the present log aside; this
// log keeps its rank. The remote's log under the old id counts as another clone's. The clone gets a new id.
func (l *Lost) Take(ctx context.Context, most int64) (out Regained, err error) {
	if out.Old, out.New, err = l.log.SetAside(ctx); err != nil {
		return out, err
	}
	out.Pulled, err = Pull(ctx, l.log, l.remote, What{Most: most})
	return out, err
}
