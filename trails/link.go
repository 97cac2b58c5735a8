package trails

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// A call may name a file by a link. Most tools write through the link, some put a file in its place; only after the
// call it is known which. Both names are looked at, and the declared text is held against the file that the name leads
// to.

// maxLinks bounds the links that are followed one after the other, as Linux does (path_resolution(7)).
const maxLinks = 40

// Relative makes an absolute path relative to the work tree, following the symlinks of its directories but not of its
// last part; ok is false when it lies outside, or in a git directory.
func Relative(repo *refs.Repo, abs string) (string, bool) {
	return inside(repo.WorkTree, resolveDir(abs))
}

// names returns the paths of this work tree that a tool with an absolute path may write: the file that it leads to and,
// if it is a link, the link. Those that lie elsewhere are left out.
func names(repo *refs.Repo, abs string) []string {
	var out []string
	link := resolveDir(abs)
	for _, path := range []string{followed(link), link} {
		if rel, ok := inside(repo.WorkTree, path); ok && !slices.Contains(out, rel) {
			out = append(out, rel)
		}
	}
	return out
}

// target returns the file that an absolute path leads to, without symlinks on the way; the file need not exist. A
// path that leads nowhere, as in a loop of links, is returned as it is.
func target(abs string) string { return followed(resolveDir(abs)) }

// followed follows the symlinks of a path whose directories are not symlinks.
func followed(abs string) string {
	path := abs
	for n := range maxLinks {
		if n > 0 {
			path = resolveDir(path)
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

// resolveDir follows the symlinks of the directories of an absolute path, as far as they exist.
func resolveDir(abs string) string {
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
