package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Failed describes automatic pushes that have failed since a time.
type Failed struct {
	Since time.Time `json:"since"`
	Why   string    `json:"why"` // the last time
}

// autoPatience is the time limit of an automatic push.
const autoPatience = 60 * time.Second

// `again` is the pause before an automatic push tries again: git may still be sending if another program runs the
// hooks.
const again = 3 * time.Second

// Auto shares with a remote after a git push, at the chosen level; without a named remote, with all remotes. It never
// asks. It notes a failure for status and returns it as an error. It does nothing unless the person has enabled it and
// chosen a level.
func Auto(ctx context.Context, log *events.Log, name string, means Means) error {
	s, err := ReadSettings(ctx, log.Repo())
	if err != nil {
		return err
	}
	if !s.own.Bool("trace.autoPush", false) {
		return nil
	}
	var failed error
	for _, one := range s.names {
		if name == "" || name == one {
			failed = errors.Join(failed, autoTo(ctx, log, s, s.remote(one), means))
		}
	}
	return failed
}

func autoTo(ctx context.Context, log *events.Log, s *Settings, r Remote, means Means) error {
	if r.Share == LevelNone || r.Pinned == "" {
		return nil
	}
	command, _ := s.always.Get("core.sshcommand")
	if err := refs.AskNobody(command); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, autoPatience)
	defer cancel()
	err := autoPush(ctx, log, s, r, means)
	if errors.Is(err, ErrNothing) || errors.Is(err, ErrEmpty) {
		return nil
	}
	return errors.Join(err, noteAuto(log.Repo(), r, err))
}

func autoPush(ctx context.Context, log *events.Log, s *Settings, r Remote, means Means) error {
	for look := 0; ; look++ {
		p, err := MakePlan(ctx, log, s, r, r.Share, means)
		if err != nil {
			return err
		}
		if len(p.Refs) == 0 && p.Digest.Withheld > 0 && look == 0 {
			p.Close()
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(again):
			}
			continue
		}
		_, err = p.Push(ctx, false)
		p.Close()
		for _, k := range p.Records.Kept {
			if k.Fault && err == nil {
				err = fmt.Errorf("%s was not sent: %s", k.Trace, k.Why)
			}
		}
		return err
	}
}

func autoPath(repo *refs.Repo, r Remote) string {
	return filepath.Join(repo.TracesDir(), "autopush", shortHash(r.Label)+".json")
}

// autoFailed reads the note; nil if it cannot be read.
func autoFailed(repo *refs.Repo, r Remote) *Failed {
	raw, err := refs.ReadFile(autoPath(repo, r))
	var f Failed
	if err != nil || json.Unmarshal(raw, &f) != nil {
		return nil
	}
	return &f
}

// noteAuto notes the reason of a failure; nil means that the push succeeded.
func noteAuto(repo *refs.Repo, r Remote, why error) error {
	if why == nil {
		err := os.Remove(autoPath(repo, r))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	f := Failed{Since: time.Now().UTC().Truncate(time.Second), Why: why.Error()}
	if before := autoFailed(repo, r); before != nil {
		f.Since = before.Since
	}
	return refs.WriteJSON(autoPath(repo, r), f, refs.WriteFileAtomic)
}
