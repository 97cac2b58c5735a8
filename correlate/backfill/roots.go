package backfill

import (
	"path"
	"slices"
	"strings"
)

// belonging is the certainty that a session belongs to this repository.
type belonging int

const (
	stranger  belonging = iota
	candidate           // the paths fit, and the lines must prove that the session belongs
	member
)

// home finds the root below which the paths of a session fit the repository, and how certain it is that the session
// belongs. For example: a session wrote /home/x/app/main.go, and the history has main.go with the replaced lines.
func (f *finder) home(s *Session) (roots []string, how belonging) {
	for _, edit := range s.Edits {
		if root := f.worktreeOf(absolute(s, edit.Path)); root != "" && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	if len(roots) > 0 {
		return roots, member
	}
	if slices.ContainsFunc(s.Dirs, func(dir string) bool { return f.worktreeOf(dir+"/x") != "" }) {
		return nil, stranger // the session ran here and wrote elsewhere
	}
	root := f.commonRoot(s)
	if root == "" {
		return nil, stranger
	}
	known := slices.ContainsFunc(s.Commits, func(id string) bool { _, ok := f.options.Commit(id); return ok })
	if known {
		return []string{root}, member
	}
	if s.Remote == "" || len(f.options.Remotes) == 0 {
		return []string{root}, candidate
	}
	if slices.ContainsFunc(f.options.Remotes, func(url string) bool { return sameRemote(url, s.Remote) }) {
		return []string{root}, member
	}
	return nil, stranger
}

// worktreeOf returns the innermost work tree that contains an absolute path.
func (f *finder) worktreeOf(name string) string {
	best := ""
	for _, root := range f.options.Roots {
		if strings.HasPrefix(name, root+"/") && len(root) > len(best) {
			best = root
		}
	}
	return best
}

func absolute(s *Session, name string) string {
	if path.IsAbs(name) || len(name) > 2 && name[1] == ':' || len(s.Dirs) == 0 {
		return path.Clean(name)
	}
	return path.Join(s.Dirs[0], name)
}

// commonRoot returns the directory of a session below which most written files have paths of the history.
func (f *finder) commonRoot(s *Session) string {
	votes := map[string]int{}
	seen := map[string]bool{}
	for _, edit := range s.Edits {
		name := absolute(s, edit.Path)
		if seen[name] {
			continue
		}
		seen[name] = true
		for at := 0; at < len(name); at++ {
			if name[at] != '/' || at+1 == len(name) {
				continue
			}
			if _, known := f.places[name[at+1:]]; known {
				votes[name[:at]]++
			}
		}
		if _, known := f.places[name]; known && !path.IsAbs(name) {
			votes["."]++
		}
	}
	best, most := "", 0
	for root, n := range votes {
		held := slices.ContainsFunc(s.Dirs, func(dir string) bool { return dir == root || strings.HasPrefix(dir, root+"/") })
		if held {
			n += len(seen) // a directory in which the session ran wins
		}
		if n > most || n == most && (len(root) < len(best) || len(root) == len(best) && root < best) {
			best, most = root, n
		}
	}
	return best
}

// sameRemote reports whether two URLs of remotes have the same host and path.
func sameRemote(a, b string) bool { return remoteName(a) == remoteName(b) }

func remoteName(url string) string {
	url = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(url), "/"), ".git")
	if _, rest, found := strings.Cut(url, "://"); found {
		url = rest
	} else {
		url = strings.Replace(url, ":", "/", 1)
	}
	if at := strings.LastIndexByte(url, '@'); at >= 0 {
		url = url[at+1:]
	}
	return url
}

// `below` returns a path relative to a root; false if it is not below the root.
func below(root, name string) (string, bool) {
	if root == "." {
		return name, !path.IsAbs(name)
	}
	return strings.CutPrefix(name, root+"/")
}
