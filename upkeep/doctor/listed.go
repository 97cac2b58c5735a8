package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// Listing is the repository's entry on the user's list of recorded repositories.
type Listing struct {
	File  string    `json:"file"`
	Since time.Time `json:"since"`

	Enrolled bool `json:"enrolled"` // added by `git trace setup`
}

// `listed` returns the entry; nil if there is none.
func (d *Doctor) listed() *Listing {
	s := recorded.Look(d.repo)
	if s.State != recorded.Listed && s.State != recorded.Astray {
		return nil
	}
	return &Listing{File: s.File, Since: s.Since, Enrolled: recorded.Enrolled(d.repo)}
}

// checkListed checks whether the list contains the repository. Only the list decides whether hooks do anything.
func (d *Doctor) checkListed(ctx context.Context) (string, []Finding) {
	s := recorded.Look(d.repo)
	if s.State == recorded.Listed {
		who := ""
		if recorded.Enrolled(d.repo) {
			who = " by git trace setup"
		}
		return fmt.Sprintf("on the list%s since %s", who, s.Since.Local().Format(time.DateOnly)), nil
	}
	again := &repair{"the repository is on the list of recorded ones again", d.listAgain}
	const mend = "git trace doctor --fix"
	switch s.State {
	case recorded.Moved:
		return "", []Finding{{What: "was recorded elsewhere, or by another user: hooks do nothing here", Mend: mend,
			fix: again}}
	case recorded.Replaced:
		return "", []Finding{{What: "another git directory was recorded in this place: hooks do nothing", Mend: mend,
			fix: again}}
	case recorded.Astray:
		return "", []Finding{{What: "the work tree was moved: hooks of agents do nothing here", Mend: mend, fix: again}}
	case recorded.NoPlace:
		return "", []Finding{{What: recorded.ErrNoPlace.Error() + ": hooks do nothing", Mend: "set HOME or XDG_STATE_HOME"}}
	}
	return "", []Finding{d.unlisted(ctx)}
}

// `unlisted` returns the finding that says whether `git trace setup` will record the repository, and if not, why.
func (d *Doctor) unlisted(ctx context.Context) Finding {
	nothing := Finding{What: "nothing is recorded here", Mend: "git trace init"}
	found, err := refs.FindHook(d.repo.WorkTree)
	if err != nil || !recorded.Enrols() {
		return nothing
	}
	var strange *recorded.StrangeError
	switch err := recorded.Wanted(ctx, found); {
	case err == nil:
		nothing.What, nothing.Mend = "nothing is recorded here yet; it begins when you start an agent here", ""
	case errors.As(err, &strange):
		nothing.What += ", and git trace setup leaves it to you: " + strange.What
	}
	return nothing
}

// listAgain adds a repository that was recorded to the list, as `git trace init` does. The user asked for it.
func (d *Doctor) listAgain(ctx context.Context) error {
	if d.repo.Linked() {
		if _, err := d.repo.Git(ctx, nil, "worktree", "repair"); err != nil {
			return err
		}
	}
	return d.deeds.Start(ctx)
}

// Silence returns the reasons why hooks do nothing in a repository that was recorded.
func Silence(ctx context.Context, repo *refs.Repo) []Finding {
	_, why := (&Doctor{repo: repo}).checkListed(ctx)
	return why
}
