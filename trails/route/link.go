package route

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A call may name a file by a symbolic link. Most tools write through the link, but some replace it with a file, and
// this is known only after the call. So both names are checked, and the declared text is compared with the file to
// which the link leads.

// maxLinks limits how many links are followed one after another. Linux has the same bound (path_resolution(7)).
const maxLinks = 40

// Relative converts an absolute path to a path relative to the work tree. It follows the symbolic links of directories,
// but not of the last component. ok is false for a path outside of the work tree, or in a git directory.
func Relative(repo *refs.Repo, abs string) (string, bool) {
	return Inside(repo.WorkTree, ResolveDir(abs))
}

// Names returns the paths of this work tree to which a tool with an absolute path may write: the file to which the path
// leads and, if the path is a symbolic link, the link. It leaves out paths elsewhere.
func Names(repo *refs.Repo, abs string) []string {
	var out []string
	link := ResolveDir(abs)
	for _, path := range []string{followed(link), link} {
		if rel, ok := Inside(repo.WorkTree, path); ok && !slices.Contains(out, rel) {
			out = append(out, rel)
		}
	}
	return out
}

// Target returns the file to which an absolute path leads, without symbolic links. The file may be missing. If the path
// leads nowhere, as in a loop of links, Target returns the path itself.
func Target(abs string) string { return followed(ResolveDir(abs)) }

// `followed` follows symbolic links at the end of a path. Its directories are not links.
func followed(abs string) string {
	path := abs
	for n := range maxLinks {
		if n > 0 {
			path = ResolveDir(path)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			return path
		}
		next, err := os.Readlink(path)
		if err != nil {
			return abs
		}
		if !filepath.IsAbs(next) {
			next = filepath.Dir(path) + string(filepath.Separator) + next
		}
		dir, base := filepath.Split(next)
		if dir, err = filepath.EvalSymlinks(dir); err != nil { // resolve links before ".." is applied
			return abs
		}
		path = filepath.Join(dir, base)
	}
	return abs
}

// ResolveDir resolves the symbolic links in the existing directories of an absolute path.
func ResolveDir(abs string) string {
	abs = filepath.Clean(abs)
	dir, base := filepath.Split(abs)
	for rest := base; ; {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.ToSlash(filepath.Join(resolved, rest))
		}
		dir = filepath.Clean(dir)
		parent := filepath.Dir(dir)
		if parent == dir {
			return filepath.ToSlash(abs)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}

// Inside converts an absolute path to a path relative to the root of the work tree. The bool is false for a path
// outside of it or in .git. Both arguments are clean absolute paths whose directories are not symbolic links.
func Inside(root, abs string) (string, bool) {
	if root == "" || !strings.HasPrefix(abs, root+"/") {
		return "", false
	}
	rel := path.Clean(abs[len(root)+1:])
	first, _, _ := strings.Cut(rel, "/")
	if rel == "." || strings.EqualFold(first, ".git") {
		return "", false
	}
	return rel, true
}
