package installer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/userfile"
	"github.com/git-trace/git-trace/refs"
)

// A rule keeps a personal file out of commits and snapshots. It is in the clone's ignore file, which applies to every
// work tree.

// prepareRule adds the rule if it is needed. The user may have a rule that includes the file again; that is their
// choice.
func (in *Installer) prepareRule(ctx context.Context, p *plan, target capability.Target, place Place) error {
	wanted, err := in.wantsRule(ctx, place)
	if !wanted || place.Ruled {
		return err
	}
	files := place.Rule
	if files == nil {
		files = []string{place.Ignored}
	}
	return in.planRule(p, target.Repo, "ignore /"+place.Ignored, files...)
}

func (in *Installer) removeRule(p *plan, target capability.Target, place Place) error {
	err := in.planRule(p, target.Repo, "no longer ignore /"+place.Ignored)
	if errors.Is(err, userfile.ErrDamaged) {
		return nil // the end of the rule is unknown
	}
	return err
}

// planRule sets the files in git-trace's block of the ignore file.
func (in *Installer) planRule(p *plan, repo *refs.Repo, detail string, files ...string) error {
	hint := "make the file readable, or install for the user with `git trace init --global`"
	file, err := userfile.Exclude(repo.CommonDir)
	if err == nil {
		hint = "delete the lines of git-trace in it by hand"
		var data []byte
		if data, err = userfile.Marked(in.Agent).Ignore(file.Data, files...); err == nil {
			if !bytes.Equal(data, file.Data) {
				p.add(file, data, Place{Root: repo.CommonDir}, capability.Action{Detail: detail})
			}
			return nil
		}
	}
	return &capability.InstallError{
		Code: capability.CodeSettingsUnreadable, Message: "read " + file.Path, Err: err, Hint: hint,
	}
}

// wantsRule reports whether the personal file needs the rule: it is in a work tree and nothing ignores it. It rejects a
// tracked file, because the hooks would be committed for everybody. With an error, the result is false.
func (in *Installer) wantsRule(ctx context.Context, place Place) (bool, error) {
	path := filepath.FromSlash(place.Ignored)
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(place.Root, dir)); err == nil && !info.IsDir() {
			return false, nil // a link to a directory elsewhere: its files are not in the work tree
		}
	}
	repo, err := refs.DiscoverHook(place.Root)
	if errors.Is(err, refs.ErrNotRepository) || errors.Is(err, refs.ErrBare) || err == nil &&
		!sameDir(repo.WorkTree, place.Root) {
		return false, nil // next to a bare `.git`
	}
	if err != nil {
		return false, err
	}
	tracked, err := repo.Git(ctx, nil, "ls-files", "-z", "--", path)
	if err != nil {
		return false, err
	}
	if len(tracked) > 0 {
		return false, &capability.InstallError{
			Code: capability.CodeSettingsTracked, Message: place.Ignored + " is tracked by the repository",
			Hint: "git trace init --global --agent " + in.Agent +
				" puts its hooks into your own settings; the project's file stays as it is",
		}
	}
	_, err = repo.Git(ctx, nil, "check-ignore", "-q", "--", path)
	var exit *refs.GitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return true, nil
	}
	return false, err
}

func sameDir(a, b string) bool {
	real, err := filepath.EvalSymlinks(b)
	return err == nil && a == real
}
