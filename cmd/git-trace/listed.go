package main

import (
	"context"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/refs/recorded"
)

// listing is the entry of the repository on the user's list of recorded repositories.
type listing struct {
	File  string    `json:"file"`
	Since time.Time `json:"since"`
}

// listing gives the entry; nil without one.
func (h *health) listing() *listing {
	s := recorded.Look(h.repo)
	if s.State != recorded.Listed && s.State != recorded.Astray {
		return nil
	}
	return &listing{File: s.File, Since: s.Since}
}

// checkListed holds the repository against the list, which alone decides whether hooks do anything.
func (h *health) checkListed(context.Context) (string, []finding) {
	s := recorded.Look(h.repo)
	if s.State == recorded.Listed {
		return fmt.Sprintf("on the list since %s (%s)", s.Since.Local().Format(time.DateOnly), h.shorten(s.File)), nil
	}
	again := &repair{"the repository is on the list of recorded ones again", h.listAgain}
	const mend = "git trace doctor --fix"
	switch s.State {
	case recorded.Former:
		return "", []finding{{What: "was recorded by an earlier version: hooks do nothing now", Mend: mend, fix: again}}
	case recorded.Moved:
		return "", []finding{{What: "was recorded elsewhere, or by another user: hooks do nothing here", Mend: mend,
			fix: again}}
	case recorded.Replaced:
		return "", []finding{{What: "another git directory was recorded in this place: hooks do nothing", Mend: mend,
			fix: again}}
	case recorded.Astray:
		return "", []finding{{What: "the work tree was moved: hooks of agents do nothing here", Mend: mend, fix: again}}
	case recorded.NoPlace:
		return "", []finding{{What: recorded.ErrNoPlace.Error() + ": hooks do nothing", Mend: "set HOME or XDG_STATE_HOME"}}
	}
	return "", []finding{{What: "nothing is recorded here", Mend: "git trace init"}}
}

// listAgain puts a repository that was recorded on the list, as `git trace init` does, by the wish of the user.
func (h *health) listAgain(ctx context.Context) error {
	if h.repo.Linked() {
		if _, err := h.repo.Git(ctx, nil, "worktree", "repair"); err != nil {
			return err
		}
	}
	return startRecording(ctx, h.repo)
}
