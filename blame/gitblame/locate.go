package gitblame

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// target holds the names among the positional arguments.
type target struct {
	revs []string // revisions and pseudo-revisions, as typed
	file string   // file as typed
}

// target finds the file and the revisions by git's rules. After "--" the file comes first, and one revision may follow.
// Without "--" the file is the last word, unless there are two words and the second one is a revision; only then it
// calls the function `isRev`. It returns false if git will print its usage.
func (o *Options) target(isRev func(string) bool) (target, bool) {
	words := o.words
	switch {
	case o.dashes && len(o.after) == 2 && len(words) == 0:
		return target{revs: o.after[1:], file: o.after[0]}, true
	case o.dashes && len(o.after) == 1:
		return target{revs: words, file: o.after[0]}, true
	case o.dashes || len(words) == 0:
		return target{}, false
	case len(words) == 2 && isRev(words[1]):
		return target{revs: words[1:], file: words[0]}, true
	}
	last := len(words) - 1
	return target{revs: words[:last], file: words[last]}, true
}

// cutsHistory reports whether a revision argument excludes commits, so that there can be boundary commits.
func (t target) cutsHistory() bool {
	for _, rev := range t.revs {
		if strings.HasPrefix(rev, "^") || strings.HasPrefix(rev, "--") || strings.Contains(rev, "..") ||
			strings.Contains(rev, "^!") || strings.Contains(rev, "^-") || strings.Contains(rev, "^@") {
			return true
		}
	}
	return false
}

// gitArgs returns arguments for git blame. The extra ones come first, so that the user's arguments win. The user's
// arguments keep their order. Those with one of the roles `without` are left out.
func (o *Options) gitArgs(extra []string, without ...role) []string {
	args := append([]string{"blame"}, extra...)
	for _, arg := range o.args {
		if !slices.Contains(without, arg.role) {
			args = append(args, arg.words...)
		}
	}
	return args
}

// repoPath converts a file argument to the path that git uses in trees: relative to the top of the work tree, with
// slashes. The argument may be relative to cwd, or absolute, also through symbolic links to the top. The second result
// is false for a path outside of the work tree. The parameters `cwd` and `top` are absolute, with symbolic links
// resolved. An empty top means a bare repository, where arguments are paths in trees.
func repoPath(top, cwd, file string) (string, bool) {
	if top == "" {
		return path.Clean(filepath.ToSlash(file)), true
	}
	if filepath.IsAbs(file) {
		return absInside(top, filepath.Clean(file))
	}
	prefix, err := filepath.Rel(top, cwd)
	if err != nil || outside(prefix) {
		prefix = "."
	}
	full := path.Clean(path.Join(filepath.ToSlash(prefix), filepath.ToSlash(file)))
	return full, !outside(full)
}

// absInside returns the path below the top of an absolute path. It compares the text first, and then the targets of
// symbolic links. Like git it does not resolve links below the top.
func absInside(top, file string) (string, bool) {
	if rel, err := filepath.Rel(top, file); err == nil && !outside(rel) {
		return filepath.ToSlash(rel), true
	}
	for end := 1; end < len(file); end++ {
		if !isSeparator(file[end]) {
			continue
		}
		if real, err := filepath.EvalSymlinks(file[:end]); err == nil && real == top {
			return filepath.ToSlash(file[end+1:]), true
		}
	}
	return "", false
}

func isSeparator(c byte) bool { return c == '/' || c == filepath.Separator }

func outside(rel string) bool {
	return rel == ".." || strings.HasPrefix(rel, "../") || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
