package route

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// Limits for the search for repositories.
const (
	maxRoutes   = 8
	maxChildren = 64
	maxScripts  = 4
	maxScript   = 64 << 10 // bytes
	maxSpoken   = 32       // number of paths in a script
)

// Find lists the recorded work trees that a boundary concerns: those that contain the declared paths. If a call may
// write anywhere, these are the work tree in which the call runs, its submodules, and the work trees that the call or
// its script names. A directory that contains several repositories means all of them. The parameter `around` is an open
// repository, or nil.
func Find(b events.Boundary, around *refs.Repo) []*refs.Repo {
	r := router{seen: map[[2]string]bool{}, around: around, boundary: b}
	if b.Tool != nil && b.Tool.Class == events.ToolEdits {
		for _, p := range b.Tool.Paths {
			r.add(filepath.Dir(p))
			if to := Target(p); filepath.Dir(to) != filepath.Dir(p) {
				r.add(filepath.Dir(to))
			}
		}
		return r.repos
	}
	if b.Cwd != "" && !r.add(b.Cwd) {
		r.children(b.Cwd)
	}
	for _, around := range slices.Clone(r.repos) {
		for _, top := range submodules(around) {
			r.add(top)
		}
	}
	if b.Tool != nil {
		for _, hint := range b.Tool.Hints {
			r.add(hint)
		}
		if b.Tool.Class == events.ToolRuns {
			r.scripts(b.Tool.Names, b.Cwd)
		}
	}
	return r.repos
}

type router struct {
	boundary events.Boundary
	around   *refs.Repo
	repos    []*refs.Repo
	seen     map[[2]string]bool // key: the directory with the .git entry, and the target of that entry
	spoken   bool               // the paths being added are only mentioned in a text
}

// add adds the recorded repository that contains a path. For a path that does not exist yet, the search starts at the
// nearest existing directory. It reports whether the path is in a repository. It does not open a repository that is not
// recorded, because anybody may have chosen the path and made the repository.
func (r *router) add(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	found, err := refs.FindHook(path)
	if err != nil {
		return false
	}
	way := [2]string{found.Top, found.GitDir}
	if r.seen[way] || len(r.repos) == maxRoutes {
		return true
	}
	r.seen[way] = true
	repo, err := r.around, error(nil)
	if repo == nil || repo.WorkTree != found.Top || repo.GitDir != found.GitDir {
		repo, err = recorded.Open(found)
	}
	if errors.Is(err, recorded.ErrUnlisted) && !r.spoken && !r.boundary.OnlyReads() {
		recorded.NoteUnlisted(found, r.boundary.EndsCall())
	}
	if err == nil && !slices.ContainsFunc(r.repos, func(other *refs.Repo) bool { return other.GitDir == repo.GitDir }) {
		r.repos = append(r.repos, repo)
	}
	return true
}

// children adds the repositories directly below a directory that is not in a repository.
func (r *router) children(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxChildren)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		child := filepath.Join(dir, e.Name())
		if _, err := os.Lstat(filepath.Join(child, ".git")); err == nil {
			r.add(child)
		}
	}
}

// scripts adds the repositories that are named in files on a command line, because a script may write to them.
func (r *router) scripts(names []string, cwd string) {
	r.spoken = true
	read := 0
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript || !r.holds(name) {
			continue
		}
		if read++; read > maxScripts {
			return
		}
		raw, err := refs.ReadStart(name, maxScript)
		if err != nil || bytes.IndexByte(raw, 0) >= 0 {
			continue
		}
		spoken := 0
		for word := range strings.FieldsFuncSeq(string(raw), noPath) {
			if !filepath.IsAbs(word) {
				if !strings.Contains(word, "../") { // such a path stays in the directory of the command
					continue
				}
				word = filepath.Join(cwd, word)
			}
			if r.add(word); spoken == maxSpoken {
				break
			}
			spoken++
		}
	}
}

// `holds` reports whether a file is in a work tree that was found. Other files are not opened, because anybody may have
// made them.
func (r *router) holds(name string) bool {
	found, err := refs.FindHook(filepath.Dir(name))
	return err == nil && slices.ContainsFunc(r.repos, func(repo *refs.Repo) bool {
		return repo.WorkTree == found.Top && repo.GitDir == found.GitDir
	})
}

// noPath reports whether a character cannot be part of a path in a script.
func noPath(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("\"'`()<>|;,:=$", c) }
