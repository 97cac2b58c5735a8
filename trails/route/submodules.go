package route

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// A shell command that runs in a work tree may write files of its submodules without naming any: for example
// `npm run format`, or `sed -i` over all files. Submodules are separate repositories. Recorded submodules also get the
// boundaries of calls in the work trees around them. Other work trees of the same repository do not get them: people
// work there while an agent runs, and a window there would claim their lines.

// Limits for the search for submodules. Their names are paths (gitsubmodules(7)).
const (
	maxModules     = 64
	maxModuleDepth = 4
	maxConfig      = 64 << 10
)

// submodules lists the top directories of a work tree's checked-out submodules in which something was recorded. The
// caller must check whether they are still recorded.
func submodules(repo *refs.Repo) []string {
	var out []string
	modules := filepath.Join(repo.GitDir, "modules")
	seen := 0
	_ = filepath.WalkDir(modules, func(path string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(modules, path)
		seen++
		switch {
		case err != nil || !entry.IsDir():
			return nil //nolint:nilerr // a directory that cannot be read holds none that is known
		case seen > maxModules*maxModuleDepth || len(out) == maxModules:
			return fs.SkipAll
		case strings.Count(filepath.ToSlash(rel), "/") == maxModuleDepth:
			return fs.SkipDir
		}
		if _, err := os.Lstat(filepath.Join(path, "HEAD")); err != nil || path == modules {
			return nil //nolint:nilerr // no git directory: its own directories are looked at
		}
		if _, err := os.Lstat(filepath.Join(path, "traces")); err == nil {
			if top := moduleTop(path); strings.HasPrefix(filepath.ToSlash(top), repo.WorkTree+"/") {
				out = append(out, top)
			}
		}
		if entries, err := os.ReadDir(filepath.Join(path, "modules")); err == nil && len(entries) > 0 {
			out = append(out, submodules(&refs.Repo{GitDir: path, WorkTree: repo.WorkTree})...)
		}
		return fs.SkipDir
	})
	return out
}

// moduleTop returns the work tree of a submodule's git directory, as git writes it, or "" if there is none or it has
// another form.
func moduleTop(gitDir string) string {
	f, err := os.Open(filepath.Join(gitDir, "config"))
	if err != nil {
		return ""
	}
	defer f.Close()
	raw := make([]byte, maxConfig)
	n, _ := f.Read(raw)
	for line := range bytes.Lines(raw[:n]) {
		key, value, found := strings.Cut(string(line), "=")
		if !found || strings.TrimSpace(key) != "worktree" {
			continue
		}
		top := strings.TrimSpace(value)
		if top == "" || strings.ContainsAny(top, "\"\\") {
			return ""
		}
		if !filepath.IsAbs(top) {
			top = filepath.Join(gitDir, top)
		}
		return top
	}
	return ""
}
