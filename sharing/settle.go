package sharing

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-trace/git-trace/refs"
)

// settle finds the digest on which this one is built: what the remote has, if that is of this very clone.
func (p *Plan) settle(ctx context.Context, there refs.OID) error {
	kept := p.kept("digest")
	here, err := p.log.Tip(kept)
	if err != nil {
		return err
	}
	if !there.IsZero() && there != here {
		if err := p.bring(ctx, p.URL, there); err != nil {
			return err
		}
		err := p.isOurs(ctx, there)
		if p.anew && err != nil && !errors.Is(err, ErrBehind) && !errors.Is(err, ErrDiverged) {
			p.base = none() // it is damaged, and goes
			return nil
		}
		if err != nil {
			return err
		}
		if err := p.repo.SetRef(ctx, kept, there); err != nil {
			return err
		}
	}
	if p.anew = p.anew && !there.IsZero(); p.anew {
		p.base = none()
		return nil
	}
	if p.base, err = readEarlier(ctx, p.log, kept); err != nil {
		return fmt.Errorf("read what %s has of this clone: %w", p.Remote.Name, err)
	}
	return nil
}

// bring fetches the digest that a remote has of this clone. A push that was killed after it had sent everything has the
// commit here already.
func (p *Plan) bring(ctx context.Context, from string, there refs.OID) error {
	objects := p.repo.Objects()
	_, err := objects.Commit(there)
	_ = objects.Close()
	if err == nil {
		return nil
	}
	if _, err := talk(ctx, p.repo, fetching("--", from, p.ref("digest"))...); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreached, err)
	}
	return nil
}

// isOurs tells whether a digest that carries the own writer's name was made from this log.
func (p *Plan) isOurs(ctx context.Context, commit refs.OID) error {
	other, err := p.log.ReadPublication(commit)
	if err != nil {
		return fmt.Errorf("read what %s has of this clone: %w", p.Remote.Name, err)
	}
	source := other.Head.Source
	if other.Head.Writer != p.Writer || source.Seq > p.Digest.Source.Seq {
		return fmt.Errorf("%w: it goes to event %d, the log here to %d", ErrBehind, source.Seq, p.Digest.Source.Seq)
	}
	own, err := p.log.Copy(ctx, refs.EventsRef)
	if err != nil {
		return err
	}
	defer own.Close()
	at, found, err := own.Event(source.Seq)
	if err != nil {
		return err
	}
	if !found || at.ID != source.Event {
		return ErrDiverged
	}
	return nil
}
