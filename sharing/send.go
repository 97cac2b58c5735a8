package sharing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// Push sends the plan and returns the result for each ref. The local notes about the remote change only for refs that
// arrived.
func (p *Plan) Push(ctx context.Context, verify bool) ([]Pushed, error) {
	if p.anew {
		if err := p.tellAnew(ctx); err != nil {
			return nil, err
		}
	}
	for i := range p.Refs {
		r := &p.Refs[i]
		var err error
		switch {
		case !r.New.IsZero():
		case r.kept == p.kept("records"):
			err = p.publishRecords(ctx, r)
		default:
			r.New, err = p.publish(ctx)
		}
		if err == nil {
			err = p.note(r.Name, r.New, false)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p.Refs) == 0 {
		return nil, nil
	}
	sent, err := p.sendAll(ctx, verify)
	if err == nil && p.rules != "" {
		p.noteLooked()
	}
	if err == nil {
		err = p.isShown(ctx)
	}
	if err == nil {
		err = noteAuto(p.repo, p.Remote, nil)
	}
	return sent, err
}

// isShown checks that the remote shows the new refs to others. Some remotes accept refs and hide them.
func (p *Plan) isShown(ctx context.Context) error {
	fresh := slices.DeleteFunc(slices.Clone(p.Refs), func(r Ref) bool { return !r.Old.IsZero() || r.New.IsZero() })
	if len(fresh) == 0 {
		return nil
	}
	found, err := there(ctx, p.repo, p.URL, p.ref("*"))
	if err != nil {
		return err
	}
	for _, r := range fresh {
		if found[r.Name].IsZero() {
			return fmt.Errorf("%w: %s", ErrHidden, r.Name)
		}
	}
	return nil
}

// sendAll sends all refs of the plan, at once if the server can.
func (p *Plan) sendAll(ctx context.Context, verify bool) ([]Pushed, error) {
	err := p.send(ctx, verify, p.Refs, "--atomic")
	var remote *RemoteError
	if errors.As(err, &remote) && strings.Contains(strings.Join(remote.Lines, "\n"), "does not support --atomic") {
		err = p.sendOneByOne(ctx, verify)
	}
	return p.arrived(ctx, err)
}

// `arrived` notes the remote's new state here.
func (p *Plan) arrived(ctx context.Context, err error) ([]Pushed, error) {
	var out []Pushed
	for _, r := range p.Refs {
		out = append(out, Pushed{Ref: r.Name, Commit: r.New, Old: r.Old, State: r.state})
		if r.state != statePushed {
			continue
		}
		var keepErr error
		if r.New.IsZero() {
			_, keepErr = p.repo.Git(ctx, nil, "update-ref", "-d", r.kept)
		} else {
			keepErr = p.repo.SetRef(ctx, r.kept, r.New)
		}
		if keepErr == nil {
			keepErr = p.note(r.Name, r.New, true)
		}
		if err == nil {
			err = keepErr
		}
	}
	return out, err
}

// Pushed is the result for a ref.
type Pushed struct {
	Ref    string   `json:"ref"`
	Old    refs.OID `json:"old,omitzero"`
	Commit refs.OID `json:"commit,omitzero"` // absent for a ref that was deleted
	State  string   `json:"state"`           // "pushed", or the remote's message
}

const statePushed = "pushed"

// sendOneByOne is for servers that cannot move several refs at once: records go before the digest that names them.
func (p *Plan) sendOneByOne(ctx context.Context, verify bool) error {
	for i := range p.Refs {
		if err := p.send(ctx, verify, p.Refs[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// `send` runs git push, and reads the result for each ref in its machine format.
func (p *Plan) send(ctx context.Context, verify bool, list []Ref, options ...string) error {
	args := patient("push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no")
	args = append(args, options...)
	if !verify {
		args = append(args, "--no-verify")
	}
	for _, r := range list {
		if r.Force {
			args = append(args, "--force-with-lease="+r.Name+":"+r.Old.String())
		}
	}
	args = append(args, "--", p.Remote.Name)
	for _, r := range list {
		if r.New.IsZero() {
			args = append(args, ":"+r.Name)
		} else {
			args = append(args, r.New.String()+":"+r.Name)
		}
	}
	out, err := talk(ctx, p.repo, args...)
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(fields) < 3 {
			continue
		}
		_, name, _ := strings.Cut(fields[1], ":")
		for i := range p.Refs {
			if p.Refs[i].Name != name {
				continue
			}
			p.Refs[i].state = fields[2]
			if fields[0] != "!" {
				p.Refs[i].state = statePushed
			}
		}
	}
	if err != nil && !slices.ContainsFunc(p.Refs, func(r Ref) bool { return r.state != "" }) {
		return fmt.Errorf("%w: %w", ErrUnreached, err)
	}
	return refusedBy(err, list)
}

// refusedBy adds git's results for the refs to an error of a push.
func refusedBy(err error, list []Ref) error {
	var refused *RemoteError
	if errors.As(err, &refused) {
		for _, r := range list {
			if r.state == statePushed || strings.Contains(r.state, "(atomic ") { // refused because of another ref
				continue
			}
			refused.States = append(refused.States, r.Name+": "+r.state)
			kind := kindOf(r.Name)
			if (r.Force || r.New.IsZero()) && !strings.Contains(r.state, "stale info") {
				return fmt.Errorf("%w: %w", ErrKept, err)
			}
			if strings.Contains(r.state, "declined") && (kind == "events" || kind == "checkpoints") {
				return fmt.Errorf("%w: %w", ErrLogRefused, err)
			}
		}
	}
	return err
}
