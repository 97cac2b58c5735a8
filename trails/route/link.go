package route

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A call may name a file by a link. Most tools write through the link, and some replace it with a file: the case is
// known only after the call. Both names are looked at, and the declared text is held against the file that the name
// leads to.

// maxLinks bounds the links that are followed one after the other, as Linux does (path_resolution(7)).
const maxLinks = 40

// Relative makes an absolute path relative to the work tree, following the symlinks of its directories but not of its
// last part; ok is false for a path outside, or in a git directory.
func Relative(repo *refs.Repo, abs string) (string, bool) {
	return Inside(repo.WorkTree, ResolveDir(abs))
}

// Names returns the paths of this work tree that a tool with an absolute path may write: the file that it leads to and,
// if it is a link, the link. It leaves out paths elsewhere.
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

// Target returns the file that an absolute path leads to, without symlinks on the way; the file need not exist. If the
// path leads nowhere, as in a loop of links, it returns the path.
func Target(abs string) string { return followed(ResolveDir(abs)) }

// followed follows the symlinks of a path whose directories are not symlinks.
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
		if dir, err = filepath.EvalSymlinks(dir); err != nil { // before ".." is taken literally
			return abs
		}
		path = filepath.Join(dir, base)
	}
	return abs
}

// ResolveDir follows the symlinks of the existing directories of an absolute path.
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

// Inside makes an absolute path relative to the work tree root; ok is false for a path outside of it or in .git. Both
// arguments are clean absolute paths without symlinks among their directories.
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
