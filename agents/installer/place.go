package installer

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
)

// Place returns the location of a target's file. The file in the work tree serves one person, who ignores it, or the
// project, which commits it.
func (in *Installer) Place(target capability.Target) (Place, error) {
	fail := func(message, hint string) (Place, error) {
		return Place{}, &capability.InstallError{Code: capability.CodeTarget, Message: message, Hint: hint}
	}
	switch {
	case in.Own != nil:
		return in.Own(target)
	case target.Scope == capability.ScopeUser && !filepath.IsAbs(in.User):
		return fail("the directory of "+in.Title+"'s user settings is not an absolute path", "set HOME to an absolute path")
	case target.Scope == capability.ScopeUser:
		root := filepath.Dir(in.User)
		if strings.HasPrefix(in.User, in.Env.Home+string(filepath.Separator)) {
			root = in.Env.Home
		}
		return Place{Path: filepath.Join(in.User, filepath.FromSlash(in.File)), Root: root, Made: in.Env.MadeList()}, nil
	case target.Scope != capability.ScopeRepo && target.Scope != capability.ScopeProject:
		return fail(in.Title+" has no settings of scope "+string(target.Scope), "")
	case target.Repo == nil || target.Repo.Bare():
		return fail("a repository without a work tree has no place for "+in.Title+"'s settings",
			"install for the user with `git trace init --global`")
	}
	name, root := path.Join(in.Repo, in.File), target.Repo.WorkTree
	place := Place{OnlyAtTop: in.OnlyAtTop, Path: filepath.Join(root, filepath.FromSlash(name)), Root: root}
	if target.Scope == capability.ScopeRepo {
		place.Ignored = name
	}
	return place, nil
}
