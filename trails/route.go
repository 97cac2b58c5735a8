package trails

import (
	"os"
	"path/filepath"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// Bounds of the search for repositories that a boundary may concern.
const (
	maxRoutes   = 8
	maxChildren = 64
)

// Recording tells whether git-trace records in the repository: `git trace init` says so, `git trace uninstall` ends it.
func Recording(repo *refs.Repo) bool {
	_, err := os.Stat(recordingFile(repo))
	return err == nil
}

// SetRecording starts or ends recording in the repository.
func SetRecording(repo *refs.Repo, on bool) error {
	if !on {
		err := os.Remove(recordingFile(repo))
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	return refs.WriteFileAtomic(recordingFile(repo), []byte("git-trace records here\n"), 0o644)
}

func recordingFile(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "recording") }

// Route finds the work trees that a boundary concerns, only those that are recorded: the ones that hold the declared
// paths; for a call that may write anywhere, the one it runs in and those that it mentions; a directory that holds
// several repositories stands for all of them.
func Route(b events.Boundary) []*refs.Repo {
	r := router{seen: map[string]bool{}}
	if b.Tool != nil && b.Tool.Class == events.ToolEdits {
		for _, p := range b.Tool.Paths {
			r.add(filepath.Dir(p))
			if to := target(p); filepath.Dir(to) != filepath.Dir(p) {
				r.add(filepath.Dir(to))
			}
		}
		return r.repos
	}
	if b.Cwd != "" && !r.add(b.Cwd) {
		r.children(b.Cwd)
	}
	if b.Tool != nil {
		for _, hint := range b.Tool.Hints {
			r.add(hint)
		}
	}
	return r.repos
}

type router struct {
	repos []*refs.Repo
	seen  map[string]bool
}

// add takes the recorded repository around a path; a path that does not exist yet stands for its nearest directory.
// The result tells whether the path lies in a repository at all.
func (r *router) add(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	dir := filepath.Clean(path)
	for {
		info, err := os.Stat(dir)
		if err == nil && info.IsDir() {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
	repo, err := refs.DiscoverHook(dir)
	if err != nil || repo.Bare() {
		return false
	}
	if !r.seen[repo.GitDir] && len(r.repos) < maxRoutes && Recording(repo) {
		r.seen[repo.GitDir] = true
		r.repos = append(r.repos, repo)
	}
	return true
}

// children takes the repositories directly below a directory that is in none.
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
