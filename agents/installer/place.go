package installer

import (
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
)

// InDirs returns a Place function for the usual files: one in a directory of the user, and one in the work tree. The
// file in the work tree serves one person, who ignores it, or the project, which commits it.
func (in *Installer) InDirs(userDir, userFile, repoFile string) func(capability.Target) (Place, error) {
	return func(target capability.Target) (Place, error) {
		switch target.Scope {
		case capability.ScopeUser:
			if !filepath.IsAbs(userDir) {
				return Place{}, &capability.InstallError{
					Code: capability.CodeTarget, Message: "the directory of " + in.Title + "'s user settings is not an absolute path",
					Hint: "set HOME to an absolute path",
				}
			}
			path := filepath.Join(userDir, filepath.FromSlash(userFile))
			root := filepath.Dir(userDir)
			if strings.HasPrefix(userDir, in.Env.Home+string(filepath.Separator)) {
				root = in.Env.Home
			}
			return Place{Path: path, Root: root, Made: in.Env.MadeList()}, nil
		case capability.ScopeRepo, capability.ScopeProject:
			if target.Repo == nil || target.Repo.Bare() {
				return Place{}, &capability.InstallError{
					Code: capability.CodeTarget, Message: "a repository without a work tree has no place for " + in.Title +
						"'s settings",
					Hint: "install for the user with `git trace init --global`",
				}
			}
			place := Place{OnlyAtTop: in.OnlyAtTop, Path: filepath.Join(target.Repo.WorkTree, filepath.FromSlash(repoFile)),
				Root: target.Repo.WorkTree}
			if target.Scope == capability.ScopeRepo {
				place.Ignored = repoFile
			}
			return place, nil
		}
		return Place{}, &capability.InstallError{
			Code: capability.CodeTarget, Message: in.Title + " has no settings of scope " + string(target.Scope),
		}
	}
}
