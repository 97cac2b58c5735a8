package installer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/userfile"
	"github.com/git-trace/git-trace/refs"
)

// rule keeps a personal file out of commits and snapshots. It stands in <common git dir>/info/exclude (gitignore(5)),
// which belongs to the clone, and holds for every work tree.
type rule struct{ agent, pattern string }

func (r rule) block() string {
	return "# >>> git-trace " + r.agent + " >>>\n" + r.pattern + "\n# <<< git-trace " + r.agent + " <<<"
}

// add appends the rule. A nil document stands for a file that does not exist. The block begins with a newline and ends
// without one where the last line had none, so that drop knows what was there.
func (r rule) add(doc []byte) []byte {
	switch {
	case doc == nil:
		return []byte(r.block() + "\n")
	case bytes.HasSuffix(doc, []byte("\n")):
		return slices.Concat(doc, []byte(r.block()+"\n"))
	}
	return slices.Concat(doc, []byte("\n"+r.block()))
}

// drop undoes add. The result is nil when the file is of our making; found is false without the rule.
func (r rule) drop(doc []byte) (out []byte, found bool) {
	before, after, found := bytes.Cut(doc, []byte(r.block()))
	switch {
	case !found:
		return doc, false
	case len(after) == 0:
		return append([]byte{}, bytes.TrimSuffix(before, []byte("\n"))...), true
	case len(before) == 0 && len(after) == 1:
		return nil, true
	}
	return slices.Concat(before, bytes.TrimPrefix(after, []byte("\n"))), true
}

func (in *Installer) rule(place Place) rule { return rule{in.Agent, "/" + place.Ignored} }

func (in *Installer) prepareRule(ctx context.Context, target capability.Target, place Place) ([]change, error) {
	wanted, err := in.wantsRule(ctx, place)
	if err != nil || !wanted {
		return nil, err
	}
	file, err := readRules(target.Repo)
	if err != nil {
		return nil, err
	}
	r := in.rule(place)
	if _, there := r.drop(file.Data); there {
		return nil, nil // a rule of the user's takes the file back in; that is their choice
	}
	return []change{newChange(file, r.add(file.Data), target.Repo.CommonDir, nil, "ignore "+r.pattern)}, nil
}

func (in *Installer) removeRule(target capability.Target, place Place) ([]change, error) {
	file, err := readRules(target.Repo)
	if err != nil {
		return nil, err
	}
	r := in.rule(place)
	data, found := r.drop(file.Data)
	if !found {
		return nil, nil
	}
	return []change{newChange(file, data, target.Repo.CommonDir, nil, "no longer ignore "+r.pattern)}, nil
}

// readRules is the ignore file of the clone.
func readRules(repo *refs.Repo) (userfile.File, error) {
	path := filepath.Join(repo.CommonDir, "info", "exclude")
	file, err := userfile.Read(path)
	if err != nil {
		return file, &capability.InstallError{
			Code: capability.CodeSettingsUnreadable, Message: "read " + path, Err: err,
			Hint: "make the file readable, or install for the user with `git trace init --global`",
		}
	}
	return file, nil
}

// wantsRule tells whether the personal file needs the rule: it is in a work tree and nothing ignores it. A file that is
// tracked is refused, because what is installed would be committed for everybody.
func (in *Installer) wantsRule(ctx context.Context, place Place) (bool, error) {
	path := filepath.FromSlash(place.Ignored)
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(place.Root, dir)); err == nil && !info.IsDir() {
			return false, nil // a link to a directory elsewhere: its files are not in the work tree
		}
	}
	repo, err := refs.DiscoverHook(place.Root)
	if errors.Is(err, refs.ErrNotRepository) || errors.Is(err, refs.ErrBare) || err == nil &&
		(repo.Bare() || !sameDir(repo.WorkTree, place.Root)) {
		return false, nil // beside a bare `.git`
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
	return a == b || err == nil && a == real
}
