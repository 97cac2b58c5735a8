package sharing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/checkpoint"
	"github.com/git-trace/git-trace/refs"
)

// ErrNotOwn reports a ref under this clone's id that this clone did not write. Anybody who may push can have written
// it.
var ErrNotOwn = errors.New("this clone did not write it")

// NotOwn describes foreign events that a remote has under this clone's id.
type NotOwn struct {
	Ref    string
	Events []events.Event // events of the digest, without counterparts in this clone's log
	Why    error          // ErrNotOwn, ErrBehind or ErrDiverged, with details
}

func (e *NotOwn) Error() string { return fmt.Sprintf("%s: %s", e.Ref, e.Why) }
func (e *NotOwn) Unwrap() error { return e.Why }

// settle finds the digest to continue: the remote's, if this clone wrote it. A new digest continues none.
func (p *Plan) settle(ctx context.Context, there refs.OID) error {
	p.base = none()
	if p.anew = p.anew && !there.IsZero(); p.anew {
		return nil
	}
	tip := there
	if tip.IsZero() { // the remote lost it, or never had it
		if list := readMade(madePath(p.repo, p.Remote))[p.Writer+"/digest"]; len(list) > 0 {
			tip = list[len(list)-1]
		}
	} else if err := p.bring(ctx, p.URL, tip); err != nil {
		return err
	}
	if tip.IsZero() {
		return nil
	}
	found, err := p.log.ReadPublication(tip)
	if there.IsZero() && err != nil {
		return nil //nolint:nilerr // it is missing here too: all is published again
	}
	if err == nil && !hasMade(p.repo, p.Writer+"/digest", tip) {
		err = p.isOwn(ctx, found)
	}
	if err == nil {
		p.base, err = p.readEarlier(found)
	}
	if err == nil && !there.IsZero() {
		err = p.repo.SetRef(ctx, p.kept("digest"), there)
	}
	if err != nil {
		return fmt.Errorf("read what %s has of this clone: %w", p.Remote.Name, err)
	}
	return nil
}

// bring fetches the digest that a remote has of this clone. After a push that was killed at its end, the commit is
// already here.
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

// isOwn returns an error unless a digest under this clone's id is really its own, although it is not noted as sent.
// Then each of its events is in this clone's log, once, and if this clone signs, its key signed the digest.
func (p *Plan) isOwn(ctx context.Context, found events.Publication) error {
	wrong := &NotOwn{Ref: p.ref("digest"), Why: ErrNotOwn}
	if found.Head.Writer != p.Writer {
		wrong.Why = fmt.Errorf("%w: it is of %s", ErrNotOwn, found.Head.Writer)
		return wrong
	}
	all, err := p.log.PublishedEvents(found)
	if err != nil {
		return err
	}
	own, err := p.Digest.contents()
	if err != nil {
		return err
	}
	for i := range all {
		id, err := all[i].Draft().Content()
		if err != nil {
			return err
		}
		if !own[id] {
			wrong.Events = append(wrong.Events, all[i])
		}
		delete(own, id)
	}
	if len(wrong.Events) > 0 {
		if wrong.Why, err = p.whence(ctx, found.Head.Source, len(wrong.Events)); err != nil {
			return err
		}
		return wrong
	}
	signed, err := p.signedByUs(ctx, found.Commit)
	if err == nil && !signed {
		wrong.Why = fmt.Errorf("%w: your key did not sign it", ErrNotOwn)
		return wrong
	}
	return err
}

// `whence` guesses why a digest has more events than this clone's log, from the full log's event that the digest names.
func (p *Plan) whence(ctx context.Context, source events.Witness, more int) (why, err error) {
	if source.Seq > p.Digest.Source.Seq {
		return fmt.Errorf("%w: it ends at event %d, the log here at %d", ErrBehind, source.Seq, p.Digest.Source.Seq), nil
	}
	own, err := p.log.Copy(ctx, refs.EventsRef)
	if err != nil {
		return nil, err
	}
	defer own.Close()
	at, found, err := own.Event(source.Seq)
	if err != nil {
		return nil, err
	}
	if !found || at.ID != source.Event {
		return ErrDiverged, nil
	}
	return fmt.Errorf("%w: %d of its events are not in the log here", ErrNotOwn, more), nil
}

// contents returns the ids of all events that this clone's log may publish, in each possible form.
func (d *Digest) contents() (map[events.ID]bool, error) {
	out := map[events.ID]bool{}
	for i := range d.all {
		for _, span := range cuts() {
			id, err := told(d.all[i], span).Content()
			if err != nil {
				return nil, fmt.Errorf("event %d: %w", d.all[i].Seq, err)
			}
			out[id] = true
		}
	}
	return out, nil
}

// signedByUs reports whether this clone's key signed a commit; true if this clone does not sign. To find the key, git
// signs a commit now.
func (p *Plan) signedByUs(ctx context.Context, commit refs.OID) (bool, error) {
	if !p.settings.signs() {
		return true, nil
	}
	by, err := checkpoint.OfCommit(ctx, p.repo, commit)
	if err != nil || by.Key == "" || by.Verdict == checkpoint.Bad {
		return false, err
	}
	tree, err := p.log.EmptyTree()
	if err != nil {
		return false, err
	}
	probe, err := p.settings.commit(ctx, p.repo, "traces: whose key is it\n", tree, nil)
	if err != nil {
		return false, err
	}
	ours, err := checkpoint.OfCommit(ctx, p.repo, probe)
	return err == nil && ours.Key == by.Key, err
}

// cuts returns all units to which times may be cut.
func cuts() []time.Duration {
	out := []time.Duration{0}
	for _, span := range spans {
		out = append(out, span)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
